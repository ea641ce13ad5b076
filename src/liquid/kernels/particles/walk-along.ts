/** Paths of particles near solids, walked in short strides, stopped at walls and continued along them. Solids are where they are at the end of the
 *  substep. Walls that move are met in their own frame: there they rest, and the path leads from where the particle would be had it gone with
 *  the wall to where it ends. In each frame, only its own walls stop the particle. */
import { NO_WALL } from '../../../pressure/cell-kinds'
import { SLACK } from '../../shared-constants'
import { frameOf, Liquid } from '../liquid'
import { distanceAt, GAP, lengthOf, sampleSolid, step } from './solids'
import { GONE } from './sort'
import { carryAlong, frameAt, mayTouch } from './wall-frames'

/** Cells along an axis that are searched for a way out between wedged solids. */
const FARTHEST_NODE: f32 = 3

/** Longest stride of a walk near solids, in cells, and how many there are at most. */
const STRIDE: f32 = 0.25
const MAX_STRIDES: i32 = 64

/** Number of strides of a path of this length. */
@inline
export function stridesOf(length: f32): i32 {
  return min(MAX_STRIDES, 1 + <i32>(min<f32>(length, STRIDE * <f32>MAX_STRIDES) / STRIDE))
}

/** End of a path from `from` to `to`, of `length` cells. `frames`: how many to consider besides the walls at rest. */
export function walk(liquid: Liquid, from: v128, to: v128, length: f32, frames: i32, size: v128): v128 {
  let longest = length
  let isMixed = false
  for (let frame = 1; frame <= frames; frame++) {
    if (!mayTouch(liquid, frame, from, length)) continue
    longest = max(longest, lengthOf(f32x4.sub(to, carryAlong(liquid, frame, from))))
    isMixed = true
  }
  const end = follow(liquid, from, to, length, stridesOf(longest), isMixed ? frames : 0, size)
  if (distanceAt(liquid, end, size) >= 0) return end
  const outside = pushOut(liquid, liquid.solid, end, 0, f32x4.splat(0), size)
  return distanceAt(liquid, outside, size) < 0 ? nearestOutside(liquid, outside) : outside
}

function follow(liquid: Liquid, from: v128, to: v128, length: f32, strides: i32, frames: i32, size: v128): v128 {
  let pushed = leaveStart(liquid, from, to, length, strides, frames, size)
  let n = 0
  while (n < strides) {
    const free = freeStrides(liquid, from, to, length, strides, frames, n, pushed, size)
    if (free > 0) {
      n += free
      continue
    }
    const pushedBefore = pushed
    n++
    // Moving frames first; 0 is that of walls that never move.
    for (let count = frames; count >= 0; count--) {
      const frame = count == 0 ? 0 : frames + 1 - count
      if (frame > 0 && !mayTouch(liquid, frame, from, length)) continue
      const walls = wallsOf(liquid, frame, frames)
      const place = placeAt(liquid, frame, from, to, n, strides)
      const allowed = frame > 0 ? bowOf(liquid, frame, from, n, strides) : 0
      const here = f32x4.add(place, pushed)
      if (distanceIn(liquid, walls, here, size) + allowed >= GAP || isOfAnother(liquid, frame, here)) continue
      const offset = frame > 0 ? f32x4.sub(place, placeAt(liquid, 0, from, to, n, strides)) : f32x4.splat(0)
      const next = pushOut(liquid, walls, here, allowed, offset, size)
      const before = f32x4.add(placeAt(liquid, frame, from, to, n - 1, strides), pushedBefore)
      // Wedged: there is no way out from there, or only a wrong one, so the particle stays where it was.
      if (distanceIn(liquid, walls, next, size) + allowed < 0) return before
      const allowedBefore = frame > 0 ? bowOf(liquid, frame, from, n - 1, strides) : 0
      if (distanceIn(liquid, walls, before, size) + allowedBefore >= 0 && isAstray(before, here, next)) return before
      pushed = f32x4.add(pushed, f32x4.sub(next, here))
    }
  }
  return f32x4.add(to, pushed)
}

/** Pushes at the start of a path. Surfaces between nodes shift a little as walls move, so the particle may start in one: it leaves before a
 *  stride carries it deeper. */
function leaveStart(liquid: Liquid, from: v128, to: v128, length: f32, strides: i32, frames: i32, size: v128): v128 {
  let pushed = f32x4.splat(0)
  for (let count = frames; count >= 0; count--) {
    const frame = count == 0 ? 0 : frames + 1 - count
    if (frame > 0 && !mayTouch(liquid, frame, from, length)) continue
    const walls = wallsOf(liquid, frame, frames)
    const place = placeAt(liquid, frame, from, to, 0, strides)
    const here = f32x4.add(place, pushed)
    if (distanceIn(liquid, walls, here, size) >= 0 || isOfAnother(liquid, frame, here)) continue
    const offset = frame > 0 ? f32x4.sub(place, placeAt(liquid, 0, from, to, 0, strides)) : f32x4.splat(0)
    const next = pushOut(liquid, walls, here, 0, offset, size)
    if (distanceIn(liquid, walls, next, size) >= 0) pushed = f32x4.add(pushed, f32x4.sub(next, here))
  }
  return pushed
}

