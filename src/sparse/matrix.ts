/** Compact numbering of a grid problem's unknowns, and the products that algebraic methods use. */
import { checkIterable, checkNumbers, checkWhole } from '../checks.js'
import { cellStrides } from '../grid/grid.js'
import { InputError } from '../input-error.js'
import { CONTACT, DRY, type PressureProblem, refuseRow, type SparseProblem } from '../pressure/problem.js'
import { show } from '../printable.js'
import type { Buffers } from './buffers.js'

export interface CompactProblem {
  readonly problem: SparseProblem
  /** The grid cell of every row, ascending. */
  readonly cells: Int32Array
}

/** Unknowns numbered in cell order, so columns come out ascending and lexicographic sweeps stay lexicographic. */
export function compact(source: PressureProblem, buffers: Buffers): CompactProblem {
  const { grid, kind, diagonal, links } = source
  let rows = 0
  for (let cell = 0; cell < grid.cells; cell++) if (kind[cell] !== DRY) rows++
  const rowOf = buffers.i32('compact.rowOf', grid.cells)
  const cells = buffers.i32('compact.cells', rows)
  for (let cell = 0, row = 0; cell < grid.cells; cell++) {
    if (kind[cell] === DRY) continue
    rowOf[cell] = row
    cells[row++] = cell
  }
  const rowStart = buffers.i32('compact.rowStart', rows + 1)
  const columns = buffers.i32('compact.columns', 7 * rows)
  const values = buffers.f64('compact.values', 7 * rows)
  const diagonalAt = buffers.i32('compact.diagonalAt', rows)
  const b = buffers.f64('compact.b', rows)
  const rowKind = buffers.u8('compact.kind', rows)
  const strides = cellStrides(grid)
  let at = 0
  for (let row = 0; row < rows; row++) {
    const cell = cells[row]
    if (diagonal[cell] <= 0) throw refuseRow(source, cell)
    rowStart[row] = at
    for (let axis = 2; axis >= 0; axis--) {
      const below = cell - strides[axis]
      if (below >= 0 && links[axis][below] !== 0) {
        columns[at] = rowOf[below]
        values[at++] = links[axis][below]
      }
    }
    diagonalAt[row] = at
    columns[at] = row
    values[at++] = diagonal[cell]
    for (let axis = 0; axis < 3; axis++) {
      if (links[axis][cell] !== 0) {
        columns[at] = rowOf[cell + strides[axis]]
        values[at++] = links[axis][cell]
      }
    }
    b[row] = source.b[cell]
    rowKind[row] = kind[cell]
  }
  rowStart[rows] = at
  return { cells, problem: { rows, rowStart, columns, values, diagonalAt, b, kind: rowKind, rounding: source.rounding } }
}

/** The same rows, where the loops of the buffers can work on them. */
export function copyRows(source: SparseProblem, buffers: Buffers): SparseProblem {
  const { rows, rounding } = source
  const entries = source.rowStart[rows]
  const rowStart = buffers.i32('compact.rowStart', rows + 1)
  const columns = buffers.i32('compact.columns', entries)
  const values = buffers.f64('compact.values', entries)
  const diagonalAt = buffers.i32('compact.diagonalAt', rows)
  const b = buffers.f64('compact.b', rows)
  const kind = buffers.u8('compact.kind', rows)
  rowStart.set(source.rowStart.subarray(0, rows + 1))
  columns.set(source.columns.subarray(0, entries))
  values.set(source.values.subarray(0, entries))
  diagonalAt.set(source.diagonalAt.subarray(0, rows))
  b.set(source.b.subarray(0, rows))
  kind.set(source.kind.subarray(0, rows))
  for (let row = 0; row < rows; row++) if (diagonalAt[row] < 0 || values[diagonalAt[row]] <= 0) throw refuseRow(source, row)
  return { rows, rowStart, columns, values, diagonalAt, b, kind, rounding }
}

