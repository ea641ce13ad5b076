/** Particles near solids and at sides of the grid. No particle enters a solid: where one might, its path is walked in short strides, stopped at
 *  the wall, and continued along it. Particles that a moving solid has run over are pushed out. */
import { NO_WALL } from '../../../pressure/cell-kinds'
import { SLACK } from '../../shared-constants'
import { velocityOfWall } from '../grid/wall-velocity'
import { Liquid } from '../liquid'
import { GONE } from './sort'
import { along, integers, lowerAlong } from './weights'

/** Cells that particles keep from walls: a few roundings of a coordinate of a thousand cells. */
export const GAP: f32 = 1e-3

/** Distances without any solid are larger than this. */
export const NO_SOLID: f32 = 1e5

/** Signed distance to the solids in cells, in all lanes; with `slope` its gradient in lanes x, y, z, and the distance in lane 3. */
@inline
function sampleSolid(liquid: Liquid, position: v128, size: v128, slope: bool): v128 {
  const a = along(position, size)
  const lower = lowerAlong(a, size)
  const i = integers(lower)
  const f = f32x4.sub(a, lower)
  const row = (<usize>(liquid.nx + 1)) << 2
  const plane = row * <usize>(liquid.ny + 1)
  const at =
    liquid.solid +
    ((<usize>i32x4.extract_lane(i, 0)) << 2) +
    row * <usize>i32x4.extract_lane(i, 1) +
    plane * <usize>i32x4.extract_lane(i, 2)
  const fx = f32x4.extract_lane(f, 0)
  const fy = f32x4.extract_lane(f, 1)
  const fz = f32x4.extract_lane(f, 2)
  // Lanes 0 and 1 of each: the lower and upper node along x.
  const p00 = v128.load64_zero(at)
  const p10 = v128.load64_zero(at + row)
  const p01 = v128.load64_zero(at + plane)
  const p11 = v128.load64_zero(at + plane + row)
  const low = f32x4.add(p00, f32x4.mul(f32x4.splat(fy), f32x4.sub(p10, p00)))
  const high = f32x4.add(p01, f32x4.mul(f32x4.splat(fy), f32x4.sub(p11, p01)))
  const both = f32x4.add(low, f32x4.mul(f32x4.splat(fz), f32x4.sub(high, low)))
  const left = f32x4.extract_lane(both, 0)
  const alongX = f32x4.extract_lane(both, 1) - left
  const value = left + fx * alongX
  if (!slope) return f32x4.splat(value)
  const byY = f32x4.add(f32x4.sub(p10, p00), f32x4.mul(f32x4.splat(fz), f32x4.sub(f32x4.sub(p11, p01), f32x4.sub(p10, p00))))
  const byZ = f32x4.sub(high, low)
  const alongY = f32x4.extract_lane(byY, 0) + fx * (f32x4.extract_lane(byY, 1) - f32x4.extract_lane(byY, 0))
  const alongZ =
    liquid.dims == 3 ? f32x4.extract_lane(byZ, 0) + fx * (f32x4.extract_lane(byZ, 1) - f32x4.extract_lane(byZ, 0)) : 0
  return f32x4(alongX, alongY, alongZ, value)
}

@inline
export function distanceAt(liquid: Liquid, position: v128, size: v128): f32 {
  return f32x4.extract_lane(sampleSolid(liquid, position, size, false), 0)
}

@inline
export function lengthOf(vector: v128): f32 {
  const squares = f32x4.mul(vector, vector)
  return sqrt(f32x4.extract_lane(squares, 0) + f32x4.extract_lane(squares, 1) + f32x4.extract_lane(squares, 2))
}

@inline
export function step(from: v128, direction: v128, length: f32): v128 {
  return f32x4.add(from, f32x4.mul(direction, f32x4.splat(length)))
}

/** Cells along an axis that are searched for a way out between wedged solids. */
const FARTHEST_NODE: f32 = 3

/** Longest stride of a walk near solids, in cells, and how many there are at most. */
export const STRIDE: f32 = 0.25
export const MAX_STRIDES: i32 = 64

