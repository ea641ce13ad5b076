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
  const right = multiply(A, P, { name: 'product.right', perRow: 8, wanted: P.rowStart, upper: false }, marker, buffers)
  const transposed = transpose(P, width, buffers, 'product.transposed')
  const upper = multiply(transposed, right.matrix, { name: 'product.upper', perRow: 16, upper: true }, marker, buffers)
  return { product: mirror(upper.matrix, scale, buffers, name), touched: right.touched + upper.touched }
}

/** Pᵀ with ascending columns. */
export function transpose(P: CompressedRows, width: number, buffers: Buffers, name: string): CompressedRows {
  const entries = P.rowStart[P.rows]
  const transposed = {
    rows: width,
    rowStart: buffers.i32(`${name}.rowStart`, width + 1),
    columns: buffers.i32(`${name}.columns`, entries),
    values: buffers.f64(`${name}.values`, entries),
  }
  buffers.loops.fillTransposed(P, transposed)
  return transposed
}

export function fillTransposed({ rows, rowStart, columns, values }: CompressedRows, into: CompressedRows): void {
  const { rows: width, rowStart: start, columns: index, values: value } = into
  const entries = rowStart[rows]
  start.fill(0)
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
}

interface ProductPlan {
  readonly name: string
  /** Entries to expect in a row. */
  readonly perRow: number
  /** Rows where this has no entries are not needed and stay empty. */
  readonly wanted?: Int32Array
  /** Only the entries on and above the diagonal. */
  readonly upper: boolean
}

interface Counted {
  readonly matrix: CompressedRows
  readonly touched: number
}

/** `left` `right` with columns in order of arrival. Fill is not known beforehand, and counting it would cost a pass, so memory grows. */
function multiply(
  left: CompressedRows,
  right: CompressedRows,
  { name, perRow, wanted = left.rowStart, upper }: ProductPlan,
  marker: Int32Array,
  buffers: Buffers,
): Counted {
  const { rows } = left
  const rowStart = buffers.i32(`${name}.rowStart`, rows + 1)
  const progress = buffers.i32(`${name}.progress`, 3).fill(0)
  marker.fill(-1)
  let columns = buffers.i32(`${name}.columns`, perRow * rows)
  let values = buffers.f64(`${name}.values`, perRow * rows)
  let touched = 0
  for (;;) {
    const matrix = { rows, rowStart, columns, values }
    buffers.loops.multiplyRows(left, right, { wanted, upper }, marker, matrix, progress)
    const [row, used, needed] = progress
    touched += needed
    if (row === rows) return { matrix, touched }
    const capacity = Math.max(used + productsOfRow(left, right, row), 2 * columns.length)
    const longer = buffers.i32(`${name}.columns`, capacity)
    const larger = buffers.f64(`${name}.values`, capacity)
    if (longer.buffer !== columns.buffer || longer.byteOffset !== columns.byteOffset) longer.set(columns.subarray(0, used))
    if (larger.buffer !== values.buffer || larger.byteOffset !== values.byteOffset) larger.set(values.subarray(0, used))
    columns = longer
    values = larger
  }
}

export interface ProductRows {
  readonly wanted: Int32Array
  readonly upper: boolean
}

/** Multiplications for one row, and so more entries than it can have. */
function productsOfRow(left: CompressedRows, right: CompressedRows, row: number): number {
  let products = 0
  for (let at = left.rowStart[row]; at < left.rowStart[row + 1]; at++) {
    const middle = left.columns[at]
    products += right.rowStart[middle + 1] - right.rowStart[middle]
  }
  return products
}

/** Rows of `left` `right` from row progress[0] on, with progress[1] entries before it, as far as they fit into `into`. Writes to
 *  `progress` the next row, the entries before that, and the multiplications done. `marker` must be below the number of
 *  those entries everywhere. */
export function multiplyRows(
  left: CompressedRows,
  right: CompressedRows,
  { wanted, upper }: ProductRows,
  marker: Int32Array,
  { rowStart, columns, values }: CompressedRows,
  progress: Int32Array,
): void {
  let [row, used] = progress
  let touched = 0
  for (; row < left.rows; row++) {
    const first = used
    const lowest = upper ? row : 0
    rowStart[row] = first
    if (wanted[row] === wanted[row + 1]) continue
    const products = productsOfRow(left, right, row)
    if (used + products > columns.length) break
    touched += products
    for (let at = left.rowStart[row]; at < left.rowStart[row + 1]; at++) {
      const middle = left.columns[at]
      const factor = left.values[at]
      for (let from = right.rowStart[middle], end = right.rowStart[middle + 1]; from < end; from++) {
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
  rowStart[row] = used
  progress[0] = row
  progress[1] = used
  progress[2] = touched
}

/** Both triangles of a symmetric matrix from its upper one, times `scale`. Transposing sorts, so nothing else has to. */
function mirror(upper: CompressedRows, scale: number, buffers: Buffers, name: string): SymmetricRows {
  const { rows } = upper
  const lower = transpose(upper, rows, buffers, 'product.lower')
  const entries = 2 * upper.rowStart[rows] - rows
  const mirrored = {
    rows,
    rowStart: buffers.i32(`${name}.rowStart`, rows + 1),
    diagonalAt: buffers.i32(`${name}.diagonalAt`, rows),
    columns: buffers.i32(`${name}.columns`, entries),
    values: buffers.f64(`${name}.values`, entries),
  }
  buffers.loops.fillMirror(upper, lower, scale, mirrored, buffers.i32('product.next', rows))
  return mirrored
}

/** `next` is scratch, one per row. */
export function fillMirror(
  upper: CompressedRows,
  lower: CompressedRows,
  scale: number,
  { rows, rowStart, columns, values, diagonalAt }: SymmetricRows,
  next: Int32Array,
): void {
  rowStart[0] = 0
  for (let row = 0; row < rows; row++) {
    const below = lower.rowStart[row + 1] - lower.rowStart[row]
    const above = upper.rowStart[row + 1] - upper.rowStart[row]
    rowStart[row + 1] = rowStart[row] + below + above - 1
    diagonalAt[row] = rowStart[row] + below - 1
    next[row] = diagonalAt[row] + 1
  }
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
}
