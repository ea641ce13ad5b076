/** The problem of a coarse level: right-hand side and residual. */
import { jobOf, largestOf, setSum } from '../../../../machine/kernels/job'
import { pieceOf, isPinned, Level, runLoop } from '../level'
import { shift } from './stencil'

@unmanaged
export class SumRightSideJob {
  level: Level
  /** f of the level above, and of this one. */
  fine: usize
  f: usize
}

/** f of a level as the sum over the children of each row. */
export function sumRightSide(level: Level, fine: usize, f: usize): void {
  const task = jobOf<SumRightSideJob>()
  task.level = level
  task.fine = fine
  task.f = f
  runLoop(level, sumRightSidePiece)
}

@piece
export function sumRightSidePiece<T>(piece: i32): void {
  const task = jobOf<SumRightSideJob>()
  const level = task.level
  const here = pieceOf(level, piece)
  const next = pieceOf(level, piece + 1)
  sumRows<T>(level, here.redRow, next.redRow, task.fine, task.f)
  sumRows<T>(level, here.blackRow, next.blackRow, task.fine, task.f)
}

function sumRows<T>(level: Level, from: i32, to: i32, fine: usize, f: usize): void {
  for (let row = <usize>from; row < <usize>to; row++) {
    let sum = 0.0
    const end = load<i32>(level.childStart + (row << 3), 4)
    for (let c = load<i32>(level.childStart + (row << 3)); c < end; c++)
      sum += <f64>load<T>(fine + ((<usize>load<i32>(level.children + ((<usize>c) << 2))) << shift<T>()))
    store<T>(f + (row << shift<T>()), <T>sum)
  }
}

@unmanaged
export class CoarseResidualJob {
  level: Level
}

/** r = f − r on free rows, 0 on others; the largest of them. */
export function subtractFromRightSide(level: Level): f64 {
  jobOf<CoarseResidualJob>().level = level
  runLoop(level, coarseResidualPiece)
  return largestOf(level.pieceCount, 0)
}

@piece
export function coarseResidualPiece<T>(piece: i32): void {
  const level = jobOf<CoarseResidualJob>().level
  const here = pieceOf(level, piece)
  const next = pieceOf(level, piece + 1)
  setSum(piece, 0, max(subtractRows<T>(level, here.redRow, next.redRow), subtractRows<T>(level, here.blackRow, next.blackRow)))
}

function subtractRows<T>(level: Level, from: i32, to: i32): f64 {
  let most = 0.0
  for (let row = <usize>from; row < <usize>to; row++) {
    const r = level.r + (row << shift<T>())
    const value: T = isPinned(level, <i32>row) ? 0 : load<T>(level.f + (row << shift<T>())) - load<T>(r)
    store<T>(r, value)
    most = max(most, abs(<f64>value))
  }
  return most
}
