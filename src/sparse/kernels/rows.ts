/** Loops over compressed rows in f64, for the algebraic and Galerkin methods. What each does is told in src/sparse; operations come in the
 *  same order as there, so that results have the same bits. Arguments are a count of rows and addresses of arrays. */
import { setResult } from '../../machine/kernels/job'

export * from './products'

@inline
function double(array: usize, index: i32): f64 {
  return load<f64>(array + (<usize>index << 3))
}

@inline
function whole(array: usize, index: i32): i32 {
  return load<i32>(array + (<usize>index << 2))
}

/** The factor that stands with the entry at `column`. */
@inline
function factorOf(x: usize, column: usize, offset: usize): f64 {
  return load<f64>(x + (<usize>load<i32>(column + offset) << 3))
}

/** `sum` plus values · x over entries `at` to `end`, one after the other. */
@inline
function plusRow(sum: f64, columns: usize, values: usize, at: i32, end: i32, x: usize): f64 {
  let column = columns + (<usize>at << 2)
  let value = values + (<usize>at << 3)
  const last = columns + (<usize>end << 2)
  // Seven entries are what most rows of a grid have; a loop would spend as much on itself.
  if (end - at == 7) {
    sum += load<f64>(value) * factorOf(x, column, 0)
    sum += load<f64>(value, 8) * factorOf(x, column, 4)
    sum += load<f64>(value, 16) * factorOf(x, column, 8)
    sum += load<f64>(value, 24) * factorOf(x, column, 12)
    sum += load<f64>(value, 32) * factorOf(x, column, 16)
    sum += load<f64>(value, 40) * factorOf(x, column, 20)
    sum += load<f64>(value, 48) * factorOf(x, column, 24)
    return sum
  }
  for (; column < last; column += 4, value += 8) sum += load<f64>(value) * factorOf(x, column, 0)
  return sum
}

/** The same with minus. */
@inline
function minusRow(sum: f64, columns: usize, values: usize, at: i32, end: i32, x: usize): f64 {
  let column = columns + (<usize>at << 2)
  let value = values + (<usize>at << 3)
  const last = columns + (<usize>end << 2)
  if (end - at == 7) {
    sum -= load<f64>(value) * factorOf(x, column, 0)
    sum -= load<f64>(value, 8) * factorOf(x, column, 4)
    sum -= load<f64>(value, 16) * factorOf(x, column, 8)
    sum -= load<f64>(value, 24) * factorOf(x, column, 12)
    sum -= load<f64>(value, 32) * factorOf(x, column, 16)
    sum -= load<f64>(value, 40) * factorOf(x, column, 20)
    sum -= load<f64>(value, 48) * factorOf(x, column, 24)
    return sum
  }
  for (; column < last; column += 4, value += 8) sum -= load<f64>(value) * factorOf(x, column, 0)
  return sum
}

// ---- products and vectors

export function rowsMultiplyFree(rows: i32, rowStart: usize, columns: usize, values: usize, free: usize, x: usize, y: usize): void {
  for (let row = 0, at = whole(rowStart, 0); row < rows; row++) {
    const end = whole(rowStart, row + 1)
    const sum = load<u8>(free + <usize>row) ? plusRow(0, columns, values, at, end, x) : 0
    store<f64>(y + (<usize>row << 3), sum)
    at = end
  }
}

export function rowsDivergence(rows: i32, rowStart: usize, columns: usize, values: usize, b: usize, p: usize, w: usize): void {
  for (let row = 0, at = whole(rowStart, 0); row < rows; row++) {
    const end = whole(rowStart, row + 1)
    store<f64>(w + (<usize>row << 3), plusRow(double(b, row), columns, values, at, end, p))
    at = end
  }
}

export function rowsDot(rows: i32, x: usize, y: usize): f64 {
  let sum = 0.0
  for (const end = x + (<usize>rows << 3); x < end; x += 8, y += 8) sum += load<f64>(x) * load<f64>(y)
  return sum
}

/** y += alpha x. */
export function rowsAddScaled(rows: i32, y: usize, alpha: f64, x: usize): void {
  const factor = f64x2.splat(alpha)
  const end = y + (<usize>rows << 3)
  for (; y + 16 <= end; y += 16, x += 16) v128.store(y, f64x2.add(v128.load(y), f64x2.mul(factor, v128.load(x))))
  if (y < end) store<f64>(y, load<f64>(y) + alpha * load<f64>(x))
}

export function rowsLargest(rows: i32, x: usize): f64 {
  let most = f64x2.splat(0)
  let broken = i64x2.splat(0)
  const end = x + (<usize>rows << 3)
  for (; x + 16 <= end; x += 16) {
    const size = f64x2.abs(v128.load(x))
    most = f64x2.pmax(most, size)
    broken = v128.or(broken, f64x2.ne(size, size))
  }
  if (v128.any_true(broken)) return NaN
  let largest = max(f64x2.extract_lane(most, 0), f64x2.extract_lane(most, 1))
  if (x < end) largest = max(largest, abs(load<f64>(x)))
  return largest
}

