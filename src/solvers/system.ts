/** What an algebraic method gets to see: the sparse problem with its sealed pockets made harmless.
 *  In balanced and infeasible pockets no contact can let go, so they become liquid rows, and the mean of b is taken out, so
 *  that the singular matrix has a solution. Expanding pockets keep their contacts but must always hold one pinned. */
import { findPockets, judgePocket, type Pocket } from '../pressure/pockets.js'
import { CONTACT, LIQUID, type SparseProblem } from '../pressure/problem.js'
import type { Buffers } from '../sparse/buffers.js'

export interface System extends SparseProblem {
  readonly contacts: Int32Array
  /** Rows of the pockets on which A is singular, each a constant null vector. */
  readonly singular: readonly Int32Array[]
  readonly expanding: readonly Pocket[]
  readonly infeasible: readonly Pocket[]
  /** Residual of this system that makes the original one meet its tolerance, 1/s. */
  readonly target: number
}

export function prepareSystem(problem: SparseProblem, tolerance: number, separating: boolean, buffers: Buffers): System {
  const kind = buffers.u8('system.kind', problem.rows)
  if (separating) kind.set(problem.kind)
  else kind.fill(LIQUID)
  const b = buffers.f64('system.b', problem.rows)
  b.set(problem.b)

  const singular: Int32Array[] = []
  const expanding: Pocket[] = []
  const infeasible: Pocket[] = []
  let spread = 0
  for (const pocket of findPockets(problem)) {
    const nature = judgePocket(pocket, tolerance, separating)
    if (nature === 'expanding') {
      expanding.push(pocket)
      continue
    }
    const mean = pocket.excess / pocket.rows.length
    if (nature === 'infeasible') infeasible.push(pocket)
    else spread = Math.max(spread, Math.abs(mean))
    singular.push(pocket.rows)
    for (const row of pocket.rows) {
      kind[row] = LIQUID
      b[row] -= mean
    }
  }
  let count = 0
  const contacts = buffers.i32('system.contacts', problem.rows)
  for (let row = 0; row < problem.rows; row++) if (kind[row] === CONTACT) contacts[count++] = row
  // A little below the tolerance, because methods stop on a recurrence and are then measured afresh.
  const target = Math.min(0.9 * tolerance, tolerance - spread)
  return { ...problem, kind, b, contacts: contacts.subarray(0, count), singular, expanding, infeasible, target }
}

/** Takes the mean over every singular pocket out of `r`, which must lie in the range of A. */
export function projectSingular(system: System, r: Float64Array): void {
  for (const rows of system.singular) {
    let sum = 0
    for (const row of rows) sum += r[row]
    const mean = sum / rows.length
    for (const row of rows) r[row] -= mean
  }
}

/** Pressure of a singular pocket is free up to a constant: the smallest contact pressure becomes 0 (without contacts, the
 *  smallest pressure). `kind` tells the contacts of the original problem. */
export function shiftSingular(system: System, kind: Uint8Array, p: Float64Array): void {
  for (const rows of system.singular) {
    let smallest = Infinity
    let smallestContact = Infinity
    for (const row of rows) {
      smallest = Math.min(smallest, p[row])
      if (kind[row] === CONTACT) smallestContact = Math.min(smallestContact, p[row])
    }
    const shift = smallestContact < Infinity ? smallestContact : smallest
    for (const row of rows) p[row] -= shift
  }
}
