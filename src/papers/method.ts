/** A method of a paper as one of our solvers, and one solve by it. */
import type { EngineSetting } from '../machine/engine-choice.js'
import type { PressureProblem } from '../pressure/problem.js'
import type { SolveOptions, SolveResult, Status } from '../solvers/contract/solver.js'
import { createSolver } from '../solvers/registry.js'
import type { FrameProblem } from './frame-problems.js'

export interface PaperMethod {
  /** As the paper calls it. */
  readonly name: string
  readonly solver: string
  readonly set?: Readonly<Record<string, unknown>>
  /** How its time grows with the grid, for predictions: like the cells, or like cells times cells per side. */
  readonly growth: 'cells' | 'cells × side'
  /** Starts with the pinned set of the previous substep. */
  readonly remembers?: boolean
  /** The fastest engine if absent. */
  readonly setting?: EngineSetting
}

/** What is kept of a solve. */
export interface Solve {
  readonly iterations: number
  readonly outer: number
  /** Fine-grid sweeps. */
  readonly work: number
  /** Set-up and iterations, wall time. */
  readonly seconds: number
  /** Absent where it converged. */
  readonly status?: Status
  /** [work, residual in 1/s] after every iteration, where requested. */
  readonly curve?: readonly (readonly [number, number])[]
}

export interface MeasureOptions extends SolveOptions {
  /** Seconds. */
  readonly limit: number
  /** Short solves are repeated so often at most, and the fastest counts. */
  readonly rounds: number
  readonly curve?: boolean
}

/** Enough for Newton without a preconditioner. */
const MAX_ITERATIONS = 500_000
/** Seconds after which a solve is not repeated any more. */
const ENOUGH_SECONDS = 0.3
/** Never met within the one iteration that a warm-up has. */
const UNREACHABLE = 1e-12

export function weightOf({ growth }: PaperMethod, dims: number, size: number): number {
  return size ** (growth === 'cells' ? dims : dims + 1)
}

/** From p = 0. One iteration on the substep before warms up: memory is allocated, loops are compiled, and methods with memory
 *  have a pinned set. */
export async function measureFrame(method: PaperMethod, frame: FrameProblem, options: MeasureOptions): Promise<Solve> {
  const { problem, before } = frame
  const known = method.remembers && before ? await before.pressure() : undefined
  return measure(method, { problem, warmUp: before?.problem ?? problem, known }, options)
}

export async function measureProblem(method: PaperMethod, problem: PressureProblem, options: MeasureOptions): Promise<Solve> {
  return measure(method, { problem, warmUp: problem }, options)
}

async function measure(
  { solver: name, set, setting, remembers }: PaperMethod,
  { problem, warmUp, known }: { problem: PressureProblem; warmUp: PressureProblem; known?: Float64Array },
  { limit, rounds: most, curve, signal, ...options }: MeasureOptions,
): Promise<Solve> {
  const solver = createSolver(name, set, setting)
  const pressure = new Float64Array(problem.grid.cells)
  try {
    if (known) pressure.set(known)
    await solver.solve(warmUp, pressure, { tolerance: UNREACHABLE, maxIterations: 1 })
    const timeout = AbortSignal.timeout(limit * 1000)
    const limited = { maxIterations: MAX_ITERATIONS, ...options, signal: signal ? AbortSignal.any([signal, timeout]) : timeout }
    // Those that remember would begin the second time with the answer of the first.
    const rounds = remembers ? 1 : most
    let fastest: Solve | undefined
    for (let [round, spent] = [0, 0]; round < rounds && spent < ENOUGH_SECONDS; round++) {
      pressure.fill(0)
      const result = await solver.solve(problem, pressure, limited)
      const solve = summarise(result, curve)
      spent += solve.seconds
      if (!fastest || solve.seconds < fastest.seconds) fastest = solve
    }
    return fastest!
  } finally {
    solver.dispose()
  }
}

function summarise({ iterations, outer, work, seconds, status, history }: SolveResult, curve = false): Solve {
  return {
    iterations,
    outer,
    work: Math.round(work),
    seconds: round(seconds.setup + seconds.solve),
    ...(status !== 'converged' && { status }),
    ...(curve && { curve: history.map(record => [round(record.work), round(record.residual)] as const) }),
  }
}

/** What is worth keeping of a measured number. */
export function round(value: number): number {
  return Number(value.toPrecision(4))
}