/** x += alpha d, r −= alpha Ad; the 2-norm of r. */
export function rowsStep(rows: i32, x: usize, r: usize, alpha: f64, d: usize, Ad: usize): f64 {
  let sum = 0.0
  const factor = f64x2.splat(alpha)
  const bytes = <usize>rows << 3
  let at: usize = 0
  for (; at + 16 <= bytes; at += 16) {
    v128.store(x + at, f64x2.add(v128.load(x + at), f64x2.mul(factor, v128.load(d + at))))
    const left = f64x2.sub(v128.load(r + at), f64x2.mul(factor, v128.load(Ad + at)))
    v128.store(r + at, left)
    const squares = f64x2.mul(left, left)
    sum += f64x2.extract_lane(squares, 0)
    sum += f64x2.extract_lane(squares, 1)
  }
  if (at < bytes) {
    store<f64>(x + at, load<f64>(x + at) + alpha * load<f64>(d + at))
    const left = load<f64>(r + at) - alpha * load<f64>(Ad + at)
    store<f64>(r + at, left)
    sum += left * left
  }
  return sqrt(sum)
}

/** y = −x. */
export function rowsNegate(rows: i32, x: usize, y: usize): void {
  const end = y + (<usize>rows << 3)
  for (; y + 16 <= end; y += 16, x += 16) v128.store(y, f64x2.neg(v128.load(x)))
  if (y < end) store<f64>(y, -load<f64>(x))
}

/** y += sign a x, entry by entry; sign is 1 or −1, so that multiplying by it does not round. */
export function rowsAddProduct(rows: i32, y: usize, sign: f64, a: usize, x: usize): void {
  const factor = f64x2.splat(sign)
  const end = y + (<usize>rows << 3)
  for (; y + 16 <= end; y += 16, a += 16, x += 16)
    v128.store(y, f64x2.add(v128.load(y), f64x2.mul(factor, f64x2.mul(v128.load(a), v128.load(x)))))
  if (y < end) store<f64>(y, load<f64>(y) + sign * (load<f64>(a) * load<f64>(x)))
}

/** As in src/pressure/problem.ts. */
const CONTACT: u8 = 2

/** The largest natural residual, where w = A p + b is at hand. Result 1: the number of pinned contacts. */
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

/** d = z + beta d. */
export function rowsTurn(rows: i32, d: usize, z: usize, beta: f64): void {
  const factor = f64x2.splat(beta)
  const end = d + (<usize>rows << 3)
  for (; d + 16 <= end; d += 16, z += 16) v128.store(d, f64x2.add(v128.load(z), f64x2.mul(factor, v128.load(d))))
  if (d < end) store<f64>(d, load<f64>(z) + beta * load<f64>(d))
}

// ---- incomplete Cholesky

export function rowsSolveFactor(
  rows: i32, rowStart: usize, columns: usize, diagonalAt: usize, upper: usize, inversePivot: usize, r: usize, z: usize,
): void {
  memory.copy(z, r, <usize>rows << 3)
  if (rows == 0) return
  // The next row mostly waits for this one alone, so what it gets from here does not go through memory.
  let z0 = load<f64>(z)
  for (let row = 0; row < rows; row++) {
    const y = z0 * double(inversePivot, row)
    store<f64>(z + (<usize>row << 3), y)
    z0 = row + 1 < rows ? double(z, row + 1) : 0
    if (y == 0) continue
    const first = <usize>whole(diagonalAt, row) + 1
    let column = columns + (first << 2)
    let value = upper + (first << 3)
    const end = columns + (<usize>whole(rowStart, row + 1) << 2)
    if (column < end && load<i32>(column) == row + 1) {
      z0 -= load<f64>(value) * y
      column += 4
      value += 8
    }
    for (; column < end; column += 4, value += 8) {
      const to = z + (<usize>load<i32>(column) << 3)
      store<f64>(to, load<f64>(to) - load<f64>(value) * y)
    }
  }
  let z1 = 0.0
  for (let row = rows - 1; row >= 0; row--) {
    const first = <usize>whole(diagonalAt, row) + 1
    let column = columns + (first << 2)
    let value = upper + (first << 3)
    const end = columns + (<usize>whole(rowStart, row + 1) << 2)
    let sum = 0.0
    if (column < end && load<i32>(column) == row + 1) {
      sum += load<f64>(value) * z1
      column += 4
      value += 8
    }
    for (; column < end; column += 4, value += 8) sum += load<f64>(value) * factorOf(z, column, 0)
    z1 = double(z, row) - sum * double(inversePivot, row)
    store<f64>(z + (<usize>row << 3), z1)
  }
}

// ---- sweeps

/** Solves one row for itself; |change| weighted by the diagonal. */
@inline
function relax(row: i32, rowStart: usize, columns: usize, values: usize, inverseDiagonal: usize, f: usize, x: usize): f64 {
  const inverse = double(inverseDiagonal, row)
  if (inverse == 0) return 0
  const sum = minusRow(double(f, row), columns, values, whole(rowStart, row), whole(rowStart, row + 1), x)
  store<f64>(x + (<usize>row << 3), double(x, row) + sum * inverse)
  return abs(sum)
}

