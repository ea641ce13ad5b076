/** Loops cut into pieces that threads take one by one. The caller works too and never waits for a thread that holds no piece, so a busy
 *  machine costs time but never stalls. */
import { runChunk } from './loops'

/** Sleeps until the word at `at` is no longer `value`, or a while has passed. A function of the host, because the instruction for it
 *  hangs in the baseline compiler of Node 20. */
// @ts-ignore: decorator
@external("env", "park")
declare function park(at: usize, value: i32): void

// Words that threads wait for or change, each in a cache line of its own.
const GENERATION: usize = 64
const CLAIM: usize = 128
const DONE: usize = 192
const OPERATION: usize = 256
const COUNT: usize = 260
const STOP: usize = 264
const SLEEPERS: usize = 320
const CALLER_SLEEPS: usize = 384
const LAST_THREAD: usize = 400
/** Set by the host when a thread has failed. */
const FAILED: usize = 448

/** Turns of a waiting loop before a thread goes to sleep: some tens of microseconds. */
const SPINS: i32 = 20000

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

export function run(operation: i32, chunks: i32): void {
  if (ASC_FEATURE_THREADS) {
    if (threads > 1 && chunks > 1) {
      runTogether(operation, chunks)
      return
    }
  }
  for (let chunk = 0; chunk < chunks; chunk++) runChunk(operation, chunk)
}

function runTogether(operation: i32, chunks: i32): void {
  const generation = atomic.load<i32>(GENERATION) + 1
  store<i32>(OPERATION, operation)
  store<i32>(COUNT, chunks)
  atomic.store<i32>(DONE, 0)
  // A thread that still looks for work of the last loop holds its number and cannot take a piece of this one.
  atomic.store<u64>(CLAIM, <u64>(<u32>generation) << 32)
  atomic.store<i32>(GENERATION, generation)
  if (atomic.load<i32>(SLEEPERS) > 0) atomic.notify(GENERATION, threads)
  takePieces(generation)
  let spins = 0
  for (;;) {
    const done = atomic.load<i32>(DONE)
    if (done >= chunks) return
    if (atomic.load<i32>(FAILED)) unreachable()
    if (++spins < SPINS) continue
    atomic.store<i32>(CALLER_SLEEPS, 1)
    if (atomic.load<i32>(DONE) == done) park(DONE, done)
    atomic.store<i32>(CALLER_SLEEPS, 0)
  }
}

function takePieces(generation: i32): void {
  for (;;) {
    const claim = atomic.load<u64>(CLAIM)
    if (<u32>(claim >> 32) != <u32>generation) return
    const chunk = <i32>claim
    const chunks = load<i32>(COUNT)
    if (chunk >= chunks) return
    if (atomic.cmpxchg<u64>(CLAIM, claim, claim + 1) != claim) continue
    runChunk(load<i32>(OPERATION), chunk)
    atomic.add<i32>(DONE, 1)
    if (atomic.load<i32>(CALLER_SLEEPS)) atomic.notify(DONE, 1)
  }
}

/** What a further thread does until the pool ends. */
export function work(): void {
  if (!ASC_FEATURE_THREADS) return
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
      if (atomic.load<i32>(GENERATION) == seen && !atomic.load<i32>(STOP)) park(GENERATION, seen)
      atomic.sub<i32>(SLEEPERS, 1)
      spins = 0
    }
    takePieces(seen)
  }
}

/** Lets all threads leave `work`. */
export function stopThreads(): void {
  if (!ASC_FEATURE_THREADS) return
  atomic.store<i32>(STOP, 1)
  atomic.notify(GENERATION, 64)
}
