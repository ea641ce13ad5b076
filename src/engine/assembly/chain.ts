/** Loops over a level in a chain: a piece of one begins as soon as the loop before is through with that piece and those beside it, which is
 *  as far as links reach. So threads need not wait for each other between loops. The values are the same, bit for bit, as one loop after
 *  the other leaves them.
 *
 *  The level is cut into as many stretches as there are threads, and each has its own through all loops, so that it finds its values in the
 *  cache of its core. Who has to wait, or is through, helps with others: nobody takes a piece that cannot be done at once, and of the pieces
 *  that nobody has taken yet, those of the earliest loop wait only for some that are being done. */
import { finishPiece } from './conjugate'
import { pointer, setPointer } from './jobs'
import { chunkOf, Level } from './level'
import { CHAIN } from './loops'
import { advance, awaitAtLeast, run, threadCount } from './pool'
import { smoothFromZeroChunk, smoothRecords } from './smooth'
import { prolongChunk, restrictPiece } from './transfer'

/** Of every piece: how many loops are through with it. Between the sums of jobs.ts and the static data. */
export const PROGRESS: usize = 20480
/** Two to a cache line: those of a stretch are written by one thread, mostly. */
const PROGRESS_SHIFT: usize = 5
/** Of every stretch: how many of its pieces are taken, loop by loop. A cache line each. */
const TAKEN: usize = 28672
const TAKEN_SHIFT: usize = 6
const MOST_STRETCHES: i32 = 64

/** Looks at all stretches before a thread waits for a single piece. */
const LOOKS: i32 = 1000

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
    return
  }
  const stretches = min(min(threadCount(), level.chunkCount), MOST_STRETCHES)
  setPointer(7, stretches)
  memory.fill(PROGRESS, 0, <usize>level.chunkCount << PROGRESS_SHIFT)
  memory.fill(TAKEN, 0, <usize>stretches << TAKEN_SHIFT)
  run(CHAIN + wide, stretches)
}

function chainAlone<T>(level: Level, loops: i32): void {
  for (let loop = 0; loop < loops; loop++)
    for (let chunk = 0; chunk < level.chunkCount; chunk++) chainPiece<T>(level, loops, loop, chunk)
}

/** A stretch, and whatever else can be done meanwhile, until all pieces are taken. */
export function chainChunk<T>(own: i32): void {
  if (!ASC_FEATURE_THREADS) return
  const stretches = <i32>pointer(7)
  let looks = 0
  for (;;) {
    let found = goOn<T>(own)
    for (let n = 1; n < stretches && found != DONE; n++) {
      const other = goOn<T>((own + n) % stretches)
      if (found == NOTHING_LEFT || other == DONE) found = other
    }
    if (found == NOTHING_LEFT) return
    if (found == DONE) looks = 0
    else if (++looks > LOOKS) awaitEarliest()
  }
}

const DONE: i32 = 0
const NOT_YET: i32 = 1
const NOTHING_LEFT: i32 = 2

/** Does the next piece of a stretch, if it can be done. */
function goOn<T>(stretch: i32): i32 {
  const level = changetype<Level>(pointer(0))
  const loops = <i32>pointer(5)
  const from = firstOf(stretch)
  const width = firstOf(stretch + 1) - from
  const taken = TAKEN + (<usize>stretch << TAKEN_SHIFT)
  const piece = atomic.load<i32>(taken)
  const loop = piece / width
  if (loop >= loops) return NOTHING_LEFT
  const chunk = from + (piece % width)
  if (hindranceOf(chunk, loop) >= 0) return NOT_YET
  if (atomic.cmpxchg<i32>(taken, piece, piece + 1) != piece) return DONE
  chainPiece<T>(level, loops, loop, chunk)
  advance(progressOf(chunk), loop + 1)
  return DONE
}

/** First piece of a loop in a stretch. */
@inline
function firstOf(stretch: i32): i32 {
  return (stretch * changetype<Level>(pointer(0)).chunkCount) / <i32>pointer(7)
}

@inline
function progressOf(chunk: i32): usize {
  return PROGRESS + (<usize>chunk << PROGRESS_SHIFT)
}

/** A piece with which the loop before is not through, so that this one cannot begin; −1 if there is none. */
@inline
function hindranceOf(chunk: i32, loop: i32): i32 {
  const last = min(chunk + 1, changetype<Level>(pointer(0)).chunkCount - 1)
  for (let beside = max(0, chunk - 1); beside <= last; beside++) if (atomic.load<i32>(progressOf(beside)) < loop) return beside
  return -1
}

/** Waits for what hinders the piece of the earliest loop among those that come next: somebody is at it. */
function awaitEarliest(): void {
  let earliest = i32.MAX_VALUE
  let hindrance = -1
  for (let stretch = 0; stretch < <i32>pointer(7); stretch++) {
    const from = firstOf(stretch)
    const width = firstOf(stretch + 1) - from
    const piece = atomic.load<i32>(TAKEN + (<usize>stretch << TAKEN_SHIFT))
    const loop = piece / width
    if (loop >= min(earliest, <i32>pointer(5))) continue
    earliest = loop
    hindrance = hindranceOf(from + (piece % width), loop)
  }
  if (hindrance >= 0) awaitAtLeast(progressOf(hindrance), earliest)
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
