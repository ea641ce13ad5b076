/** A method on compact rows: a generator that improves p and yields after each iteration. */
import type { SolveMachine } from '../../machine/generated/solve.js'
import type { Problem } from '../../pressure/problem.js'
import type { Buffers } from '../../sparse/buffers.js'
import type { Iteration, Progress } from './subject.js'
import type { System } from './system.js'

export interface Run extends Progress {
  readonly buffers: Buffers
  /** The problem as it was given, for methods that use its geometry. */
  readonly source: Problem
  /** Cell of every row of a grid problem, ascending; undefined for sparse ones. */
  readonly cells: Int32Array | undefined
  /** For methods with compiled loops; undefined on the portable engine. */
  readonly machine?: SolveMachine | undefined
}

export type Method = (system: System, p: Float64Array, run: Run) => Iteration
