/** The finest level in f64: what makes the answer as exact as the problem, whatever precision the cycles run in. */
import { pointer, setSum } from './jobs'
import { chunkOf, ENTRY, lanes, Level, LISTED, Record, RECORD, SLOT, UNIFORM } from './level'
import { narrow, shift } from './stencil'

/** Vectors of a slot: diagonal, six weights, and all ones where the row is a contact. */
const VECTORS: usize = 8

@inline
export function exactSlot<T>(): usize {
  return VECTORS * lanes<T>() * 8
}

/** Exact slot that belongs to a slot of the level. */
@inline
export function exactOf<T>(level: Level, slot: usize, black: bool): usize {
  return black
    ? level.blackExact + ((slot - level.blackSlots) / SLOT) * exactSlot<T>()
    : level.redExact + ((slot - level.redSlots) / SLOT) * exactSlot<T>()
}

/** p += x, x = 0. */
export function absorbChunk<T>(chunk: i32): void {
  const level = changetype<Level>(pointer(0))
  const p = pointer(1)
  const x = pointer(2)
  const here = chunkOf(level, chunk)
  const next = chunkOf(level, chunk + 1)
  absorbRows<T>(here.redRow, next.redRow, p, x)
  absorbRows<T>(here.blackRow, next.blackRow, p, x)
}

function absorbRows<T>(from: i32, to: i32, p: usize, x: usize): void {
  let at = p + (<usize>from << 3)
  const end = x + (<usize>to << shift<T>())
  for (let part = x + (<usize>from << shift<T>()); part < end; part += 16) {
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

/** r = −(A p + b) on all rows, on or off; the largest |A p + b| over rows that are no contacts, NaN if any is not finite. */
export function exactChunk<T>(chunk: i32): void {
  const level = changetype<Level>(pointer(0))
  const here = chunkOf(level, chunk)
  const red = exactRecords<T>(level, here.redFrom, here.redTo, false)
  const black = exactRecords<T>(level, here.blackFrom, here.blackTo, true)
  setSum(chunk, 0, red <= black ? black : red)
}

function exactRecords<T>(level: Level, from: usize, end: usize, black: bool): f64 {
  const p = pointer(1)
  const b = pointer(2)
  const r = pointer(3)
  let largest = f64x2.splat(0)
  let broken = f64x2.splat(0)
  const zero = f64x2.splat(0)
  const six = f64x2.splat(level.flat ? 4 : 6)
  const weight = f64x2.splat(level.weight)
  for (let at = from; at < end; at += RECORD) {
    const record = changetype<Record>(at)
    const d0 = <usize>(<isize>record.d0 << 3)
    const d1 = <usize>(<isize>record.d1 << 3)
    const d2 = <usize>(<isize>record.d2 << 3)
    const d3 = <usize>(<isize>record.d3 << 3)
    const d4 = <usize>(<isize>record.d4 << 3)
    const d5 = <usize>(<isize>record.d5 << 3)
    let pAt = p + (<usize>record.start << 3)
    let bAt = b + (<usize>record.start << 3)
    let rAt = r + (<usize>record.start << shift<T>())
    const rEnd = rAt + (<usize>record.blocks << 4)
    const kind = record.kind
    let slot = record.slots
    let exact: usize = kind == UNIFORM ? 0 : exactOf<T>(level, slot, black)
    for (; rAt < rEnd; rAt += 16) {
      let low: v128 = zero
      let high: v128 = zero
      for (let half: usize = 0; half < <usize>lanes<T>() / 2; half++, pAt += 16, bAt += 16) {
        let w: v128
        let counted: v128
        if (kind == UNIFORM) {
          let sum = f64x2.add(f64x2.add(v128.load(pAt + d0), v128.load(pAt + d1)), f64x2.add(v128.load(pAt + d2), v128.load(pAt + d3)))
          if (!level.flat) sum = f64x2.add(sum, f64x2.add(v128.load(pAt + d4), v128.load(pAt + d5)))
          w = f64x2.mul(weight, f64x2.sub(f64x2.mul(six, v128.load(pAt)), sum))
          w = f64x2.add(w, v128.load(bAt))
          counted = w
        } else {
          const e = exact + (half << 4)
          w = f64x2.add(v128.load(bAt), f64x2.mul(v128.load(e), v128.load(pAt)))
          if (kind == LISTED) {
            w = f64x2.sub(w, listedSums<T>(slot, half, p))
          } else {
            const stride = <usize>lanes<T>() * 8
            w = f64x2.sub(w, f64x2.mul(v128.load(e + stride), v128.load(pAt + d0)))
            w = f64x2.sub(w, f64x2.mul(v128.load(e + 2 * stride), v128.load(pAt + d1)))
            w = f64x2.sub(w, f64x2.mul(v128.load(e + 3 * stride), v128.load(pAt + d2)))
            w = f64x2.sub(w, f64x2.mul(v128.load(e + 4 * stride), v128.load(pAt + d3)))
            w = f64x2.sub(w, f64x2.mul(v128.load(e + 5 * stride), v128.load(pAt + d4)))
            w = f64x2.sub(w, f64x2.mul(v128.load(e + 6 * stride), v128.load(pAt + d5)))
          }
          counted = v128.andnot(w, v128.load(e + 7 * <usize>lanes<T>() * 8))
        }
        broken = f64x2.add(broken, f64x2.mul(w, zero))
        largest = f64x2.pmax(largest, f64x2.abs(counted))
        if (half == 0) low = f64x2.neg(w)
        else high = f64x2.neg(w)
      }
      let values: v128
      if (sizeof<T>() == 4) {
        values = narrow(low, high)
      } else values = low
      if (kind != UNIFORM) {
        slot += SLOT
        exact += exactSlot<T>()
      }
      v128.store(rAt, values)
    }
  }
  const most = max<f64>(f64x2.extract_lane(largest, 0), f64x2.extract_lane(largest, 1))
  return most + (f64x2.extract_lane(broken, 0) + f64x2.extract_lane(broken, 1))
}

function listedSums<T>(slot: usize, half: usize, p: usize): v128 {
  const first = f64x2.splat(listedSum(slot, 2 * half, p))
  return f64x2.replace_lane(first, 1, listedSum(slot, 2 * half + 1, p))
}

function listedSum(slot: usize, lane: usize, p: usize): f64 {
  let sum = 0.0
  const end = <usize>load<u32>(slot + (lane << 2), 48)
  for (let entry = <usize>load<u32>(slot + (lane << 2), 32); entry < end; entry += ENTRY)
    sum += load<f64>(entry, 16) * load<f64>(p + (<usize>load<u32>(entry) << 3))
  return sum
}
