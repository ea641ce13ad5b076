/** Singular components whose null vector is not the constant, as in D L D with a Laplacian L: rows and columns are scaled by the null vector, which
 *  makes it the constant, and the component a sealed pocket like any other. Matrices of grids are diagonally dominant and never need it. */
import { F64_ROUNDING, type SparseProblem } from '../../pressure/problem.js'
import type { Buffers } from '../../sparse/buffers.js'
import { dot } from '../../sparse/matrix.js'

/** Row sums below this many roundings of the diagonal are 0: those of the entries, and of a null vector that was computed. */
const ROUNDINGS = 1024
/** Shift of the inverse iteration, relative to the diagonal: far below the second eigenvalue, far above rounding. */
const SHIFT = 1e-10
const INVERSE_ITERATIONS = 3

/** Scales rows and columns of singular components in place, and returns by what, at least 1; undefined where there is nothing to scale. So no
 *  residual of the scaled problem is smaller than that of the given one. */
export function scaleSingular(
  problem: SparseProblem,
  scratch: Buffers,
): { problem: SparseProblem; factors: Float64Array } | undefined {
  const { rows, rowStart, columns, values, b, rounding = F64_ROUNDING } = problem
  let factors: Float64Array | undefined
  for (const component of componentsToScale(problem, scratch)) {
    const vector = nullVector(problem, component, scratch)
    if (!vector) continue
    factors ??= scratch.f64('scaling.factors', rows).fill(1)
    const smallest = component.reduce((least, _, at) => Math.min(least, vector[at]), Infinity)
    component.forEach((row, at) => {
      factors![row] = vector[at] / smallest
    })
  }
  if (!factors) return undefined
  for (let row = 0; row < rows; row++) {
    b[row] *= factors[row]
    for (let at = rowStart[row]; at < rowStart[row + 1]; at++) values[at] *= factors[row] * factors[columns[at]]
  }
  return { problem: { ...problem, rounding: ROUNDINGS * rounding }, factors }
}

/** Connected components with a row whose entries sum to less than 0; all others are singular only where all of theirs sum to 0. */
function* componentsToScale(problem: SparseProblem, scratch: Buffers): Generator<Int32Array> {
  const { rows, rowStart, columns, values, diagonalAt, rounding = F64_ROUNDING } = problem
  const seen = scratch.u8('scaling.seen', rows).fill(0)
  const queue = scratch.i32('scaling.queue', rows)
  for (let seed = 0; seed < rows; seed++) {
    if (seen[seed]) continue
    let dominant = true
    let end = 0
    queue[end++] = seed
    seen[seed] = 1
    for (let head = 0; head < end; head++) {
      const row = queue[head]
      let sum = 0
      for (let at = rowStart[row]; at < rowStart[row + 1]; at++) {
        sum += values[at]
        const neighbour = columns[at]
        if (seen[neighbour]) continue
        seen[neighbour] = 1
        queue[end++] = neighbour
      }
      if (sum < -ROUNDINGS * rounding * values[diagonalAt[row]]) dominant = false
    }
    if (!dominant) yield queue.subarray(0, end).sort()
  }
}

/** The positive v with A v = 0 on a component, or undefined if it is not singular. Inverse iteration on the matrix with unit diagonal, in which
 *  null vectors of D L D are nearly constant. */
function nullVector(problem: SparseProblem, component: Int32Array, scratch: Buffers): Float64Array | undefined {
  const { rows, rowStart, columns, values, diagonalAt, rounding = F64_ROUNDING } = problem
  const n = component.length
  const create = (name: string) => scratch.f64(`scaling.${name}`, n)
  const placeOf = scratch.i32('scaling.placeOf', rows)
  component.forEach((row, at) => {
    placeOf[row] = at
  })
  const root = create('root')
  for (let i = 0; i < n; i++) root[i] = Math.sqrt(values[diagonalAt[component[i]]])
  const apply = (x: Float64Array, y: Float64Array, shift: number) => {
    for (let i = 0; i < n; i++) {
      const row = component[i]
      let sum = 0
      for (let at = rowStart[row]; at < rowStart[row + 1]; at++) {
        const j = placeOf[columns[at]]
        sum += (values[at] / (root[i] * root[j])) * x[j]
      }
      y[i] = sum + shift * x[i]
    }
  }
  const vectors = { x: create('x'), r: create('r'), d: create('d'), Ad: create('Ad') }
  const { x } = vectors
  x.fill(1 / Math.sqrt(n))
  for (let iteration = 0; iteration < INVERSE_ITERATIONS; iteration++) {
    solveShifted((from, to) => apply(from, to, SHIFT), vectors)
    const length = Math.sqrt(dot(x, x))
    if (!(length > 0 && length < Infinity)) return undefined
    const sign = x[0] < 0 ? -1 : 1
    for (let i = 0; i < n; i++) x[i] *= sign / length
  }
  const left = vectors.r
  apply(x, left, 0)
  for (let i = 0; i < n; i++) if (!(x[i] > 0 && Math.abs(left[i]) <= ROUNDINGS * rounding * x[i])) return undefined
  for (let i = 0; i < n; i++) x[i] /= root[i]
  return x
}

/** x = A⁻¹ x by conjugate gradients from 0 to rounding. */
function solveShifted(
  apply: (x: Float64Array, y: Float64Array) => void,
  { x, r, d, Ad }: Readonly<Record<'x' | 'r' | 'd' | 'Ad', Float64Array>>,
): void {
  const n = x.length
  r.set(x)
  d.set(x)
  x.fill(0)
  const start = dot(r, r)
  let rr = start
  for (let step = 0; step < 4 * n + 50 && rr > 1e-30 * start; step++) {
    apply(d, Ad)
    const curvature = dot(d, Ad)
    if (!(curvature > 0)) break
    const alpha = rr / curvature
    for (let i = 0; i < n; i++) {
      x[i] += alpha * d[i]
      r[i] -= alpha * Ad[i]
    }
    const next = dot(r, r)
    for (let i = 0; i < n; i++) d[i] = r[i] + (next / rr) * d[i]
    rr = next
  }
}
