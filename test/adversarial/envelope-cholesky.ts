/** L D Lᵀ of a symmetric matrix in double-double arithmetic, stored by rows from the first entry that is not 0 (the envelope). */
import { addTo, type DoubleDouble, dd, divide, multiply } from './double-double.js'

export interface Factor {
  solve(right: readonly DoubleDouble[]): DoubleDouble[]
}

/** Entries of row i left of the diagonal, and the diagonal. */
export type Entry = readonly [column: number, value: number]

/** Multiplications that a factorisation of this envelope takes. */
export function costOf(first: Int32Array): number {
  return first.reduce((sum, from, row) => sum + (row - from) ** 2 / 2, 0)
}

export function firstColumns(lower: readonly (readonly Entry[])[]): Int32Array {
  return Int32Array.from(lower, (entries, row) => entries.reduce((least, [column]) => Math.min(least, column), row))
}

export function factorise(lower: readonly (readonly Entry[])[], diagonal: readonly number[]): Factor {
  const size = lower.length
  const first = firstColumns(lower)
  const hi = Array.from(first, (from, row) => new Float64Array(row - from))
  const lo = Array.from(first, (from, row) => new Float64Array(row - from))
  const pivots: DoubleDouble[] = []
  for (let row = 0; row < size; row++) {
    const from = first[row]
    for (const [column, value] of lower[row]) hi[row][column - from] = value
    const pivot = dd(diagonal[row])
    // Row of L D first, then of L.
    for (let column = from; column < row; column++) {
      const entry = dd(hi[row][column - from], lo[row][column - from])
      const start = Math.max(from, first[column])
      subtractProducts(entry, hi[row], lo[row], start - from, hi[column], lo[column], start - first[column], column - start)
      hi[row][column - from] = entry.hi
      lo[row][column - from] = entry.lo
    }
    for (let column = from; column < row; column++) {
      const scaled = dd(hi[row][column - from], lo[row][column - from])
      const entry = divide(scaled, pivots[column])
      const taken = multiply(scaled, entry)
      addTo(pivot, -taken.hi, -taken.lo)
      hi[row][column - from] = entry.hi
      lo[row][column - from] = entry.lo
    }
    pivots.push(pivot)
  }
  return {
    solve(right) {
      const x = right.map(({ hi: h, lo: l }) => dd(h, l))
      for (let row = 0; row < size; row++)
        for (let column = first[row]; column < row; column++) {
          const taken = multiply(dd(hi[row][column - first[row]], lo[row][column - first[row]]), x[column])
          addTo(x[row], -taken.hi, -taken.lo)
        }
      for (let row = 0; row < size; row++) x[row] = divide(x[row], pivots[row])
      for (let row = size - 1; row >= 0; row--)
        for (let column = first[row]; column < row; column++) {
          const taken = multiply(dd(hi[row][column - first[row]], lo[row][column - first[row]]), x[row])
          addTo(x[column], -taken.hi, -taken.lo)
        }
      return x
    },
  }
}

const SPLITTER = 2 ** 27 + 1

/** entry −= Σ a b, without objects: most of the time goes here. */
function subtractProducts(
  entry: DoubleDouble,
  ah: Float64Array,
  al: Float64Array,
  atA: number,
  bh: Float64Array,
  bl: Float64Array,
  atB: number,
  count: number,
): void {
  let { hi, lo } = entry
  for (let n = 0; n < count; n++) {
    const a = ah[atA + n]
    const b = bh[atB + n]
    if (a === 0 || b === 0) continue
    const product = a * b
    const ca = SPLITTER * a
    const a1 = ca - (ca - a)
    const a2 = a - a1
    const cb = SPLITTER * b
    const b1 = cb - (cb - b)
    const b2 = b - b1
    const error = a2 * b2 - (product - a1 * b1 - a2 * b1 - a1 * b2) + (a * bl[atB + n] + al[atA + n] * b)
    const sum = hi - product
    const part = sum - hi
    const rest = hi - (sum - part) + (-product - part) + lo - error
    hi = sum + rest
    lo = rest - (hi - sum)
  }
  entry.hi = hi
  entry.lo = lo
}
