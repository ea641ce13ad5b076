/** Any problem as rows of a matrix, with its connected bodies and what becomes of those without air. Independent of src/pressure. */
import type { Problem } from '../../src/pressure/problem.js'
import { addProduct, addTo, type DoubleDouble, dd } from './double-double.js'
import { CONTACT, DRY } from './draft.js'

export interface Rows {
  readonly count: number
  /** Cell of the grid or row of the problem. */
  readonly label: Int32Array
  readonly diagonal: Float64Array
  /** Off-diagonal entries of row i: from start[i] to start[i + 1]. */
  readonly start: Int32Array
  readonly column: Int32Array
  readonly value: Float64Array
  readonly b: Float64Array
  readonly contact: Uint8Array
}

/** - open: has air, so A is regular on it.
 *  - linear: without air, and no contact has to let go: solvable up to a multiple of the null vector, within the tolerance.
 *  - expanding: contacts let go to make room.
 *  - infeasible: no pressure satisfies it. */
export type Nature = 'open' | 'linear' | 'expanding' | 'infeasible'

export interface Body {
  readonly rows: Int32Array
  readonly nature: Nature
  /** Of bodies without air: the least of the largest |A p + b| if all rows share it, with the sign of Σ v b, 1/s. */
  readonly mean: number
  /** So close to what decides that either answer is right. */
  readonly onTheEdge: boolean
}

export function toRows(problem: Problem, sticking: boolean): Rows {
  const { kind } = problem
  const label = Int32Array.from([...kind.keys()].filter(index => kind[index] !== DRY))
  const rowOf = new Int32Array(kind.length).fill(-1)
  label.forEach((index, row) => {
    rowOf[index] = row
  })
  const entries: [number, number][][] = Array.from(label, () => [])
  const diagonal = new Float64Array(label.length)
  if ('grid' in problem) {
    const strides = [1, problem.grid.shape[0], problem.grid.shape[0] * problem.grid.shape[1]]
    label.forEach((cell, row) => {
      diagonal[row] = problem.diagonal[cell]
      problem.links.forEach((link, axis) => {
        if (link[cell] === 0) return
        const other = rowOf[cell + strides[axis]]
        entries[row].push([other, link[cell]])
        entries[other].push([row, link[cell]])
      })
    })
  } else {
    for (let row = 0; row < problem.rows; row++)
      for (let at = problem.rowStart[row]; at < problem.rowStart[row + 1]; at++)
        if (problem.columns[at] === row) diagonal[row] = problem.values[at]
        else if (problem.values[at] !== 0) entries[row].push([problem.columns[at], problem.values[at]])
  }
  const start = new Int32Array(label.length + 1)
  entries.forEach((row, at) => {
    start[at + 1] = start[at] + row.length
  })
  const flat = entries.flat()
  return {
    count: label.length,
    label,
    diagonal,
    start,
    column: Int32Array.from(flat, ([column]) => column),
    value: Float64Array.from(flat, ([, value]) => value),
    b: Float64Array.from(label, index => problem.b[index]),
    contact: Uint8Array.from(label, index => (!sticking && kind[index] === CONTACT ? 1 : 0)),
  }
}

/** A p + b of one row. */
export function divergenceOf({ diagonal, start, column, value, b }: Rows, row: number, p: Float64Array): DoubleDouble {
  const w = dd(b[row])
  addProduct(w, diagonal[row], p[row])
  for (let at = start[row]; at < start[row + 1]; at++) addProduct(w, value[at], p[column[at]])
  return w
}

/** Row sums this small, relative to the diagonal, are 0: the rounding of a diagonal that was summed up in f64, with room to spare. */
const ROUNDING_OF_A_SUM = 64 * 2 ** -53
const EDGE = 0.03

export function bodiesOfRows(rows: Rows, tolerance: number, nullVector?: Float64Array): Body[] {
  const seen = new Uint8Array(rows.count)
  const bodies: Body[] = []
  for (let seed = 0; seed < rows.count; seed++) {
    if (seen[seed]) continue
    const body = [seed]
    seen[seed] = 1
    for (let head = 0; head < body.length; head++)
      for (let at = rows.start[body[head]]; at < rows.start[body[head] + 1]; at++) {
        if (seen[rows.column[at]]) continue
        seen[rows.column[at]] = 1
        body.push(rows.column[at])
      }
    bodies.push(describeBody(rows, Int32Array.from(body).sort(), tolerance, nullVector))
  }
  return bodies
}

function describeBody(rows: Rows, body: Int32Array, tolerance: number, nullVector?: Float64Array): Body {
  const v = (row: number) => nullVector?.[row] ?? 1
  const isOpen = body.some(row => {
    const sum = dd()
    addProduct(sum, rows.diagonal[row], v(row))
    let size = rows.diagonal[row] * v(row)
    for (let at = rows.start[row]; at < rows.start[row + 1]; at++) {
      addProduct(sum, rows.value[at], v(rows.column[at]))
      size = Math.max(size, -rows.value[at] * v(rows.column[at]))
    }
    return Math.abs(sum.hi) > ROUNDING_OF_A_SUM * size
  })
  if (isOpen) return { rows: body, nature: 'open', mean: 0, onTheEdge: false }
  const sum = dd()
  let weight = 0
  for (const row of body) {
    addProduct(sum, v(row), rows.b[row])
    weight += v(row)
  }
  const mean = sum.hi / weight
  const absorbs = mean > 0 && body.some(row => rows.contact[row])
  // Above the rounding of b, contacts that let go make the residual exactly 0; below, it makes no difference.
  const nature: Nature = absorbs && mean > 1e-3 * tolerance ? 'expanding' : Math.abs(mean) <= tolerance ? 'linear' : 'infeasible'
  return { rows: body, nature, mean, onTheEdge: !absorbs && Math.abs(Math.abs(mean) / tolerance - 1) < EDGE }
}

/** Natural residual of one row, |min(w, a p)| or |w|. */
export function naturalResidual(rows: Rows, row: number, p: Float64Array): number {
  const w = divergenceOf(rows, row, p)
  if (!rows.contact[row]) return Math.abs(w.hi)
  const scaled = dd()
  addProduct(scaled, rows.diagonal[row], p[row])
  const rest = dd(w.hi, w.lo)
  addTo(rest, -scaled.hi, -scaled.lo)
  return Math.abs(rest.hi > 0 ? scaled.hi : w.hi)
}

/** How far apart two sums of this row in f64 can be: each of its terms + 1 operations rounds by at most 2⁻⁵³ of the sum of sizes
 *  (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). No f64 code can know the residual better than this. */
export function roundingOf({ diagonal, start, column, value, b }: Rows, row: number, p: Float64Array): number {
  let size = Math.abs(b[row]) + Math.abs(diagonal[row] * p[row])
  for (let at = start[row]; at < start[row + 1]; at++) size += Math.abs(value[at] * p[column[at]])
  return (start[row + 1] - start[row] + 3) * 2 ** -53 * size
}
