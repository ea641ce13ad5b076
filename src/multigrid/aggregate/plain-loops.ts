/** The loops over the rows of one level in plain TypeScript, double precision: the definition that compiled loops are compared with. What
 *  each of them does is described in levels.ts. */
import type { LevelVectors, ProductDots, SweepColour } from '../levels.js'
import type { AggregateLevel } from './values.js'

export function smooth(level: AggregateLevel, colour: SweepColour, f: Float64Array, x: Float64Array): void {
  const { rowStart, column, weight, inverse } = level
  const [from, to] = rowsOf(level, colour)
  for (let row = from; row < to; row++) {
    let sum = f[row]
    for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) sum += weight[at] * x[column[at]]
    x[row] = sum * inverse[row]
  }
}

/** Projected Gauss–Seidel on one colour for A x + b = 0, or 0 ≤ x ⊥ A x + b ≥ 0 where `contact` is set. */
export function smoothProjected(
  level: AggregateLevel,
  colour: SweepColour,
  b: Float64Array,
  contact: Uint8Array,
  x: Float64Array,
): void {
  const { rowStart, column, weight, inverse } = level
  const [from, to] = rowsOf(level, colour)
  for (let row = from; row < to; row++) {
    let sum = -b[row]
    for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) sum += weight[at] * x[column[at]]
    const value = sum * inverse[row]
    // Clamped as it is written: clamping after the sweep would have another fixed point.
    x[row] = contact[row] && value < 0 ? 0 : value
  }
}

export function smoothRedFromZero({ reds, inverse }: AggregateLevel, f: Float64Array, x: Float64Array): void {
  for (let row = 0; row < reds; row++) x[row] = f[row] * inverse[row]
}

export function restrictResidual(level: AggregateLevel, f: Float64Array, x: Float64Array, coarse: Float64Array): void {
  const { reds, rowStart, column, weight, diagonal, inverse, parent } = level
  coarse.fill(0)
  for (let row = 0; row < reds; row++) {
    if (parent[row] < 0 || inverse[row] === 0) continue
    let sum = f[row] - diagonal[row] * x[row]
    for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) sum += weight[at] * x[column[at]]
    coarse[parent[row]] += sum
  }
}

export function prolong({ reds, parent, inverse }: AggregateLevel, coarse: Float64Array, x: Float64Array): void {
  for (let row = 0; row < reds; row++) if (parent[row] >= 0 && inverse[row] !== 0) x[row] += coarse[parent[row]]
}

/** x = the value of the parent, on rows of both colours. */
export function carryUp({ rows, parent }: AggregateLevel, coarse: Float64Array, x: Float64Array): void {
  for (let row = 0; row < rows; row++) x[row] = parent[row] < 0 ? 0 : coarse[parent[row]]
}

export function multiply(level: AggregateLevel, x: Float64Array, y: Float64Array): void {
  for (let row = 0; row < level.rows; row++) y[row] = productOfRow(level, row, x)
}

type Vectors<Name extends keyof LevelVectors<never>> = Pick<LevelVectors<Float64Array>, Name>

export function finishProduct(level: AggregateLevel, { z, r, q, Az }: Vectors<'z' | 'r' | 'q' | 'Az'>): ProductDots {
  const { rows, reds } = level
  let zr = 0
  let zAz = 0
  let zq = 0
  for (let row = 0; row < rows; row++) {
    Az[row] = row < reds ? r[row] : productOfRow(level, row, z)
    zr += z[row] * r[row]
    zAz += z[row] * Az[row]
    zq += z[row] * q[row]
  }
  return { zr, zAz, zq }
}

export function update(alpha: number, beta: number, { x, r, z, Az, d, q }: Omit<LevelVectors<Float64Array>, 'f'>): number {
  let largest = 0
  for (let row = 0; row < z.length; row++) {
    d[row] = z[row] + beta * d[row]
    q[row] = Az[row] + beta * q[row]
    x[row] += alpha * d[row]
    r[row] -= alpha * q[row]
    const size = Math.abs(r[row])
    if (!(size <= largest)) largest = size
  }
  return largest
}

function rowsOf({ reds, rows }: AggregateLevel, colour: SweepColour): readonly [number, number] {
  return colour === 'red' ? [0, reds] : [reds, rows]
}

function productOfRow({ rowStart, column, weight, diagonal, inverse }: AggregateLevel, row: number, x: Float64Array): number {
  if (inverse[row] === 0) return 0
  let sum = diagonal[row] * x[row]
  for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) sum -= weight[at] * x[column[at]]
  return sum
}
