/** Rays through level sets: where they enter the grid, where they meet liquid, and how much of it they go through. */
import * as shared from '../../rendering-constants'
import { NO_HIT, Space } from './space'

// What a ray meets first: the surface of liquid, liquid at the side of the grid, at a solid, or around the eye.
export const SURFACE: i32 = 0
export const SIDE: i32 = 1
export const WALL_OF_SOLID: i32 = 2
export const EYE: i32 = 3

/** Cells of a step that a level set near a surface is trusted with, which need not be a distance. */
const MOST_TRUSTED: f32 = 1.5
// Steps are this many cells longer, so that they end behind the surface at once. What is thinner may be missed; within liquid,
// and behind it, that matters less.
const BEYOND: f32 = 0.2
const BEYOND_WITHIN: f32 = <f32>shared.BEYOND_WITHIN
const BEYOND_DEEP: f32 = <f32>shared.BEYOND_DEEP
// Level sets of frames are as deep as this, or nearly, wherever no surface is near.
const DEEP: f32 = <f32>shared.DEEP_LEVEL
const BEYOND_BEHIND: f32 = <f32>shared.BEYOND_BEHIND

/** The direction from the eye through the middle of a pixel, or between them. */
@inline
export function through(space: Space, column: f32, row: f32): v128 {
  const right: f32 = (<f32>2 * (column + space.left) + <f32>1) * space.perColumn - <f32>1
  const up: f32 = <f32>1 - (<f32>2 * (row + space.top) + <f32>1) * space.perRow
  const at = changetype<usize>(space)
  const sideways = f32x4.mul(v128.load(at, offsetof<Space>('rightX')), f32x4.splat(right))
  const upwards = f32x4.mul(v128.load(at, offsetof<Space>('upX')), f32x4.splat(up))
  return f32x4.add(v128.load(at, offsetof<Space>('forwardX')), f32x4.add(sideways, upwards))
}

@inline
export function placeAt(space: Space, direction: v128, way: f32): v128 {
  return f32x4.add(v128.load(changetype<usize>(space), offsetof<Space>('eyeX')), f32x4.mul(direction, f32x4.splat(way)))
}

@inline
export function lengthOf(vector: v128): f32 {
  const x = f32x4.extract_lane(vector, 0),
    y = f32x4.extract_lane(vector, 1),
    z = f32x4.extract_lane(vector, 2)
  return sqrt<f32>(x * x + y * y + z * z)
}

/** Sets where a ray enters and leaves the grid; false if it passes by. */
@inline
export function enterGrid(space: Space, direction: v128): bool {
  const eye = v128.load(changetype<usize>(space), offsetof<Space>('eyeX'))
  const size = f32x4.convert_i32x4_s(v128.load(changetype<usize>(space), offsetof<Space>('nx')))
  // Along a side the ways are without end, and of the right sign.
  const steep = f32x4.max(f32x4.abs(direction), f32x4.splat(1e-9))
  const share = f32x4.div(f32x4.splat(1), v128.bitselect(f32x4.neg(steep), steep, f32x4.lt(direction, f32x4.splat(0))))
  const lower = f32x4.mul(f32x4.neg(eye), share)
  const upper = f32x4.mul(f32x4.sub(size, eye), share)
  const near = f32x4.min(lower, upper)
  const far = f32x4.max(lower, upper)
  const a = f32x4.extract_lane(near, 0),
    b = f32x4.extract_lane(near, 1),
    c = f32x4.extract_lane(near, 2)
  const from = max<f32>(a, max<f32>(b, c))
  const to = min<f32>(f32x4.extract_lane(far, 0), min<f32>(f32x4.extract_lane(far, 1), f32x4.extract_lane(far, 2)))
  space.enter = max<f32>(from, 0)
  space.leave = to
  space.side = from > 0 ? (from == a ? 0 : from == b ? 1 : 2) : -1
  return space.enter < to
}

/** Adding this to a small number rounds it to a whole one, which is then in its lowest bits. */
const ROUND: f32 = 12582912
const ROUND_BITS: i32 = 0x4b400000

/** Where in the cells of `liquid`, with one more on every side, the eight are that surround a place: the lowest. Places are in the grid, or
 *  less than half a cell beside it. */
@inline
export function lowest(place: v128): v128 {
  return i32x4.sub(f32x4.add(place, f32x4.splat(ROUND)), i32x4.splat(ROUND_BITS))
}

/** The eight values from `at` on, two of them side by side in memory each time; f: how far between them, along each axis. */
@inline
function between(at: usize, row: usize, plane: usize, f: v128): f32 {
  const near = v128.load64_lane(at + row, v128.load64_zero(at), 1)
  const far = v128.load64_lane(at + plane + row, v128.load64_zero(at + plane), 1)
  const both = f32x4.add(near, f32x4.mul(v128.shuffle<f32>(f, f, 2, 2, 2, 2), f32x4.sub(far, near)))
  const upper = v128.shuffle<f32>(both, both, 2, 3, 2, 3)
  const pair = f32x4.add(both, f32x4.mul(v128.shuffle<f32>(f, f, 1, 1, 1, 1), f32x4.sub(upper, both)))
  const right = v128.shuffle<f32>(pair, pair, 1, 1, 1, 1)
  return f32x4.extract_lane(f32x4.add(pair, f32x4.mul(f, f32x4.sub(right, pair))), 0)
}

