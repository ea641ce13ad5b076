/** Incomplete Cholesky without fill, plain IC(0) and modified MIC(0), as M = (D + L) D⁻¹ (D + Lᵀ) on any symmetric pattern.
 *  On grids L is the lower part of A itself; on general patterns entries inside the pattern are updated too.
 *  Exists for every M-matrix; the pivot test keeps M positive definite where modification or a sealed pocket would not. */
import type { SparseProblem } from '../../pressure/problem.js'
import type { Buffers } from '../buffers.js'
import type { SymmetricRows } from '../product.js'
import type { Preconditioner } from './preconditioner.js'

/** Below this share of the diagonal a pivot is replaced by the diagonal (Bridson's safety of MIC(0)). */
const MIN_PIVOT = 0.25

/** IC(0) needs the test only against rounding. */
const MIN_PIVOT_UNMODIFIED = 1e-8

/** D⁻¹, and L as the part of the rows of A that is above the diagonal. */
export interface IncompleteFactor {
  readonly upper: Float64Array
  readonly inversePivot: Float64Array
}

/** `modified`: share of the dropped fill that goes to the diagonal, 0 for IC(0), 0.97 for MIC(0). */
export function createIncompleteCholesky(buffers: Buffers, { modified }: { modified: number }): Preconditioner {
  let A: SparseProblem | undefined
  let upper: Float64Array = new Float64Array(0)
  let inversePivot: Float64Array = new Float64Array(0)
  const minPivot = modified > 0 ? MIN_PIVOT : MIN_PIVOT_UNMODIFIED

  return {
    get nonZeros() {
      return A ? A.rowStart[A.rows] + A.rows : 0
    },

    build(matrix, free, penalty) {
      A = matrix
      const { rows, rowStart, columns, values, diagonalAt } = A
      upper = buffers.f64('ic.upper', rowStart[rows])
      inversePivot = buffers.f64('ic.inversePivot', rows)
      const pivot = buffers.f64('ic.pivot', rows)
      const original = buffers.f64('ic.original', rows)
      for (let row = 0; row < rows; row++) {
        original[row] = pivot[row] = free[row] ? values[diagonalAt[row]] + (penalty ? penalty[row] : 0) : 1
        for (let at = diagonalAt[row] + 1; at < rowStart[row + 1]; at++)
          upper[at] = free[row] && free[columns[at]] ? values[at] : 0
      }
      for (let row = 0; row < rows; row++) {
        if (!(pivot[row] >= minPivot * original[row])) pivot[row] = original[row]
        inversePivot[row] = 1 / pivot[row]
        eliminate(A, row, upper, pivot, modified)
      }
    },

    apply(r, z) {
      buffers.loops.solveFactor(A!, { upper, inversePivot }, r, z)
    },
  }
}

/** z = M⁻¹ r. */
export function solveFactor(
  { rows, rowStart, columns, diagonalAt }: SymmetricRows,
  { upper, inversePivot }: IncompleteFactor,
  r: Float64Array,
  z: Float64Array,
): void {
  // Forward by scattering along rows of the upper part, which are the columns of the lower one.
  z.set(r)
  for (let row = 0; row < rows; row++) {
    const y = z[row] * inversePivot[row]
    z[row] = y
    if (y !== 0) for (let at = diagonalAt[row] + 1, end = rowStart[row + 1]; at < end; at++) z[columns[at]] -= upper[at] * y
  }
  for (let row = rows - 1; row >= 0; row--) {
    let sum = 0
    for (let at = diagonalAt[row] + 1, end = rowStart[row + 1]; at < end; at++) sum += upper[at] * z[columns[at]]
    z[row] -= sum * inversePivot[row]
  }
}

/** Subtracts the outer product of one row of the upper part from what remains; fill goes to the diagonal or is dropped. */
function eliminate(A: SparseProblem, row: number, upper: Float64Array, pivot: Float64Array, modified: number): void {
  const { rowStart, columns, diagonalAt } = A
  const end = rowStart[row + 1]
  for (let a = diagonalAt[row] + 1; a < end; a++) {
    if (upper[a] === 0) continue
    const i = columns[a]
    const factor = upper[a] / pivot[row]
    pivot[i] -= factor * upper[a]
    for (let c = a + 1; c < end; c++) {
      const j = columns[c]
      const product = factor * upper[c]
      if (product === 0) continue
      const at = find(columns, diagonalAt[i] + 1, rowStart[i + 1], j)
      if (at >= 0) upper[at] -= product
      else {
        pivot[i] -= modified * product
        pivot[j] -= modified * product
      }
    }
  }
}

function find(columns: Int32Array, from: number, to: number, column: number): number {
  for (let at = from; at < to && columns[at] <= column; at++) if (columns[at] === column) return at
  return -1
}
