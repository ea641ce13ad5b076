/** Loops over a level in a chain: a piece of one begins as soon as the loop before is through with that piece and those beside it, which is
 *  as far as links reach. So threads need not wait for each other between loops. The values are the same, bit for bit, as one loop after
 *  the other leaves them. */
import { finishPiece } from './conjugate'
import { pointer, setPointer } from './jobs'
import { chunkOf, Level } from './level'
import { CHAIN } from './loops'
import { advance, awaitAtLeast, run, threadCount } from './pool'
import { smoothFromZeroChunk, smoothRecords } from './smooth'
import { prolongChunk, restrictPiece } from './transfer'

/** Of every piece: how many loops are through with it. Between the sums of jobs.ts and the static data. */
export const PROGRESS: usize = 20480

/** Arguments 0, 2, 3, 4 are level, f, x and the coarse vector. Downwards: red from 0, black, further sweeps, restriction; upwards:
 *  prolongation, sweeps of black and red, and unless `q` is 0 the product as of `finishPiece`. */
export function chain(wide: i32, level: Level, sweeps: i32, down: bool, q: usize, Az: usize): void {
  const loops = 2 * sweeps + (q ? 2 : 1)
  const alone = threadCount() == 1 || level.chunkCount == 1
  setPointer(5, loops)
  setPointer(6, down ? 1 : 0)
  setPointer(8, q)
  setPointer(9, Az)
  if (alone) {
    if (wide) chainAlone<f64>(level, loops)
    else chainAlone<f32>(level, loops)
  } else {
    memory.fill(PROGRESS, 0, <usize>level.chunkCount << 2)
    run(CHAIN + wide, loops * level.chunkCount)
  }
}

function chainAlone<T>(level: Level, loops: i32): void {
  for (let loop = 0; loop < loops; loop++)
    for (let chunk = 0; chunk < level.chunkCount; chunk++) chainPiece<T>(level, loops, loop, chunk)
}

export function chainChunk<T>(piece: i32): void {
  const level = changetype<Level>(pointer(0))
  const loop = piece / level.chunkCount
  const chunk = piece % level.chunkCount
  for (let beside = max(0, chunk - 1); beside <= min(chunk + 1, level.chunkCount - 1); beside++)
    awaitAtLeast(PROGRESS + (<usize>beside << 2), loop)
  chainPiece<T>(level, <i32>pointer(5), loop, chunk)
  advance(PROGRESS + (<usize>chunk << 2), loop + 1)
}

function chainPiece<T>(level: Level, loops: i32, loop: i32, chunk: i32): void {
  const down = pointer(6) != 0
  if (loop == 0) {
    if (down) smoothFromZeroChunk<T>(chunk)
    else prolongChunk<T>(chunk)
  } else if (down && loop == loops - 1) restrictPiece<T>(chunk, loops == 3)
  else if (pointer(8) && loop == loops - 1) finishPiece<T>(level, chunk, pointer(3), pointer(2), pointer(8), pointer(9))
  else {
    const here = chunkOf(level, chunk)
    if (loop & 1) smoothRecords<T>(level, here.blackFrom, here.blackTo, pointer(2), pointer(3), 0)
    else smoothRecords<T>(level, here.redFrom, here.redTo, pointer(2), pointer(3), 0)
  }
}
