/** Blocks of the finest level that need coefficients, all rows at once. */
import { exactOf } from './exact'
import { acrossBytes, CONTACT, rowAt } from './finest-rows'
import { Input } from './input'
import { lanes, Level, LINKED, OPEN } from './level'
import { beginBlock, nextSlot, setStep, takeSlot } from './pack'
import { narrow } from './stencil'

/** Writes a block of rows straight into the next slot, if their neighbours in each other line stand in one run; else leaves it to the slower
 *  way, which writes over it. Lanes from `count` on are off. */
export function packStraight<T>(
  input: Input,
  level: Level,
  black: bool,
  start: i32,
  n: i32,
  length: i32,
  at: usize,
  first: i32,
  count: i32,
  rowOf: usize,
): bool {
  const across = acrossBytes(input)
  const lane = i32x4(0, 1, 2, 3)
  const valid = i32x4.lt_s(lane, i32x4.splat(count))
  const south = neighboursOf<T>(at, valid)
  const north = neighboursOf<T>(at + across, valid)
  const down = neighboursOf<T>(at + 2 * across, valid)
  const up = neighboursOf<T>(at + 3 * across, valid)
  const southOf = firstOf(south)
  const downOf = firstOf(down)
  if (!isOneRun(south, southOf) || !isOneRun(down, downOf) || !isOneRun(north, firstOf(north)) || !isOneRun(up, firstOf(up))) return false
  const none = i32x4.splat(-1)
  const hasSouth = i32x4.gt_s(south, none)
  const hasNorth = i32x4.gt_s(north, none)
  const hasDown = i32x4.gt_s(down, none)
  const hasUp = i32x4.gt_s(up, none)
  const hasWest = n > 0 ? valid : v128.and(valid, i32x4.gt_s(lane, i32x4.splat(0)))
  const hasEast = i32x4.lt_s(lane, i32x4.splat(min(count, (length - n) >> 1)))
  const contacts = i8x16.eq(v128.load64_zero(input.kind + <usize>(first + n)), i8x16.splat(CONTACT))
  const slot = nextSlot(black)
  const exact = exactOf<T>(level, slot, black)
  const stride = <usize>lanes<T>() * 8
  const scale = f64x2.splat(-input.scale)
  const inverse = f64x2.splat(1 / input.scale)
  const zero = f64x2.splat(0)
  const one = f64x2.splat(1)
  let linked = i64x2.splat(0)
  let links = 0
  let any0 = zero
  let any1 = zero
  let any2 = zero
  let any3 = zero
  let any4 = zero
  let any5 = zero
  let inverses: v128 = zero
  let helds: v128 = zero
  for (let half = 0; half < lanes<T>() / 2; half++) {
    const unknown = first + n + 4 * half
    const west = placeOf(input.east, unknown - 1)
    const w0 = v128.and(scaled(v128.shuffle<f64>(v128.load(west), v128.load(west, 16), 0, 2), scale, inverse), widen(hasWest, half))
    const w1 = v128.and(scaled(v128.shuffle<f64>(v128.load(west), v128.load(west, 16), 1, 3), scale, inverse), widen(hasEast, half))
    const w2 = v128.and(scaled(everyOther(placeOf(input.north, southOf + 4 * half)), scale, inverse), widen(hasSouth, half))
    const w3 = v128.and(scaled(everyOther(placeOf(input.north, unknown)), scale, inverse), widen(hasNorth, half))
    const w4 = v128.and(scaled(everyOther(placeOf(input.up, downOf + 4 * half)), scale, inverse), widen(hasDown, half))
    const w5 = v128.and(scaled(everyOther(placeOf(input.up, unknown)), scale, inverse), widen(hasUp, half))
    const on = widen(valid, half)
    const diagonal = v128.and(f64x2.mul(everyOther(placeOf(input.diagonal, unknown)), inverse), on)
    const sum = f64x2.add(f64x2.add(f64x2.add(w0, w1), f64x2.add(w2, w3)), f64x2.add(w4, w5))
    const rest = f64x2.sub(diagonal, sum)
    // Rounding of a row sum is not air.
    const held = v128.and(rest, f64x2.gt(rest, f64x2.mul(f64x2.splat(1e-14), diagonal)))
    const whole = f64x2.add(sum, held)
    const inverted = v128.and(f64x2.div(one, whole), f64x2.gt(whole, zero))
    if (sizeof<T>() == 4) {
      inverses = join(inverses, inverted, half)
      helds = join(helds, held, half)
    } else {
      inverses = inverted
      helds = held
    }
    const precise = exact + (<usize>half << 4)
    v128.store(precise, diagonal)
    v128.store(precise + stride, w0)
    v128.store(precise + 2 * stride, w1)
    v128.store(precise + 3 * stride, w2)
    v128.store(precise + 4 * stride, w3)
    v128.store(precise + 5 * stride, w4)
    v128.store(precise + 6 * stride, w5)
    v128.store(precise + 7 * stride, v128.and(spread(contacts, half), on))
    const is0 = f64x2.ne(w0, zero)
    const is1 = f64x2.ne(w1, zero)
    const is2 = f64x2.ne(w2, zero)
    const is3 = f64x2.ne(w3, zero)
    const is4 = f64x2.ne(w4, zero)
    const is5 = f64x2.ne(w5, zero)
    any0 = v128.or(any0, is0)
    any1 = v128.or(any1, is1)
    any2 = v128.or(any2, is2)
    any3 = v128.or(any3, is3)
    any4 = v128.or(any4, is4)
    any5 = v128.or(any5, is5)
    linked = i64x2.add(i64x2.add(i64x2.add(is0, is1), i64x2.add(is2, is3)), i64x2.add(is4, is5))
    const ours = <i32>i64x2.extract_lane(linked, 0)
    const theirs = <i32>i64x2.extract_lane(linked, 1)
    links -= ours + theirs
    const flags = level.flags + <usize>(start + 2 * half)
    const open = input.plain + <usize>unknown
    store<u8>(flags, ours ? LINKED | (load<u8>(open) & OPEN) : 0)
    store<u8>(flags, theirs ? LINKED | (load<u8>(open, 2) & OPEN) : 0, 1)
  }
  v128.store(slot, inverses)
  v128.store(slot, helds, 16)
  for (let d: usize = 0; d < 6; d++) {
    const weights = exact + (d + 1) * stride
    v128.store(slot + (d << 4), sizeof<T>() == 4 ? narrow(v128.load(weights), v128.load(weights, 16)) : v128.load(weights), 32)
  }
  beginBlock()
  // Along x the first row may have no neighbour, but then the second has.
  const inner = first + n + (n > 0 ? 0 : 2)
  if (v128.any_true(any0)) setStep(0, rowAt(rowOf, inner - 1) - start - (n > 0 ? 0 : 1))
  if (v128.any_true(any1)) setStep(1, rowAt(rowOf, first + n + 1) - start)
  if (v128.any_true(any2)) setStep(2, stepTo(rowOf, south, southOf, start))
  if (v128.any_true(any3)) setStep(3, stepTo(rowOf, north, firstOf(north), start))
  if (v128.any_true(any4)) setStep(4, stepTo(rowOf, down, downOf, start))
  if (v128.any_true(any5)) setStep(5, stepTo(rowOf, up, firstOf(up), start))
  takeSlot<T>(level, black, start, links)
  return true
}

