/** Transfers between the rows of two grids by a matrix P, as in src/sparse/sweeps.ts. */
import { double, factorOf, whole } from './entries'

/** y += scale Pᵀ x. */
export function rowsRestrict(rows: i32, rowStart: usize, columns: usize, values: usize, scale: f64, x: usize, y: usize): void {
  let column = columns + ((<usize>whole(rowStart, 0)) << 2)
  let value = values + ((<usize>whole(rowStart, 0)) << 3)
  for (let row = 0; row < rows; row++) {
    const share = scale * double(x, row)
    for (const end = columns + ((<usize>whole(rowStart, row + 1)) << 2); column < end; column += 4, value += 8) {
      const to = y + ((<usize>load<i32>(column)) << 3)
      store<f64>(to, load<f64>(to) + load<f64>(value) * share)
    }
  }
}

/** y += P x. */
export function rowsInterpolate(rows: i32, rowStart: usize, columns: usize, values: usize, x: usize, y: usize): void {
  let column = columns + ((<usize>whole(rowStart, 0)) << 2)
  let value = values + ((<usize>whole(rowStart, 0)) << 3)
  for (let row = 0; row < rows; row++) {
    let sum = 0.0
    for (const end = columns + ((<usize>whole(rowStart, row + 1)) << 2); column < end; column += 4, value += 8)
      sum += load<f64>(value) * factorOf(x, column, 0)
    store<f64>(y + ((<usize>row) << 3), double(y, row) + sum)
  }
}
