/** The Galerkin product Pᵀ A P of compressed rows, row by row with marker arrays. Only the upper triangle is summed and then
 *  mirrored, so that the result is symmetric bit for bit whatever the order of the additions. */
import type { Buffers } from './buffers.js'

/** Any sparse matrix in compressed rows; columns in any order. */
export interface CompressedRows {
  readonly rows: number
  readonly rowStart: Int32Array
  readonly columns: Int32Array
  readonly values: Float64Array
}

/** A symmetric one, both triangles stored, columns ascending, every diagonal present. */
export interface SymmetricRows extends CompressedRows {
  readonly diagonalAt: Int32Array
}

export interface GalerkinProduct {
  readonly product: SymmetricRows
  /** Multiplications done, for work units. */
  readonly touched: number
}

/** `scale` Pᵀ A P, of `width` rows. Rows of P may be empty, columns not. Memory is kept under `name`. */
export function galerkinProduct(
  A: CompressedRows,
  P: CompressedRows,
  width: number,
  scale: number,
  buffers: Buffers,
  name: string,
): GalerkinProduct {
  const marker = buffers.i32('product.marker', width)
  // Pᵀ never asks for the rows of A P where P is empty.
  const wanted = (row: number) => P.rowStart[row] < P.rowStart[row + 1]
  const right = multiplyRows(A, P, { name: 'product.right', perRow: 8, wanted, upper: false }, marker.fill(-1), buffers)
  const upper = multiplyRows(
    transpose(P, width, buffers, 'product.transposed'),
    right.matrix,
    { name: 'product.upper', perRow: 16, wanted: () => true, upper: true },
    marker.fill(-1),
    buffers,
  )
  return { product: mirror(upper.matrix, scale, buffers, name), touched: right.touched + upper.touched }
}

/** Pᵀ with ascending columns. */
export function transpose(P: CompressedRows, width: number, buffers: Buffers, name: string): CompressedRows {
  const { rows, rowStart, columns, values } = P
  const entries = rowStart[rows]
  const start = buffers.i32(`${name}.rowStart`, width + 1).fill(0)
  const index = buffers.i32(`${name}.columns`, entries)
  const value = buffers.f64(`${name}.values`, entries)
  for (let at = 0; at < entries; at++) start[columns[at] + 1]++
  for (let row = 0; row < width; row++) start[row + 1] += start[row]
  for (let row = 0; row < rows; row++) {
    for (let at = rowStart[row]; at < rowStart[row + 1]; at++) {
      const to = start[columns[at]]++
      index[to] = row
      value[to] = values[at]
    }
  }
  // Filling moved every start to that of the next row.
  for (let row = width; row > 0; row--) start[row] = start[row - 1]
  start[0] = 0
  return { rows: width, rowStart: start, columns: index, values: value }
}

interface Growing {
  columns: Int32Array
  values: Float64Array
}

/** Room for `size` entries; what is there is kept. Fill is not known beforehand, and counting it would cost a pass. */
function reserve(grown: Growing, used: number, size: number, buffers: Buffers, name: string): void {
  if (size <= grown.columns.length) return
  const capacity = Math.max(size, 2 * grown.columns.length)
  const columns = buffers.i32(`${name}.columns`, capacity)
  const values = buffers.f64(`${name}.values`, capacity)
  if (columns.buffer !== grown.columns.buffer) columns.set(grown.columns.subarray(0, used))
  if (values.buffer !== grown.values.buffer) values.set(grown.values.subarray(0, used))
  grown.columns = columns
  grown.values = values
}

interface Counted {
  readonly matrix: CompressedRows
  readonly touched: number
}

interface ProductPlan {
  readonly name: string
  /** Entries to expect in a row. */
  readonly perRow: number
  /** Rows that nobody will ask for stay empty. */
  readonly wanted: (row: number) => boolean
  /** Only the entries on and above the diagonal. */
  readonly upper: boolean
}

/** `left` `right`, row by row; columns in order of arrival. */
function multiplyRows(
  left: CompressedRows,
  right: CompressedRows,
  { name, perRow, wanted, upper }: ProductPlan,
  marker: Int32Array,
  buffers: Buffers,
): Counted {
  const rowStart = buffers.i32(`${name}.rowStart`, left.rows + 1)
  const grown: Growing = { columns: new Int32Array(0), values: new Float64Array(0) }
  reserve(grown, 0, perRow * left.rows, buffers, name)
  let used = 0
  let touched = 0
  for (let row = 0; row < left.rows; row++) {
    const first = used
    const lowest = upper ? row : 0
    rowStart[row] = first
    if (!wanted(row)) continue
    for (let at = left.rowStart[row]; at < left.rowStart[row + 1]; at++) {
      const middle = left.columns[at]
      const factor = left.values[at]
      const end = right.rowStart[middle + 1]
      let from = right.rowStart[middle]
      touched += end - from
      if (used + end - from > grown.columns.length) reserve(grown, used, used + end - from, buffers, name)
      const { columns, values } = grown
      for (; from < end; from++) {
        const column = right.columns[from]
        if (column < lowest) continue
        const to = marker[column]
        if (to >= first) values[to] += factor * right.values[from]
        else {
          marker[column] = used
          columns[used] = column
          values[used++] = factor * right.values[from]
        }
      }
    }
  }
  rowStart[left.rows] = used
  return { matrix: { rows: left.rows, rowStart, columns: grown.columns, values: grown.values }, touched }
}

/** Both triangles of a symmetric matrix from its upper one, times `scale`. Transposing sorts, so nothing else has to. */
function mirror(upper: CompressedRows, scale: number, buffers: Buffers, name: string): SymmetricRows {
  const { rows } = upper
  const lower = transpose(upper, rows, buffers, 'product.lower')
  const rowStart = buffers.i32(`${name}.rowStart`, rows + 1)
  const diagonalAt = buffers.i32(`${name}.diagonalAt`, rows)
  rowStart[0] = 0
  for (let row = 0; row < rows; row++) {
    const below = lower.rowStart[row + 1] - lower.rowStart[row]
    const above = upper.rowStart[row + 1] - upper.rowStart[row]
    rowStart[row + 1] = rowStart[row] + below + above - 1
    diagonalAt[row] = rowStart[row] + below - 1
  }
  const columns = buffers.i32(`${name}.columns`, rowStart[rows])
  const values = buffers.f64(`${name}.values`, rowStart[rows])
  const next = buffers.i32('product.next', rows)
  for (let row = 0; row < rows; row++) next[row] = diagonalAt[row] + 1
  for (let row = 0; row < rows; row++) {
    let to = rowStart[row]
    for (let at = lower.rowStart[row]; at < lower.rowStart[row + 1]; at++) {
      const column = lower.columns[at]
      const value = scale * lower.values[at]
      columns[to] = column
      values[to++] = value
      if (column === row) continue
      const mirrored = next[column]++
      columns[mirrored] = row
      values[mirrored] = value
    }
  }
  return { rows, rowStart, columns, values, diagonalAt }
}
