/** Blocks of the finest level that need coefficients, all rows at once. */
import { keepExact, nextExact } from './exact'
import { Input } from './input'
import { lanes, Level, LINKED, OPEN } from './level'
import { nextSlot, NO_STEP, setStep, takeSlot } from './pack'
import { isCut, Reach, soleReach, within } from './reaches'
import { narrow } from './stencil'

/** Writes a block of rows straight into the next slot, if their neighbours in each other line stand in one run; else leaves it to the slower
 *  way, which writes over it. The rows are the cells n, n + 2 … of a run; lanes behind its end are off. `first`: its first unknown;
 *  `contacts`: a bit for each row; `inverse`: 1 / scale. */
export function packStraight<T>(
  input: Input,
  level: Level,
  black: bool,
  start: i32,
  n: i32,
  length: i32,
  first: i32,
  contacts: i32,
  inverse: f64,
  west: i32,
  east: i32,
  south: Reach,
  north: Reach,
  down: Reach,
  up: Reach,
): bool {
  const last = min(n + 2 * lanes<T>(), length) - 1
  if (isCut(south, last) || isCut(north, last) || isCut(down, last) || isCut(up, last)) {
    south = soleReach(south, n, last)
    north = soleReach(north, n, last)
    down = soleReach(down, n, last)
    up = soleReach(up, n, last)
    if (!isReach(south) || !isReach(north) || !isReach(down) || !isReach(up)) return false
  }
  const cells = i32x4.add(i32x4.splat(n), i32x4(0, 2, 4, 6))
  const on = i32x4.lt_s(cells, i32x4.splat(length))
  const hasWest = v128.and(on, i32x4.gt_s(cells, i32x4.splat(0)))
  const hasEast = i32x4.lt_s(cells, i32x4.splat(length - 1))
  const hasSouth = within(south, cells)
  const hasNorth = within(north, cells)
  const hasDown = within(down, cells)
  const hasUp = within(up, cells)
  const own = <usize>(first + n) << 3
  const toSouth = <usize>south.shift << 3
  const toDown = <usize>down.shift << 3
  const full = f64x2.splat(-input.scale)
  const factor = f64x2.splat(-inverse)
  const exact = nextExact(black)
  const slot = nextSlot(black)
  const weights = sizeof<T>() == 4 ? exact + 32 : slot + 32
  const lowSum = weighTwo<T>(input, 0, own, toSouth, toDown, full, factor, weights, hasWest, hasEast, hasSouth, hasNorth, hasDown, hasUp)
  const lowHeld = holdTwo(input, 0, on, own, inverse, lowSum, exact)
  const lowInverse = invert(lowSum, lowHeld)
  if (sizeof<T>() == 4) {
    const highSum = weighTwo<T>(input, 1, own, toSouth, toDown, full, factor, weights, hasWest, hasEast, hasSouth, hasNorth, hasDown, hasUp)
    const highHeld = holdTwo(input, 1, on, own, inverse, highSum, exact)
    v128.store(slot, narrow(lowInverse, invert(highSum, highHeld)))
    v128.store(slot, narrow(lowHeld, highHeld), 16)
  } else {
    v128.store(slot, lowInverse)
    v128.store(slot, lowHeld, 16)
  }
  setStep(0, west)
  setStep(1, east)
  const odd = n & 1
  setStep(2, odd ? south.odd : south.even)
  setStep(3, odd ? north.odd : north.even)
  setStep(4, odd ? down.odd : down.even)
  setStep(5, odd ? up.odd : up.even)
  const isWhole = narrowWeights<T>(slot, weights)
  keepExact<T>(level, slot, black, contacts, isWhole)
  takeSlot<T>(level, black, start, flagRows<T>(level, input.plain + <usize>(first + n), start))
  return true
}

@inline
function isReach(reach: Reach): bool {
  return changetype<usize>(reach) != 0
}

/** Writes six weights of two rows; returns their sums. Addresses of links count from the start of their array. */
@inline
function weighTwo<T>(
  input: Input,
  half: i32,
  unknown: usize,
  toSouth: usize,
  toDown: usize,
  full: v128,
  factor: v128,
  into: usize,
  hasWest: v128,
  hasEast: v128,
  hasSouth: v128,
  hasNorth: v128,
  hasDown: v128,
  hasUp: v128,
): v128 {
  const stride: usize = sizeof<T>() == 4 ? 32 : 16
  const at = into + (<usize>half << 4)
  const own = unknown + (<usize>half << 5)
  const before = v128.load(input.east + own - 8)
  const behind = v128.load(input.east + own + 8)
  const w0 = weigh(v128.shuffle<f64>(before, behind, 0, 2), hasWest, half, full, factor, at)
  const w1 = weigh(v128.shuffle<f64>(before, behind, 1, 3), hasEast, half, full, factor, at + stride)
  const w2 = weigh(everyOther(input.north + own + toSouth), hasSouth, half, full, factor, at + 2 * stride)
  const w3 = weigh(everyOther(input.north + own), hasNorth, half, full, factor, at + 3 * stride)
  const w4 = weigh(everyOther(input.up + own + toDown), hasDown, half, full, factor, at + 4 * stride)
  const w5 = weigh(everyOther(input.up + own), hasUp, half, full, factor, at + 5 * stride)
  return f64x2.add(f64x2.add(f64x2.add(w0, w1), f64x2.add(w2, w3)), f64x2.add(w4, w5))
}

