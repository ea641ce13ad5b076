/** The interface of all solvers. Plain data in, plain data out; a solver is a value that is passed around. */
import type { Problem } from '../../pressure/problem.js'

export interface PressureSolver {
  readonly name: string
  /** false: CONTACT rows are treated as LIQUID rows, so liquid sticks to walls. */
  readonly separating: boolean
  /** Starts from `pressure` and overwrites it, one value per cell of a grid problem or per row of a sparse one.
   *  Rejects only for input that makes no sense; not converging is a result. Memory is kept for the next solve. */
  solve(problem: Problem, pressure: Float64Array, options?: SolveOptions): Promise<SolveResult>
  /** Releases the memory. The solver can be used again afterwards. */
  dispose(): void
}

export interface SolveOptions {
  /** Largest natural residual to accept, in 1/s; with `relative`, as a share of the residual of p = 0. Default 1e-6. */
  readonly tolerance?: number
  readonly relative?: boolean
  /** Default 20 000. */
  readonly maxIterations?: number
  /** Called after every iteration, and once with the starting point. */
  readonly monitor?: (record: IterationRecord) => void
  /** Ends the solve with status `cancelled`; the best pressure so far is kept. */
  readonly signal?: AbortSignal
}

export const DEFAULT_TOLERANCE = 1e-6
export const DEFAULT_MAX_ITERATIONS = 20_000

/** `failed`: the external program that solves it is missing or has ended; the pressure is unchanged. */
export type Status =
  | 'converged'
  | 'iteration-limit'
  | 'stagnated'
  | 'diverged'
  | 'not-finite'
  | 'infeasible'
  | 'cancelled'
  | 'failed'

export interface IterationRecord {
  /** Innermost iterations so far; 0 is the starting point. */
  readonly iteration: number
  /** Outer iterations so far, for methods that nest; else equal to `iteration`. */
  readonly outer: number
  /** Natural residual as computed by the method, 1/s. The one of the result is recomputed independently. */
  readonly residual: number
  /** Pinned contacts: held at p = 0, because the liquid separates there. */
  readonly pinned: number
  /** Fine-grid sweeps so far: matrix non-zeros touched, vectors and preconditioner included, over those of A. */
  readonly work: number
  readonly seconds: number
}

/** One level of a multigrid hierarchy, finest first. */
export interface LevelSummary {
  /** Cells per axis. */
  readonly shape: readonly number[]
  readonly unknowns: number
  readonly nonZeros: number
}

export interface SolveResult {
  readonly status: Status
  /** One sentence: what happened and, if it went wrong, why. */
  readonly message: string
  /** A remark for the caller although the solve succeeded; absent otherwise. */
  readonly note?: string
  /** Largest natural residual, 1/s, recomputed in f64 from the problem and the pressure returned. */
  readonly residual: number
  /** Σ |p (A p + b)| over contacts, Pa/s. */
  readonly gap: number
  readonly pinned: number
  readonly unknowns: number
  readonly iterations: number
  readonly outer: number
  readonly work: number
  /** Wall time: until the first iteration could start, and from there on. */
  readonly seconds: { readonly setup: number; readonly solve: number }
  /** What it ran on: portable, wasm, threads or ranks with their number. */
  readonly engine: string
  /** [0] is the initial guess. */
  readonly history: readonly IterationRecord[]
  /** The hierarchy of a multigrid method; empty for the others and where no iteration was needed. */
  readonly levels: readonly LevelSummary[]
  /** Cells (or rows) of sealed pockets that no pressure can satisfy; empty unless the status is `infeasible`. */
  readonly infeasible: Int32Array
}
