/** Between a level and the next: piecewise constant, and its transpose. */
import { jobOf } from '../../../../machine/kernels/job'
import { pieceOf, lanes, Level, LISTED, Record, RECORD, UNIFORM } from '../level'
import {
  bytes,
  flowFlat,
  flowListed,
  flowUniform,
  flowWeighted,
  onMask,
  shift,
  slotAt,
  sumFlat,
  sumListed,
  sumUniform,
  sumWeighted,
} from './stencil'

@unmanaged
export class TransferJob {
  level: Level
  f: usize
  x: usize
  /** A vector of the next level. */
  coarse: usize
}

/** Adds f − A x of the red rows to their parents. Pieces of work never share a parent: they begin at even planes. */
@piece
export function restrictPiece<T>(piece: i32): void {
  const task = jobOf<TransferJob>()
  restrictRows<T>(task.level, piece, task.f, task.x, task.coarse, false)
}

/** `fresh`: x on red is f / diagonal, so that the residual is Σ w x over the neighbours. */
export function restrictRows<T>(level: Level, piece: i32, f: usize, x: usize, coarse: usize, fresh: bool): void {
  const here = pieceOf(level, piece)
  const weight = v128.splat<T>(<T>level.weight)
  const parent = level.parent
  const end = here.redTo
  for (let at = here.redFrom; at < end; at += RECORD) {
    const record = changetype<Record>(at)
    const offset = (<usize>record.start) << shift<T>()
    const d0 = bytes<T>(record.d0)
    const d1 = bytes<T>(record.d1)
    const d2 = bytes<T>(record.d2)
    const d3 = bytes<T>(record.d3)
    const d4 = bytes<T>(record.d4)
    const d5 = bytes<T>(record.d5)
    let fAt = f + offset
    let xAt = x + offset
    let parentAt = parent + ((<usize>record.start) << 2)
    const xEnd = xAt + ((<usize>record.blocks) << 4)
    const kind = record.kind
    if (kind == UNIFORM) {
      const flat = level.flat
      for (; xAt < xEnd; xAt += 16, fAt += 16, parentAt += lanes<T>() * 4) {
        let left: v128
        if (fresh) left = v128.mul<T>(weight, flat ? sumFlat<T>(xAt, d0, d1, d2, d3) : sumUniform<T>(xAt, d0, d1, d2, d3, d4, d5))
        else {
          const flow = flat ? flowFlat<T>(xAt, d0, d1, d2, d3) : flowUniform<T>(xAt, d0, d1, d2, d3, d4, d5)
          left = v128.add<T>(v128.load(fAt), v128.mul<T>(weight, flow))
        }
        addToParents<T>(left, parentAt, coarse)
      }
    } else if (kind == LISTED) restrictListed<T>(record, fresh, f, x, parent, coarse)
    else {
      for (let slot = slotAt(record, 0); xAt < xEnd; xAt += 16, fAt += 16, slot += 128, parentAt += lanes<T>() * 4) {
        const left = fresh
          ? sumWeighted<T>(slot, xAt, d0, d1, d2, d3, d4, d5)
          : v128.add<T>(v128.load(fAt), flowWeighted<T>(slot, xAt, d0, d1, d2, d3, d4, d5))
        addToParents<T>(v128.and(left, onMask<T>(slot)), parentAt, coarse)
      }
    }
  }
}

function restrictListed<T>(record: Record, fresh: bool, f: usize, x: usize, parent: usize, coarse: usize): void {
  const offset = (<usize>record.start) << shift<T>()
  const end = offset + ((<usize>record.blocks) << 4)
  let parentAt = parent + ((<usize>record.start) << 2)
  for (let at = offset, slot = slotAt(record, 0); at < end; at += 16, slot += 128, parentAt += lanes<T>() * 4) {
    const left = fresh ? sumListed<T>(slot, x) : v128.add<T>(v128.load(f + at), flowListed<T>(slot, x, x + at))
    addToParents<T>(v128.and(left, onMask<T>(slot)), parentAt, coarse)
  }
}

/** Neighbouring rows of a colour mostly have neighbouring parents, of the two colours in turn: rows a, b, a + 1, b + 1. This is the difference
 *  of the last two to the first two then, as one word. */
const NEXT_TWO: u64 = 0x100000001

