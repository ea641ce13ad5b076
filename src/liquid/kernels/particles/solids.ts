/** Distances to solids, and particles at walls and sides of the grid. */
import { NO_WALL } from '../../../pressure/cell-kinds'
import { velocityOfWall } from '../grid/wall-velocity'
import { Liquid } from '../liquid'
import { GONE } from './sort'
import { ownerAt } from './wall-frames'
import { along, integers, lowerAlong } from './weights'

/** Cells that particles keep from walls: a few roundings of a coordinate of a thousand cells. */
export const GAP: f32 = 1e-3

/** Distances without any solid are larger than this. */
export const NO_SOLID: f32 = 1e5

/** Signed distance in cells by that at nodes, in all lanes; with `slope` its gradient in lanes x, y, z, and the distance in lane 3. */
@inline
export function sampleSolid(liquid: Liquid, nodes: usize, position: v128, size: v128, slope: bool): v128 {
  const a = along(position, size)
  const lower = lowerAlong(a, size)
  const i = integers(lower)
  const f = f32x4.sub(a, lower)
  const row = (<usize>(liquid.nx + 1)) << 2
  const plane = row * <usize>(liquid.ny + 1)
  const at =
    nodes +
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
  return f32x4.extract_lane(sampleSolid(liquid, liquid.solid, position, size, false), 0)
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

/** Removes the velocity of a particle into a wall; otherwise particles on a wall without pressure would fall faster and faster. */
export function stopAtSolid(liquid: Liquid, at: usize, position: v128, size: v128): void {
  const sample = sampleSolid(liquid, liquid.solid, position, size, true)
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
