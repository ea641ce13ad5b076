/** The residual of the finest level in f64: the answer is as exact as the problem, whatever the precision of the cycles. */
import { clearPinned, setBase } from '../contacts/active-set'
import { jobOf, larger, setSum } from '../../../../machine/kernels/job'
import { pieceOf, ENTRY, lanes, Level, LISTED, Record, RECORD, runLoop, SLOT, UNIFORM } from '../level'
import { threadCount } from '../../../../machine/kernels/pool'
import { bytes, narrow, shift, sumFlat, sumUniform } from './stencil'

/** Exact coefficients of a slot: the diagonal, and behind it six weights unless those of the slot are exact already. A word for each slot
 *  holds their address, and in its lowest bits whether there are weights and which rows are contacts. */
const WHOLE: usize = 16

@inline
function vector<T>(): usize {
  return <usize>lanes<T>() * 8
}

/** Bytes of exact coefficients, at most. */
@inline
export function exactSlot<T>(): usize {
  return sizeof<T>() == 4 ? 7 * vector<T>() : vector<T>()
}

// Where this thread writes the next exact coefficients.
let redEnd: usize = 0
let blackEnd: usize = 0

/** To be called before the slots of a piece are filled, given the first of each colour. */
export function beginExact<T>(level: Level, redSlot: usize, blackSlot: usize): void {
  redEnd = level.exact + ((redSlot - level.redSlots) / SLOT) * exactSlot<T>()
  blackEnd = level.exact + ((blackSlot - level.redSlots) / SLOT) * exactSlot<T>()
}

/** Where the exact coefficients of the next slot of a colour belong; there is room for all of them. */
@inline
export function nextExact(black: bool): usize {
  return black ? blackEnd : redEnd
}

/** Keeps the diagonal of the coefficients that were written there, and with `whole` the weights too. `contacts`: a bit for each
 *  row. */
@inline
export function keepExact<T>(level: Level, slot: usize, black: bool, contacts: usize, whole: bool): void {
  const word = nextExact(black) | contacts | (whole ? WHOLE : 0)
  store<usize>(exactWord(level, slot), word)
  const bytes = whole ? exactSlot<T>() : vector<T>()
  if (black) blackEnd += bytes
  else redEnd += bytes
}

@inline
function exactWord(level: Level, slot: usize): usize {
  return level.exactWords + ((slot - level.redSlots) / SLOT) * 4
}

@unmanaged
export class RefreshJob {
  level: Level
}

/** p += x, x = 0, and then r = −(A p + b), and the base of contacts. Sums of a piece: the largest |A p + b| over rows that are not
 *  contacts, NaN if any is not finite; and over free contacts. */
export function refresh(level: Level): void {
  jobOf<RefreshJob>().level = level
  const count = level.pieceCount
  if (threadCount() > 1) {
    runLoop(level, absorbPiece)
    runLoop(level, exactPiece)
    return
  }
  if (level.wide) refreshAlone<f64>(count)
  else refreshAlone<f32>(count)
}

/** Both loops at once, one a piece behind the other: links reach at most to the next piece, and values are still in the cache. */
function refreshAlone<T>(count: i32): void {
  for (let piece = 0; piece <= count; piece++) {
    if (piece < count) absorbPiece<T>(piece)
    if (piece > 0) exactPiece<T>(piece - 1)
  }
}

@piece
export function absorbPiece<T>(piece: i32): void {
  const level = jobOf<RefreshJob>().level
  const here = pieceOf(level, piece)
  const next = pieceOf(level, piece + 1)
  absorbRows<T>(here.redRow, next.redRow, level.p, level.x)
  absorbRows<T>(here.blackRow, next.blackRow, level.p, level.x)
  clearPinned(level, here.contact, next.contact)
}

function absorbRows<T>(from: i32, to: i32, p: usize, x: usize): void {
  let at = p + ((<usize>from) << 3)
  const end = x + ((<usize>to) << shift<T>())
  for (let part = x + ((<usize>from) << shift<T>()); part < end; part += 16) {
    const values = v128.load(part)
    v128.store(part, v128.splat<T>(<T>0))
    if (sizeof<T>() == 4) {
      const upper = v128.shuffle<f32>(values, values, 2, 3, 2, 3)
      v128.store(at, f64x2.add(v128.load(at), f64x2.promote_low_f32x4(values)))
      v128.store(at, f64x2.add(v128.load(at, 16), f64x2.promote_low_f32x4(upper)), 16)
      at += 32
    } else {
      v128.store(at, f64x2.add(v128.load(at), values))
      at += 16
    }
  }
}

