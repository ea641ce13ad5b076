/** Red-black Gauss–Seidel. */
import { jobOf } from '../../../../machine/kernels/job'
import { pieceOf, Level, LISTED, Record, RECORD, UNIFORM } from '../level'
import { bytes, shift, slotAt, sumFlat, sumListed, sumUniform, sumWeighted } from './stencil'

@unmanaged
export class SmoothJob {
  level: Level
  f: usize
  x: usize
  /** Least value of each row, or 0 if there is none. */
  floor: usize
  /** 1 for black rows, 0 for red ones. */
  black: i32
}

/** x = (f + Σ w x) / diagonal on one colour; where there is a floor, not below it. */
@piece
export function smoothPiece<T>(piece: i32): void {
  const task = jobOf<SmoothJob>()
  const level = task.level
  const black = task.black != 0
  const here = pieceOf(level, piece)
  const from = black ? here.blackFrom : here.redFrom
  smoothRecords<T>(level, from, black ? here.blackTo : here.redTo, task.f, task.x, task.floor)
}

export function smoothRecords<T>(level: Level, from: usize, end: usize, f: usize, x: usize, floor: usize): void {
  const weight = v128.splat<T>(<T>level.weight)
  const inverse = v128.splat<T>(<T>level.inverse)
  for (let at = from; at < end; at += RECORD) {
    const record = changetype<Record>(at)
    const offset = (<usize>record.start) << shift<T>()
    const d0 = bytes<T>(record.d0)
    const d1 = bytes<T>(record.d1)
    const d2 = bytes<T>(record.d2)
    const d3 = bytes<T>(record.d3)
    const d4 = bytes<T>(record.d4)
    const d5 = bytes<T>(record.d5)
    const blocks = <usize>record.blocks
    let fAt = f + offset
    let xAt = x + offset
    const xEnd = xAt + (blocks << 4)
    if (record.kind == UNIFORM) {
      if (level.flat) {
        for (; xAt < xEnd; xAt += 16, fAt += 16)
          v128.store(xAt, v128.mul<T>(inverse, v128.add<T>(v128.load(fAt), v128.mul<T>(weight, sumFlat<T>(xAt, d0, d1, d2, d3)))))
      } else {
        for (; xAt < xEnd; xAt += 16, fAt += 16)
          v128.store(
            xAt,
            v128.mul<T>(inverse, v128.add<T>(v128.load(fAt), v128.mul<T>(weight, sumUniform<T>(xAt, d0, d1, d2, d3, d4, d5)))),
          )
      }
      continue
    }
    if (record.kind == LISTED) {
      smoothListed<T>(record, f, x, floor)
      continue
    }
    if (floor == 0) {
      for (let slot = slotAt(record, 0); xAt < xEnd; xAt += 16, fAt += 16, slot += 128) {
        const sum = v128.add<T>(v128.load(fAt), sumWeighted<T>(slot, xAt, d0, d1, d2, d3, d4, d5))
        v128.store(xAt, v128.mul<T>(sum, v128.load(slot)))
      }
    } else {
      // Clamped as it is written: clamping after the sweep would have another fixed point.
      let floorAt = floor + offset
      for (let slot = slotAt(record, 0); xAt < xEnd; xAt += 16, fAt += 16, slot += 128, floorAt += 16) {
        const sum = v128.add<T>(v128.load(fAt), sumWeighted<T>(slot, xAt, d0, d1, d2, d3, d4, d5))
        v128.store(xAt, v128.pmax<T>(v128.load(floorAt), v128.mul<T>(sum, v128.load(slot))))
      }
    }
  }
}

function smoothListed<T>(record: Record, f: usize, x: usize, floor: usize): void {
  const offset = (<usize>record.start) << shift<T>()
  const end = offset + ((<usize>record.blocks) << 4)
  for (let at = offset, slot = slotAt(record, 0); at < end; at += 16, slot += 128) {
    const sum = v128.add<T>(v128.load(f + at), sumListed<T>(slot, x))
    const value = v128.mul<T>(sum, v128.load(slot))
    v128.store(x + at, floor ? v128.pmax<T>(v128.load(floor + at), value) : value)
  }
}

/** Gauss–Seidel from x = 0 on red: x = f / diagonal. */
@piece
export function smoothFromZeroPiece<T>(piece: i32): void {
  const task = jobOf<SmoothJob>()
  smoothRowsFromZero<T>(task.level, piece, task.f, task.x)
}

export function smoothRowsFromZero<T>(level: Level, piece: i32, f: usize, x: usize): void {
  const here = pieceOf(level, piece)
  const inverse = v128.splat<T>(<T>level.inverse)
  const end = here.redTo
  for (let at = here.redFrom; at < end; at += RECORD) {
    const record = changetype<Record>(at)
    const offset = (<usize>record.start) << shift<T>()
    let fAt = f + offset
    let xAt = x + offset
    const xEnd = xAt + ((<usize>record.blocks) << 4)
    if (record.kind == UNIFORM) {
      for (; xAt < xEnd; xAt += 16, fAt += 16) v128.store(xAt, v128.mul<T>(inverse, v128.load(fAt)))
    } else {
      for (let slot = slotAt(record, 0); xAt < xEnd; xAt += 16, fAt += 16, slot += 128)
        v128.store(xAt, v128.mul<T>(v128.load(slot), v128.load(fAt)))
    }
  }
}
