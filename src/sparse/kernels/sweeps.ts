/** Gauss–Seidel sweeps over compressed rows, and their residuals, as in src/sparse/sweeps.ts and with the same bits. The host fills in the
 *  record of arguments before it calls. */
import { jobOf } from '../../machine/kernels/job'
import { double, minusRow, plusRow, whole } from './entries'

@unmanaged
export class SweepRowsJob {
  rows: i32
  rowStart: usize
  columns: usize
  values: usize
  diagonalAt: usize
  /** 0 for rows that are not changed. */
  inverseDiagonal: usize
  /** Projected sweeps: 1 on rows with 0 ≤ p ⊥ A p + b ≥ 0. u8 */
  contact: usize
  /** Order of the rows, or 0 for ascending. */
  byColour: usize
  backward: i32
  /** How many rows the second of two sweeps is behind the first: farther than entries reach. */
  lag: i32
  f: usize
  /** Projected sweeps only. */
  b: usize
  literal: i32
  x: usize
}

/** Solves one row for its own unknown; returns |change| weighted by the diagonal. */
@inline
function relax(row: i32, rowStart: usize, columns: usize, values: usize, inverseDiagonal: usize, f: usize, x: usize): f64 {
  const inverse = double(inverseDiagonal, row)
  if (inverse == 0) return 0
  const sum = minusRow(double(f, row), columns, values, whole(rowStart, row), whole(rowStart, row + 1), x)
  store<f64>(x + ((<usize>row) << 3), double(x, row) + sum * inverse)
  return abs(sum)
}

/** One sweep for A x = f; returns the largest change, weighted by the diagonal. */
export function rowsSweep(): f64 {
  const job = jobOf<SweepRowsJob>()
  const rows = job.rows
  const rowStart = job.rowStart
  const columns = job.columns
  const values = job.values
  const inverseDiagonal = job.inverseDiagonal
  const byColour = job.byColour
  const backward = job.backward
  const f = job.f
  const x = job.x
  let largest = 0.0
  for (let visited = 0; visited < rows; visited++) {
    const place = backward ? rows - 1 - visited : visited
    const row = byColour ? whole(byColour, place) : place
    const size = relax(row, rowStart, columns, values, inverseDiagonal, f, x)
    if (size > largest) largest = size
  }
  return largest
}

/** Two sweeps in ascending or descending order in one pass, the second `lag` rows behind the first, so that both compute what they would
 *  one after the other. Each row depends on the one before; two independent rows at a time keep the processor busy. */
export function rowsSweepTwice(): f64 {
  const job = jobOf<SweepRowsJob>()
  const rows = job.rows
  const rowStart = job.rowStart
  const columns = job.columns
  const values = job.values
  const inverseDiagonal = job.inverseDiagonal
  const backward = job.backward
  const lag = job.lag
  const f = job.f
  const x = job.x
  let largest = 0.0
  for (let visited = 0, end = rows + lag; visited < end; visited++) {
    const behind = visited - lag
    if (visited < rows) relax(backward ? rows - 1 - visited : visited, rowStart, columns, values, inverseDiagonal, f, x)
    if (behind < 0) continue
    const size = relax(backward ? rows - 1 - behind : behind, rowStart, columns, values, inverseDiagonal, f, x)
    if (size > largest) largest = size
  }
  return largest
}

/** r = f − A x, 0 on rows that are not changed. */
export function rowsResidual(r: usize): void {
  const job = jobOf<SweepRowsJob>()
  const rows = job.rows
  const rowStart = job.rowStart
  const columns = job.columns
  const values = job.values
  const inverseDiagonal = job.inverseDiagonal
  const f = job.f
  const x = job.x
  for (let row = 0, at = whole(rowStart, 0); row < rows; row++) {
    const end = whole(rowStart, row + 1)
    const sum = double(inverseDiagonal, row) == 0 ? 0 : minusRow(double(f, row), columns, values, at, end, x)
    store<f64>(r + ((<usize>row) << 3), sum)
    at = end
  }
}

