/** The problem of a coarse level: right-hand side and residual. */
import { largestOf, pointer, setPointer, setSum } from './jobs'
import { chunkOf, isOff, Level } from './level'
import { COARSE_RESIDUAL, SUM_RIGHT_SIDE } from './loops'
import { run } from './pool'
import { shift } from './stencil'

/** f of a level as the sum over the children of each row. */
export function sumRightSide(wide: i32, level: Level, fine: usize, f: usize): void {
  setPointer(0, changetype<usize>(level))
  setPointer(1, fine)
  setPointer(2, f)
  run(SUM_RIGHT_SIDE + wide, level.chunkCount)
}

export function sumRightSideChunk<T>(chunk: i32): void {
  const level = changetype<Level>(pointer(0))
  const here = chunkOf(level, chunk)
  const next = chunkOf(level, chunk + 1)
  sumRows<T>(level, here.redRow, next.redRow)
  sumRows<T>(level, here.blackRow, next.blackRow)
}

function sumRows<T>(level: Level, from: i32, to: i32): void {
  const fine = pointer(1)
  const f = pointer(2)
  for (let row = <usize>from; row < <usize>to; row++) {
    let sum = 0.0
    const end = load<i32>(level.childStart + (row << 3), 4)
    for (let c = load<i32>(level.childStart + (row << 3)); c < end; c++)
      sum += <f64>load<T>(fine + (<usize>load<i32>(level.children + (<usize>c << 2)) << shift<T>()))
    store<T>(f + (row << shift<T>()), <T>sum)
  }
}

/** r = f − r on rows that are on, 0 on others; the largest of them. */
export function subtractFromRightSide(wide: i32, level: Level): f64 {
  setPointer(0, changetype<usize>(level))
  run(COARSE_RESIDUAL + wide, level.chunkCount)
  return largestOf(level.chunkCount, 0)
}

export function coarseResidualChunk<T>(chunk: i32): void {
  const level = changetype<Level>(pointer(0))
  const here = chunkOf(level, chunk)
  const next = chunkOf(level, chunk + 1)
  setSum(chunk, 0, max(subtractRows<T>(level, here.redRow, next.redRow), subtractRows<T>(level, here.blackRow, next.blackRow)))
}

function subtractRows<T>(level: Level, from: i32, to: i32): f64 {
  let most = 0.0
  for (let row = <usize>from; row < <usize>to; row++) {
    const r = level.r + (row << shift<T>())
    const value: T = isOff(level, <i32>row) ? 0 : load<T>(level.f + (row << shift<T>())) - load<T>(r)
    store<T>(r, value)
    most = max(most, abs(<f64>value))
  }
  return most
}
