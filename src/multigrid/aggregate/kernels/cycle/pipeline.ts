/** Loops over a level in a pipeline: a piece of one loop begins as soon as the loop before has finished that piece and its neighbours, which is
 *  as far as links reach. So threads do not wait for each other between loops. The values have the same bits as if the loops ran one after
 *  the other.
 *
 *  The level is cut into as many ranges of pieces as there are threads, and each thread keeps its range through all loops, so that values
 *  stay in the cache of its core. A thread that would have to wait, or has finished, helps with other ranges. A piece is claimed only if it
 *  can be done at once, and among the unclaimed pieces those of the earliest loop wait only for pieces that are being done, so there is
 *  no deadlock. */
import { finishRows } from './conjugate'
import { PROGRESS, TAKEN } from '../../../../machine/header'
import { jobOf } from '../../../../machine/kernels/job'
import { pieceOf, Level } from '../level'
import { advance, awaitAtLeast, runWide, threadCount } from '../../../../machine/kernels/pool'
import { smoothRecords, smoothRowsFromZero } from './smooth'
import { prolongRows, restrictRows } from './transfer'

const PROGRESS_SHIFT: usize = 5
const TAKEN_SHIFT: usize = 6
const MAX_RANGES: i32 = 64

/** Rounds over all ranges before a thread waits for a single piece. */
const MAX_ROUNDS: i32 = 1000

@unmanaged
export class ChainJob {
  level: Level
  f: usize
  x: usize
  /** The vector of the next level: what is restricted to, or prolonged from. */
  coarse: usize
  /** 1 if `finishRows` is to follow on the way up. */
  finishes: i32
  /** 1 on the way down. */
  down: i32
  loops: i32
  ranges: i32
}

/** Downwards: red from 0, black, further sweeps, restriction; upwards: prolongation, sweeps of black and red, and with `finishes` the
 *  product as of `finishRows`. The caller has filled in the arguments, except `loops` and `ranges`. */
export function chain(task: ChainJob, sweeps: i32): void {
  const wide = task.level.wide
  const pieces = task.level.pieceCount
  task.loops = 2 * sweeps + (task.finishes ? 2 : 1)
  if (threadCount() == 1 || pieces == 1) {
    if (wide) chainAlone<f64>(task)
    else chainAlone<f32>(task)
    return
  }
  const ranges = min(min(threadCount(), pieces), MAX_RANGES)
  task.ranges = ranges
  memory.fill(PROGRESS, 0, (<usize>pieces) << PROGRESS_SHIFT)
  memory.fill(TAKEN, 0, (<usize>ranges) << TAKEN_SHIFT)
  runWide(wide, chainPiece, ranges)
}

function chainAlone<T>(task: ChainJob): void {
  const pieces = task.level.pieceCount
  for (let loop = 0, loops = task.loops; loop < loops; loop++)
    for (let piece = 0; piece < pieces; piece++) doPiece<T>(task, loop, piece)
}

/** A range, and pieces of others meanwhile, until all pieces are claimed. */
@piece
export function chainPiece<T>(own: i32): void {
  const ranges = jobOf<ChainJob>().ranges
  let rounds = 0
  for (;;) {
    let found = tryNext<T>(own)
    for (let n = 1; n < ranges && found != FINISHED; n++) {
      const other = tryNext<T>((own + n) % ranges)
      if (found == NOTHING_LEFT || other == FINISHED) found = other
    }
    if (found == NOTHING_LEFT) return
    if (found == FINISHED) rounds = 0
    else if (++rounds > MAX_ROUNDS) awaitEarliest()
  }
}

const FINISHED: i32 = 0
const NOT_YET: i32 = 1
const NOTHING_LEFT: i32 = 2

/** Does the next piece of a range, if it can be done. */
function tryNext<T>(range: i32): i32 {
  const task = jobOf<ChainJob>()
  const from = firstOf(range)
  const width = firstOf(range + 1) - from
  const taken = TAKEN + ((<usize>range) << TAKEN_SHIFT)
  const step = atomic.load<i32>(taken)
  const loop = step / width
  if (loop >= task.loops) return NOTHING_LEFT
  const piece = from + (step % width)
  if (blockerOf(piece, loop) >= 0) return NOT_YET
  if (atomic.cmpxchg<i32>(taken, step, step + 1) != step) return FINISHED
  doPiece<T>(task, loop, piece)
  advance(progressOf(piece), loop + 1)
  return FINISHED
}

/** First piece of a loop in a range. */
@inline
function firstOf(range: i32): i32 {
  const task = jobOf<ChainJob>()
  return (range * task.level.pieceCount) / task.ranges
}

@inline
function progressOf(piece: i32): usize {
  return PROGRESS + ((<usize>piece) << PROGRESS_SHIFT)
}

/** A piece that the loop before has not finished, so that this one cannot begin; −1 if there is none. */
@inline
function blockerOf(piece: i32, loop: i32): i32 {
  const last = min(piece + 1, jobOf<ChainJob>().level.pieceCount - 1)
  for (let beside = max(0, piece - 1); beside <= last; beside++) if (atomic.load<i32>(progressOf(beside)) < loop) return beside
  return -1
}

/** Waits for the piece that blocks the next piece of the earliest loop; a thread is working on it. */
function awaitEarliest(): void {
  const task = jobOf<ChainJob>()
  let earliest = i32.MAX_VALUE
  let blocker = -1
  for (let range = 0; range < task.ranges; range++) {
    const from = firstOf(range)
    const width = firstOf(range + 1) - from
    const step = atomic.load<i32>(TAKEN + ((<usize>range) << TAKEN_SHIFT))
    const loop = step / width
    if (loop >= min(earliest, task.loops)) continue
    earliest = loop
    blocker = blockerOf(from + (step % width), loop)
  }
  if (blocker >= 0) awaitAtLeast(progressOf(blocker), earliest)
}

/** One piece of one of the loops. */
function doPiece<T>(task: ChainJob, loop: i32, piece: i32): void {
  const level = task.level
  const f = task.f
  const x = task.x
  const down = task.down != 0
  const last = task.loops - 1
  if (loop == 0) {
    if (down) smoothRowsFromZero<T>(level, piece, f, x)
    else prolongRows<T>(level, piece, x, task.coarse)
  } else if (down && loop == last) restrictRows<T>(level, piece, f, x, task.coarse, last == 2)
  else if (task.finishes && loop == last) finishRows<T>(level, piece, f)
  else {
    const here = pieceOf(level, piece)
    if (loop & 1) smoothRecords<T>(level, here.blackFrom, here.blackTo, f, x, 0)
    else smoothRecords<T>(level, here.redFrom, here.redTo, f, x, 0)
  }
}
