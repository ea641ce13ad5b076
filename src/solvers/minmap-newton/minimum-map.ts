/** The minimum map H(p) = min(A p + b, a p), which is 0 at the solution, and the rows that are linear at a point. */
import { divergenceLeft, dot, nonZeros } from '../../sparse/matrix.js'
import { naturalStep } from '../parts/active-set.js'
import type { Run } from '../running/on-rows.js'
import type { System } from '../running/system.js'

/** H and the split of the rows at a point, evaluated together. */
export function createMinimumMap(system: System, scaled: boolean, run: Run) {
  const { rows, contacts, values, diagonalAt } = system
  const w = run.buffers.f64('newton.w', rows)
  const H = run.buffers.f64('newton.H', rows)
  const free = run.buffers.u8('newton.free', rows)
  const map = {
    w,
    H,
    /** 0 on contacts where the pressure is the smaller term. */
    free,
    merit: 0,
    /** Natural residual and pinned contacts, row-scaled whatever the rows of H. */
    step: { residual: 0, pinned: 0 },
    weight: (row: number) => (scaled ? values[diagonalAt[row]] : 1),
    evaluate(p: Float64Array): void {
      divergenceLeft(system, p, w)
      run.work.add(nonZeros(system))
      H.set(w)
      free.fill(1)
      for (const row of contacts) {
        const term = map.weight(row) * p[row]
        if (w[row] < term) continue
        H[row] = term
        // Ties count as linear rows: a zero row pinned at p = 0 would only be freed again.
        if (w[row] > term) free[row] = 0
      }
      map.step = naturalStep(system, w, p, run)
      map.merit = 0.5 * dot(H, H)
    },
  }
  return map
}

export type MinimumMap = ReturnType<typeof createMinimumMap>
