/** Least squares: lines, parabolas and damped oscillations through measured points. */
import type { PlotPoint } from './case.js'

/** Coefficients c₀, c₁, … of the polynomial c₀ + c₁ x + … through the points. */
export function fitPolynomial(points: readonly PlotPoint[], degree: number): number[] {
  const powers = (x: number) => Array.from({ length: degree + 1 }, (_, at) => x ** at)
  return leastSquares(
    points.map(([x]) => powers(x)),
    points.map(([, y]) => y),
  )
}

export interface DampedWave {
  /** rad/s. */
  readonly omega: number
  /** The amplitude falls by exp(−decay t), 1/s; negative if it grows. */
  readonly decay: number
  /** At time 0. */
  readonly amplitude: number
}

const MAX_FIT_STEPS = 50

/** Fits offset + exp(−decay t) (a cos ωt + b sin ωt) by Gauss and Newton, from a guess of ω that must be right within a third of a period over
 *  all points. */
export function fitDampedWave(points: readonly PlotPoint[], guess: number): DampedWave {
  let [omega, decay, a, b] = [guess, 0, 0, 0]
  for (let step = 0; step < MAX_FIT_STEPS; step++) {
    // First the linear part for the current ω and decay, then a step of all five parameters.
    const waves = points.map(([t]) => [Math.exp(-decay * t) * Math.cos(omega * t), Math.exp(-decay * t) * Math.sin(omega * t)])
    const [offset, linearA, linearB] = leastSquares(
      waves.map(([c, s]) => [1, c, s]),
      points.map(([, y]) => y),
    )
    ;[a, b] = [linearA, linearB]
    const rest = points.map(([, y], at) => y - offset - a * waves[at][0] - b * waves[at][1])
    const rows = points.map(([t], at) => {
      const [c, s] = waves[at]
      return [1, c, s, t * (b * c - a * s), -t * (a * c + b * s)]
    })
    const change = leastSquares(rows, rest)
    omega += change[3]
    decay += change[4]
    if (Math.abs(change[3]) < 1e-10 * guess && Math.abs(change[4]) < 1e-10 * guess) break
  }
  return { omega, decay, amplitude: Math.hypot(a, b) }
}

/** x that minimises |rows x − values|. */
function leastSquares(rows: readonly (readonly number[])[], values: readonly number[]): number[] {
  const size = rows[0]?.length ?? 0
  const matrix = Array.from({ length: size }, (_, i) => [
    ...Array.from({ length: size }, (_, j) => rows.reduce((sum, row) => sum + row[i] * row[j], 0)),
    rows.reduce((sum, row, at) => sum + row[i] * values[at], 0),
  ])
  for (let pivot = 0; pivot < size; pivot++) {
    let best = pivot
    for (let row = pivot + 1; row < size; row++) if (Math.abs(matrix[row][pivot]) > Math.abs(matrix[best][pivot])) best = row
    ;[matrix[pivot], matrix[best]] = [matrix[best], matrix[pivot]]
    for (let row = 0; row < size; row++) {
      if (row === pivot) continue
      const factor = matrix[row][pivot] / matrix[pivot][pivot]
      for (let column = pivot; column <= size; column++) matrix[row][column] -= factor * matrix[pivot][column]
    }
  }
  return matrix.map((row, at) => row[size] / row[at])
}

/** Value at x on the line through the points, which ascend in x; NaN outside. */
export function interpolate(points: readonly PlotPoint[], x: number): number {
  const at = points.findIndex(([next]) => next >= x)
  if (at < 0) return Number.NaN
  const [x1, y1] = points[at]
  if (x1 === x) return y1
  if (at === 0) return Number.NaN
  const [x0, y0] = points[at - 1]
  return y0 + ((x - x0) / (x1 - x0)) * (y1 - y0)
}
