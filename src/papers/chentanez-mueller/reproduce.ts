/** The experiments of Chentanez and Müller 2011: what their fixed budget of cycles costs and reaches with separating and with sticking walls,
 *  and the condition on nodes against that on edges. */
import type { FaceField } from '../../grid/staggered.js'
import { isAssembled } from '../../pressure/assemble.js'
import { galleryProblem } from '../../pressure/gallery.js'
import { countUnknowns, isGridProblem, type PressureProblem, pressureLength, stickingProblem } from '../../pressure/problem.js'
import { project } from '../../pressure/project.js'
import { createSolver } from '../../solvers/registry.js'
import { createFrameProblems, type SceneChoice, TOLERANCE } from '../frame-problems.js'
import { round } from '../method.js'
import type { Task } from '../reproduction.js'

/** The four scenes, by the names of the paper. */
export const CM_SCENES: readonly (SceneChoice & { readonly name: string })[] = [
  { name: 'BallBox', scene: 'cm-ball-box', dims: 3 },
  { name: 'DambreakBox', scene: 'cm-dam-break-box', dims: 3 },
  { name: 'RotatedBox', scene: 'cm-box-rotated', dims: 3 },
  { name: 'DambreakSphere', scene: 'cm-dam-break-sphere', dims: 3 },
]

/** The method as printed, without any of our repairs. */
const PRINTED = {
  project: 'after',
  restrictPinned: 'raw',
  thinCoarse: 'as-is',
  floatingCoarse: 'as-is',
  safeguard: false,
} as const

/** 3 full cycles and 4 V-cycles, 4 sweeps before and after. */
const BUDGET = { mode: 'budget', numFull: 3, numV: 4, preSweeps: 4, postSweeps: 4 } as const

export interface SpentBudget {
  /** Wall time, the fastest of several. */
  readonly seconds: number
  /** 1/s. */
  readonly residual: number
  /** Residual over that of p = 0. */
  readonly reduction: number
}

/** Of one substep. The printed method is timed, too, because our safeguard costs something. */
export interface BudgetPair {
  readonly letGo: SpentBudget
  readonly stick: SpentBudget
  readonly printedLetGo: SpentBudget
  readonly printedStick: SpentBudget
}

/** Of one problem in 2D, after projection. */
export interface ContactStudy {
  readonly contacts: number
  /** Contacts at p = 0. */
  readonly letGo: { readonly nodes: number; readonly edges: number }
  /** Root of the mean square of the difference of velocities from those with the condition on nodes, over the largest of them. */
  readonly unlike: { readonly edges: number; readonly sticking: number }
}

/** Liquid in a circle, thrown at its wall and falling off it. */
export const CONTACT_PROBLEMS = ['half-ball', 'half-sphere'] as const

export interface ChentanezMuellerOptions {
  readonly sizes: readonly number[]
  readonly frames: number
  readonly samples: number
  /** Cells per side of the comparison in 2D. */
  readonly contactSizes: readonly number[]
}

const CM_ROUNDS = 3

export function chentanezMuellerTasks(options: ChentanezMuellerOptions): { readonly tasks: readonly Task[]; dispose(): void } {
  const { sizes, frames, samples, contactSizes } = options
  const problems = createFrameProblems()
  const contact = CONTACT_PROBLEMS.flatMap(name =>
    contactSizes.map(size => ({
      group: `contact/${name}`,
      item: String(size),
      family: 'contact',
      weight: size ** 3,
      isLong: true,
      run: () => studyContact(name, size),
    })),
  )
  const budgets = [...sizes]
    .sort((a, b) => a - b)
    .flatMap(size =>
      CM_SCENES.flatMap(({ name, scene, dims }) =>
        Array.from({ length: samples }, (_, at) => Math.round(((at + 1) * frames) / samples)).map(frame => ({
          group: `budget/${name}/${size}`,
          item: String(frame),
          family: `budget ${name}`,
          weight: size ** 3,
          isLong: true,
          needs: problems.need({ scene, dims }, size, frame),
          run: () => spendInTurn(problems.current.problem),
        })),
      ),
    )
  return { tasks: [...contact, ...budgets], dispose: problems.dispose }
}

/** In turn, so that a busy moment hits them alike. */
async function spendInTurn(problem: PressureProblem): Promise<BudgetPair> {
  const stuck = stickingProblem(problem)
  const contenders = [
    { key: 'letGo', problem, set: {} },
    { key: 'stick', problem: stuck, set: {} },
    { key: 'printedLetGo', problem, set: PRINTED },
    { key: 'printedStick', problem: stuck, set: PRINTED },
  ].map(contender => ({ ...contender, solver: createSolver('cm-multigrid', { ...BUDGET, ...contender.set }) }))
  const spent: Record<string, SpentBudget> = {}
  try {
    for (let turn = 0; turn < CM_ROUNDS; turn++)
      for (const { key, problem: mine, solver } of contenders) {
        const result = await solver.solve(mine, new Float64Array(pressureLength(mine)), { tolerance: 1e-14 })
        const seconds = round(Math.min(result.seconds.setup + result.seconds.solve, spent[key]?.seconds ?? Infinity))
        const start = result.history[0].residual
        spent[key] = { seconds, residual: round(result.residual), reduction: round(start > 0 ? result.residual / start : 0) }
      }
  } finally {
    for (const { solver } of contenders) solver.dispose()
  }
  return spent as unknown as BudgetPair
}

/** How velocities after projection differ. Only assembled problems contain where the solid crosses edges. */
async function studyContact(name: string, size: number): Promise<ContactStudy> {
  const { problem, velocity } = galleryProblem(name, { size, dims: 2 })
  if (!velocity || !isGridProblem(problem) || !isAssembled(problem)) throw new TypeError(`"${name}" has no geometry`)
  const solve = async (solver: string, set: Readonly<Record<string, unknown>>) => {
    const pressure = new Float64Array(pressureLength(problem))
    const { pinned } = await solvePressure(solver, set, problem, pressure)
    const after = velocity.map(axis => axis.slice()) as unknown as typeof velocity
    project(after, pressure, problem)
    return { pinned, after }
  }
  const nodes = await solve('cm-multigrid', { contact: 'nodes' })
  const edges = await solve('cm-multigrid', { contact: 'edges' })
  const stick = await solve('mic-pcg', {})
  const unlike = (other: typeof velocity) => round(difference(nodes.after, other) / largest(nodes.after))
  return {
    contacts: countUnknowns(problem).contacts,
    letGo: { nodes: nodes.pinned, edges: edges.pinned },
    unlike: { edges: unlike(edges.after), sticking: unlike(stick.after) },
  }
}

async function solvePressure(
  name: string,
  set: Readonly<Record<string, unknown>>,
  problem: PressureProblem,
  pressure: Float64Array,
) {
  const solver = createSolver(name, set)
  try {
    return await solver.solve(problem, pressure, { tolerance: TOLERANCE, maxIterations: 2000 })
  } finally {
    solver.dispose()
  }
}

/** Root of the mean square over faces, m/s. */
function difference(a: FaceField, b: FaceField): number {
  let [sum, count] = [0, 0]
  a.forEach((values, axis) => {
    values.forEach((value, face) => {
      sum += (value - b[axis][face]) ** 2
      count++
    })
  })
  return Math.sqrt(sum / count)
}

/** m/s. */
function largest(velocity: FaceField): number {
  return velocity.reduce((most, values) => values.reduce((a, b) => Math.max(a, Math.abs(b)), most), 0)
}
