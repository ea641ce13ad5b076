/** Loops over vectors of f64. What each computes is documented in src/sparse/row-loops.ts; results have the same bits as there. */

export function rowsDot(rows: i32, x: usize, y: usize): f64 {
  let sum = 0.0
  for (const end = x + ((<usize>rows) << 3); x < end; x += 8, y += 8) sum += load<f64>(x) * load<f64>(y)
  return sum
}

/** y += alpha x. */
export function rowsAddScaled(rows: i32, y: usize, alpha: f64, x: usize): void {
  const factor = f64x2.splat(alpha)
  const end = y + ((<usize>rows) << 3)
  for (; y + 16 <= end; y += 16, x += 16) v128.store(y, f64x2.add(v128.load(y), f64x2.mul(factor, v128.load(x))))
  if (y < end) store<f64>(y, load<f64>(y) + alpha * load<f64>(x))
}

export function rowsLargest(rows: i32, x: usize): f64 {
  let most = f64x2.splat(0)
  let broken = i64x2.splat(0)
  const end = x + ((<usize>rows) << 3)
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
  const bytes = (<usize>rows) << 3
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
  const end = y + ((<usize>rows) << 3)
  for (; y + 16 <= end; y += 16, x += 16) v128.store(y, f64x2.neg(v128.load(x)))
  if (y < end) store<f64>(y, -load<f64>(x))
}

/** y += sign a x, entry by entry; sign is 1 or −1, so that multiplying by it does not round. */
export function rowsAddProduct(rows: i32, y: usize, sign: f64, a: usize, x: usize): void {
  const factor = f64x2.splat(sign)
  const end = y + ((<usize>rows) << 3)
  for (; y + 16 <= end; y += 16, a += 16, x += 16)
    v128.store(y, f64x2.add(v128.load(y), f64x2.mul(factor, f64x2.mul(v128.load(a), v128.load(x)))))
  if (y < end) store<f64>(y, load<f64>(y) + sign * (load<f64>(a) * load<f64>(x)))
}

/** d = z + beta d. */
export function rowsTurn(rows: i32, d: usize, z: usize, beta: f64): void {
  const factor = f64x2.splat(beta)
  const end = d + ((<usize>rows) << 3)
  for (; d + 16 <= end; d += 16, z += 16) v128.store(d, f64x2.add(v128.load(z), f64x2.mul(factor, v128.load(d))))
  if (d < end) store<f64>(d, load<f64>(z) + beta * load<f64>(d))
}
