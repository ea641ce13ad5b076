/** The linear solve inside policy iteration and penalty: conjugate gradients, or multigrid cycles, to an accuracy set by
 *  the outer loop. */
import type { Buffers } from '../../sparse/buffers.js'
import { krylov } from '../../sparse/krylov/krylov.js'
import type { KrylovMethod, LinearOperator } from '../../sparse/krylov/method.js'
import type { Preconditioner } from '../../sparse/preconditioners/preconditioner.js'
import type { OptionValues } from '../contract/options.js'
import { choosePreconditioner, preconditionerOptions } from '../contract/preconditioner-options.js'
import type { Ending, Run, Step, Verdict } from '../running/on-rows.js'

/** A linear solver for outer loops; a new one for every solve. */
export interface InnerSolver {
  readonly preconditioner: Preconditioner
  readonly method: KrylovMethod
}
export type CreateInner = (run: Run) => InnerSolver

export function innerPcg(chosen: OptionValues<typeof preconditionerOptions>): CreateInner {
  return run => ({ preconditioner: choosePreconditioner(chosen, run), method: krylov.cg })
}

export const accuracyOptions = {
  innerTolerance: {
    type: 'number',
    default: 0.5,
    min: 1e-6,
    max: 0.9,
    about: 'Tolerance of each linear solve, relative to the tolerance.',
  },
} as const

export const nestedOptions = { ...preconditionerOptions, ...accuracyOptions } as const

/** Improves p until no entry of r exceeds `accuracy`, or until the driver wants r recomputed. Yields at least once, so that an
 *  outer loop around it counts iterations and cannot be endless. Returns an ending only if it cannot continue. */
export function* solveInner(
  method: KrylovMethod,
  operator: LinearOperator,
  p: Float64Array,
  r: Float64Array,
  accuracy: number,
  buffers: Buffers,
  report: () => Step,
): Generator<Step, Ending | undefined, Verdict> {
  const { largestMagnitude } = buffers.loops
  const iteration = method(operator, p, r, buffers)
  for (let step = 0; ; step++) {
    const next = largestMagnitude(r) > accuracy ? iteration.next() : undefined
    // After some steps it may be the residual that has lost its digits, and not the matrix.
    if (next?.done && next.value === 'indefinite' && step === 0)
      return { status: 'diverged', message: 'The matrix is not positive definite: conjugate gradients met no curvature.' }
    const verdict = yield report()
    if (verdict === 'recompute' || !next || next.done || largestMagnitude(r) <= accuracy) return undefined
  }
}

/** Near the end, sets of pinned contacts differ only by what the linear solves leave open; so solve the next ones closer. */
export function tighten(accuracy: number, target: number): number {
  return Math.max(0.25 * accuracy, 1e-6 * target)
}

/** Outer iterations after which the accuracy is raised even while the set still changes. */
export const INNER_PATIENCE = 8