/** Whether a push from `here` to `next` cannot be out of a wall that was met on the stride from `before` to `here`: because it leads on, farther than
 *  the stride did, or because the way back is much shorter; three walls that meet at right angles lengthen a push by √3. Between the faces of
 *  walls about as thin as a cell, distances have no usable slope. */
@inline
function isAstray(before: v128, here: v128, next: v128): bool {
  const stride = f32x4.sub(here, before)
  const pushing = f32x4.sub(next, here)
  if (dot(pushing, stride) > dot(stride, stride)) return true
  return lengthOf(pushing) > 2 * (lengthOf(stride) + 2 * GAP)
}

@inline
function dot(a: v128, b: v128): f32 {
  const products = f32x4.mul(a, b)
  return f32x4.extract_lane(products, 0) + f32x4.extract_lane(products, 1) + f32x4.extract_lane(products, 2)
}

/** Distances at nodes to the walls of a frame, if `frames` have walls that can move. */
@inline
function wallsOf(liquid: Liquid, frame: i32, frames: i32): usize {
  return frames == 0 ? liquid.solid : frame == 0 ? liquid.still : liquid.moving
}

@inline
function distanceIn(liquid: Liquid, walls: usize, position: v128, size: v128): f32 {
  return f32x4.extract_lane(sampleSolid(liquid, walls, position, size, false), 0)
}

/** Whether the moving wall at a position belongs to another frame. */
@inline
function isOfAnother(liquid: Liquid, frame: i32, position: v128): bool {
  if (frame == 0) return false
  const there = frameAt(liquid, position)
  return there != 0 && there != frame
}

/** Where the particle is after n strides as seen from the walls of a frame, without pushes. */
@inline
function placeAt(liquid: Liquid, frame: i32, from: v128, to: v128, n: i32, strides: i32): v128 {
  const start = frame > 0 ? carryAlong(liquid, frame, from) : from
  const stride = f32x4.mul(f32x4.sub(to, start), f32x4.splat(1 / <f32>strides))
  return step(to, stride, <f32>(n - strides))
}

/** Cells by which the path, which is an arc as seen from a wall that turns, is off its chord after n strides. */
function bowOf(liquid: Liquid, frame: i32, from: v128, n: i32, strides: i32): f32 {
  const bow = <f32>frameOf(liquid, frame).bend * lengthOf(f32x4.sub(carryAlong(liquid, frame, from), from))
  const share = <f32>n / <f32>strides
  return bow * (share * (1 - share))
}

/** Number of strides after the first n that cannot get to a solid in any frame; 0 if joining them does not pay. They are tested once, together,
 *  because distances may jump. */
function freeStrides(
  liquid: Liquid,
  from: v128,
  to: v128,
  length: f32,
  strides: i32,
  frames: i32,
  n: i32,
  pushed: v128,
  size: v128,
): i32 {
  if (strides - n <= 1) return 0
  let free = strides - n
  for (let frame = 0; frame <= frames; frame++) {
    if (frame > 0 && !mayTouch(liquid, frame, from, length)) continue
    const here = f32x4.add(placeAt(liquid, frame, from, to, n, strides), pushed)
    const away = distanceIn(liquid, wallsOf(liquid, frame, frames), here, size)
    const way = frame > 0 ? lengthOf(f32x4.sub(to, carryAlong(liquid, frame, from))) : length
    const reach = (<f32>SLACK * way) / <f32>strides
    if (!(away > GAP + 2 * reach)) return 0
    free = <i32>min<f32>(<f32>free, (away - GAP) / reach)
  }
  for (let frame = 0; frame <= frames; frame++) {
    if (frame > 0 && !mayTouch(liquid, frame, from, length)) continue
    const ahead = f32x4.add(placeAt(liquid, frame, from, to, n + free, strides), pushed)
    if (!(distanceIn(liquid, wallsOf(liquid, frame, frames), ahead, size) >= GAP)) return 0
  }
  return free
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

/** Moves along the gradient until outside, or in a solid by no more than `allowed`; a few times, because corners and interpolation bend it.
 *  `offset`: of the position from where the particle is between the sides. */
function pushOut(liquid: Liquid, walls: usize, position: v128, allowed: f32, offset: v128, size: v128): v128 {
  let here = position
  for (let turn = 0; turn < 6; turn++) {
    const sample = sampleSolid(liquid, walls, here, size, true)
    const distance = f32x4.extract_lane(sample, 3) + allowed
    if (distance >= GAP) return here
    const steepness = lengthOf(sample)
    if (!(steepness > 1e-3)) return here
    const next = step(here, f32x4.replace_lane(sample, 3, 0), (2 * GAP - distance) / (steepness * steepness))
    here = f32x4.add(withinSides(liquid, f32x4.sub(next, offset), size), offset)
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
