/** Keeps stationary cycles honest: the energy E(p) = ½ pᵀAp + bᵀp, whose minimiser over p ≥ 0 on contacts is the answer, must
 *  fall enough in every cycle. Where it does not, the cycle is shortened to the lowest point on its way, which is feasible
 *  because the admissible pressures are convex; followed by projected sweeps this converges whatever the coarse grids do. */
import { CONTACT } from '../pressure/problem.js'
import { divergenceLeft, nonZeros } from '../sparse/matrix.js'
import { naturalStep } from './active-set.js'
import type { Run, Step } from './algebraic.js'
import type { System } from './system.js'

/** Share of Σ n² / a, with n the natural residual and a the diagonal, by which a cycle has to lower the energy:
 *  small, so that only cycles that do harm are touched. */
const ENOUGH = 0.01

export interface Safeguard {
  /** Whether p, as the cycle left it, is enough of a descent from where it started. */
  accept(): boolean
  /** Moves p back to the lowest energy between start and end of the cycle. */
  shorten(): void
  /** Largest change of a row over the cycle, in terms of the residual: |a Δp|, 1/s. */
  change(): number
  /** Measures p and makes it the start of the next cycle. */
  next(): Step
}

export function createSafeguard(system: System, p: Float64Array, run: Run): Safeguard {
  const { rows, values, diagonalAt, kind, contacts } = system
  const start = run.buffers.f64('cm.start', rows)
  const wStart = run.buffers.f64('cm.wStart', rows)
  const w = run.buffers.f64('cm.w', rows)
  const measureDivergence = (to: Float64Array) => {
    divergenceLeft(system, p, to)
    run.work.add(nonZeros(system))
  }
  start.set(p)
  measureDivergence(wStart)
  let measured = false
  return {
    accept() {
      measureDivergence(w)
      let change = 0
      let needed = 0
      for (let row = 0; row < rows; row++) {
        const a = values[diagonalAt[row]]
        const natural = kind[row] === CONTACT ? Math.min(wStart[row], a * start[row]) : wStart[row]
        needed += (natural * natural) / a
        change += 0.5 * (p[row] - start[row]) * (w[row] + wStart[row])
      }
      run.work.add(4 * rows)
      measured = change <= -ENOUGH * needed
      return measured
    },
    shorten() {
      let slope = 0
      let curvature = 0
      for (let row = 0; row < rows; row++) {
        const step = p[row] - start[row]
        slope += step * wStart[row]
        curvature += step * (w[row] - wStart[row])
      }
      const length = slope < 0 ? Math.min(1, -slope / curvature) : 0
      if (!(length > 0)) p.set(start)
      else for (let row = 0; row < rows; row++) p[row] = start[row] + length * (p[row] - start[row])
      for (const row of contacts) if (p[row] < 0) p[row] = 0
      run.work.add(4 * rows)
    },
    change() {
      let largest = 0
      for (let row = 0; row < rows; row++) largest = Math.max(largest, Math.abs(values[diagonalAt[row]] * (p[row] - start[row])))
      return largest
    },
    next() {
      if (!measured) measureDivergence(w)
      measured = false
      start.set(p)
      wStart.set(w)
      return naturalStep(system, w, p, run)
    },
  }
}
