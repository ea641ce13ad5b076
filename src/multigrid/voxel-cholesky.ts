/** Dense Cholesky factor of a small lattice matrix, for coarsest levels. Vanishing pivots, the constants of a component without
 *  Dirichlet cell, are pinned to 0, which leaves a symmetric positive semi-definite inverse. */
import type { Buffers } from '../sparse/buffers.js'
import type { LatticeMatrix } from './rediscretise-matrix.js'

/** Pivots smaller than this share of their diagonal are rounding. */
const SINGULAR = 1e-10

export interface DirectSolve {
  readonly nonZeros: number
  /** p = A⁻¹ b on the unknowns. */
  solve(p: Float64Array, b: Float64Array): void
}

export function factorise(A: LatticeMatrix, buffers: Buffers, name: string): DirectSolve {
  const { cells } = A
  const n = cells.length
  const L = fillDense(A, buffers.f64(`${name}.factor`, n * n))
  const y = buffers.f64(`${name}.y`, n)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = L[i * n + j]
      for (let k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k]
      if (j < i) L[i * n + j] = L[j * n + j] > 0 ? sum / L[j * n + j] : 0
      else L[i * n + i] = sum > SINGULAR * A.diagonal[cells[i]] ? Math.sqrt(sum) : 0
    }
  }
  return {
    nonZeros: n * n,
    solve(p, b) {
      for (let i = 0; i < n; i++) {
        let sum = b[cells[i]]
        for (let k = 0; k < i; k++) sum -= L[i * n + k] * y[k]
        y[i] = L[i * n + i] > 0 ? sum / L[i * n + i] : 0
      }
      for (let i = n - 1; i >= 0; i--) {
        let sum = y[i]
        for (let k = i + 1; k < n; k++) sum -= L[k * n + i] * p[cells[k]]
        p[cells[i]] = L[i * n + i] > 0 ? sum / L[i * n + i] : 0
      }
    },
  }
}

/** Lower triangle. */
function fillDense({ cells, diagonal, links, lattice }: LatticeMatrix, L: Float64Array): Float64Array {
  const n = cells.length
  const rowOf = new Map<number, number>()
  for (let row = 0; row < n; row++) rowOf.set(cells[row], row)
  L.fill(0)
  for (let row = 0; row < n; row++) {
    L[row * n + row] = diagonal[cells[row]]
    links.forEach((link, axis) => {
      const upper = rowOf.get(cells[row] + lattice.strides[axis])
      if (link[cells[row]] !== 0 && upper !== undefined) L[upper * n + row] = link[cells[row]]
    })
  }
  return L
}