@piece
export function exactPiece<T>(piece: i32): void {
  const level = jobOf<RefreshJob>().level
  const here = pieceOf(level, piece)
  const red = exactRecords<T>(level, here.redFrom, here.redTo)
  const black = exactRecords<T>(level, here.blackFrom, here.blackTo)
  setSum(piece, 0, larger(red, black))
  setSum(piece, 1, setBase<T>(level, here.contact, pieceOf(level, piece + 1).contact))
}

/** r = −(A p + b) on all rows, pinned or free. */
function exactRecords<T>(level: Level, from: usize, end: usize): f64 {
  const p = level.p
  const b = level.b
  const r = level.r
  const zero = f64x2.splat(0)
  let largest = zero
  let broken = zero
  const flat = level.flat != 0
  const six = f64x2.splat(flat ? 4 : 6)
  for (let at = from; at < end; at += RECORD) {
    const record = changetype<Record>(at)
    const d0 = bytes<f64>(record.d0)
    const d1 = bytes<f64>(record.d1)
    const d2 = bytes<f64>(record.d2)
    const d3 = bytes<f64>(record.d3)
    const d4 = bytes<f64>(record.d4)
    const d5 = bytes<f64>(record.d5)
    let pAt = p + ((<usize>record.start) << 3)
    let bAt = b + ((<usize>record.start) << 3)
    let rAt = r + ((<usize>record.start) << shift<T>())
    const rEnd = rAt + ((<usize>record.blocks) << 4)
    const kind = record.kind
    if (kind == UNIFORM) {
      for (; rAt < rEnd; rAt += 16, pAt += vector<T>(), bAt += vector<T>()) {
        const low = openRows(pAt, bAt, flat, six, d0, d1, d2, d3, d4, d5)
        const high = sizeof<T>() == 4 ? openRows(pAt + 16, bAt + 16, flat, six, d0, d1, d2, d3, d4, d5) : low
        broken = f64x2.add(broken, f64x2.add(f64x2.mul(low, zero), f64x2.mul(high, zero)))
        largest = f64x2.pmax(largest, f64x2.pmax(f64x2.abs(low), f64x2.abs(high)))
        v128.store(rAt, sizeof<T>() == 4 ? f32x4.neg(narrow(low, high)) : f64x2.neg(low))
      }
      continue
    }
    let slot = record.slots
    let word = exactWord(level, slot)
    for (; rAt < rEnd; rAt += 16, pAt += vector<T>(), bAt += vector<T>(), slot += SLOT, word += 4) {
      const bits = load<usize>(word)
      const exact = bits & ~(vector<T>() - 1)
      let low = f64x2.add(v128.load(bAt), f64x2.mul(v128.load(exact), v128.load(pAt)))
      let high = low
      if (sizeof<T>() == 4) high = f64x2.add(v128.load(bAt, 16), f64x2.mul(v128.load(exact, 16), v128.load(pAt, 16)))
      if (kind == LISTED) {
        low = f64x2.sub(low, listedSums(slot, 0, p))
        if (sizeof<T>() == 4) high = f64x2.sub(high, listedSums(slot, 2, p))
      } else if (sizeof<T>() == 4 && bits & WHOLE) {
        low = without(low, v128.load(exact, 32), v128.load(pAt + d0))
        high = without(high, v128.load(exact, 48), v128.load(pAt + d0, 16))
        low = without(low, v128.load(exact, 64), v128.load(pAt + d1))
        high = without(high, v128.load(exact, 80), v128.load(pAt + d1, 16))
        low = without(low, v128.load(exact, 96), v128.load(pAt + d2))
        high = without(high, v128.load(exact, 112), v128.load(pAt + d2, 16))
        low = without(low, v128.load(exact, 128), v128.load(pAt + d3))
        high = without(high, v128.load(exact, 144), v128.load(pAt + d3, 16))
        low = without(low, v128.load(exact, 160), v128.load(pAt + d4))
        high = without(high, v128.load(exact, 176), v128.load(pAt + d4, 16))
        low = without(low, v128.load(exact, 192), v128.load(pAt + d5))
        high = without(high, v128.load(exact, 208), v128.load(pAt + d5, 16))
      } else {
        low = without(low, lowOf<T>(slot + 32), v128.load(pAt + d0))
        low = without(low, lowOf<T>(slot + 48), v128.load(pAt + d1))
        low = without(low, lowOf<T>(slot + 64), v128.load(pAt + d2))
        low = without(low, lowOf<T>(slot + 80), v128.load(pAt + d3))
        low = without(low, lowOf<T>(slot + 96), v128.load(pAt + d4))
        low = without(low, lowOf<T>(slot + 112), v128.load(pAt + d5))
        if (sizeof<T>() == 4) {
          high = without(high, lowOf<T>(slot + 40), v128.load(pAt + d0, 16))
          high = without(high, lowOf<T>(slot + 56), v128.load(pAt + d1, 16))
          high = without(high, lowOf<T>(slot + 72), v128.load(pAt + d2, 16))
          high = without(high, lowOf<T>(slot + 88), v128.load(pAt + d3, 16))
          high = without(high, lowOf<T>(slot + 104), v128.load(pAt + d4, 16))
          high = without(high, lowOf<T>(slot + 120), v128.load(pAt + d5, 16))
        }
      }
      if (sizeof<T>() == 8) high = low
      broken = f64x2.add(broken, f64x2.add(f64x2.mul(low, zero), f64x2.mul(high, zero)))
      const contacts = i64x2.splat(bits)
      largest = f64x2.pmax(largest, f64x2.abs(unless(low, contacts, i64x2(1, 2))))
      if (sizeof<T>() == 4) largest = f64x2.pmax(largest, f64x2.abs(unless(high, contacts, i64x2(4, 8))))
      v128.store(rAt, sizeof<T>() == 4 ? f32x4.neg(narrow(low, high)) : f64x2.neg(low))
    }
  }
  const most = max<f64>(f64x2.extract_lane(largest, 0), f64x2.extract_lane(largest, 1))
  return most + (f64x2.extract_lane(broken, 0) + f64x2.extract_lane(broken, 1))
}

