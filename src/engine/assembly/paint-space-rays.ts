/** Rays through level sets: where they enter the grid, where they meet liquid, and how much of it they go through. */
import { BLOCK, BLOCK_BITS, NOWHERE, Space } from './paint-space'

// What a ray meets first: the surface of liquid, liquid at the side of the grid, at a solid, or around the eye.
export const SURFACE: i32 = 0
export const SIDE: i32 = 1
export const WALL_OF_SOLID: i32 = 2
export const EYE: i32 = 3

// Steps in cells: distances are trusted less than fully, because not all level sets are distances; what is thinner than the least step may
// be missed. Within liquid, and behind it, less is enough.
const TRUST: f32 = 0.75
const LEAST_STEP: f32 = 0.3
const LEAST_WITHIN: f32 = 0.6

/** Sets where a ray enters and leaves the grid; false if it passes by. */
export function enterGrid(space: Space, dx: f32, dy: f32, dz: f32): bool {
  let from: f32 = 0
  let to: f32 = NOWHERE
  let side = -1
  for (let axis = 0; axis < 3; axis++) {
    const p = axis == 0 ? space.eyeX : axis == 1 ? space.eyeY : space.eyeZ
    const d = axis == 0 ? dx : axis == 1 ? dy : dz
    const size = <f32>(axis == 0 ? space.nx : axis == 1 ? space.ny : space.nz)
    if (abs<f32>(d) < <f32>1e-9) {
      if (p < 0 || p > size) return false
      continue
    }
    const lower = -p / d
    const upper = (size - p) / d
    const near = min<f32>(lower, upper)
    if (near > from) {
      from = near
      side = axis
    }
    to = min<f32>(to, max<f32>(lower, upper))
  }
  space.enter = from
  space.leave = to
  space.side = side
  return from < to
}

/** The eight values from `at` on, two of them side by side in memory each time. */
@inline
function between(at: usize, row: usize, plane: usize, fx: f32, fy: f32, fz: f32): f32 {
  const near = v128.load64_lane(at + row, v128.load64_zero(at), 1)
  const far = v128.load64_lane(at + plane + row, v128.load64_zero(at + plane), 1)
  const both = f32x4.add(near, f32x4.mul(f32x4.splat(fz), f32x4.sub(far, near)))
  const upper = v128.shuffle<f32>(both, both, 2, 3, 2, 3)
  const pair = f32x4.add(both, f32x4.mul(f32x4.splat(fy), f32x4.sub(upper, both)))
  const left = f32x4.extract_lane(pair, 0)
  return left + fx * (f32x4.extract_lane(pair, 1) - left)
}

/** Liquid at a place in the grid or less than half a cell beside it. */
@inline
export function liquidAt(space: Space, x: f32, y: f32, z: f32): f32 {
  const px = x + <f32>0.5, py = y + <f32>0.5, pz = z + <f32>0.5
  const i = <i32>px, j = <i32>py, k = <i32>pz
  const row = <usize>(space.nx + 2) << 2
  const plane = row * <usize>(space.ny + 2)
  const at = space.liquid + (<usize>i << 2) + row * <usize>j + plane * <usize>k
  return between(at, row, plane, px - <f32>i, py - <f32>j, pz - <f32>k)
}

/** Solids anywhere; beyond the grid as at its side. */
@inline
export function solidAt(space: Space, x: f32, y: f32, z: f32): f32 {
  const i = clamped(x, space.nx), j = clamped(y, space.ny), k = clamped(z, space.nz)
  const row = <usize>(space.nx + 1) << 2
  const plane = row * <usize>(space.ny + 1)
  const at = space.solid + (<usize>i << 2) + row * <usize>j + plane * <usize>k
  return between(at, row, plane, share(x - <f32>i), share(y - <f32>j), share(z - <f32>k))
}

@inline
function clamped(value: f32, size: i32): i32 {
  return min(max(<i32>value, 0), size - 1)
}

@inline
function share(value: f32): f32 {
  return min<f32>(max<f32>(value, 0), 1)
}

/** How many cells to every side of a place have no surface of liquid; 0 if that is not known. */
@inline
export function clearAt(space: Space, x: f32, y: f32, z: f32): i32 {
  const i = (<i32>x >> BLOCK_BITS) + 1, j = (<i32>y >> BLOCK_BITS) + 1, k = (<i32>z >> BLOCK_BITS) + 1
  return <i32>load<u8>(space.clear + <usize>(i + (space.blocksX + 2) * (j + (space.blocksY + 2) * k))) * BLOCK
}

/** Follows a ray from one way to another, both in the grid and outside of solids, and adds the length of it that is in liquid. `start` is
 *  what it meets if it begins in liquid. `scale`: cells per way. */
export function march(space: Space, dx: f32, dy: f32, dz: f32, from: f32, to: f32, scale: f32, start: i32): void {
  const shorter = <f32>1 / scale
  let at = from
  let last = from
  let value = along(space, dx, dy, dz, from)
  let isWet = value < 0
  let wetFrom = from
  let least = space.hit > 0 || isWet ? LEAST_WITHIN : LEAST_STEP
  if (isWet && space.hit == 0) {
    space.hit = max<f32>(from, <f32>1e-6)
    space.met = start
  }
  while (at < to) {
    const x = space.eyeX + at * dx, y = space.eyeY + at * dy, z = space.eyeZ + at * dz
    const clear = clearAt(space, x, y, z)
    const step = clear > 0 ? <f32>clear : max<f32>(TRUST * abs<f32>(value), least)
    last = at
    at = min<f32>(at + step * shorter, to)
    const before = value
    value = along(space, dx, dy, dz, at)
    if (value < 0 == isWet) continue
    const crossing = last + (at - last) * (before / (before - value))
    if (isWet) {
      space.thick += (crossing - wetFrom) * scale
      isWet = false
      continue
    }
    isWet = true
    wetFrom = crossing
    least = LEAST_WITHIN
    if (space.hit > 0) continue
    wetFrom = refine(space, dx, dy, dz, last, before, at, value, crossing)
    space.hit = wetFrom
    space.met = SURFACE
  }
  if (isWet) space.thick += (to - wetFrom) * scale
}

@inline
function along(space: Space, dx: f32, dy: f32, dz: f32, way: f32): f32 {
  return liquidAt(space, space.eyeX + way * dx, space.eyeY + way * dy, space.eyeZ + way * dz)
}

/** One more turn of false position, from the first guess on. */
@inline
function refine(space: Space, dx: f32, dy: f32, dz: f32, from: f32, a: f32, to: f32, b: f32, guess: f32): f32 {
  const c = along(space, dx, dy, dz, guess)
  if (c < 0) return from + (guess - from) * (a / (a - c))
  return guess + (to - guess) * (c / (c - b))
}
