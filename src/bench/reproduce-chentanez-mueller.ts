/** The experiments of Chentanez and Müller 2011: what their fixed budget of cycles costs and reaches with separating and with sticking walls,
 *  and the condition on nodes against that on edges. */
import { wettedCeiling } from '../liquid/wetting.js'
import { type PressureProblem, pressureLength, stickingProblem } from '../pressure/problem.js'
import { liquidDifference } from '../render/liquid-difference.js'
import type { Override } from '../scene/overrides.js'
import { createSolver } from '../solvers/registry.js'
import { createFrameProblems, type SceneChoice, simulate, TOLERANCE } from './frame-problems.js'
import { round } from './method.js'
import type { Task } from './reproduction.js'

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

/** By frame, from the first on. */
export interface ContactStudy {
  /** m of ceilings that are wet. */
  readonly wetted: Readonly<Record<'sticking' | 'nodes' | 'edges', readonly number[]>>
  /** Share of the liquid that is elsewhere than with the condition on nodes. */
  readonly elsewhere: Readonly<Record<'sticking' | 'edges', readonly number[]>>
}

export interface ChentanezMuellerOptions {
  readonly sizes: readonly number[]
  readonly frames: number
  readonly samples: number
  /** Cells per side of the comparison in 2D, and its frames. */
  readonly contactSize: number
  readonly contactFrames: number
}

const ROUNDS = 3

export function chentanezMuellerTasks(options: ChentanezMuellerOptions): { readonly tasks: readonly Task[]; dispose(): void } {
  const { sizes, frames, samples, contactSize, contactFrames } = options
  const problems = createFrameProblems()
  const contact: Task = {
    group: `contact/${contactSize}`,
    item: `${contactFrames} frames`,
    family: 'contact',
    weight: contactFrames * contactSize ** 3,
    run: () => studyContact(contactSize, contactFrames),
  }
  const budgets = [...sizes]
    .sort((a, b) => a - b)
    .flatMap(size =>
      CM_SCENES.flatMap(({ name, scene, dims }) =>
        Array.from({ length: samples }, (_, at) => Math.round(((at + 1) * frames) / samples)).map(frame => ({
          group: `budget/${name}/${size}`,
          item: String(frame),
          family: `budget ${name}`,
          weight: size ** 3,
          needs: problems.need({ scene, dims }, size, frame),
          run: () => spendInTurn(problems.current.problem),
        })),
      ),
    )
  return { tasks: [contact, ...budgets], dispose: problems.dispose }
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
    for (let turn = 0; turn < ROUNDS; turn++)
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

async function studyContact(size: number, frames: number): Promise<ContactStudy> {
  const choose = (contact: string): Override => [
    'solver',
    { name: 'cm-multigrid', options: { contact }, tolerance: TOLERANCE, maxIterations: 500 },
  ]
  const runs = {
    sticking: await simulate('cm-ball-in-circle', size, [['walls', 'sticking']]),
    nodes: await simulate('cm-ball-in-circle', size, [choose('nodes')]),
    edges: await simulate('cm-ball-in-circle', size, [choose('edges')]),
  }
  const wetted = { sticking: [] as number[], nodes: [] as number[], edges: [] as number[] }
  const elsewhere = { sticking: [] as number[], edges: [] as number[] }
  try {
    for (let frame = 0; frame < frames; frame++) {
      for (const run of Object.values(runs)) await run.advance()
      const [stuck, nodes, edges] = [runs.sticking.capture(), runs.nodes.capture(), runs.edges.capture()]
      const cells = nodes.liquid.reduce((count, phi) => count + (phi < 0 ? 1 : 0), 0)
      // What is gone from one place is new in another.
      const share = (other: typeof nodes) => round(liquidDifference(nodes, other) / 2 / Math.max(1, cells))
      elsewhere.sticking.push(share(stuck))
      elsewhere.edges.push(share(edges))
      wetted.sticking.push(round(wettedCeiling(stuck)))
      wetted.nodes.push(round(wettedCeiling(nodes)))
      wetted.edges.push(round(wettedCeiling(edges)))
    }
  } finally {
    for (const run of Object.values(runs)) run.dispose()
  }
  return { wetted, elsewhere }
}
