/** Blocks of coarse rows by vector instructions, where every row has at most one neighbour in each direction, in one line of blocks. */
import { CoarsenJob, HELD } from './aggregate-record'
import { jobOf } from '../../../../machine/kernels/job'
import { LINKED, lanes, Level, OPEN_ROW } from '../level'
import { beginBlock, nextSlot, packOpen, setStep, stepIn, addOpenBlock, addSlotBlock } from './pack'
import { Row } from './slots'
import { narrow } from '../cycle/stencil'
import { DIRICHLET_SHARE, MIN_SHARE } from '../weights'

// Tables with the row of every block, for the line that this thread packs and the four around it: towards −y, +y, −z, +z.
let own: usize = 0
let south: usize = 0
let north: usize = 0
let below: usize = 0
let above: usize = 0
let halves: usize = 0
let openOf: usize = 0
let sumsOf: usize = 0

export function beginLine(coarse: Level, line: i32): void {
  const task = jobOf<CoarsenJob>()
  const j = line % coarse.ny
  const k = line / coarse.ny
  own = tableOf(coarse, line, true)
  south = tableOf(coarse, line - 1, j > 0)
  north = tableOf(coarse, line + 1, j < coarse.ny - 1)
  below = tableOf(coarse, line - coarse.ny, k > 0)
  above = tableOf(coarse, line + coarse.ny, k < coarse.nz - 1)
  halves = task.halves
  openOf = task.openOf
  sumsOf = task.sumsOf
}

/** The last is that of all lines without rows. */
function tableOf(coarse: Level, line: i32, inside: bool): usize {
  return load<usize>(jobOf<CoarsenJob>().tables + ((<usize>(inside ? line : coarse.ny * coarse.nz)) << 2))
}

/** Address, in the table of a direction, of the neighbour of the block with number I along x. */
@inline
function neighbourAt(direction: i32, I: i32): usize {
  const at = (<usize>I) << 2
  switch (direction) {
    case 0:
      return own + at - 4
    case 1:
      return own + at + 4
    case 2:
      return south + at
    case 3:
      return north + at
    case 4:
      return below + at
    default:
      return above + at
  }
}

/** Are all rows of a block made of open liquid alone? */
@inline
function areOpen<T>(start: i32): bool {
  if (sizeof<T>() == 4) return load<u32>(openOf + <usize>start) == 0x01010101
  return load<u16>(openOf + <usize>start) == 0x0101
}

@inline
function hasMarks<T>(coarse: Level, start: i32): bool {
  const marks = coarse.marks + <usize>start
  return sizeof<T>() == 4 ? load<u32>(marks) != 0 : load<u16>(marks) != 0
}

/** Packs a block surrounded by open liquid; returns false if it is not. If the first and the last row of a block of open liquid have neighbours
 *  as far apart as they are themselves, the rows between have neighbours, too. */
export function packOpenRows<T>(coarse: Level, black: bool, start: i32): bool {
  if (!areOpen<T>(start) || hasMarks<T>(coarse, start)) return false
  const last = lanes<T>() - 1
  const I = load<i32>(coarse.cell + ((<usize>start) << 2))
  for (let direction = 0; direction < (coarse.flat ? 4 : 6); direction++) {
    const at = neighbourAt(direction, I)
    const column = load<i32>(at)
    if (column < 0 || load<i32>(at + ((<usize>last) << 3)) - column != last || !areOpen<T>(column)) return false
    setStep(direction, column - start)
  }
  packOpen<T>(
    coarse,
    black,
    start,
    stepIn(0),
    stepIn(1),
    stepIn(2),
    stepIn(3),
    coarse.flat ? 0 : stepIn(4),
    coarse.flat ? 0 : stepIn(5),
  )
  return true
}

/** Packs a block from the sums of its parts. Returns false, without doing anything, if a part has no sums or several neighbours in a
 *  direction, or if steps differ. */