/** A p + b of two rows of open liquid, whose links weigh 1 on the finest level. */
@inline
function openRows(
  pAt: usize,
  bAt: usize,
  flat: bool,
  six: v128,
  d0: usize,
  d1: usize,
  d2: usize,
  d3: usize,
  d4: usize,
  d5: usize,
): v128 {
  const sum = flat ? sumFlat<f64>(pAt, d0, d1, d2, d3) : sumUniform<f64>(pAt, d0, d1, d2, d3, d4, d5)
  return f64x2.add(f64x2.sub(f64x2.mul(six, v128.load(pAt)), sum), v128.load(bAt))
}

@inline
function without(sum: v128, weights: v128, values: v128): v128 {
  return f64x2.sub(sum, f64x2.mul(weights, values))
}

/** Two weights of a slot. */
@inline
function lowOf<T>(at: usize): v128 {
  return sizeof<T>() == 4 ? f64x2.promote_low_f32x4(v128.load64_zero(at)) : v128.load(at)
}

/** 0 in the lanes that have their bit. */
@inline
function unless(values: v128, bits: v128, lanes: v128): v128 {
  return v128.andnot(values, i64x2.eq(v128.and(bits, lanes), lanes))
}

function listedSums(slot: usize, lane: usize, p: usize): v128 {
  return f64x2.replace_lane(f64x2.splat(listedSum(slot, lane, p)), 1, listedSum(slot, lane + 1, p))
}

function listedSum(slot: usize, lane: usize, p: usize): f64 {
  let sum = 0.0
  const end = <usize>load<u32>(slot + (lane << 2), 48)
  for (let entry = <usize>load<u32>(slot + (lane << 2), 32); entry < end; entry += ENTRY)
    sum += load<f64>(entry, 16) * load<f64>(p + ((<usize>load<u32>(entry)) << 3))
  return sum
}