@inline
function placeOf(values: usize, unknown: i32): usize {
  return values + (<usize>unknown << 3)
}

/** Neighbours of the rows of a block, −1 where there is none. */
@inline
function neighboursOf<T>(at: usize, valid: v128): v128 {
  const found = v128.shuffle<i32>(v128.load(at), v128.load(at, 16), 0, 2, 4, 6)
  return v128.or(found, v128.not(valid))
}

/** The neighbour that the first row would have if all stood in one run. */
@inline
function firstOf(neighbours: v128): i32 {
  const shifted = i32x4.sub(neighbours, i32x4(0, 2, 4, 6))
  const found = v128.bitselect(shifted, i32x4.splat(i32.MIN_VALUE), i32x4.gt_s(neighbours, i32x4.splat(-1)))
  const two = i32x4.max_s(found, v128.shuffle<i32>(found, found, 2, 3, 0, 1))
  return max(i32x4.extract_lane(two, 0), i32x4.extract_lane(two, 1))
}

@inline
function isOneRun(neighbours: v128, first: i32): bool {
  const expected = i32x4.add(i32x4.splat(first), i32x4(0, 2, 4, 6))
  return i32x4.all_true(v128.or(i32x4.eq(neighbours, expected), i32x4.lt_s(neighbours, i32x4.splat(0))))
}

@inline
function stepTo(rowOf: usize, neighbours: v128, first: i32, start: i32): i32 {
  const lane = ctz(~i32x4.bitmask(neighbours))
  return rowAt(rowOf, first + 2 * lane) - (start + lane)
}

/** Masks of two lanes, in f64. */
@inline
function widen(mask: v128, half: i32): v128 {
  return half == 0 ? v128.shuffle<i32>(mask, mask, 0, 0, 1, 1) : v128.shuffle<i32>(mask, mask, 2, 2, 3, 3)
}

@inline
function spread(mask: v128, half: i32): v128 {
  return half == 0
    ? v128.shuffle<u8>(mask, mask, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2)
    : v128.shuffle<u8>(mask, mask, 4, 4, 4, 4, 4, 4, 4, 4, 6, 6, 6, 6, 6, 6, 6, 6)
}

@inline
function everyOther(at: usize): v128 {
  return v128.shuffle<f64>(v128.load(at), v128.load(at, 16), 0, 2)
}

@inline
function join(values: v128, more: v128, half: i32): v128 {
  const narrowed = f32x4.demote_f64x2_zero(more)
  return half == 0 ? narrowed : v128.shuffle<f32>(values, narrowed, 0, 1, 4, 5)
}

/** Links as weights: exactly 1 for the largest. */
@inline
function scaled(links: v128, largest: v128, inverse: v128): v128 {
  return v128.bitselect(f64x2.splat(1), f64x2.neg(f64x2.mul(links, inverse)), f64x2.eq(links, largest))
}
