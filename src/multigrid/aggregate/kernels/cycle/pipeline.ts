/** Loops over a level in a chain: a piece of one begins as soon as the loop before is through with that piece and those beside it, which is
 *  as far as links reach. So threads need not wait for each other between loops. The values are the same, bit for bit, as one loop after
 *  the other leaves them.
 *
 *  The level is cut into as many stretches as there are threads, and each has its own through all loops, so that it finds its values in the
 *  cache of its core. Who has to wait, or is through, helps with others: nobody takes a piece that cannot be done at once, and of the pieces
 *  that nobody has taken yet, those of the earliest loop wait only for some that are being done. */
import { finishRows } from './conjugate'
import { PROGRESS, TAKEN } from '../../../../machine/header'
import { jobOf } from '../../../../machine/kernels/job'
import { chunkOf, Level } from '../level'
import { advance, awaitAtLeast, runWide, threadCount } from '../../../../machine/kernels/pool'
import { smoothRecords, smoothRowsFromZero } from './smooth'
import { prolongRows, restrictRows } from './transfer'

const PROGRESS_SHIFT: usize = 5
const TAKEN_SHIFT: usize = 6
const MOST_STRETCHES: i32 = 64

/** Looks at all stretches before a thread waits for a single piece. */
const LOOKS: i32 = 1000

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
  stretches: i32
}

/** Downwards: red from 0, black, further sweeps, restriction; upwards: prolongation, sweeps of black and red, and with `finishes` the
 *  product as of `finishRows`. The caller has filled in the arguments, except `loops` and `stretches`. */
export function chain(task: ChainJob, sweeps: i32): void {
  const wide = task.level.wide
  const pieces = task.level.chunkCount
  task.loops = 2 * sweeps + (task.finishes ? 2 : 1)
  if (threadCount() == 1 || pieces == 1) {
    if (wide) chainAlone<f64>(task)
    else chainAlone<f32>(task)
    return
  }
  const stretches = min(min(threadCount(), pieces), MOST_STRETCHES)
  task.stretches = stretches
  memory.fill(PROGRESS, 0, <usize>pieces << PROGRESS_SHIFT)
  memory.fill(TAKEN, 0, <usize>stretches << TAKEN_SHIFT)
  runWide(wide, chainPiece, stretches)
}

function chainAlone<T>(task: ChainJob): void {
  const pieces = task.level.chunkCount
  for (let loop = 0, loops = task.loops; loop < loops; loop++)
    for (let piece = 0; piece < pieces; piece++) doPiece<T>(task, loop, piece)
}

/** A stretch, and whatever else can be done meanwhile, until all pieces are taken. */
@piece
export function chainPiece<T>(own: i32): void {
  const stretches = jobOf<ChainJob>().stretches
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
  const task = jobOf<ChainJob>()
  const from = firstOf(stretch)
  const width = firstOf(stretch + 1) - from
  const taken = TAKEN + (<usize>stretch << TAKEN_SHIFT)
  const step = atomic.load<i32>(taken)
  const loop = step / width
  if (loop >= task.loops) return NOTHING_LEFT
  const piece = from + (step % width)
  if (hindranceOf(piece, loop) >= 0) return NOT_YET
  if (atomic.cmpxchg<i32>(taken, step, step + 1) != step) return DONE
  doPiece<T>(task, loop, piece)
  advance(progressOf(piece), loop + 1)
  return DONE
}

/** First piece of a loop in a stretch. */
@inline
function firstOf(stretch: i32): i32 {
  const task = jobOf<ChainJob>()
  return (stretch * task.level.chunkCount) / task.stretches
}

@inline
function progressOf(piece: i32): usize {
  return PROGRESS + (<usize>piece << PROGRESS_SHIFT)
}

/** A piece with which the loop before is not through, so that this one cannot begin; −1 if there is none. */
@inline
function hindranceOf(piece: i32, loop: i32): i32 {
  const last = min(piece + 1, jobOf<ChainJob>().level.chunkCount - 1)
  for (let beside = max(0, piece - 1); beside <= last; beside++) if (atomic.load<i32>(progressOf(beside)) < loop) return beside
  return -1
}

/** Waits for what hinders the piece of the earliest loop among those that come next: somebody is at it. */
function awaitEarliest(): void {
  const task = jobOf<ChainJob>()
  let earliest = i32.MAX_VALUE
  let hindrance = -1
  for (let stretch = 0; stretch < task.stretches; stretch++) {
    const from = firstOf(stretch)
    const width = firstOf(stretch + 1) - from
    const step = atomic.load<i32>(TAKEN + (<usize>stretch << TAKEN_SHIFT))
    const loop = step / width
    if (loop >= min(earliest, task.loops)) continue
    earliest = loop
    hindrance = hindranceOf(from + (step % width), loop)
  }
  if (hindrance >= 0) awaitAtLeast(progressOf(hindrance), earliest)
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
    const here = chunkOf(level, piece)
    if (loop & 1) smoothRecords<T>(level, here.blackFrom, here.blackTo, f, x, 0)
    else smoothRecords<T>(level, here.redFrom, here.redTo, f, x, 0)
  }
}
