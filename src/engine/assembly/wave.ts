/** Several loops over a level at once, one behind the other, so that what one has brought into the cache serves the next. Each piece of work
 *  goes through the stages in turn; a stage takes a piece when the one before it is through with that piece and those beside it, which is as
 *  far as links reach. The values are those that one loop after the other leaves, bit for bit, whoever takes the pieces. */
import { finishPiece } from './conjugate'
import { pointer, setPointer } from './jobs'
import { chunkOf, Level } from './level'
import { WAVE } from './loops'
import { advance, awaitAtLeast, run, runAlone, threadCount } from './pool'
import { smoothFromZeroChunk, smoothRecords } from './smooth'
import { prolongChunk, restrictPiece } from './transfer'

/** Of every piece: stages it has been through. Between the sums of jobs.ts and the static data. */
const PROGRESS: usize = 20480

/** Arguments 0, 2, 3, 4 are level, f, x and the coarse vector. Downwards: red from 0, black, further sweeps, restriction; upwards:
 *  prolongation, sweeps of black and red, and unless `q` is 0 the product as of `finishPiece`. */
export function wave(wide: i32, level: Level, sweeps: i32, down: bool, q: usize, Az: usize): void {
  const stages = 2 * sweeps + (q ? 2 : 1)
  const alone = threadCount() == 1 || level.chunkCount == 1
  // Among threads a stage follows at a distance, so that it seldom has to wait.
  const lag = alone ? 1 : 2
  setPointer(5, stages)
  setPointer(6, down ? 1 : 0)
  setPointer(7, lag)
  setPointer(8, q)
  setPointer(9, Az)
  const pieces = (level.chunkCount + lag * (stages - 1)) * stages
  if (alone) runAlone(WAVE + wide, pieces)
  else {
    memory.fill(PROGRESS, 0, <usize>level.chunkCount << 2)
    run(WAVE + wide, pieces)
  }
}

export function waveChunk<T>(piece: i32): void {
  const level = changetype<Level>(pointer(0))
  const stages = <i32>pointer(5)
  const lag = <i32>pointer(7)
  const stage = piece % stages
  const chunk = piece / stages - lag * stage
  if (chunk < 0 || chunk >= level.chunkCount) return
  if (lag > 1)
    for (let beside = max(0, chunk - 1); beside <= min(chunk + 1, level.chunkCount - 1); beside++)
      awaitAtLeast(PROGRESS + (<usize>beside << 2), stage)
  const down = pointer(6) != 0
  if (stage == 0) {
    if (down) smoothFromZeroChunk<T>(chunk)
    else prolongChunk<T>(chunk)
  } else if (down && stage == stages - 1) restrictPiece<T>(chunk, stages == 3)
  else if (pointer(8) && stage == stages - 1) finishPiece<T>(level, chunk, pointer(3), pointer(2), pointer(8), pointer(9))
  else {
    const here = chunkOf(level, chunk)
    if (stage & 1) smoothRecords<T>(level, here.blackFrom, here.blackTo, pointer(2), pointer(3), 0)
    else smoothRecords<T>(level, here.redFrom, here.redTo, pointer(2), pointer(3), 0)
  }
  if (lag > 1) advance(PROGRESS + (<usize>chunk << 2), stage + 1)
}
