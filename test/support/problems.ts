/** Independent recomputations and small problems for tests. Nothing here uses the code under test. */
import type { PressureProblem, Problem, SparseProblem } from '../../src/pressure/problem.js'

const DRY = 0
const CONTACT = 2

/** Dense matrix, right-hand side and kinds of the unknowns of any problem, in ascending cell or row order. */
export function toDense(problem: Problem): { A: number[][]; b: number[]; contact: boolean[]; labels: number[] } {
  return 'grid' in problem ? denseFromGrid(problem) : denseFromSparse(problem)
}

function denseFromGrid({ grid, kind, diagonal, links, b }: PressureProblem) {
  const labels = [...kind.keys()].filter(cell => kind[cell] !== DRY)
  const rowOf = new Map(labels.map((cell, row) => [cell, row]))
  const A = labels.map(() => labels.map(() => 0))
  const [nx, ny] = grid.shape
  const strides = [1, nx, nx * ny]
  labels.forEach((cell, row) => {
    A[row][row] = diagonal[cell]
    for (let axis = 0; axis < 3; axis++) {
      const other = rowOf.get(cell + strides[axis])
      if (links[axis][cell] === 0 || other === undefined) continue
      A[row][other] = links[axis][cell]
      A[other][row] = links[axis][cell]
    }
  })
  return { A, b: labels.map(cell => b[cell]), contact: labels.map(cell => kind[cell] === CONTACT), labels }
}

function denseFromSparse({ rows, rowStart, columns, values, b, kind }: SparseProblem) {
  const A = Array.from({ length: rows }, () => new Array<number>(rows).fill(0))
  for (let row = 0; row < rows; row++) for (let at = rowStart[row]; at < rowStart[row + 1]; at++) A[row][columns[at]] = values[at]
  return { A, b: [...b], contact: [...kind].map(value => value === CONTACT), labels: [...b.keys()] }
}

/** A p + b by scattering every link once, the way the file format describes it. */
export function divergence(problem: Problem, p: Float64Array): Float64Array {
  const w = Float64Array.from(problem.b)
  if (!('grid' in problem)) {
    for (let row = 0; row < problem.rows; row++)
      for (let at = problem.rowStart[row]; at < problem.rowStart[row + 1]; at++)
        w[row] += problem.values[at] * p[problem.columns[at]]
    return w
  }
  const { grid, kind, diagonal, links } = problem
  const strides = [1, grid.shape[0], grid.shape[0] * grid.shape[1]]
  for (let cell = 0; cell < w.length; cell++) {
    if (kind[cell] === DRY) continue
    w[cell] += diagonal[cell] * p[cell]
    for (let axis = 0; axis < 3; axis++) {
      const link = links[axis][cell]
      if (link === 0) continue
      w[cell] += link * p[cell + strides[axis]]
      w[cell + strides[axis]] += link * p[cell]
    }
  }
  return w
}

export function diagonalOf(problem: Problem, index: number): number {
  return 'grid' in problem ? problem.diagonal[index] : problem.values[problem.diagonalAt[index]]
}

/** Largest natural residual, and how far KKT is from being met in each of its parts. With adhesion, pressures of contacts count from −adhesion. */
export function kkt(problem: Problem, p: Float64Array, sticking = false) {
  const w = divergence(problem, p)
  let residual = 0
  let smallestContactPressure = Infinity
  let smallestContactDivergence = Infinity
  let largestLiquidDivergence = 0
  let complementarity = 0
  for (let index = 0; index < w.length; index++) {
    if (problem.kind[index] === DRY) continue
    if (problem.kind[index] === CONTACT && !sticking) {
      const above = p[index] + (problem.adhesion?.[index] ?? 0)
      const scaled = diagonalOf(problem, index) * above
      residual = Math.max(residual, Math.abs(Math.min(w[index], scaled)))
      smallestContactPressure = Math.min(smallestContactPressure, above)
      smallestContactDivergence = Math.min(smallestContactDivergence, w[index])
      complementarity = Math.max(complementarity, Math.min(Math.abs(w[index]), Math.abs(scaled)))
    } else {
      residual = Math.max(residual, Math.abs(w[index]))
      largestLiquidDivergence = Math.max(largestLiquidDivergence, Math.abs(w[index]))
    }
  }
  return { residual, smallestContactPressure, smallestContactDivergence, largestLiquidDivergence, complementarity }
}

/** Solves a dense system by elimination with row pivoting; undefined if it is singular. */
export function solveDense(matrix: readonly (readonly number[])[], rhs: readonly number[]): number[] | undefined {
  const n = rhs.length
  const M = matrix.map((row, i) => [...row, rhs[i]])
  for (let column = 0; column < n; column++) {
    let pivot = column
    for (let row = column + 1; row < n; row++) if (Math.abs(M[row][column]) > Math.abs(M[pivot][column])) pivot = row
    if (Math.abs(M[pivot][column]) < 1e-12 * Math.max(1, ...M[column].map(Math.abs))) return undefined
    ;[M[column], M[pivot]] = [M[pivot], M[column]]
    for (let row = column + 1; row < n; row++) {
      const factor = M[row][column] / M[column][column]
      if (factor !== 0) for (let k = column; k <= n; k++) M[row][k] -= factor * M[column][k]
    }
  }
  const x = new Array<number>(n).fill(0)
  for (let row = n - 1; row >= 0; row--) {
    let sum = M[row][n]
    for (let k = row + 1; k < n; k++) sum -= M[row][k] * x[k]
    x[row] = sum / M[row][row]
  }
  return x
}

/** The answer of a tiny MLCP by trying every set of pinned contacts; undefined if none satisfies KKT. */
export function bruteForce(problem: Problem): Float64Array | undefined {
  const { A, b, contact, labels } = toDense(problem)
  const contacts = contact.flatMap((isContact, row) => (isContact ? [row] : []))
  const adhesion = (row: number) => problem.adhesion?.[labels[row]] ?? 0
  if (contacts.length > 14) throw new Error(`${contacts.length} contacts are too many to try all sets`)
  for (let set = 0; set < 2 ** contacts.length; set++) {
    const pinned = new Set(contacts.filter((_, at) => (set >> at) & 1))
    const free = b.map((_, row) => row).filter(row => !pinned.has(row))
    const p = b.map((_, row) => (pinned.has(row) ? -adhesion(row) : 0))
    const x = solveDense(
      free.map(row => free.map(column => A[row][column])),
      free.map(row => -A[row].reduce((sum, a, column) => sum + a * p[column], b[row])),
    )
    if (!x) continue
    free.forEach((row, at) => {
      p[row] = x[at]
    })
    const scale = Math.max(1, ...b.map(Math.abs))
    const fits = contacts.every(row => {
      const w = A[row].reduce((sum, a, column) => sum + a * p[column], b[row])
      return w >= -1e-10 * scale && A[row][row] * (p[row] + adhesion(row)) >= -1e-10 * scale
    })
    if (!fits) continue
    const pressure = new Float64Array(problem.b.length)
    labels.forEach((label, row) => {
      pressure[label] = p[row]
    })
    return pressure
  }
  return undefined
}

export function largestDifference(a: Float64Array, b: Float64Array): number {
  return a.reduce((largest, value, at) => Math.max(largest, Math.abs(value - b[at])), 0)
}

export function largest(values: Iterable<number>): number {
  let result = 0
  for (const value of values) result = Math.max(result, Math.abs(value))
  return result
}
