/** Blocks of the finest level that need coefficients, by vector instructions. */
import { keepExact, nextExact } from '../cycle/residual-f64'
import { Input } from '../problem/input'
import { lanes, Level, LINKED, OPEN_ROW } from '../level'
import { nextSlot, NO_STEP, setStep, addSlotBlock } from './pack'
import { isCut, Span, soleSpan, within } from './neighbour-spans'
import { narrow } from '../cycle/stencil'

// Weights of the present block: links of its rows, counted downwards in two halves, and whether any is neither 0 nor 1.
let lowLinks: v128 = i64x2.splat(0)
let highLinks: v128 = i64x2.splat(0)
let parts: v128 = i64x2.splat(0)

/** Writes a block of rows into the next slot, if their neighbours in each other line are in one run; else returns false, and the slower way
 *  overwrites it. The rows are the cells n, n + 2 … of a run; lanes behind its end are padding. `first`: its first unknown;
 *  `contacts`: a bit for each row; `inverse`: 1 / scale. */
export function packTogether<T>(
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
  south: Span,
  north: Span,
  down: Span,
  up: Span,
): bool {
  const last = min(n + 2 * lanes<T>(), length) - 1
  if (isCut(south, last) || isCut(north, last) || isCut(down, last) || isCut(up, last)) {
    south = soleSpan(south, n, last)
    north = soleSpan(north, n, last)
    down = soleSpan(down, n, last)
    up = soleSpan(up, n, last)
    if (!isSpan(south) || !isSpan(north) || !isSpan(down) || !isSpan(up)) return false
  }
  const cells = i32x4.add(i32x4.splat(n), i32x4(0, 2, 4, 6))
  const on = i32x4.lt_s(cells, i32x4.splat(length))
  const odd = n & 1
  const own = (<usize>(first + n)) << 3
  const along = input.east + own - 8
  const toSouth = input.north + own + ((<usize>south.shift) << 3)
  const toDown = input.up + own + ((<usize>down.shift) << 3)
  const full = f64x2.splat(-input.scale)
  const factor = f64x2.splat(-inverse)
  const slot = nextSlot(black)
  const exact = nextExact(black)
  const into = sizeof<T>() == 4 ? exact + 32 : slot + 32
  const stride: usize = sizeof<T>() == 4 ? 32 : 16
  lowLinks = i64x2.splat(0)
  highLinks = i64x2.splat(0)
  parts = i64x2.splat(0)
  const hasWest = v128.and(on, i32x4.gt_s(cells, i32x4.splat(0)))
  const hasEast = i32x4.lt_s(cells, i32x4.splat(length - 1))
  weigh<T>(0, along, hasWest, full, factor, slot, into, west)
  weigh<T>(1, along + 8, hasEast, full, factor, slot, into, east)
  weigh<T>(2, toSouth, within(south, cells), full, factor, slot, into, odd ? south.odd : south.even)
  weigh<T>(3, input.north + own, within(north, cells), full, factor, slot, into, odd ? north.odd : north.even)
  weigh<T>(4, toDown, within(down, cells), full, factor, slot, into, odd ? down.odd : down.even)
  weigh<T>(5, input.up + own, within(up, cells), full, factor, slot, into, odd ? up.odd : up.even)
  const lowSum = sumWeights(into, stride)
  const lowHeld = hold(input.diagonal + own, lowHalf(on), inverse, lowSum, exact)
  if (sizeof<T>() == 4) {
    const highSum = sumWeights(into + 16, stride)
    const highHeld = hold(input.diagonal + own + 32, highHalf(on), inverse, highSum, exact + 16)
    v128.store(slot, narrow(invert(lowSum, lowHeld), invert(highSum, highHeld)))
    v128.store(slot, narrow(lowHeld, highHeld), 16)
  } else {
    v128.store(slot, invert(lowSum, lowHeld))
    v128.store(slot, lowHeld, 16)
  }
  keepExact<T>(level, slot, black, contacts, sizeof<T>() == 4 && v128.any_true(parts))
  addSlotBlock<T>(level, black, start, flagRows<T>(level, input.plain + <usize>(first + n), start))
  return true
}

@inline
function isSpan(span: Span): bool {
  return changetype<usize>(span) != 0
}