@inline
function addToParents<T>(values: v128, parentAt: usize, coarse: usize): void {
  if (sizeof<T>() == 4) {
    const two = load<u64>(parentAt)
    if (load<u64>(parentAt, 8) == two + NEXT_TWO) {
      const a = coarse + ((<usize>(<u32>two)) << 2)
      const b = coarse + ((<usize>(two >> 32)) << 2)
      const atA = v128.add<f32>(v128.load64_zero(a), v128.shuffle<f32>(values, values, 0, 2, 0, 2))
      v128.store_lane<u64>(a, atA, 0)
      const atB = v128.add<f32>(v128.load64_zero(b), v128.shuffle<f32>(values, values, 1, 3, 1, 3))
      v128.store_lane<u64>(b, atB, 0)
      return
    }
  }
  addTo<T>(coarse + ((<usize>load<u32>(parentAt)) << shift<T>()), v128.extract_lane<T>(values, 0))
  addTo<T>(coarse + ((<usize>load<u32>(parentAt, 4)) << shift<T>()), v128.extract_lane<T>(values, 1))
  if (sizeof<T>() == 4) {
    addTo<T>(coarse + ((<usize>load<u32>(parentAt, 8)) << shift<T>()), v128.extract_lane<T>(values, 2))
    addTo<T>(coarse + ((<usize>load<u32>(parentAt, 12)) << shift<T>()), v128.extract_lane<T>(values, 3))
  }
}

@inline
function addTo<T>(at: usize, value: T): void {
  store<T>(at, load<T>(at) + value)
}

/** x += the parent's value on free red rows. */
@piece
export function prolongPiece<T>(piece: i32): void {
  const task = jobOf<TransferJob>()
  prolongRows<T>(task.level, piece, task.x, task.coarse)
}

export function prolongRows<T>(level: Level, piece: i32, x: usize, coarse: usize): void {
  const here = pieceOf(level, piece)
  const end = here.redTo
  for (let at = here.redFrom; at < end; at += RECORD) {
    const record = changetype<Record>(at)
    let xAt = x + ((<usize>record.start) << shift<T>())
    let parentAt = level.parent + ((<usize>record.start) << 2)
    const xEnd = xAt + ((<usize>record.blocks) << 4)
    if (record.kind == UNIFORM) {
      for (; xAt < xEnd; xAt += 16, parentAt += lanes<T>() * 4)
        v128.store(xAt, v128.add<T>(v128.load(xAt), ofParents<T>(parentAt, coarse)))
    } else {
      for (let slot = slotAt(record, 0); xAt < xEnd; xAt += 16, slot += 128, parentAt += lanes<T>() * 4)
        v128.store(xAt, v128.add<T>(v128.load(xAt), v128.and(ofParents<T>(parentAt, coarse), onMask<T>(slot))))
    }
  }
}

@inline
function ofParents<T>(parentAt: usize, coarse: usize): v128 {
  if (sizeof<T>() == 4) {
    const two = load<u64>(parentAt)
    if (load<u64>(parentAt, 8) == two + NEXT_TWO) {
      const a = v128.load64_zero(coarse + ((<usize>(<u32>two)) << 2))
      const b = v128.load64_zero(coarse + ((<usize>(two >> 32)) << 2))
      return v128.shuffle<f32>(a, b, 0, 4, 1, 5)
    }
    let values = v128.load32_zero(coarse + ((<usize>load<u32>(parentAt)) << 2))
    values = v128.load_lane<f32>(coarse + ((<usize>load<u32>(parentAt, 4)) << 2), values, 1)
    values = v128.load_lane<f32>(coarse + ((<usize>load<u32>(parentAt, 8)) << 2), values, 2)
    return v128.load_lane<f32>(coarse + ((<usize>load<u32>(parentAt, 12)) << 2), values, 3)
  }
  const values = v128.load64_zero(coarse + ((<usize>load<u32>(parentAt)) << 3))
  return v128.load_lane<f64>(coarse + ((<usize>load<u32>(parentAt, 4)) << 3), values, 1)
}

/** x = the parent's value on all rows, 0 without parent: the answer of the next level as a start. */
@piece
export function carryUpPiece<T>(piece: i32): void {
  const task = jobOf<TransferJob>()
  const level = task.level
  const x = task.x
  const coarse = task.coarse
  const here = pieceOf(level, piece)
  const next = pieceOf(level, piece + 1)
  carryRows<T>(level, here.redRow, next.redRow, x, coarse)
  carryRows<T>(level, here.blackRow, next.blackRow, x, coarse)
}

function carryRows<T>(level: Level, from: i32, to: i32, x: usize, coarse: usize): void {
  for (let row = <usize>from; row < <usize>to; row += lanes<T>())
    v128.store(x + (row << shift<T>()), ofParents<T>(level.parent + (row << 2), coarse))
}
