/** Ablations of the full approximation scheme: the method of Lai 2020 with one part at a time replaced by the plain
 *  choice, as in its Table 12. The base is their plain cycle: no conjugate directions, one unknown per coarse cell. */
import { InputError } from '../../input-error.js'
import { type GalleryProblem, gallery, galleryProblem } from '../../pressure/gallery.js'
import { countUnknowns, pressureLength } from '../../pressure/problem.js'
import type { SolveResult } from '../../solvers/contract/solver.js'
import { createSolver } from '../../solvers/registry.js'

export interface AblationSuite {
  /** Gallery names to keep; all problems of the ablations if absent. */
  readonly problems?: readonly string[]
  readonly sizes3d: readonly number[]
  readonly sizes2d: readonly number[]
  /** 1/s. */
  readonly tolerance: number
  /** A solve that has not converged by then fails. */
  readonly maxIterations: number
}

/** Scenario 1 of the paper in 3D and 2D; a plate with liquid on both sides; a corner. */
const ABLATED_PROBLEMS: readonly { readonly name: string; readonly dims: 2 | 3; readonly title: string }[] = [
  { name: 'half-sphere', dims: 3, title: 'Half of a sphere peels off' },
  { name: 'half-sphere', dims: 2, title: 'Half of a circle peels off' },
  { name: 'moving-paddle', dims: 2, title: 'Plate that sweeps through a pool' },
  { name: 'square', dims: 2, title: 'Square: block thrown into a corner' },
]

export const PLAIN = { acceleration: 'none', cells: 'whole' } as const

export const ABLATIONS = [
  { name: 'published', title: 'as published, rows scaled', set: {} },
  { name: 'trilinear', title: 'trilinear interpolation', set: { interpolation: 'trilinear' } },
  { name: 'constant', title: 'constant interpolation', set: { interpolation: 'constant' } },
  { name: 'simple', title: 'simple boundaries', set: { boundaries: 'simple' } },
  { name: 'direct', title: 'direct operators', set: { coarse: 'direct' } },
  { name: 'literal', title: 'rows as printed', set: { rows: 'literal' } },
  { name: 'literal-simple', title: 'rows as printed, simple boundaries', set: { rows: 'literal', boundaries: 'simple' } },
  { name: 'literal-direct', title: 'rows as printed, direct operators', set: { rows: 'literal', coarse: 'direct' } },
] as const
export type Ablation = (typeof ABLATIONS)[number]['name']

/** Rows as printed compare a pressure with a divergence, so there units matter; these make the largest pressures about 1. */
const DENSITY = 1

export interface AblationTable {
  readonly problem: string
  readonly title: string
  readonly dims: 2 | 3
  readonly sizes: readonly number[]
  readonly unknowns: readonly number[]
  /** Results of one variant, by size. */
  readonly rows: readonly { readonly ablation: Ablation; readonly results: readonly SolveResult[] }[]
}

export async function* runAblations(suite: AblationSuite, onSolve: (what: string) => void): AsyncGenerator<AblationTable> {
  const chosen = chosenProblems(suite)
  for (const { name, dims, title } of chosen) {
    const sizes = dims === 3 ? suite.sizes3d : suite.sizes2d
    const problems = sizes.map(size => galleryProblem(name, { size, dims, density: DENSITY }).problem)
    const rows: AblationTable['rows'][number][] = []
    for (const { name: ablation, set } of ABLATIONS) {
      const results: SolveResult[] = []
      for (const [at, problem] of problems.entries()) {
        onSolve(`${name} ${sizes[at]}${dims === 3 ? '³' : '²'} ${ablation}`)
        results.push(await solveWith(problem, set, suite))
      }
      rows.push({ ablation, results })
    }
    yield { problem: name, title, dims, sizes, unknowns: problems.map(problem => countUnknowns(problem).unknowns), rows }
  }
}

function chosenProblems({ problems, sizes3d, sizes2d }: AblationSuite) {
  const names = [...new Set(ABLATED_PROBLEMS.map(({ name }) => name))]
  for (const name of problems ?? [])
    if (!names.includes(name)) throw new InputError(`Unknown problem of the ablations "${name}"; use one of ${names.join(', ')}.`)
  const chosen = ABLATED_PROBLEMS.filter(({ name }) => !problems || problems.includes(name))
  for (const { name, dims } of chosen) {
    const { minSize } = gallery.find(entry => entry.name === name)!
    const small = (dims === 3 ? sizes3d : sizes2d).find(size => size < minSize)
    if (small !== undefined) throw new InputError(`"${name}" needs at least ${minSize} cells per side in ${dims}D, not ${small}.`)
  }
  return chosen
}

async function solveWith(problem: GalleryProblem['problem'], set: object, { tolerance, maxIterations }: AblationSuite) {
  const solver = createSolver('fas-mg', { ...PLAIN, ...set })
  try {
    return await solver.solve(problem, new Float64Array(pressureLength(problem)), { tolerance, maxIterations })
  } finally {
    solver.dispose()
  }
}

/** "12" is the number of cycles; "over 700 (at 20)" is the residual, 1/s, where a solve was cut off. */
export function formatAblationTable({ title, dims, sizes, unknowns, rows }: AblationTable): string {
  const power = dims === 3 ? '³' : '²'
  const head = `| ${title} | ${sizes.map((size, at) => `${size}${power} (${unknowns[at]})`).join(' | ')} |`
  const lines = rows.map(({ ablation, results }) => {
    const variant = ABLATIONS.find(({ name }) => name === ablation)!
    return `| ${variant.title} | ${results.map(describe).join(' | ')} |`
  })
  return [head, `|---|${sizes.map(() => '---').join('|')}|`, ...lines].join('\n')
}

function describe({ status, iterations, residual }: SolveResult): string {
  if (status === 'converged') return String(iterations)
  if (status !== 'iteration-limit') return `${status} at ${iterations}`
  return `over ${iterations} (at ${Number(residual.toPrecision(1))})`
}
