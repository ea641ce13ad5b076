/** Loops cut into pieces that threads claim one by one. The caller works too and never waits for a thread that holds no piece, so a busy
 *  machine costs time but never stalls.
 *
 *  Why there are no races:
 *  - The loop that runs and its unclaimed pieces are one word. A thread holds a piece once it has advanced that word, so a late thread,
 *    even from an older loop, claims a piece of the loop that runs now or none. The number of a loop only wakes threads and may wrap.
 *  - A loop ends when all of its pieces are done, so its arguments stay valid while a thread holds a piece.
 *  - A thread announces that it sleeps and then checks the word again; a thread that changes the word changes it first and then checks for
 *    sleepers.
 *  - A thread that claims a piece first updates its view of the memory.
 *  - Threads have their own globals and the module has no static data: pieces read memory, reached from the arguments. */
import { runPiece } from './dispatch'
import { CALLER_SLEEPS, CLAIM, DONE, GENERATION, HELPED, LAST_THREAD, PIECE_SLEEPERS, SLEEPERS, STOP } from '../header'
import { catchUp } from './memory'

/** Sleeps until the word at `at` is no longer `value`, or a time limit has passed. A function of the host, because the instruction for it
 *  hangs in the baseline compiler of Node 20, and because the first thread of a page must not sleep. */
@external("env", "park")
declare function park(at: usize, value: i32): void

const OPERATION_SHIFT: u64 = 48
const END_SHIFT: u64 = 24
const PIECE_MASK: u64 = (1 << 24) - 1
/** Bit that makes all threads claim the first piece that is left. */
const IN_ORDER: u64 = 1 << 63

/** Turns of a waiting loop before a thread sleeps: about half a millisecond. Small loops follow each other faster, and waking a
 *  thread on an idle core takes longer than many loops. */
const MAX_SPINS: i32 = 400000

let threads: i32 = 1
/** Number of this thread; the caller is 0. */
let thread: i32 = 0

export function threadNumber(): i32 {
  return thread
}

export function threadCount(): i32 {
  return threads
}

export function setThreads(count: i32): void {
  threads = count
}

/** The caller claims pieces from the first on and other threads from the last, so that loops over the same pieces find their data in the
 *  caches of the same cores. */
export function run(operation: i32, pieces: i32): void {
  start(operation, pieces, 0)
}

/** A loop that exists for f32 and f64; `wide` is 1 for f64. */
@inline
export function runWide(wide: i32, operation: i32, pieces: i32): void {
  start(operation + wide, pieces, 0)
}

/** The same by type. */
@inline
export function runFor<T>(operation: i32, pieces: i32): void {
  start(operation + (sizeof<T>() == 8 ? 1 : 0), pieces, 0)
}

/** All threads claim the first piece that is left: for pieces that wait for earlier ones, or if the last pieces are the largest. */
export function runInOrder(operation: i32, pieces: i32): void {
  start(operation, pieces, IN_ORDER)
}

function start(operation: i32, pieces: i32, order: u64): void {
  if (threads > 1 && pieces > 1) {
    runTogether(operation, pieces, order)
    return
  }
  for (let piece = 0; piece < pieces; piece++) runPiece(operation, piece)
}

/** Waits, within a piece, until an earlier piece of the same loop has made a word as large as `least`. Pieces are claimed in order, so that
 *  piece is in progress or done. */
export function awaitAtLeast(at: usize, least: i32): void {
  let spins = 0
  for (;;) {
    const value = atomic.load<i32>(at)
    if (value >= least) return
    if (atomic.load<i32>(DONE) < 0) unreachable()
    if (++spins < MAX_SPINS) continue
    atomic.add<i32>(PIECE_SLEEPERS, 1)
    if (atomic.load<i32>(at) == value) park(at, value)
    atomic.sub<i32>(PIECE_SLEEPERS, 1)
  }
}

/** Increases a word that pieces may wait for. */
export function advance(at: usize, value: i32): void {
  atomic.store<i32>(at, value)
  if (atomic.load<i32>(PIECE_SLEEPERS) > 0) atomic.notify(at, 64)
}

function runTogether(operation: i32, pieces: i32, order: u64): void {
  atomic.store<i32>(DONE, 0)
  atomic.store<u64>(CLAIM, order | ((<u64>operation) << OPERATION_SHIFT) | ((<u64>pieces) << END_SHIFT))
  atomic.add<i32>(GENERATION, 1)
  if (atomic.load<i32>(SLEEPERS) > 0) atomic.notify(GENERATION, threads)
  claimPieces()
  let spins = 0
  for (;;) {
    const done = atomic.load<i32>(DONE)
    if (done == pieces) break
    if (done < 0) unreachable()
    if (++spins < MAX_SPINS) continue
    atomic.store<i32>(CALLER_SLEEPS, 1)
    if (atomic.load<i32>(DONE) == done) park(DONE, done)
    atomic.store<i32>(CALLER_SLEEPS, 0)
  }
  catchUp()
}

function claimPieces(): void {
  for (;;) {
    const claim = atomic.load<u64>(CLAIM)
    const first = claim & PIECE_MASK
    const end = (claim >> END_SHIFT) & PIECE_MASK
    if (first >= end) break
    const claimsLast = thread > 0 && (claim & IN_ORDER) == 0
    if (atomic.cmpxchg<u64>(CLAIM, claim, claimsLast ? claim - ((<u64>1) << END_SHIFT) : claim + 1) != claim) continue
    catchUp()
    runPiece(<i32>((claim & ~IN_ORDER) >> OPERATION_SHIFT), <i32>(claimsLast ? end - 1 : first))
    // Before the piece counts as done, so that the caller finds it counted.
    if (thread > 0) atomic.add<i32>(HELPED, 1)
    atomic.add<i32>(DONE, 1)
    if (atomic.load<i32>(CALLER_SLEEPS)) atomic.notify(DONE, 1)
  }
}

/** The main loop of all threads but the caller, until the pool ends. */
export function work(): void {
  thread = atomic.add<i32>(LAST_THREAD, 1) + 1
  let seen = 0
  for (;;) {
    let spins = 0
    for (;;) {
      if (atomic.load<i32>(STOP)) return
      const generation = atomic.load<i32>(GENERATION)
      if (generation != seen) {
        seen = generation
        break
      }
      if (++spins < MAX_SPINS) continue
      atomic.add<i32>(SLEEPERS, 1)
      if (atomic.load<i32>(GENERATION) == seen) park(GENERATION, seen)
      atomic.sub<i32>(SLEEPERS, 1)
      spins = 0
    }
    claimPieces()
  }
}

/** Makes all threads return from `work`. */
export function stopThreads(): void {
  atomic.store<i32>(STOP, 1)
  // No thread sleeps after this: the number has changed.
  atomic.add<i32>(GENERATION, 1)
  atomic.notify(GENERATION, 64)
}
