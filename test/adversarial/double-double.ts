/** Double-double arithmetic: a number as the unevaluated sum of two doubles, about 32 digits. Knuth's two-sum, Dekker's two-product. */

export interface DoubleDouble {
  hi: number
  lo: number
}

const SPLITTER = 2 ** 27 + 1

export function dd(hi = 0, lo = 0): DoubleDouble {
  return { hi, lo }
}

/** Error of a + b after rounding. */
export function sumError(a: number, b: number, sum: number): number {
  const part = sum - a
  return a - (sum - part) + (b - part)
}

/** Error of a × b after rounding. */
export function productError(a: number, b: number, product: number): number {
  const ca = SPLITTER * a
  const ah = ca - (ca - a)
  const al = a - ah
  const cb = SPLITTER * b
  const bh = cb - (cb - b)
  const bl = b - bh
  return al * bl - (product - ah * bh - al * bh - ah * bl)
}

/** x += y, in place. */
export function addTo(x: DoubleDouble, hi: number, lo = 0): void {
  const sum = x.hi + hi
  const rest = sumError(x.hi, hi, sum) + x.lo + lo
  x.hi = sum + rest
  x.lo = rest - (x.hi - sum)
}

/** x += a × b of two doubles, in place: what a residual consists of. */
export function addProduct(x: DoubleDouble, a: number, b: number): void {
  const product = a * b
  addTo(x, product, productError(a, b, product))
}

export function multiply(a: DoubleDouble, b: DoubleDouble): DoubleDouble {
  const product = a.hi * b.hi
  const rest = productError(a.hi, b.hi, product) + (a.hi * b.lo + a.lo * b.hi)
  const hi = product + rest
  return { hi, lo: rest - (hi - product) }
}

export function divide(a: DoubleDouble, b: DoubleDouble): DoubleDouble {
  const first = a.hi / b.hi
  const rest = dd(a.hi, a.lo)
  const taken = multiply(b, dd(first))
  addTo(rest, -taken.hi, -taken.lo)
  const quotient = dd(first)
  const second = rest.hi / b.hi
  const left = multiply(b, dd(second))
  addTo(rest, -left.hi, -left.lo)
  addTo(quotient, second)
  addTo(quotient, rest.hi / b.hi)
  return quotient
}
