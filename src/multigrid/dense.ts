/** Dense Cholesky for the coarsest level. A pivot that vanishes, as in a component without air, pins its unknown to 0. */
export interface DenseSolver {
  /** `entry(i, j)` for j ≤ i; symmetric, positive semi-definite. */
  factor(size: number, entry: (row: number, column: number) => number): void
  /** x = A⁻¹ f. */
  solve(f: Float64Array, x: Float64Array): void
}

/** Smaller pivots, relative to the diagonal, are rounding. */
const SINGULAR = 1e-9

export function createDenseSolver(): DenseSolver {
  let n = 0
  let L = new Float64Array(0)
  return {
    factor(size, entry) {
      n = size
      if (L.length < n * n) L = new Float64Array(n * n)
      for (let i = 0; i < n; i++) {
        for (let j = 0; j <= i; j++) {
          let sum = entry(i, j)
          const scale = sum
          for (let k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k]
          if (i !== j) L[i * n + j] = L[j * n + j] > 0 ? sum / L[j * n + j] : 0
          else L[i * n + i] = sum > SINGULAR * scale ? Math.sqrt(sum) : 0
        }
      }
    },
    solve(f, x) {
      for (let i = 0; i < n; i++) {
        let sum = f[i]
        for (let k = 0; k < i; k++) sum -= L[i * n + k] * x[k]
        x[i] = L[i * n + i] > 0 ? sum / L[i * n + i] : 0
      }
      for (let i = n - 1; i >= 0; i--) {
        let sum = x[i]
        for (let k = i + 1; k < n; k++) sum -= L[k * n + i] * x[k]
        x[i] = L[i * n + i] > 0 ? sum / L[i * n + i] : 0
      }
    },
  }
}
