/** How deep liquid looks: the distance to its surface by fast sweeping (Zhao 2005), as src/grid/redistance.ts has it, and
 *  smoothed, because ridges of the distance would be seen as creases in the light. Only for liquid and air near it: nothing
 *  else is visible. */
import * as shared from '../../rendering-constants'
import { BEFORE, farthest, Flat, repeatBorder } from './flat'
import { widen } from './marks'

/** Rounds of sweeps over all directions, and of smoothing. */
const SWEEPS: i32 = 2
const ROUNDS: i32 = shared.DEPTH_SMOOTHINGS
/** Before a distance is known. */
const UNKNOWN: f32 = 1e9
/** No point is nearer than by this much than the nearest of its neighbours. */
const LEAST_STEP: f32 = 0.7071
const NEAREST: f32 = 1e-12

/** Fills in `depth`, from `liquid`; of air no farther than `reach` cells away. */
export function findDepth(flat: Flat, reach: i32): void {
  const away = flat.depth
  const begin = away - flat.rowBytes - (BEFORE << 2)
  const end = begin + flat.rowBytes * <usize>(flat.ny + 2)
  const unknown = f32x4.splat(UNKNOWN)
  for (let at = begin; at < end; at += 16) v128.store(at, unknown)
  markSurface(flat)
  listUnknown(flat, reach)
  memory.fill(flat.rowChanged - 4, 0, (<usize>(flat.ny + 2)) << 2)
  memory.fill(flat.rowSeen, 0, (<usize>flat.ny) << 2)
  for (let pass = 0; pass < 4 * SWEEPS; pass++) sweep(flat, pass & 3, pass * flat.ny)
  giveSigns(flat)
  for (let round = 0; round < ROUNDS; round++) {
    smoothAlong(flat)
    smoothAcross(flat)
  }
  repeatBorder(flat, flat.depth, flat.nx, flat.ny)
}

/** Points with a neighbour of other sign: 1/d² = Σ 1/dₐ² over the axes on which the surface crosses, exact for planes. */
function markSurface(flat: Flat): void {
  const zero = f32x4.splat(0)
  const row = flat.rowBytes
  for (let j = 0; j < flat.ny; j++) {
    const from = row * <usize>j
    for (let i = 0; i < flat.nx; i += 4) {
      const at = flat.liquid + from + ((<usize>i) << 2)
      const own = f32x4.lt(v128.load(at), zero)
      const besides = v128.or(v128.xor(own, f32x4.lt(v128.load(at - 4), zero)), v128.xor(own, f32x4.lt(v128.load(at + 4), zero)))
      const above = v128.or(
        v128.xor(own, f32x4.lt(v128.load(at - row), zero)),
        v128.xor(own, f32x4.lt(v128.load(at + row), zero)),
      )
      let lanes = i32x4.bitmask(v128.or(besides, above))
      // The border repeats the outermost points, but vectors reach beyond them.
      if (i + 4 > flat.nx) lanes &= (1 << (flat.nx - i)) - 1
      for (; lanes; lanes &= lanes - 1) {
        const lane = (<usize>ctz(lanes)) << 2
        const point = at + lane
        const inverseSquares = crossed(point, 4) + crossed(point, row)
        store<f32>(flat.depth + from + ((<usize>i) << 2) + lane, 1 / sqrt<f32>(inverseSquares))
      }
    }
  }
}

/** 1/d² along an axis, 0 where the surface does not cross it next to the point. */
@inline
function crossed(at: usize, step: usize): f32 {
  const own = load<f32>(at)
  const nearest = min<f32>(crossing(own, load<f32>(at - step)), crossing(own, load<f32>(at + step)))
  const d = max<f32>(nearest, NEAREST)
  return 1 / (d * d)
}

/** Which share of the way to a neighbour the surface is away; infinite if it is not between. */
@inline
function crossing(own: f32, other: f32): f32 {
  return other < 0 != own < 0 ? own / (own - other) : Infinity
}

/** Lists cells of liquid and near it, row by row, but for those at the surface. */
function listUnknown(flat: Flat, reach: i32): void {
  const zero = f32x4.splat(0)
  const bytes = <usize>flat.stride * <usize>(flat.ny + 2)
  const bits = flat.bits - <usize>(flat.stride + BEFORE)
  const from = flat.liquid - flat.rowBytes - (BEFORE << 2)
  for (let at: usize = 0; at < bytes; at += 16) {
    const four = from + (at << 2)
    const low = v128.narrow<i32>(f32x4.lt(v128.load(four), zero), f32x4.lt(v128.load(four, 16), zero))
    const high = v128.narrow<i32>(f32x4.lt(v128.load(four, 32), zero), f32x4.lt(v128.load(four, 48), zero))
    v128.store(bits + at, v128.narrow<i16>(low, high))
  }
  const last = widen(flat, flat.bits, flat.marks, reach)
  const unknown = f32x4.splat(UNKNOWN)
  let count: usize = 0
  for (let j = 0; j < flat.ny; j++) {
    store<u32>(flat.rowStarts + ((<usize>j) << 2), <u32>count)
    const near = last + <usize>(flat.stride * j)
    const row = flat.depth + flat.rowBytes * <usize>j
    for (let i = 0; i < flat.nx; i += 4) {
      const at = row + ((<usize>i) << 2)
      if (load<u32>(near + <usize>i) == 0) continue
      let lanes = i32x4.bitmask(f32x4.eq(v128.load(at), unknown))
      if (i + 4 > flat.nx) lanes &= (1 << (flat.nx - i)) - 1
      for (; lanes; lanes &= lanes - 1) {
        const lane = <usize>ctz(lanes)
        if (load<u8>(near + <usize>i + lane)) store<u32>(flat.list + (count++ << 2), <u32>(at + (lane << 2)))
      }
    }
  }
  store<u32>(flat.rowStarts + ((<usize>flat.ny) << 2), <u32>count)
}

