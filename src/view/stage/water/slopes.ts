/** Values and slopes of level sets between the points of their lattices. */
import { clampIndex } from './deep-cells.js'

/** Cell centres of liquid, or nodes of solids, x first. */
export interface ScalarLattice {
  readonly values: Float32Array
  readonly nx: number
  readonly ny: number
  readonly nz: number
}

/** Cells behind the touched surface that must be liquid for the ball to be hidden from behind: films are thinner. */
const BEHIND = 1.3
const BEHIND_DEPTH = 0.3

/** Linear along each axis of a lattice; beyond it as at its border. */
export function between({ values, nx, ny, nz }: ScalarLattice, x: number, y: number, z: number): number {
  const i = clampIndex(x, nx)
  const j = clampIndex(y, ny)
  const k = clampIndex(z, nz)
  const u = Math.min(Math.max(x - i, 0), 1)
  const v = Math.min(Math.max(y - j, 0), 1)
  const w = Math.min(Math.max(z - k, 0), 1)
  const right = i < nx - 1 ? 1 : 0
  const up = j < ny - 1 ? nx : 0
  const near = i + nx * (j + ny * k)
  const far = k < nz - 1 ? near + nx * ny : near
  const a = values[near] + u * (values[near + right] - values[near])
  const b = values[near + up] + u * (values[near + up + right] - values[near + up])
  const c = values[far] + u * (values[far + right] - values[far])
  const d = values[far + up] + u * (values[far + up + right] - values[far + up])
  const ab = a + v * (b - a)
  return ab + w * (c + v * (d - c) - ab)
}

/** Writes the slope of liquid at a cell times `scale`, of length 1 at most. Over both neighbours: in the middle of sheets, which have two
 *  sides, it is short, and balls stay there. */
export function findSlope(
  { values, nx, ny, nz }: ScalarLattice,
  i: number,
  j: number,
  k: number,
  scale: number,
  into: Float64Array,
): void {
  const at = i + nx * (j + ny * k)
  into[0] = difference(values, at, i, nx, 1)
  into[1] = difference(values, at, j, ny, nx)
  into[2] = difference(values, at, k, nz, nx * ny)
  limit(into, scale)
}

/** The slope in the middle of a cell of values at its corners; returns the smallest of these. */
export function findNodalSlope(
  { values, nx, ny }: ScalarLattice,
  i: number,
  j: number,
  k: number,
  scale: number,
  into: Float64Array,
): number {
  let least = Infinity
  let dx = 0
  let dy = 0
  let dz = 0
  for (let corner = 0; corner < 8; corner++) {
    const a = corner & 1
    const b = (corner >> 1) & 1
    const c = corner >> 2
    const value = values[i + a + nx * (j + b + ny * (k + c))]
    if (value < least) least = value
    dx += a === 1 ? value : -value
    dy += b === 1 ? value : -value
    dz += c === 1 ? value : -value
  }
  into[0] = 0.25 * dx
  into[1] = 0.25 * dy
  into[2] = 0.25 * dz
  limit(into, scale)
  return least
}

function limit(slope: Float64Array, scale: number): void {
  const factor = scale / Math.max(Math.abs(scale) * Math.sqrt(slope[0] ** 2 + slope[1] ** 2 + slope[2] ** 2), 1)
  slope[0] *= factor
  slope[1] *= factor
  slope[2] *= factor
}

/** From a point to the next one on an axis on which it is number `place` of `count`. */
function difference(values: Float32Array, at: number, place: number, count: number, step: number): number {
  const after = place < count - 1 ? values[at + step] - values[at] : 0
  const before = place > 0 ? values[at] - values[at - step] : 0
  // Distances are known only in a band, beyond which they are constant: the steeper side counts.
  if (after * before >= 0) return Math.abs(after) > Math.abs(before) ? after : before
  return 0.5 * (after + before)
}

/** Completes a slope by its scale in bytes: 0 if there is no liquid behind the surface. */
export function findBehind(
  { values, nx, ny, nz }: ScalarLattice,
  i: number,
  j: number,
  k: number,
  slope: Float64Array,
  perMetre: number,
): void {
  const a = clampIndex(i + 0.5 - BEHIND * slope[0], nx)
  const b = clampIndex(j + 0.5 - BEHIND * slope[1], ny)
  const c = clampIndex(k + 0.5 - BEHIND * slope[2], nz)
  slope[3] = perMetre * values[a + nx * (b + ny * c)] < -BEHIND_DEPTH ? 127 : 0
}
