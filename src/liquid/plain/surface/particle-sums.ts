/** Weighted sums over the particles around a point, and over their images behind walls, in f32. */
import { REACH } from '../../shared-constants.js'
import { f32 } from '../arithmetic.js'
import type { PlainState } from '../state.js'

/** Each sum has four parts, to which the particles of a row of cells are added in turn: the order of additions is part of the definition, and
 *  compiled loops add four at a time. */
export interface Sums {
  readonly weight: Float32Array
  /** Σ weight times the vector from the point to the particle, in cells. */
  readonly x: Float32Array
  readonly y: Float32Array
  readonly z: Float32Array
  /** Σ weight² times distance². */
  readonly spread: Float32Array
}

export const PARTS = 4

/** In cells. */
export interface SumPoint {
  readonly x: number
  readonly y: number
  readonly z: number
}

/** A plane, as seen from a point: its unit normal, and how far in front of it the point is. */
export interface Mirror {
  readonly normal: SumPoint
  readonly away: number
}

const SHARE = f32(1 / f32(REACH * REACH))

export function createSums(): Sums {
  const parts = () => new Float32Array(PARTS)
  return { weight: parts(), x: parts(), y: parts(), z: parts(), spread: parts() }
}

/** Σ w, Σ w x … of all four parts. */
export function totalOf(parts: Float32Array): number {
  return f32(f32(parts[0] + parts[1]) + f32(parts[2] + parts[3]))
}

export function clearSums(sums: Sums): void {
  for (const parts of [sums.weight, sums.x, sums.y, sums.z, sums.spread]) parts.fill(0)
}

const NO_TURN: SumPoint = { x: 1, y: 1, z: 1 }

/** `turn` is −1 along axes in which the added sums are mirrored. */
export function addSums(into: Sums, from: Sums, turn = NO_TURN): void {
  for (let part = 0; part < PARTS; part++) {
    into.weight[part] += from.weight[part]
    into.x[part] += turn.x * from.x[part]
    into.y[part] += turn.y * from.y[part]
    into.z[part] += turn.z * from.z[part]
    into.spread[part] += from.spread[part]
  }
}

/** Adds the particles of a row of cells: those from `first` to the one before `end`. */
export function addRow({ arrays: { px, py, pz } }: PlainState, sums: Sums, from: SumPoint, first: number, end: number): void {
  for (let n = first; n < end; n++) {
    const x = f32(px[n] - from.x)
    const y = f32(py[n] - from.y)
    const z = f32(pz[n] - from.z)
    addOne(sums, (n - first) % PARTS, x, y, z, squareOf(x, y, z))
  }
}

/** Adds the images of the particles in front of a wall. The image of d = x − x₀, seen from x₀, is d − 2 h n, where h = away + n·d is how far
 *  in front of the wall the particle is; its square is d² + 4 h away. */
export function addImagesOfRow(
  { arrays: { px, py, pz } }: PlainState,
  sums: Sums,
  from: SumPoint,
  { normal, away }: Mirror,
  first: number,
  end: number,
): void {
  for (let n = first; n < end; n++) {
    const x = f32(px[n] - from.x)
    const y = f32(py[n] - from.y)
    const z = f32(pz[n] - from.z)
    const height = f32(away + f32(f32(f32(normal.x * x) + f32(normal.y * y)) + f32(normal.z * z)))
    if (!(height > 0)) continue
    const twice = f32(2 * height)
    const square = f32(squareOf(x, y, z) + f32(f32(2 * twice) * away))
    const image = (d: number, normalPart: number) => f32(d - f32(twice * normalPart))
    addOne(sums, (n - first) % PARTS, image(x, normal.x), image(y, normal.y), image(z, normal.z), square)
  }
}

function squareOf(x: number, y: number, z: number): number {
  return f32(f32(f32(x * x) + f32(y * y)) + f32(z * z))
}

/** w = (1 − d²/REACH²)³, 0 beyond REACH. */
function addOne(sums: Sums, part: number, x: number, y: number, z: number, square: number): void {
  const inside = f32(1 - f32(square * SHARE))
  if (!(inside > 0)) return
  const w = f32(f32(inside * inside) * inside)
  sums.weight[part] += w
  sums.x[part] += f32(w * x)
  sums.y[part] += f32(w * y)
  sums.z[part] += f32(w * z)
  sums.spread[part] += f32(f32(w * w) * square)
}
