/** Loops cut into pieces that threads take one by one. The caller works too and never waits for a thread that holds no piece, so a busy
 *  machine costs time but never stalls.
 *
 *  What keeps this free of races:
 *  - Which loop runs and which of its pieces are left is one word. A thread holds a piece once it has moved that word on, so a
 *    thread that comes late, even from an older loop, takes a piece of the loop that runs now or none. The number of a loop only wakes
 *    threads; nothing goes wrong when it starts over at 0.
 *  - A loop ends when all of its pieces are done, so its arguments stay in place while anybody holds one.
 *  - Whoever goes to sleep first says so and then looks again; whoever changes a word first changes it and then looks for sleepers.
 *  - Whoever takes a piece first catches up with the size of the memory.
 *  - Threads have globals of their own and the module has no static data: what pieces read is in memory, behind the arguments. */
import { runPiece } from './dispatch'
import { CALLER_SLEEPS, CLAIM, DONE, GENERATION, HELPED, LAST_THREAD, PIECE_SLEEPERS, SLEEPERS, STOP } from '../header'
import { catchUp } from './memory'

/** Sleeps until the word at `at` is no longer `value`, or a while has passed. A function of the host, because the instruction for it
 *  hangs in the baseline compiler of Node 20, and because the first thread of a page must not sleep. */
@external("env", "park")
declare function park(at: usize, value: i32): void

const OPERATION_SHIFT: u64 = 48
const END_SHIFT: u64 = 24
const PIECE_MASK: u64 = (1 << 24) - 1
/** That all threads take the first piece. */
const IN_ORDER: u64 = 1 << 63

/** Turns of a waiting loop before a thread goes to sleep: about half a millisecond. Small loops follow each other faster, and
 *  waking a thread on an idle core takes longer than many a loop. */
const SPINS: i32 = 400000

let threads: i32 = 1
/** Number of this thread; that of the caller is 0. */
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

/** The caller takes pieces from the first on and further threads from the last, so that loops over the same pieces find what they need in
 *  the caches of the same cores. */
export function run(operation: i32, pieces: i32): void {
  start(operation, pieces, 0)
}

/** A loop that is there for f32 and for f64: 1 for the latter. */
@inline
export function runWide(wide: i32, operation: i32, pieces: i32): void {
  start(operation + wide, pieces, 0)
}

/** The same by type. */
@inline
export function runFor<T>(operation: i32, pieces: i32): void {
  start(operation + (sizeof<T>() == 8 ? 1 : 0), pieces, 0)
}

/** All threads take the first piece that is left: for pieces that wait for earlier ones, and where the last ones must not be the largest. */
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

/** Waits, within a piece, until an earlier piece of the same loop has made a word as large as `least`. Pieces are taken in order, so whoever
 *  has to do that is at it or through. */
export function awaitAtLeast(at: usize, least: i32): void {
  let spins = 0
  for (;;) {
    const value = atomic.load<i32>(at)
    if (value >= least) return
    if (atomic.load<i32>(DONE) < 0) unreachable()
    if (++spins < SPINS) continue
    atomic.add<i32>(PIECE_SLEEPERS, 1)
    if (atomic.load<i32>(at) == value) park(at, value)
    atomic.sub<i32>(PIECE_SLEEPERS, 1)
  }
}

/** Makes a word larger that pieces may be waiting for. */
export function advance(at: usize, value: i32): void {
  atomic.store<i32>(at, value)
  if (atomic.load<i32>(PIECE_SLEEPERS) > 0) atomic.notify(at, 64)
}

function runTogether(operation: i32, pieces: i32, order: u64): void {
  atomic.store<i32>(DONE, 0)
  atomic.store<u64>(CLAIM, order | (<u64>operation << OPERATION_SHIFT) | (<u64>pieces << END_SHIFT))
  atomic.add<i32>(GENERATION, 1)
  if (atomic.load<i32>(SLEEPERS) > 0) atomic.notify(GENERATION, threads)
  takePieces()
  let spins = 0
  for (;;) {
    const done = atomic.load<i32>(DONE)
    if (done == pieces) break
    if (done < 0) unreachable()
    if (++spins < SPINS) continue
    atomic.store<i32>(CALLER_SLEEPS, 1)
    if (atomic.load<i32>(DONE) == done) park(DONE, done)
    atomic.store<i32>(CALLER_SLEEPS, 0)
  }
  catchUp()
}

function takePieces(): void {
  for (;;) {
    const claim = atomic.load<u64>(CLAIM)
    const first = claim & PIECE_MASK
    const end = (claim >> END_SHIFT) & PIECE_MASK
    if (first >= end) break
    const takesLast = thread > 0 && (claim & IN_ORDER) == 0
    if (atomic.cmpxchg<u64>(CLAIM, claim, takesLast ? claim - (<u64>1 << END_SHIFT) : claim + 1) != claim) continue
    catchUp()
    runPiece(<i32>((claim & ~IN_ORDER) >> OPERATION_SHIFT), <i32>(takesLast ? end - 1 : first))
    // Before the piece counts as done, so that whoever has waited for it finds it counted here.
    if (thread > 0) atomic.add<i32>(HELPED, 1)
    atomic.add<i32>(DONE, 1)
    if (atomic.load<i32>(CALLER_SLEEPS)) atomic.notify(DONE, 1)
  }
}

/** What a further thread does until the pool ends. */
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
      if (++spins < SPINS) continue
      atomic.add<i32>(SLEEPERS, 1)
      if (atomic.load<i32>(GENERATION) == seen) park(GENERATION, seen)
      atomic.sub<i32>(SLEEPERS, 1)
      spins = 0
    }
    takePieces()
  }
}

/** Lets all threads leave `work`. */
export function stopThreads(): void {
  atomic.store<i32>(STOP, 1)
  // Nobody goes to sleep after this: the number has changed.
  atomic.add<i32>(GENERATION, 1)
  atomic.notify(GENERATION, 64)
}