/** Writes the weights of a block in one direction, from every other value from `links` on, and sets the step if there are any. */
@inline
function weigh<T>(d: i32, links: usize, has: v128, full: v128, factor: v128, slot: usize, into: usize, step: i32): void {
  const zero = f64x2.splat(0)
  const one = f64x2.splat(1)
  const low = scale(everyOther(links), lowHalf(has), full, factor)
  const isLow = f64x2.ne(low, zero)
  lowLinks = i64x2.add(lowLinks, isLow)
  let isAny = isLow
  if (sizeof<T>() == 4) {
    const high = scale(everyOther(links + 32), highHalf(has), full, factor)
    const isHigh = f64x2.ne(high, zero)
    highLinks = i64x2.add(highLinks, isHigh)
    isAny = v128.or(isLow, isHigh)
    parts = v128.or(parts, v128.or(v128.andnot(isLow, f64x2.eq(low, one)), v128.andnot(isHigh, f64x2.eq(high, one))))
    v128.store(into + ((<usize>d) << 5), low)
    v128.store(into + ((<usize>d) << 5), high, 16)
    v128.store(slot + ((<usize>d) << 4), narrow(low, high), 32)
  } else v128.store(into + ((<usize>d) << 4), low)
  setStep(d, v128.any_true(isAny) ? step : NO_STEP)
}

/** Links as weights: exactly 1 for the largest. */
@inline
function scale(links: v128, has: v128, full: v128, factor: v128): v128 {
  return v128.and(v128.bitselect(f64x2.splat(1), f64x2.mul(links, factor), f64x2.eq(links, full)), has)
}

@inline
function sumWeights(at: usize, stride: usize): v128 {
  const along = f64x2.add(v128.load(at), v128.load(at + stride))
  const across = f64x2.add(v128.load(at + 2 * stride), v128.load(at + 3 * stride))
  return f64x2.add(f64x2.add(along, across), f64x2.add(v128.load(at + 4 * stride), v128.load(at + 5 * stride)))
}

/** Writes the diagonals of two rows; returns what holds them towards p = 0. */
@inline
function hold(given: usize, on: v128, inverse: f64, sum: v128, into: usize): v128 {
  const diagonal = v128.and(f64x2.mul(everyOther(given), f64x2.splat(inverse)), on)
  v128.store(into, diagonal)
  const rest = f64x2.sub(diagonal, sum)
  // Rounding of a row sum is not air.
  return v128.and(rest, f64x2.gt(rest, f64x2.mul(f64x2.splat(1e-14), diagonal)))
}

@inline
function invert(sum: v128, held: v128): v128 {
  const whole = f64x2.add(sum, held)
  return v128.and(f64x2.div(f64x2.splat(1), whole), f64x2.gt(whole, f64x2.splat(0)))
}

/** Flags of the rows; returns how many links they have. */
@inline
function flagRows<T>(level: Level, plain: usize, start: i32): i32 {
  const linked = v128.shuffle<i32>(lowLinks, highLinks, 0, 2, 4, 6)
  const isLinked = i32x4.ne(linked, i32x4.splat(0))
  const open = v128.and(v128.load64_zero(plain), i8x16.splat(OPEN_ROW))
  const flags = v128.and(
    v128.shuffle<u8>(isLinked, isLinked, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12),
    v128.or(i8x16.splat(LINKED), v128.shuffle<u8>(open, open, 0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6)),
  )
  if (sizeof<T>() == 4) v128.store_lane<u32>(level.flags + <usize>start, flags, 0)
  else v128.store_lane<u16>(level.flags + <usize>start, flags, 0)
  const two = i32x4.add(linked, v128.shuffle<i32>(linked, linked, 2, 3, 0, 1))
  return -(i32x4.extract_lane(two, 0) + i32x4.extract_lane(two, 1))
}

/** Masks of two rows, in f64. */
@inline
function lowHalf(mask: v128): v128 {
  return v128.shuffle<i32>(mask, mask, 0, 0, 1, 1)
}
@inline
function highHalf(mask: v128): v128 {
  return v128.shuffle<i32>(mask, mask, 2, 2, 3, 3)
}

@inline
function everyOther(at: usize): v128 {
  return v128.shuffle<f64>(v128.load(at), v128.load(at, 16), 0, 2)
}