/** End of a displacement of `length` cells that is walked in strides; `away`: distance to the nearest solid at `from`. */
export function walk(liquid: Liquid, from: v128, displacement: v128, length: f32, away: f32, size: v128): v128 {
  const strides = min(MAX_STRIDES, 1 + <i32>(length / STRIDE))
  const part = f32x4.mul(displacement, f32x4.splat(1 / <f32>strides))
  const reach = (<f32>SLACK * length) / <f32>strides
  let here = from
  let distance = away
  let n = 0
  while (n < strides) {
    // Strides that cannot reach a solid are tested once, together, because distances may jump.
    if (strides - n > 1 && distance > GAP + 2 * reach) {
      const free = <i32>min(<f32>(strides - n), (distance - GAP) / reach)
      let ahead = here
      for (let m = 0; m < free; m++) ahead = step(ahead, part, 1)
      const there = distanceAt(liquid, ahead, size)
      if (there >= GAP) {
        here = ahead
        distance = there
        n += free
        continue
      }
    }
    const next = pushOut(liquid, step(here, part, 1), size)
    const there = distanceAt(liquid, next, size)
    // Wedged: no way out was found from there, so the particle stays where it was.
    if (there < 0) break
    here = next
    distance = there
    n++
  }
  if (distance >= 0) return here
  here = pushOut(liquid, here, size)
  return distanceAt(liquid, here, size) < 0 ? nearestOutside(liquid, here) : here
}

/** Where solids meet, slopes lead back and forth. Then the nearest node outside of them is the way out, if there is one around. */
function nearestOutside(liquid: Liquid, position: v128): v128 {
  const x = f32x4.extract_lane(position, 0)
  const y = f32x4.extract_lane(position, 1)
  const z = f32x4.extract_lane(position, 2)
  const isDeep = liquid.dims == 3
  let best = f32.MAX_VALUE
  let found = position
  for (let k = isDeep ? lowest(z - FARTHEST_NODE) : 0; k <= (isDeep ? highest(z + FARTHEST_NODE, liquid.nz) : 0); k++) {
    for (let j = lowest(y - FARTHEST_NODE); j <= highest(y + FARTHEST_NODE, liquid.ny); j++) {
      for (let i = lowest(x - FARTHEST_NODE); i <= highest(x + FARTHEST_NODE, liquid.nx); i++) {
        const node = i + (liquid.nx + 1) * (j + (liquid.ny + 1) * k)
        if (!(load<f32>(liquid.solid + ((<usize>node) << 2)) > GAP)) continue
        const dx = <f32>i - x
        const dy = <f32>j - y
        const dz = isDeep ? <f32>k - z : 0
        const square = dx * dx + dy * dy + dz * dz
        if (square >= best) continue
        best = square
        found = f32x4(<f32>i, <f32>j, isDeep ? <f32>k : z, 0)
      }
    }
  }
  return found
}

@inline
function lowest(coordinate: f32): i32 {
  return <i32>ceil(max<f32>(coordinate, 0))
}

@inline
function highest(coordinate: f32, size: i32): i32 {
  return <i32>floor(min<f32>(coordinate, <f32>size))
}

/** Moves along the gradient until outside; a few times, because corners and interpolation bend it. */
function pushOut(liquid: Liquid, position: v128, size: v128): v128 {
  let here = position
  for (let turn = 0; turn < 6; turn++) {
    const sample = sampleSolid(liquid, here, size, true)
    const distance = f32x4.extract_lane(sample, 3)
    if (distance >= GAP) return here
    const steepness = lengthOf(sample)
    if (!(steepness > 1e-3)) return here
    here = withinSides(liquid, step(here, f32x4.replace_lane(sample, 3, 0), (2 * GAP - distance) / (steepness * steepness)), size)
  }
  return here
}

/** Clamps to closed sides: between a side and an approaching solid, particles have to move along both. */
function withinSides(liquid: Liquid, position: v128, size: v128): v128 {
  const lower = f32x4(lowerBound(liquid, 0), lowerBound(liquid, 2), lowerBound(liquid, 4), 0)
  const beyond = f32x4(lowerBound(liquid, 1), lowerBound(liquid, 3), lowerBound(liquid, 5), 0)
  return f32x4.pmin(f32x4.pmax(position, lower), f32x4.sub(size, beyond))
}

/** Distance that particles keep from a side; no bound where it is open. */
@inline
function lowerBound(liquid: Liquid, side: usize): f32 {
  return load<i32>(liquid.sides + (side << 2)) == NO_WALL ? GONE : GAP
}