/** Smallest d with Σ max(d − uₐ, 0)² = 1 at every point of the list, in one of the four directions. Rows around which nothing has changed since
 *  they were looked at are left out; `start` is how many rows there were to look at before this. */
function sweep(flat: Flat, direction: i32, start: u32): void {
  const row = flat.rowBytes
  const one = f32x4.splat(1)
  const two = f32x4.splat(2)
  const half = f32x4.splat(0.5)
  for (let n = 0; n < flat.ny; n++) {
    const j = direction & 2 ? flat.ny - 1 - n : n
    const first = flat.list + ((<usize>load<u32>(flat.rowStarts + ((<usize>j) << 2))) << 2)
    const last = flat.list + ((<usize>load<u32>(flat.rowStarts + ((<usize>j) << 2), 4)) << 2)
    const changed = flat.rowChanged + ((<usize>j) << 2)
    const seen = flat.rowSeen + ((<usize>j) << 2)
    const time = start + <u32>n + 1
    const before = load<u32>(seen)
    if (before > 0 && load<u32>(changed - 4) < before && load<u32>(changed) < before && load<u32>(changed, 4) < before) continue
    store<u32>(seen, time)
    let isChanged = false
    const step: i32 = direction & 1 ? -4 : 4
    const end = direction & 1 ? first - 4 : last
    for (let entry = direction & 1 ? last - 4 : first; entry != end; entry += step) {
      const at = <usize>load<u32>(entry)
      const x = f32x4.pmin(v128.load32_zero(at - 4), v128.load32_zero(at + 4))
      const y = f32x4.pmin(v128.load32_zero(at - row), v128.load32_zero(at + row))
      const low = f32x4.pmin(x, y)
      const own = load<f32>(at)
      // Most points have their distance already; not to wait for a root there is what makes this fast.
      if (own <= f32x4.extract_lane(low, 0) + LEAST_STEP) continue
      const apart = f32x4.pmin(f32x4.sub(f32x4.pmax(x, y), low), one)
      const further = f32x4.mul(half, f32x4.add(apart, f32x4.sqrt(f32x4.sub(two, f32x4.mul(apart, apart)))))
      const reached = f32x4.extract_lane(f32x4.add(low, further), 0)
      if (reached < own) {
        store<f32>(at, reached)
        isChanged = true
      }
    }
    if (isChanged) store<u32>(changed, time)
  }
}

function giveSigns(flat: Flat): void {
  const zero = f32x4.splat(0)
  const far = f32x4.splat(farthest(flat))
  const sign = i32x4.splat(<i32>0x80000000)
  for (let j = 0; j < flat.ny; j++) {
    const row = flat.rowBytes * <usize>j
    for (let i: usize = 0; i < (<usize>flat.nx) << 2; i += 16) {
      const isInside = f32x4.lt(v128.load(flat.liquid + row + i), zero)
      const away = f32x4.pmin(v128.load(flat.depth + row + i), far)
      v128.store(flat.depth + row + i, v128.or(away, v128.and(isInside, sign)))
    }
  }
}

/** From `depth` to `spare`: (1, 2, 1)/4 along rows. The point before the first equals the second, the one after the last
 *  equals the last. */
function smoothAlong(flat: Flat): void {
  const quarter = f32x4.splat(0.25)
  const half = f32x4.splat(0.5)
  const bytes = (<usize>flat.nx) << 2
  for (let j = 0; j < flat.ny; j++) {
    const from = flat.depth + flat.rowBytes * <usize>j
    const to = flat.spare + flat.rowBytes * <usize>j
    store<f32>(from - 4, load<f32>(flat.nx > 1 ? from + 4 : from))
    store<f32>(from + bytes, load<f32>(from + bytes - 4))
    for (let i: usize = 0; i < bytes; i += 16) {
      const beside = f32x4.add(v128.load(from + i - 4), v128.load(from + i + 4))
      v128.store(to + i, f32x4.add(f32x4.mul(quarter, beside), f32x4.mul(half, v128.load(from + i))))
    }
  }
}

/** Back again, the same across rows. */
function smoothAcross(flat: Flat): void {
  const quarter = f32x4.splat(0.25)
  const half = f32x4.splat(0.5)
  const row = flat.rowBytes
  for (let j = 0; j < flat.ny; j++) {
    const from = flat.spare + row * <usize>j
    const to = flat.depth + row * <usize>j
    const below = j > 0 ? from - row : flat.ny > 1 ? from + row : from
    const above = j < flat.ny - 1 ? from + row : from
    for (let i: usize = 0; i < (<usize>flat.nx) << 2; i += 16) {
      const beside = f32x4.add(v128.load(below + i), v128.load(above + i))
      v128.store(to + i, f32x4.add(f32x4.mul(quarter, beside), f32x4.mul(half, v128.load(from + i))))
    }
  }
}
