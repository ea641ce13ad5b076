/** Products with compressed rows in f64, the natural residual, and the solve with an incomplete factor. Operations are in the same order as in
 *  src/sparse/matrix.ts and src/sparse/preconditioners, so that results have the same bits. */
import { CONTACT } from '../../pressure/cell-kinds'
import { setResult } from '../../machine/kernels/job'
import { double, factorOf, plusRow, whole } from './entries'

export function rowsMultiplyFree(
  rows: i32,
  rowStart: usize,
  columns: usize,
  values: usize,
  free: usize,
  x: usize,
  y: usize,
): void {
  for (let row = 0, at = whole(rowStart, 0); row < rows; row++) {
    const end = whole(rowStart, row + 1)
    const sum = load<u8>(free + <usize>row) ? plusRow(0, columns, values, at, end, x) : 0
    store<f64>(y + ((<usize>row) << 3), sum)
    at = end
  }
}

export function rowsDivergence(rows: i32, rowStart: usize, columns: usize, values: usize, b: usize, p: usize, w: usize): void {
  for (let row = 0, at = whole(rowStart, 0); row < rows; row++) {
    const end = whole(rowStart, row + 1)
    store<f64>(w + ((<usize>row) << 3), plusRow(double(b, row), columns, values, at, end, p))
    at = end
  }
}

/** The largest natural residual, given w = A p + b. Result 1: the number of pinned contacts. */
export function rowsNatural(rows: i32, values: usize, diagonalAt: usize, kind: usize, w: usize, p: usize): f64 {
  let residual = 0.0
  let pinned = 0
  for (let row = 0; row < rows; row++) {
    let natural = double(w, row)
    if (load<u8>(kind + <usize>row) == CONTACT) {
      const scaled = double(values, whole(diagonalAt, row)) * double(p, row)
      if (scaled < natural) {
        natural = scaled
        pinned++
      }
    }
    const size = abs(natural)
    if (!(size <= residual)) {
      residual = size
      if (isNaN(size)) break
    }
  }
  setResult(1, <f64>pinned)
  return residual
}

/** z = M⁻¹ z by an incomplete Cholesky factor. */
export function rowsSolveFactor(
  rows: i32,
  rowStart: usize,
  columns: usize,
  diagonalAt: usize,
  upper: usize,
  inversePivot: usize,
  z: usize,
): void {
  if (rows == 0) return
  // The next row mostly depends on this one alone, so that value is passed on in a local variable.
  let z0 = load<f64>(z)
  for (let row = 0; row < rows; row++) {
    const y = z0 * double(inversePivot, row)
    store<f64>(z + ((<usize>row) << 3), y)
    z0 = row + 1 < rows ? double(z, row + 1) : 0
    if (y == 0) continue
    const first = <usize>whole(diagonalAt, row) + 1
    let column = columns + (first << 2)
    let value = upper + (first << 3)
    const end = columns + ((<usize>whole(rowStart, row + 1)) << 2)
    if (column < end && load<i32>(column) == row + 1) {
      z0 -= load<f64>(value) * y
      column += 4
      value += 8
    }
    for (; column < end; column += 4, value += 8) {
      const to = z + ((<usize>load<i32>(column)) << 3)
      store<f64>(to, load<f64>(to) - load<f64>(value) * y)
    }
  }
  let z1 = 0.0
  for (let row = rows - 1; row >= 0; row--) {
    const first = <usize>whole(diagonalAt, row) + 1
    let column = columns + (first << 2)
    let value = upper + (first << 3)
    const end = columns + ((<usize>whole(rowStart, row + 1)) << 2)
    let sum = 0.0
    if (column < end && load<i32>(column) == row + 1) {
      sum += load<f64>(value) * z1
      column += 4
      value += 8
    }
    for (; column < end; column += 4, value += 8) sum += load<f64>(value) * factorOf(z, column, 0)
    z1 = double(z, row) - sum * double(inversePivot, row)
    store<f64>(z + ((<usize>row) << 3), z1)
  }
}
