/** Sets of pinned contacts: what the policy, penalty, Newton and proportioning methods share. */
import { CONTACT } from '../../pressure/problem.js'
import type { LinearOperator } from '../../sparse/krylov/method.js'
import { divergenceOfRow, nonZeros } from '../../sparse/matrix.js'
import type { Preconditioner } from '../../sparse/preconditioners/preconditioner.js'
import type { Run, Step } from '../running/on-rows.js'
import { projectSingular, type System } from '../running/system.js'

/** The natural residual where w = A p + b is available. */
export function naturalStep(system: System, w: Float64Array, p: Float64Array, run: Run): Step {
  run.work.add(2 * system.rows)
  return run.buffers.loops.natural(system, w, p)
}

/** w = A p + b from r = −(A p + b), which conjugate gradients update on free rows only; pinned rows are recomputed. */
export function divergenceFromResidual(
  system: System,
  free: Uint8Array,
  p: Float64Array,
  r: Float64Array,
  w: Float64Array,
  run: Run,
): void {
  run.buffers.loops.negate(r, w)
  for (const row of system.contacts) {
    if (free[row]) continue
    w[row] = divergenceOfRow(system, row, p)
    run.work.add(system.rowStart[row + 1] - system.rowStart[row])
  }
}

/** Pins contacts by the rule of policy iteration at the point p: those where aᵢᵢ pᵢ < (A p + b)ᵢ. */
export function pinByPressure(system: System, p: Float64Array, w: Float64Array, free: Uint8Array): void {
  const { values, diagonalAt, contacts } = system
  free.fill(1)
  for (const row of contacts) if (values[diagonalAt[row]] * p[row] < w[row]) free[row] = 0
}

/** An expanding pocket needs a pinned contact, else its rows are singular and cannot be satisfied. */
export function keepExpandingPinned(system: System, free: Uint8Array, p: Float64Array): void {
  for (const { rows } of system.expanding) {
    let lowest = -1
    for (const row of rows) {
      if (system.kind[row] !== CONTACT) continue
      if (!free[row]) {
        lowest = -1
        break
      }
      if (lowest < 0 || p[row] < p[lowest]) lowest = row
    }
    if (lowest >= 0) free[lowest] = 0
  }
}

/** r = −(A p + b) on free rows, 0 on pinned ones, in the range of A. */
export function freeResidual(system: System, free: Uint8Array, p: Float64Array, r: Float64Array, run: Run): void {
  run.buffers.loops.divergenceLeft(system, p, r)
  for (let row = 0; row < r.length; row++) r[row] = free[row] ? -r[row] : 0
  projectSingular(system, r)
  run.work.add(nonZeros(system))
}

/** The matrix restricted to the free rows, for Krylov methods. Vectors are 0 on pinned rows, and in the range of A on singular pockets. */
export function freeOperator(system: System, free: Uint8Array, preconditioner: Preconditioner, run: Run): LinearOperator {
  return {
    size: system.rows,
    apply(x, y) {
      run.buffers.loops.multiplyFree(system, free, x, y)
      run.work.add(nonZeros(system))
    },
    precondition(r, z) {
      // Rounding that leaves the range of A cannot be removed by any direction, and constants in z only cost digits.
      projectSingular(system, r)
      preconditioner.apply(r, z)
      projectSingular(system, z)
      run.work.add(preconditioner.nonZeros)
    },
    countVectors: passes => run.work.add(passes * system.rows),
  }
}
