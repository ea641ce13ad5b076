/** Keeps stationary cycles honest: the energy E(p) = ½ pᵀAp + bᵀp, whose minimiser over p ≥ 0 on contacts is the answer, must
 *  fall enough in every cycle. Where it does not, the cycle is shortened to the point of lowest energy, which is feasible
 *  because the admissible pressures are convex; followed by projected sweeps this converges whatever the coarse grids do. */
import type { Lattices } from '../../multigrid/lattice/lattices.js'
import type { Run, Step } from '../running/on-rows.js'

/** Share of Σ n² / a, with n the natural residual and a the diagonal, by which a cycle has to lower the energy:
 *  small, so that only cycles that do harm are touched. */
const ENOUGH_DECREASE = 0.01

export interface Safeguard {
  /** Whether p, as the cycle left it, is enough of a descent from where it started. */
  accept(): boolean
  /** Moves p back to the lowest energy between start and end of the cycle. */
  shorten(): void
  /** Largest change of a cell over the cycle, in terms of the residual: |a Δp|, 1/s. */
  change(): number
  /** Measures p and makes it the start of the next cycle. */
  next(): Step
}

/** Vectors that it needs on the finest level. */
export const SAFEGUARD_VECTORS = 3

/** `contacts` is 0 in contact cells, −∞ elsewhere. */
export interface Guarded<Vector> {
  readonly p: Vector
  readonly b: Vector
  readonly contacts: Vector
  readonly cells: Int32Array
  readonly diagonal: Float64Array
  readonly nonZeros: number
}

export function createSafeguard<Vector>(
  lattices: Lattices<Vector>,
  { p, b, contacts, cells, diagonal, nonZeros }: Guarded<Vector>,
  run: Run,
): Safeguard {
  const start = lattices.vector(0)
  let r = lattices.vector(0)
  let rStart = lattices.vector(0)
  const path = () => ({ p, start, r, rStart })
  const measure = (to: Vector) => {
    lattices.residual(0, p, b, to)
    run.work.add(nonZeros)
  }
  lattices.combine(0, 1, p, 0, start)
  measure(rStart)
  let measured = false
  return {
    accept() {
      measure(r)
      const { needed, change } = lattices.energy(0, path(), contacts)
      run.work.add(4 * cells.length)
      measured = change <= -ENOUGH_DECREASE * needed
      return measured
    },
    shorten() {
      const { slope, curvature } = lattices.slopes(0, path())
      const length = slope < 0 ? Math.min(1, -slope / curvature) : 0
      if (length > 0) lattices.combine(0, 1 - length, start, length, p)
      else lattices.combine(0, 1, start, 0, p)
      lattices.clamp(0, p, contacts)
      run.work.add(4 * cells.length)
    },
    change() {
      const places = lattices.places(0, cells, run.buffers.i32('cm.changed', cells.length))
      const [now, before] = [lattices.values(0, p), lattices.values(0, start)]
      let largest = 0
      for (let n = 0; n < cells.length; n++)
        largest = Math.max(largest, Math.abs(diagonal[cells[n]] * (now[places[n]] - before[places[n]])))
      return largest
    },
    next() {
      if (!measured) measure(r)
      measured = false
      lattices.combine(0, 1, p, 0, start)
      ;[r, rStart] = [rStart, r]
      run.work.add(2 * cells.length)
      return lattices.natural(0, p, rStart, contacts)
    },
  }
}