/** One sweep. `byColour` is 0 for rows in their own order. */
export function rowsSweep(
  rows: i32, rowStart: usize, columns: usize, values: usize, inverseDiagonal: usize, byColour: usize, backward: i32,
  f: usize, x: usize,
): f64 {
  let largest = 0.0
  for (let visited = 0; visited < rows; visited++) {
    const place = backward ? rows - 1 - visited : visited
    const row = byColour ? whole(byColour, place) : place
    const size = relax(row, rowStart, columns, values, inverseDiagonal, f, x)
    if (size > largest) largest = size
  }
  return largest
}

/** Two sweeps in one pass, the second `lag` rows behind the first: farther than entries reach, so neither sees a difference. Each row
 *  waits for the one before it, and with two at a time there is something to do meanwhile. */
export function rowsSweepTwice(
  rows: i32, rowStart: usize, columns: usize, values: usize, inverseDiagonal: usize, backward: i32, lag: i32, f: usize, x: usize,
): f64 {
  let largest = 0.0
  for (let visited = 0, end = rows + lag; visited < end; visited++) {
    const behind = visited - lag
    if (visited < rows)
      relax(backward ? rows - 1 - visited : visited, rowStart, columns, values, inverseDiagonal, f, x)
    if (behind < 0) continue
    const size = relax(backward ? rows - 1 - behind : behind, rowStart, columns, values, inverseDiagonal, f, x)
    if (size > largest) largest = size
  }
  return largest
}

export function rowsLeftover(
  rows: i32, rowStart: usize, columns: usize, values: usize, inverseDiagonal: usize, f: usize, x: usize, r: usize,
): void {
  for (let row = 0, at = whole(rowStart, 0); row < rows; row++) {
    const end = whole(rowStart, row + 1)
    const sum = double(inverseDiagonal, row) == 0 ? 0 : minusRow(double(f, row), columns, values, at, end, x)
    store<f64>(r + (<usize>row << 3), sum)
    at = end
  }
}

/** Solves one row of the complementarity problem for itself; |change| weighted by the diagonal. */
@inline
function relaxProjected(
  row: i32, rowStart: usize, columns: usize, values: usize, diagonalAt: usize, inverseDiagonal: usize, contact: usize,
  f: usize, b: usize, literal: i32, p: usize,
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
  store<f64>(p + (<usize>row << 3), next)
  return abs(next - before) * double(values, whole(diagonalAt, row))
}

export function rowsSweepProjected(
  rows: i32, rowStart: usize, columns: usize, values: usize, diagonalAt: usize, inverseDiagonal: usize, contact: usize,
  byColour: usize, backward: i32, f: usize, b: usize, literal: i32, p: usize,
): f64 {
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
export function rowsSweepProjectedTwice(
  rows: i32, rowStart: usize, columns: usize, values: usize, diagonalAt: usize, inverseDiagonal: usize, contact: usize,
  backward: i32, lag: i32, f: usize, b: usize, literal: i32, p: usize,
): f64 {
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

export function rowsEvaluate(
  rows: i32, rowStart: usize, columns: usize, values: usize, diagonalAt: usize, inverseDiagonal: usize, contact: usize,
  b: usize, literal: i32, p: usize, n: usize,
): void {
  for (let row = 0, at = whole(rowStart, 0); row < rows; row++) {
    const end = whole(rowStart, row + 1)
    let sum = plusRow(double(b, row), columns, values, at, end, p)
    if (load<u8>(contact + <usize>row) && double(inverseDiagonal, row) != 0) {
      const bound = literal ? double(p, row) : double(values, whole(diagonalAt, row)) * double(p, row)
      if (bound < sum) sum = bound
    }
    store<f64>(n + (<usize>row << 3), sum)
    at = end
  }
}

// ---- transfers

/** y = scale Pᵀ x, y of `width` rows. */
export function rowsRestrict(
  rows: i32, rowStart: usize, columns: usize, values: usize, scale: f64, x: usize, width: i32, y: usize,
): void {
  memory.fill(y, 0, <usize>width << 3)
  let column = columns + (<usize>whole(rowStart, 0) << 2)
  let value = values + (<usize>whole(rowStart, 0) << 3)
  for (let row = 0; row < rows; row++) {
    const share = scale * double(x, row)
    for (const end = columns + (<usize>whole(rowStart, row + 1) << 2); column < end; column += 4, value += 8) {
      const to = y + (<usize>load<i32>(column) << 3)
      store<f64>(to, load<f64>(to) + load<f64>(value) * share)
    }
  }
}

/** y += P x. */
export function rowsInterpolate(rows: i32, rowStart: usize, columns: usize, values: usize, x: usize, y: usize): void {
  let column = columns + (<usize>whole(rowStart, 0) << 2)
  let value = values + (<usize>whole(rowStart, 0) << 3)
  for (let row = 0; row < rows; row++) {
    let sum = 0.0
    for (const end = columns + (<usize>whole(rowStart, row + 1) << 2); column < end; column += 4, value += 8)
      sum += load<f64>(value) * factorOf(x, column, 0)
    store<f64>(y + (<usize>row << 3), double(y, row) + sum)
  }
}