export function packSummed<T>(coarse: Level, black: bool, start: i32): bool {
  const I = load<i32>(coarse.cell + ((<usize>start) << 2))
  if (!isStraight<T>(coarse.cell + ((<usize>start) << 2), I)) return false
  const sums = sumsOf + ((<usize>start) << 2)
  const a = load<usize>(sums)
  const b = load<usize>(sums, 4)
  const c = sizeof<T>() == 4 ? load<usize>(sums, 8) : a
  const d = sizeof<T>() == 4 ? load<usize>(sums, 12) : b
  if (!a || !b || !c || !d) return false
  const marks = coarse.marks + <usize>start
  const sensitive = hasMarks<T>(coarse, start)
  const slot = nextSlot(black)
  const shares = slot + 2 * coarse.copies
  const zero = f64x2.splat(0)
  const one = f64x2.splat(1)
  const heldLow = f64x2.mul(f64x2.splat(DIRICHLET_SHARE), two(a, b, HELD))
  const heldHigh = f64x2.mul(f64x2.splat(DIRICHLET_SHARE), two(c, d, HELD))
  const D = toVector<T>(heldLow, heldHigh)
  v128.store(slot, D, 16)
  // Diagonals: with D in f64, and with D as it is stored, which rows that can change have.
  let low = heldLow
  let high = heldHigh
  let storedLow = lowOf<T>(D)
  let storedHigh = highOf<T>(D)
  let openLow = f64x2.eq(heldLow, zero)
  let openHigh = f64x2.eq(heldHigh, zero)
  let linked = 0
  let count = 0
  beginBlock()
  for (let direction = 0; direction < 6; direction++) {
    const at = slot + ((<usize>direction) << 4)
    const sumLow = two(a, b, (<usize>direction) << 3)
    const sumHigh = two(c, d, (<usize>direction) << 3)
    const hasLow = f64x2.ne(sumLow, zero)
    const hasHigh = f64x2.ne(sumHigh, zero)
    const has = sizeof<T>() == 4 ? i32x4.bitmask(v128.shuffle<i32>(hasLow, hasHigh, 0, 2, 4, 6)) : i64x2.bitmask(hasLow)
    let weightLow = zero
    let weightHigh = zero
    let shareLow = zero
    let shareHigh = zero
    if (has) {
      const step = stepTo<T>(neighbourAt(direction, I), start, has)
      if (step == NO_STEP) return false
      setStep(direction, step)
      linked |= has
      count += popcnt(has)
      const half = halves + ((<usize>((direction >> 1) * coarse.rows + start)) << 3)
      const beyond = half + ((<usize>step) << 3)
      shareLow = v128.and(hasLow, shareOf(sumLow, v128.load(half), v128.load(beyond)))
      weightLow = f64x2.mul(shareLow, sumLow)
      if (sizeof<T>() == 4) {
        shareHigh = v128.and(hasHigh, shareOf(sumHigh, v128.load(half, 16), v128.load(beyond, 16)))
        weightHigh = f64x2.mul(shareHigh, sumHigh)
      }
    }
    if (direction < 4 || !coarse.flat) {
      openLow = v128.and(openLow, f64x2.eq(weightLow, f64x2.splat(coarse.weight)))
      openHigh = v128.and(openHigh, f64x2.eq(weightHigh, f64x2.splat(coarse.weight)))
    }
    const weight = toVector<T>(weightLow, weightHigh)
    v128.store(at, weight, 32)
    low = f64x2.add(low, lowOf<T>(weight))
    if (sizeof<T>() == 4) high = f64x2.add(high, highOf<T>(weight))
    if (!sensitive) continue
    storedLow = f64x2.add(storedLow, lowOf<T>(weight))
    if (sizeof<T>() == 4) storedHigh = f64x2.add(storedHigh, highOf<T>(weight))
    v128.store(at + coarse.copies, weight, 32)
    v128.store(shares + ((<usize>direction) << 4), toVector<T>(shareLow, shareHigh), 32)
  }
  const open = sizeof<T>() == 4 ? i32x4.bitmask(v128.shuffle<i32>(openLow, openHigh, 0, 2, 4, 6)) : i64x2.bitmask(openLow)
  setFlags<T>(coarse.flags + <usize>start, linked, open)
  if (open == (1 << lanes<T>()) - 1 && !sensitive) {
    addOpenBlock<T>(coarse, black, start)
    return true
  }
  const inverse = toVector<T>(inverseOf(low, one, zero), inverseOf(high, one, zero))
  v128.store(slot, inverse)
  if (sensitive) {
    const stored = toVector<T>(inverseOf(storedLow, one, zero), inverseOf(storedHigh, one, zero))
    v128.store(slot + coarse.copies, v128.bitselect(stored, inverse, maskOf<T>(marks)))
    v128.store(slot + coarse.copies, D, 16)
  }
  addSlotBlock<T>(coarse, black, start, count)
  return true
}

/** Fills in a row from the sums of its part, without shares. Returns false, without doing anything, if it has no sums or several neighbours
 *  in a direction. */