/** Liquid at a place, of which the lowest of the surrounding cells is at `at`. */
@inline
function liquidIn(at: usize, row: usize, plane: usize, place: v128, corner: v128): f32 {
  return between(at, row, plane, f32x4.add(f32x4.sub(place, f32x4.convert_i32x4_s(corner)), f32x4.splat(0.5)))
}

/** Solids anywhere; beyond the grid as at its side. */
@inline
export function solidAt(space: Space, place: v128): f32 {
  const shape = v128.load(changetype<usize>(space), offsetof<Space>('nx'))
  // Half a cell less, rounded: the node before. Not in one sum, in which halves would be lost.
  const before = lowest(f32x4.sub(place, f32x4.splat(0.5)))
  const corner = i32x4.max_s(i32x4.min_s(before, i32x4.sub(shape, i32x4.splat(1))), i32x4.splat(0))
  const f = f32x4.min(f32x4.max(f32x4.sub(place, f32x4.convert_i32x4_s(corner)), f32x4.splat(0)), f32x4.splat(1))
  const row = (<usize>(space.nx + 1)) << 2
  const plane = row * <usize>(space.ny + 1)
  const i = <usize>i32x4.extract_lane(corner, 0),
    j = <usize>i32x4.extract_lane(corner, 1),
    k = <usize>i32x4.extract_lane(corner, 2)
  return between(space.solid + (i << 2) + row * j + plane * k, row, plane, f)
}

/** Follows a ray from one way to another, both in the grid and outside of solids, and adds the length of it that is in liquid. `start` is
 *  what it meets if it begins in liquid. `scale`: cells per way. `reach`: cells of liquid that are enough; unless that is NO_HIT the ray
 *  ends where it first leaves liquid, too. */
export function march(space: Space, direction: v128, from: f32, to: f32, scale: f32, start: i32, reach: f32): void {
  const eye = v128.load(changetype<usize>(space), offsetof<Space>('eyeX'))
  // Seen from very far away, places are not exact.
  const shape = v128.load(changetype<usize>(space), offsetof<Space>('nx'))
  const row = space.nx + 2
  const plane = row * (space.ny + 2)
  const liquid = space.liquid
  const clear = space.clear
  const shorter = <f32>1 / scale
  let beyond = space.hit > 0 ? BEYOND_BEHIND : BEYOND
  let at = from
  let last = from
  let before: f32 = 0
  let isWet = false
  let wetFrom = from
  // Is all liquid, or all air, since `last`?
  let isClear = false
  let isFirst = true
  while (true) {
    const place = f32x4.add(eye, f32x4.mul(direction, f32x4.splat(at)))
    const corner = i32x4.min_s(i32x4.max_s(lowest(place), i32x4.splat(0)), shape)
    const i = i32x4.extract_lane(corner, 0)
    const j = i32x4.extract_lane(corner, 1)
    const k = i32x4.extract_lane(corner, 2)
    const cell = <usize>(i + row * j + plane * k)
    const free = <i32>load<u8>(clear + cell)
    // From clear cells to clear cells nothing changes.
    if (free > 1 && isClear) {
      const next = min<f32>(at + <f32>free * shorter, to)
      if (!(next > at)) break
      at = next
      continue
    }
    const value = liquidIn(liquid + (cell << 2), (<usize>row) << 2, (<usize>plane) << 2, place, corner)
    if (value < 0 != isWet) {
      let crossing = isClear || isFirst ? at : last + (at - last) * (before / (before - value))
      if (isWet) {
        space.thick += (crossing - wetFrom) * scale
        if (space.exit == 0) space.exit = crossing
        if (reach < NO_HIT) return
        beyond = BEYOND_BEHIND
      } else {
        if (space.hit == 0) {
          if (!isClear && !isFirst) crossing = refine(space, eye, direction, last, before, at, value, crossing)
          space.hit = max<f32>(crossing, <f32>1e-6)
          space.met = isFirst ? start : SURFACE
        }
        wetFrom = crossing
        to = min<f32>(to, crossing + reach * shorter)
        beyond = BEYOND_WITHIN
      }
      isWet = !isWet
    }
    isFirst = false
    isClear = free > 1
    last = at
    before = value
    const step: f32 = isClear ? <f32>free : min<f32>(abs<f32>(value), MOST_TRUSTED) + (value < DEEP ? BEYOND_DEEP : beyond)
    at = min<f32>(at + step * shorter, to)
    // At the end, or so far from the eye that a step is no change.
    if (!(at > last)) break
  }
  if (isWet) space.thick += (to - wetFrom) * scale
}

/** One more turn of false position, from the first guess on. */
function refine(space: Space, eye: v128, direction: v128, from: f32, a: f32, to: f32, b: f32, guess: f32): f32 {
  const c = liquidAt(space, f32x4.add(eye, f32x4.mul(direction, f32x4.splat(guess))))
  if (c < 0) return from + (guess - from) * (a / (a - c))
  return guess + (to - guess) * (c / (c - b))
}

/** Liquid at a place in the grid. */
export function liquidAt(space: Space, place: v128): f32 {
  const shape = v128.load(changetype<usize>(space), offsetof<Space>('nx'))
  const corner = i32x4.min_s(i32x4.max_s(lowest(place), i32x4.splat(0)), shape)
  const row = (<usize>(space.nx + 2)) << 2
  const plane = row * <usize>(space.ny + 2)
  const i = <usize>i32x4.extract_lane(corner, 0),
    j = <usize>i32x4.extract_lane(corner, 1),
    k = <usize>i32x4.extract_lane(corner, 2)
  return liquidIn(space.liquid + (i << 2) + row * j + plane * k, row, plane, place, corner)
}
