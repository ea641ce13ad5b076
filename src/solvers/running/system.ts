/** The problem of an algebraic method: the sparse problem with its sealed pockets neutralised.
 *  In balanced and infeasible pockets no contact can be pinned, so they become liquid rows, and the mean of b is subtracted, so
 *  that the singular matrix has a solution. Expanding pockets keep their contacts but must always hold one pinned. */
import {
  collectPockets,
  neutralisePockets,
  type Pocket,
  shiftPockets,
  sortPockets,
  subtractMeans,
  targetResidual,
} from '../../pressure/pockets.js'
import { CONTACT, LIQUID, type SparseProblem } from '../../pressure/problem.js'
import type { Buffers } from '../../sparse/buffers.js'

export interface System extends SparseProblem {
  readonly contacts: Int32Array
  /** Rows of the pockets on which A is singular, each a constant null vector. */
  readonly singular: readonly Int32Array[]
  readonly expanding: readonly Pocket[]
  readonly infeasible: readonly Pocket[]
  /** Residual of this system that makes the original one meet its tolerance, 1/s. */
  readonly target: number
}

/** `scratch`: where to keep what no compiled loop reads. `factors`: by what rows have been multiplied, where they have. */
export function prepareSystem(
  problem: SparseProblem,
  tolerance: number,
  separating: boolean,
  buffers: Buffers,
  scratch: Buffers = buffers,
  factors?: Float64Array,
): System {
  const kind = buffers.u8('system.kind', problem.rows)
  if (separating) kind.set(problem.kind)
  else kind.fill(LIQUID)
  const b = buffers.f64('system.b', problem.rows)
  b.set(problem.b)

  const seen = scratch.u8('pockets.seen', problem.rows)
  const pockets = collectPockets(problem, seen, scratch.i32('pockets.rows', problem.rows), factors)
  const { singular, expanding, infeasible, spread } = sortPockets(pockets, tolerance, separating)
  neutralisePockets(singular, kind, b, factors)
  let count = 0
  const contacts = buffers.i32('system.contacts', problem.rows)
  for (let row = 0; row < problem.rows; row++) if (kind[row] === CONTACT) contacts[count++] = row
  const target = targetResidual(tolerance, spread)
  return {
    ...problem,
    kind,
    b,
    contacts: contacts.subarray(0, count),
    singular: singular.map(({ rows }) => rows),
    expanding,
    infeasible,
    target,
  }
}

/** Takes the mean over every singular pocket out of `r`, which must be in the range of A. */
export function projectSingular(system: System, r: Float64Array): void {
  subtractMeans(system.singular, r)
}

/** `kind` is that of the original problem. */
export function shiftSingular({ singular }: System, kind: Uint8Array, p: Float64Array): void {
  shiftPockets(singular, (pocket, at) => kind[singular[pocket][at]] === CONTACT, p)
}