/** Builds compressed rows from entries sorted by row and column; for tests, generators and readers. */
export function sparseProblem(
  rows: number,
  entries: Iterable<readonly [row: number, column: number, value: number]>,
  b: Float64Array,
  kind: Uint8Array,
): SparseProblem {
  checkWhole(rows, 'sparseProblem: the number of rows', 0, 2 ** 31 - 2)
  checkIterable(entries, 'sparseProblem: the entries')
  checkNumbers(b, 'sparseProblem: b', Float64Array, rows, 'row')
  checkNumbers(kind, 'sparseProblem: kind', Uint8Array, rows, 'row')
  const rowStart = new Int32Array(rows + 1)
  const diagonalAt = new Int32Array(rows).fill(-1)
  const columns: number[] = []
  const values: number[] = []
  let before = -1
  for (const entry of entries) {
    if (!Array.isArray(entry) || entry.length !== 3 || !entry.every(part => typeof part === 'number'))
      throw new InputError(`sparseProblem: an entry must be row, column and value, not ${show(entry)}.`)
    const [row, column, value] = entry
    const place = row * rows + column
    if (!(Number.isInteger(place) && row >= 0 && row < rows && column >= 0 && column < rows && place > before))
      throw new InputError(
        `sparseProblem: entry (${row}, ${column}) is not within ${rows} rows, or not after the previous one; sort by row and column.`,
      )
    before = place
    if (row === column) diagonalAt[row] = columns.length
    rowStart[row + 1]++
    columns.push(column)
    values.push(value)
  }
  for (let row = 0; row < rows; row++) rowStart[row + 1] += rowStart[row]
  return { rows, rowStart, columns: Int32Array.from(columns), values: Float64Array.from(values), diagonalAt, b, kind }
}

export function nonZeros(A: SparseProblem): number {
  return A.rowStart[A.rows]
}

/** y = A x on rows where `free` is set, 0 elsewhere. */
export function multiplyFree(A: SparseProblem, free: Uint8Array, x: Float64Array, y: Float64Array): void {
  const { rows, rowStart, columns, values } = A
  for (let row = 0; row < rows; row++) {
    let sum = 0
    if (free[row]) for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) sum += values[at] * x[columns[at]]
    y[row] = sum
  }
}

/** y = A x. */
export function multiply({ rows, rowStart, columns, values }: SparseProblem, x: Float64Array, y: Float64Array): void {
  for (let row = 0; row < rows; row++) {
    let sum = 0
    for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) sum += values[at] * x[columns[at]]
    y[row] = sum
  }
}

/** w = A p + b, the divergence that p leaves. */
export function divergenceLeft(A: SparseProblem, p: Float64Array, w: Float64Array): void {
  const { rows, rowStart, columns, values, b } = A
  for (let row = 0; row < rows; row++) {
    let sum = b[row]
    for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) sum += values[at] * p[columns[at]]
    w[row] = sum
  }
}

/** (A p + b) of one row. */
export function divergenceOfRow({ rowStart, columns, values, b }: SparseProblem, row: number, p: Float64Array): number {
  let sum = b[row]
  for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) sum += values[at] * p[columns[at]]
  return sum
}

export function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i]
  return sum
}

/** y += alpha x. */
export function addScaled(y: Float64Array, alpha: number, x: Float64Array): void {
  for (let i = 0; i < y.length; i++) y[i] += alpha * x[i]
}

/** x += alpha d and r −= alpha Ad in one pass; returns the 2-norm of the new r. */
export function step(x: Float64Array, r: Float64Array, alpha: number, d: Float64Array, Ad: Float64Array): number {
  let sum = 0
  for (let i = 0; i < x.length; i++) {
    x[i] += alpha * d[i]
    const ri = r[i] - alpha * Ad[i]
    r[i] = ri
    sum += ri * ri
  }
  return Math.sqrt(sum)
}

/** d = z + beta d. */
export function turn(d: Float64Array, z: Float64Array, beta: number): void {
  for (let i = 0; i < d.length; i++) d[i] = z[i] + beta * d[i]
}

/** y = −x. */
export function negate(x: Float64Array, y: Float64Array): void {
  for (let i = 0; i < y.length; i++) y[i] = -x[i]
}

/** y += sign a x, entry by entry. */
export function addProduct(y: Float64Array, sign: 1 | -1, a: Float64Array, x: Float64Array): void {
  for (let i = 0; i < y.length; i++) y[i] += sign * (a[i] * x[i])
}

/** The natural residual where w = A p + b is available, as in the yardstick but without a product. */
export function natural({ rows, kind, values, diagonalAt }: SparseProblem, w: Float64Array, p: Float64Array) {
  let residual = 0
  let pinned = 0
  for (let row = 0; row < rows; row++) {
    let natural = w[row]
    if (kind[row] === CONTACT) {
      const scaled = values[diagonalAt[row]] * p[row]
      if (scaled < natural) {
        natural = scaled
        pinned++
      }
    }
    const size = Math.abs(natural)
    if (!(size <= residual)) {
      if (Number.isNaN(size)) return { residual: NaN, pinned }
      residual = size
    }
  }
  return { residual, pinned }
}

/** NaN if any entry is NaN. */
export function largestMagnitude(x: Float64Array): number {
  let largest = 0
  for (let i = 0; i < x.length; i++) {
    const size = Math.abs(x[i])
    if (!(size <= largest)) {
      if (Number.isNaN(size)) return NaN
      largest = size
    }
  }
  return largest
}
