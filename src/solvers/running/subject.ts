/** What the driver runs: a subject, which is the compact rows of a problem (rows-subject.ts), its compiled levels (on-compiled-levels.ts) or
 *  a problem that is solved elsewhere; and the iteration on it. */
import type { Pocket } from '../../pressure/pockets.js'
import type { Measure } from '../../pressure/residual.js'
import type { LevelSummary, Status } from '../contract/solver.js'

/** What an iteration reports after each of its steps, as it computed it. */
export interface Step {
  readonly residual: number
  readonly pinned: number
  /** Outer iterations so far, where they differ from iterations. */
  readonly outer?: number
  /** Innermost iterations so far, where one step is not one of them. */
  readonly iteration?: number
}

/** `recompute`: the residual was better on paper than in fact; rebuild it from p before continuing. */
export type Verdict = 'continue' | 'recompute'

/** An iteration ends by itself only when it cannot continue. */
export interface Ending {
  readonly status: Status
  readonly message: string
}

/** Yields after every step. Asynchronous where it has to wait for others. */
export type Iteration = Generator<Step, Ending, Verdict> | AsyncGenerator<Step, Ending, Verdict>

export interface Progress {
  /** Counts matrix non-zeros touched. */
  readonly work: { add(nonZeros: number): void }
  /** Multigrid methods report their levels here, for the result. */
  showLevels(levels: readonly LevelSummary[]): void
}

export interface Subject {
  readonly unknowns: number
  readonly nonZeros: number
  /** What infeasible pockets consist of, for messages. */
  readonly noun: 'cells' | 'rows'
  /** What it runs on, for the result. */
  readonly engine: string
  readonly atZero: Measure
  readonly atStart: Measure
  /** Sets the pressure to 0. */
  reset(): void
  /** Restores the pressure that the solve was given, with negative contact pressures set to 0. */
  restoreStart(): Measure
  prepare(tolerance: number): Prepared
}

/** The independent measurement of a returned pressure. */
export interface Judgement extends Measure {
  /** Largest natural residual, 1/s, with the mean of b subtracted in infeasible pockets: the part that a pressure can reduce. */
  readonly feasible: number
}

/** A subject whose sealed pockets are neutralised. */
export interface Prepared {
  /** Residual that makes the original problem meet its tolerance, 1/s. */
  readonly target: number
  readonly infeasible: readonly Pocket[]
  iterate(progress: Progress): Iteration
  /** The residual with contacts clamped at 0, by the method's own loops. If it is above the target, everything is as before. */
  clampAndMeasure(): number
  /** Returns the pressure, without negative contacts and with pockets shifted, and measures that by the yardstick. The iteration may
   *  continue afterwards if its verdict is `recompute`. */
  present(): Judgement
}
