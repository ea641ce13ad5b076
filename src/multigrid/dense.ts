/** Dense Cholesky for the coarsest level, without a subtraction (Grassmann, Taksar and Heyman 1985): a row is known by its links and by what
 *  holds it towards 0, and both only grow by elimination. So a component that is held by ever so little is solved to all digits, and the
 *  last pivot of one that nothing holds is exactly 0; its unknown is pinned to 0. */
import { type Buffers, createBuffers } from '../sparse/buffers.js'

export interface DenseSolver {
  /** `held(i)` ≥ 0 and `weight(i, j)` ≥ 0 for j < i: row i is (held + Σ weights) xᵢ − Σ weights xⱼ. */
  factor(size: number, held: (row: number) => number, weight: (row: number, column: number) => number): void
  /** x = A⁻¹ f. */
  solve(f: Float64Array, x: Float64Array): void
}

export function createDenseSolver(buffers: Buffers = createBuffers()): DenseSolver {
  let n = 0
  /** Lower triangle: weights become the factor, column by column, with the pivots on the diagonal. */
  let L: Float64Array = new Float64Array(0)
  return {
    factor(size, held, weight) {
      n = size
      L = buffers.f64('dense.factor', n * n)
      const holds = buffers.f64('dense.holds', n)
      for (let i = 0; i < n; i++) {
        holds[i] = held(i)
        for (let j = 0; j < i; j++) L[i * n + j] = weight(i, j)
      }
      for (let k = 0; k < n; k++) {
        let sum = holds[k]
        for (let i = k + 1; i < n; i++) sum += L[i * n + k]
        const pivot = Math.sqrt(sum)
        L[k * n + k] = pivot
        for (let i = k + 1; i < n; i++) {
          if (L[i * n + k] === 0) continue
          L[i * n + k] /= pivot
          const value = L[i * n + k]
          holds[i] += (value / pivot) * holds[k]
          for (let j = k + 1; j < i; j++) L[i * n + j] += value * L[j * n + k]
        }
      }
    },
    solve(f, x) {
      for (let i = 0; i < n; i++) {
        let sum = f[i]
        for (let k = 0; k < i; k++) sum += L[i * n + k] * x[k]
        x[i] = L[i * n + i] > 0 ? sum / L[i * n + i] : 0
      }
      for (let i = n - 1; i >= 0; i--) {
        let sum = x[i]
        for (let k = i + 1; k < n; k++) sum += L[k * n + i] * x[k]
        x[i] = L[i * n + i] > 0 ? sum / L[i * n + i] : 0
      }
    },
  }
}
