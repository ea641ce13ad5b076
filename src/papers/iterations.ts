/** How iterations and work grow with the grid: every solver on problems that show their differences. */
import { InputError, suggestion } from '../input-error.js'
import { type GalleryProblem, gallery, galleryProblem } from '../pressure/gallery.js'
import { countUnknowns, pressureLength } from '../pressure/problem.js'
import type { SolveResult } from '../solvers/contract/solver.js'
import type { SolverEntry } from '../solvers/registry.js'

export interface IterationSuite {
  readonly solvers: readonly SolverEntry[]
  /** Gallery names to keep; all problems of the comparison if absent. */
  readonly problems?: readonly string[]
  readonly sizes3d: readonly number[]
  readonly sizes2d: readonly number[]
  /** 1/s. */
  readonly tolerance: number
  /** A solve that takes longer is cut off, in seconds; so are all larger sizes of that solver and problem. */
  readonly limit: number
}

/** The problems of the comparison, by what they are hard for. */
const PROBLEMS: readonly { readonly name: string; readonly dims: 2 | 3; readonly title: string }[] = [
  { name: 'half-ball', dims: 3, title: 'Half ball thrown at the wall of a sphere' },
  { name: 'sphere-with-cuboid', dims: 3, title: 'Sphere with a cuboid' },
  { name: 'two-spheres', dims: 3, title: 'Shells: two spheres, thin walls, one sealed and full' },
  { name: 'rooms', dims: 3, title: 'Rooms with thin walls' },
  { name: 'warren', dims: 3, title: 'Warren: rooms of four cells, walls without thickness, many sealed' },
  { name: 'film', dims: 3, title: 'One-cell film' },
  { name: 'spray', dims: 3, title: 'Spray of single cells' },
  { name: 'half-ball', dims: 2, title: 'Circle: half of it thrown at the wall' },
  { name: 'square', dims: 2, title: 'Square: block thrown into a corner' },
  { name: 'maze', dims: 2, title: 'Maze' },
]

export interface IterationCell {
  readonly solver: string
  readonly size: number
  readonly unknowns: number
  /** undefined when it was not run because a smaller size already took too long. */
  readonly result: SolveResult | undefined
}

export interface IterationTable {
  readonly title: string
  readonly dims: 2 | 3
  readonly sizes: readonly number[]
  readonly cells: readonly IterationCell[]
}

export async function* runIterations(suite: IterationSuite, onSolve: (what: string) => void): AsyncGenerator<IterationTable> {
  checkSizes(suite)
  for (const { name, dims, title } of chosenProblems(suite)) {
    const sizes = dims === 3 ? suite.sizes3d : suite.sizes2d
    const cells: IterationCell[] = []
    const tooSlow = new Set<string>()
    for (const size of sizes) {
      const { problem } = galleryProblem(name, { size, dims })
      for (const entry of suite.solvers) {
        onSolve(`${name} ${size}${dims === 3 ? '³' : '²'} ${entry.name}`)
        const { unknowns } = countUnknowns(problem)
        const result = tooSlow.has(entry.name) ? undefined : await solveWithin(suite, problem, entry)
        if (result?.status === 'cancelled') tooSlow.add(entry.name)
        cells.push({ solver: entry.name, size, unknowns, result })
      }
    }
    yield { title, dims, sizes, cells }
  }
}

function chosenProblems({ problems }: IterationSuite) {
  const names = PROBLEMS.map(({ name }) => name)
  for (const name of problems ?? [])
    if (!names.includes(name))
      throw new InputError(
        `Unknown problem of the comparison "${name}"${suggestion(name, names)}; use one of ${[...new Set(names)].join(', ')}.`,
      )
  return PROBLEMS.filter(({ name }) => !problems || problems.includes(name))
}

/** Before anything is measured: a size that one problem refuses would cost the whole run. */
function checkSizes(suite: IterationSuite): void {
  const { sizes3d, sizes2d } = suite
  for (const { name, dims } of chosenProblems(suite)) {
    const { minSize } = gallery.find(entry => entry.name === name)!
    const small = (dims === 3 ? sizes3d : sizes2d).find(size => size < minSize)
    if (small !== undefined) throw new InputError(`"${name}" needs at least ${minSize} cells per side in ${dims}D, not ${small}.`)
  }
}

async function solveWithin({ tolerance, limit }: IterationSuite, problem: GalleryProblem['problem'], entry: SolverEntry) {
  const solver = entry.create()
  const pressure = new Float64Array(pressureLength(problem))
  try {
    return await solver.solve(problem, pressure, { tolerance, signal: AbortSignal.timeout(limit * 1000) })
  } finally {
    solver.dispose()
  }
}

/** "12 / 67" is iterations / work; a solve that did not converge has its reason. */
export function formatIterationTable({ title, dims, sizes, cells }: IterationTable, limit: number): string {
  const power = dims === 3 ? '³' : '²'
  const names = [...new Set(cells.map(({ solver }) => solver))]
  const unknowns = sizes.map(size => cells.find(cell => cell.size === size)!.unknowns)
  const head = `| ${title} | ${sizes.map((size, at) => `${size}${power} (${unknowns[at]})`).join(' | ')} |`
  const rows = names.map(solver => {
    const texts = sizes.map(size => describe(cells.find(cell => cell.solver === solver && cell.size === size)!, limit))
    return `| \`${solver}\` | ${texts.join(' | ')} |`
  })
  return [head, `|---|${sizes.map(() => '---').join('|')}|`, ...rows].join('\n')
}

function describe({ result }: IterationCell, limit: number): string {
  if (!result || result.status === 'cancelled') return `over ${limit} s`
  const counts = `${result.iterations} / ${result.work.toFixed(0)}`
  return result.status === 'converged' ? counts : `${result.status} (${counts})`
}