/** Links as weights: exactly 1 for the largest. */
@inline
function weigh(links: v128, has: v128, half: i32, full: v128, factor: v128, into: usize): v128 {
  const scaled = v128.bitselect(f64x2.splat(1), f64x2.mul(links, factor), f64x2.eq(links, full))
  const weights = v128.and(scaled, widen(has, half))
  v128.store(into, weights)
  return weights
}

/** Writes the diagonals of two rows; returns what holds them towards p = 0. */
@inline
function holdTwo(input: Input, half: i32, on: v128, unknown: usize, inverse: f64, sum: v128, into: usize): v128 {
  const given = everyOther(input.diagonal + unknown + (<usize>half << 5))
  const diagonal = v128.and(f64x2.mul(given, f64x2.splat(inverse)), widen(on, half))
  v128.store(into + (<usize>half << 4), diagonal)
  const rest = f64x2.sub(diagonal, sum)
  // Rounding of a row sum is not air.
  return v128.and(rest, f64x2.gt(rest, f64x2.mul(f64x2.splat(1e-14), diagonal)))
}

@inline
function invert(sum: v128, held: v128): v128 {
  const whole = f64x2.add(sum, held)
  return v128.and(f64x2.div(f64x2.splat(1), whole), f64x2.gt(whole, f64x2.splat(0)))
}

// Links of the rows of the block that is being packed, counted downwards. i32 each.
let linked: v128 = i32x4.splat(0)

/** Takes weights to the slot, and takes back the steps of directions without any. Are there weights other than 0 and 1? */
@inline
function narrowWeights<T>(slot: usize, weights: usize): bool {
  const zero = f64x2.splat(0)
  const one = f64x2.splat(1)
  let lowLinks = i64x2.splat(0)
  let highLinks = i64x2.splat(0)
  let parts = zero
  for (let d = 0; d < 6; d++, slot += 16) {
    const low = v128.load(weights)
    const isLow = f64x2.ne(low, zero)
    lowLinks = i64x2.add(lowLinks, isLow)
    if (sizeof<T>() == 4) {
      const high = v128.load(weights, 16)
      const isHigh = f64x2.ne(high, zero)
      highLinks = i64x2.add(highLinks, isHigh)
      parts = v128.or(parts, v128.or(v128.andnot(isLow, f64x2.eq(low, one)), v128.andnot(isHigh, f64x2.eq(high, one))))
      v128.store(slot, narrow(low, high), 32)
      if (!v128.any_true(v128.or(isLow, isHigh))) setStep(d, NO_STEP)
      weights += 32
    } else {
      if (!v128.any_true(isLow)) setStep(d, NO_STEP)
      weights += 16
    }
  }
  linked = v128.shuffle<i32>(lowLinks, highLinks, 0, 2, 4, 6)
  return v128.any_true(parts)
}

/** Flags of the rows; returns how many links they have. */
@inline
function flagRows<T>(level: Level, plain: usize, start: i32): i32 {
  const isLinked = i32x4.ne(linked, i32x4.splat(0))
  const open = v128.and(v128.load64_zero(plain), i8x16.splat(OPEN))
  const flags = v128.and(
    v128.shuffle<u8>(isLinked, isLinked, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12),
    v128.or(i8x16.splat(LINKED), v128.shuffle<u8>(open, open, 0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6)),
  )
  if (sizeof<T>() == 4) v128.store_lane<u32>(level.flags + <usize>start, flags, 0)
  else v128.store_lane<u16>(level.flags + <usize>start, flags, 0)
  const two = i32x4.add(linked, v128.shuffle<i32>(linked, linked, 2, 3, 0, 1))
  return -(i32x4.extract_lane(two, 0) + i32x4.extract_lane(two, 1))
}

/** Masks of two lanes, in f64. */
@inline
function widen(mask: v128, half: i32): v128 {
  return half == 0 ? v128.shuffle<i32>(mask, mask, 0, 0, 1, 1) : v128.shuffle<i32>(mask, mask, 2, 2, 3, 3)
}

@inline
function everyOther(at: usize): v128 {
  return v128.shuffle<f64>(v128.load(at), v128.load(at, 16), 0, 2)
}
