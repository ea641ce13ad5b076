/** Memory is a stack: a solve allocates upwards and gives everything back at once. */

/** First bytes of the memory: static data of this module and the words of the thread pool. */
const RESERVED: usize = 65536

let top: usize = RESERVED
/** What `releaseAll` leaves in use. */
let floor: usize = RESERVED

/** Set when an allocation has failed. In memory, because a global is seen by the thread alone that sets it. */
const EXHAUSTED: usize = 576

/** Has an allocation failed? */
export function isExhausted(): bool {
  return load<i32>(EXHAUSTED) != 0
}

/** 64-byte aligned, not cleared. Traps where memory does not suffice, and `isExhausted` tells. */
export function allocate(bytes: usize): usize {
  const at = (top + 63) & ~63
  top = at + ((bytes + 63) & ~63)
  if (top < at) giveUp()
  reach(top)
  return at
}

function giveUp(): void {
  store<i32>(EXHAUSTED, 1)
  unreachable()
}

/** Room behind the last array too, because vectors are loaded whole and neighbours of padding are read but never used. */
function reach(end: usize): void {
  const missing = <i32>((<u64>end + 256 + 0xffff) >> 16) - memory.size()
  if (missing <= 0) return
  if (memory.grow(missing) < 0) giveUp()
  tellSize()
}

/** Pages of the memory, as far as any thread knows. */
const PAGES: usize = 704

function tellSize(): void {
  if (!ASC_FEATURE_THREADS) return
  for (;;) {
    const known = atomic.load<i32>(PAGES)
    const size = memory.size()
    if (size <= known || atomic.cmpxchg<i32>(PAGES, known, size) == known) return
  }
}

/** To be called by a thread before it touches what others have allocated. Hosts tell a thread late, or while it starts not at all, that
 *  memory has grown elsewhere; it then traps where it fills or copies. Growing by nothing makes it look. */
@inline
export function catchUp(): void {
  if (!ASC_FEATURE_THREADS) return
  if (memory.size() < atomic.load<i32>(PAGES)) memory.grow(0)
}

/** Where the list ends that all threads append to. */
const LIST_END: usize = 512

/** From here on until `endList` memory grows by `append` alone. */
export function beginList(): void {
  store<usize>(LIST_END, (top + 63) & ~63)
}

/** Room for one piece of the list; any thread may ask for it. */
export function append(bytes: usize): usize {
  let at: usize
  if (ASC_FEATURE_THREADS) at = atomic.add<usize>(LIST_END, bytes)
  else {
    at = load<usize>(LIST_END)
    store<usize>(LIST_END, at + bytes)
  }
  if (at + bytes < at) giveUp()
  reach(at + bytes)
  return at
}

export function endList(): void {
  top = load<usize>(LIST_END)
}

// Memory that every thread has for itself while a loop runs: where it begins, and how much each has.
const SCRATCH: usize = 520
const SCRATCH_SIZE: usize = 524

/** To be called by the one who starts loops, before one that needs it. In low memory. */
export function reserveScratch(bytes: usize, threads: i32): void {
  const size = (bytes + 127) & ~63
  store<usize>(SCRATCH, allocateLow(size * <usize>threads))
  store<usize>(SCRATCH_SIZE, size)
}

export function scratchOf(thread: i32): usize {
  return load<usize>(SCRATCH) + load<usize>(SCRATCH_SIZE) * <usize>thread
}

/** Clears a few bytes, a multiple of 16; for so little the instruction is a dear call. */
@inline
export function clearFew(at: usize, bytes: usize): void {
  for (const end = at + bytes; at < end; at += 16) v128.store(at, v128.splat<i32>(0))
}

/** How far memory is in use, for `release`. */
export function mark(): usize {
  return top
}

export function release(to: usize): void {
  top = to
}

export function releaseAll(): void {
  top = floor
  offer(0, 0)
}

/** All that is in use now stays, for as long as the memory is there. */
export function keepAll(): void {
  floor = top
}

// What an earlier stage has left free below the top.
let low: usize = 0
let lowEnd: usize = 0

/** Offers memory in use until now for `allocateLow`. */
export function offer(from: usize, to: usize): void {
  low = from
  lowEnd = to
}

/** From what was offered if it suffices, else from the top. 64-byte aligned, not cleared. */
export function allocateLow(bytes: usize): usize {
  const at = (low + 63) & ~63
  if (low == 0 || at + bytes > lowEnd || at + bytes < at) return allocate(bytes)
  low = at + bytes
  return at
}

export function markLow(): usize {
  return low
}

export function releaseLow(to: usize): void {
  low = to
}

/** A vector of `rows` values with a guard of zeros on both sides. Only with `cleared` are the values 0 too. */
export function allocateVector<T>(rows: i32, cleared: bool): usize {
  const bytes = (<usize>rows * sizeof<T>() + 63) & ~63
  const at = allocateLow(bytes + 128)
  if (cleared) memory.fill(at, 0, bytes + 128)
  else {
    clearFew(at, 64)
    clearFew(at + 64 + bytes, 64)
  }
  return at + 64
}