/** Removes the velocity of a particle into a wall; otherwise particles on a wall without pressure would fall faster and faster. */
export function stopAtSolid(liquid: Liquid, at: usize, position: v128, size: v128): void {
  const sample = sampleSolid(liquid, position, size, true)
  if (f32x4.extract_lane(sample, 3) > 4 * GAP) return
  const steepness = lengthOf(sample)
  if (!(steepness > 1e-3)) return
  const normal = f32x4.mul(f32x4.replace_lane(sample, 3, 0), f32x4.splat(1 / steepness))
  const owner = ownerAt(liquid, position)
  const h = liquid.spacing
  const x = <f64>f32x4.extract_lane(position, 0) * h
  const y = <f64>f32x4.extract_lane(position, 1) * h
  const z = liquid.dims == 3 ? <f64>f32x4.extract_lane(position, 2) * h : 0
  const vx = load<f32>(liquid.vx + at)
  const vy = load<f32>(liquid.vy + at)
  const vz = load<f32>(liquid.vz + at)
  const nx = f32x4.extract_lane(normal, 0)
  const ny = f32x4.extract_lane(normal, 1)
  const nz = f32x4.extract_lane(normal, 2)
  const into =
    (vx - <f32>velocityOfWall(liquid, owner, 0, x, y, z)) * nx +
    (vy - <f32>velocityOfWall(liquid, owner, 1, x, y, z)) * ny +
    (vz - <f32>velocityOfWall(liquid, owner, 2, x, y, z)) * nz
  if (!(into < 0)) return
  store<f32>(liquid.vx + at, vx - into * nx)
  store<f32>(liquid.vy + at, vy - into * ny)
  store<f32>(liquid.vz + at, vz - into * nz)
}

/** Owner of the nearest node. */
@inline
function ownerAt(liquid: Liquid, position: v128): i32 {
  const i = min(max(<i32>nearest(f32x4.extract_lane(position, 0)), 0), liquid.nx)
  const j = min(max(<i32>nearest(f32x4.extract_lane(position, 1)), 0), liquid.ny)
  const k = min(max(<i32>nearest(f32x4.extract_lane(position, 2)), 0), liquid.nz)
  return <i32>load<u8>(liquid.owner + <usize>(i + (liquid.nx + 1) * (j + (liquid.ny + 1) * k)))
}

/** Closed sides keep particles inside and stop them. Particles leave through open sides, and if their position is NaN. */
@inline
export function stayInside(liquid: Liquid, at: usize, position: v128, size: v128): v128 {
  const inside = f32x4.pmin(f32x4.pmax(position, f32x4.splat(GAP)), f32x4.sub(size, f32x4.splat(GAP)))
  const clamped = i32x4.bitmask(f32x4.ne(inside, position)) & 7
  if (!clamped) return position
  if (leaves(liquid, position, size)) return f32x4.splat(2 * GONE)
  stopAtSide(liquid.vx + at, f32x4.extract_lane(inside, 0) - f32x4.extract_lane(position, 0))
  stopAtSide(liquid.vy + at, f32x4.extract_lane(inside, 1) - f32x4.extract_lane(position, 1))
  stopAtSide(liquid.vz + at, f32x4.extract_lane(inside, 2) - f32x4.extract_lane(position, 2))
  return inside
}

/** `back`: displacement by which the side has pushed the particle back. */
@inline
function stopAtSide(velocity: usize, back: f32): void {
  if (load<f32>(velocity) * back < 0) store<f32>(velocity, 0)
}

function leaves(liquid: Liquid, position: v128, size: v128): bool {
  const below = i32x4.bitmask(f32x4.lt(position, f32x4.splat(0)))
  const above = i32x4.bitmask(f32x4.gt(position, size))
  if (i32x4.bitmask(f32x4.ne(position, position)) & 7) return true
  for (let axis = 0; axis < liquid.dims; axis++) {
    const sides = liquid.sides + ((<usize>axis) << 3)
    if ((below >> axis) & 1 && load<i32>(sides) == NO_WALL) return true
    if ((above >> axis) & 1 && load<i32>(sides, 4) == NO_WALL) return true
  }
  return false
}
