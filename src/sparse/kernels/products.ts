/** Products and transposes of compressed rows, as in src/sparse/product.ts and in the same order. The host fills in the record of arguments
 *  before it calls. */
import { jobOf } from '../../machine/kernels/job'
import { whole } from './entries'

@inline
function setWhole(array: usize, index: i32, value: i32): void {
  store<i32>(array + ((<usize>index) << 2), value)
}

@unmanaged
export class MultiplyRowsJob {
  rows: i32
  leftStart: usize
  leftColumns: usize
  leftValues: usize
  rightStart: usize
  rightColumns: usize
  rightValues: usize
  /** Row starts of a matrix with entries in the rows that are wanted. */
  wanted: usize
  /** 1 if only columns from the diagonal on are wanted. */
  upper: i32
  marker: usize
  rowStart: usize
  columns: usize
  values: usize
  /** Entries that `columns` and `values` have space for. */
  capacity: i32
  /** Next row, entries so far, and products of this call. */
  progress: usize
}

/** Rows of left · right from row progress[0] on, as far as `capacity` suffices. */
export function rowsProduct(): void {
  const job = jobOf<MultiplyRowsJob>()
  const rows = job.rows
  const leftStart = job.leftStart
  const leftColumns = job.leftColumns
  const leftValues = job.leftValues
  const rightStart = job.rightStart
  const rightColumns = job.rightColumns
  const rightValues = job.rightValues
  const wanted = job.wanted
  const upper = job.upper
  const marker = job.marker
  const rowStart = job.rowStart
  const columns = job.columns
  const values = job.values
  const capacity = job.capacity
  const progress = job.progress
  let row = whole(progress, 0)
  let used = whole(progress, 1)
  let touched = 0
  for (; row < rows; row++) {
    const first = used
    const lowest = upper ? row : 0
    setWhole(rowStart, row, first)
    if (whole(wanted, row) == whole(wanted, row + 1)) continue
    const begin = whole(leftStart, row)
    const end = whole(leftStart, row + 1)
    let products = 0
    for (let at = begin; at < end; at++) {
      const middle = whole(leftColumns, at)
      products += whole(rightStart, middle + 1) - whole(rightStart, middle)
    }
    if (used + products > capacity) break
    touched += products
    for (let at = begin; at < end; at++) {
      const middle = whole(leftColumns, at)
      const factor = load<f64>(leftValues + ((<usize>at) << 3))
      const from = <usize>whole(rightStart, middle)
      let source = rightColumns + (from << 2)
      let value = rightValues + (from << 3)
      for (const last = rightColumns + ((<usize>whole(rightStart, middle + 1)) << 2); source < last; source += 4, value += 8) {
        const column = load<i32>(source)
        if (column < lowest) continue
        const term = factor * load<f64>(value)
        const mark = marker + ((<usize>column) << 2)
        const to = load<i32>(mark)
        if (to >= first) {
          const sum = values + ((<usize>to) << 3)
          store<f64>(sum, load<f64>(sum) + term)
        } else {
          store<i32>(mark, used)
          setWhole(columns, used, column)
          store<f64>(values + ((<usize>used) << 3), term)
          used++
        }
      }
    }
  }
  setWhole(rowStart, row, used)
  setWhole(progress, 0, row)
  setWhole(progress, 1, used)
  setWhole(progress, 2, touched)
}

@unmanaged
export class TransposeRowsJob {
  rows: i32
  rowStart: usize
  columns: usize
  values: usize
  /** Rows of the transpose. */
  width: i32
  intoStart: usize
  intoColumns: usize
  intoValues: usize
}

export function rowsTranspose(): void {
  const job = jobOf<TransposeRowsJob>()
  const rows = job.rows
  const rowStart = job.rowStart
  const columns = job.columns
  const values = job.values
  const width = job.width
  const start = job.intoStart
  const index = job.intoColumns
  const value = job.intoValues
  const entries = whole(rowStart, rows)
  memory.fill(start, 0, (<usize>width + 1) << 2)
  for (let at = 0; at < entries; at++) {
    const count = start + ((<usize>whole(columns, at)) << 2)
    store<i32>(count, load<i32>(count, 4) + 1, 4)
  }
  for (let row = 0; row < width; row++) setWhole(start, row + 1, whole(start, row + 1) + whole(start, row))
  for (let row = 0, at = whole(rowStart, 0); row < rows; row++) {
    for (const end = whole(rowStart, row + 1); at < end; at++) {
      const next = start + ((<usize>whole(columns, at)) << 2)
      const to = load<i32>(next)
      store<i32>(next, to + 1)
      setWhole(index, to, row)
      store<f64>(value + ((<usize>to) << 3), load<f64>(values + ((<usize>at) << 3)))
    }
  }
  // Filling moved every start to that of the next row.
  memory.copy(start + 4, start, (<usize>width) << 2)
  store<i32>(start, 0)
}

@unmanaged
export class MirrorRowsJob {
  scale: f64
  rows: i32
  upperStart: usize
  lowerStart: usize
  lowerColumns: usize
  lowerValues: usize
  rowStart: usize
  columns: usize
  values: usize
  diagonalAt: usize
  next: usize
}

/** The symmetric matrix with the given lower triangle, times `scale`. */
export function rowsMirror(): void {
  const job = jobOf<MirrorRowsJob>()
  const scale = job.scale
  const rows = job.rows
  const upperStart = job.upperStart
  const lowerStart = job.lowerStart
  const lowerColumns = job.lowerColumns
  const lowerValues = job.lowerValues
  const rowStart = job.rowStart
  const columns = job.columns
  const values = job.values
  const diagonalAt = job.diagonalAt
  const next = job.next
  setWhole(rowStart, 0, 0)
  for (let row = 0, at = 0; row < rows; row++) {
    const below = whole(lowerStart, row + 1) - whole(lowerStart, row)
    const above = whole(upperStart, row + 1) - whole(upperStart, row)
    setWhole(diagonalAt, row, at + below - 1)
    setWhole(next, row, at + below)
    at += below + above - 1
    setWhole(rowStart, row + 1, at)
  }
  for (let row = 0, at = 0; row < rows; row++) {
    let to = whole(rowStart, row)
    for (const end = whole(lowerStart, row + 1); at < end; at++) {
      const column = whole(lowerColumns, at)
      const value = scale * load<f64>(lowerValues + ((<usize>at) << 3))
      setWhole(columns, to, column)
      store<f64>(values + ((<usize>to) << 3), value)
      to++
      if (column == row) continue
      const mirrored = whole(next, column)
      setWhole(next, column, mirrored + 1)
      setWhole(columns, mirrored, row)
      store<f64>(values + ((<usize>mirrored) << 3), value)
    }
  }
}