export function fillFromSums(coarse: Level, row: i32, into: Row): bool {
  const sums = load<usize>(sumsOf + ((<usize>row) << 2))
  if (!sums) return false
  const I = load<i32>(coarse.cell + ((<usize>row) << 2))
  for (let direction = 0; direction < 6; direction++)
    if (load<f64>(sums + ((<usize>direction) << 3)) != 0 && load<i32>(neighbourAt(direction, I)) < 0) return false
  for (let direction = 0; direction < 6; direction++) {
    const at = changetype<usize>(into) + ((<usize>direction) << 3)
    store<f64>(at, load<f64>(sums + ((<usize>direction) << 3)))
    store<i32>(changetype<usize>(into) + offsetof<Row>('n0') + ((<usize>direction) << 2), load<i32>(neighbourAt(direction, I)))
  }
  into.D = DIRICHLET_SHARE * load<f64>(sums, HELD)
  return true
}

/** Are the rows in neighbouring blocks of one colour, or padding? */
@inline
function isStraight<T>(cells: usize, I: i32): bool {
  if (sizeof<T>() == 8) {
    const second = load<i32>(cells, 4)
    return second < 0 || second == I + 2
  }
  const found = v128.load(cells)
  const straight = i32x4.eq(found, i32x4.add(i32x4.splat(I), i32x4(0, 2, 4, 6)))
  return i32x4.all_true(v128.or(straight, i32x4.lt_s(found, i32x4.splat(0))))
}

const NO_STEP: i32 = i32.MIN_VALUE

/** The step of rows with a link, whose bits are set in `has`, to their neighbours. */
@inline
function stepTo<T>(at: usize, start: i32, has: i32): i32 {
  const lane = ctz(has)
  const column = load<i32>(at + ((<usize>lane) << 3))
  const step = column - start - lane
  if (column < 0) return NO_STEP
  if (sizeof<T>() == 8) return has < 3 || load<i32>(at, 8) == column + 1 ? step : NO_STEP
  const columns = v128.shuffle<i32>(v128.load(at), v128.load(at, 16), 0, 2, 4, 6)
  const same = i32x4.bitmask(i32x4.eq(columns, i32x4.add(i32x4.splat(start + step), i32x4(0, 1, 2, 3))))
  return has & ~same ? NO_STEP : step
}

@inline
function two(a: usize, b: usize, offset: usize): v128 {
  return v128.load_lane<f64>(b + offset, v128.load64_zero(a + offset), 1)
}

@inline
function shareOf(sum: v128, half: v128, beyond: v128): v128 {
  const one = f64x2.splat(1)
  const share = f64x2.div(one, f64x2.add(one, f64x2.mul(sum, f64x2.add(half, beyond))))
  // As max, but one instruction.
  return f64x2.pmax(share, f64x2.splat(MIN_SHARE))
}

@inline
function inverseOf(sum: v128, one: v128, zero: v128): v128 {
  return v128.and(f64x2.gt(sum, zero), f64x2.div(one, sum))
}

/** Values of f64 in the precision of the vectors. */
@inline
function toVector<T>(low: v128, high: v128): v128 {
  return sizeof<T>() == 4 ? narrow(low, high) : low
}

@inline
function lowOf<T>(vector: v128): v128 {
  return sizeof<T>() == 4 ? f64x2.promote_low_f32x4(vector) : vector
}

@inline
function highOf<T>(vector: v128): v128 {
  return sizeof<T>() == 4 ? f64x2.promote_low_f32x4(v128.shuffle<i32>(vector, vector, 2, 3, 2, 3)) : vector
}

/** All ones in the lanes of rows that are marked. */
@inline
function maskOf<T>(marks: usize): v128 {
  const four = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(marks)))
  const wide = sizeof<T>() == 4 ? four : i64x2.extend_low_i32x4_u(four)
  return sizeof<T>() == 4 ? i32x4.ne(wide, i32x4.splat(0)) : i64x2.ne(wide, i64x2.splat(0))
}

@inline
function setFlags<T>(flags: usize, linked: i32, open: i32): void {
  const bytes = spread(linked) * <u32>LINKED + spread(open) * <u32>OPEN_ROW
  if (sizeof<T>() == 4) store<u32>(flags, bytes)
  else store<u16>(flags, <u16>bytes)
}

/** A byte for each of four bits. */
@inline
function spread(bits: i32): u32 {
  return (<u32>bits * 0x00204081) & 0x01010101
}