/** Solves one row of the complementarity problem for its own unknown; returns |change| weighted by the diagonal. */
@inline
function relaxProjected(
  row: i32,
  rowStart: usize,
  columns: usize,
  values: usize,
  diagonalAt: usize,
  inverseDiagonal: usize,
  contact: usize,
  f: usize,
  b: usize,
  literal: i32,
  p: usize,
): f64 {
  const inverse = double(inverseDiagonal, row)
  if (inverse == 0) return 0
  const right = double(f, row)
  const sum = minusRow(right - double(b, row), columns, values, whole(rowStart, row), whole(rowStart, row + 1), p)
  const before = double(p, row)
  let next = before + sum * inverse
  if (load<u8>(contact + <usize>row)) {
    const bound = literal ? right : right * inverse
    if (next < bound) next = bound
  }
  store<f64>(p + ((<usize>row) << 3), next)
  return abs(next - before) * double(values, whole(diagonalAt, row))
}

/** One projected sweep for N(p) = f; returns the largest change, weighted by the diagonal. */
export function rowsSweepProjected(): f64 {
  const job = jobOf<SweepRowsJob>()
  const rows = job.rows
  const rowStart = job.rowStart
  const columns = job.columns
  const values = job.values
  const diagonalAt = job.diagonalAt
  const inverseDiagonal = job.inverseDiagonal
  const contact = job.contact
  const byColour = job.byColour
  const backward = job.backward
  const f = job.f
  const b = job.b
  const literal = job.literal
  const p = job.x
  let largest = 0.0
  for (let visited = 0; visited < rows; visited++) {
    const place = backward ? rows - 1 - visited : visited
    const row = byColour ? whole(byColour, place) : place
    const size = relaxProjected(row, rowStart, columns, values, diagonalAt, inverseDiagonal, contact, f, b, literal, p)
    if (size > largest) largest = size
  }
  return largest
}

/** As `rowsSweepTwice`. */
export function rowsSweepProjectedTwice(): f64 {
  const job = jobOf<SweepRowsJob>()
  const rows = job.rows
  const rowStart = job.rowStart
  const columns = job.columns
  const values = job.values
  const diagonalAt = job.diagonalAt
  const inverseDiagonal = job.inverseDiagonal
  const contact = job.contact
  const backward = job.backward
  const lag = job.lag
  const f = job.f
  const b = job.b
  const literal = job.literal
  const p = job.x
  let largest = 0.0
  for (let visited = 0, end = rows + lag; visited < end; visited++) {
    const behind = visited - lag
    if (visited < rows) {
      const row = backward ? rows - 1 - visited : visited
      relaxProjected(row, rowStart, columns, values, diagonalAt, inverseDiagonal, contact, f, b, literal, p)
    }
    if (behind < 0) continue
    const row = backward ? rows - 1 - behind : behind
    const size = relaxProjected(row, rowStart, columns, values, diagonalAt, inverseDiagonal, contact, f, b, literal, p)
    if (size > largest) largest = size
  }
  return largest
}

/** n = N(p). */
export function rowsEvaluate(n: usize): void {
  const job = jobOf<SweepRowsJob>()
  const rows = job.rows
  const rowStart = job.rowStart
  const columns = job.columns
  const values = job.values
  const diagonalAt = job.diagonalAt
  const inverseDiagonal = job.inverseDiagonal
  const contact = job.contact
  const b = job.b
  const literal = job.literal
  const p = job.x
  for (let row = 0, at = whole(rowStart, 0); row < rows; row++) {
    const end = whole(rowStart, row + 1)
    let sum = plusRow(double(b, row), columns, values, at, end, p)
    if (load<u8>(contact + <usize>row) && double(inverseDiagonal, row) != 0) {
      const bound = literal ? double(p, row) : double(values, whole(diagonalAt, row)) * double(p, row)
      if (bound < sum) sum = bound
    }
    store<f64>(n + ((<usize>row) << 3), sum)
    at = end
  }
}
