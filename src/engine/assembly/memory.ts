/** Memory is a stack: a solve allocates upwards and gives everything back at once. */

/** First bytes of the memory: static data of this module and the words of the thread pool. */
const RESERVED: usize = 65536

let top: usize = RESERVED
let exhausted: bool = false

/** Has an allocation failed? */
export function isExhausted(): bool {
  return exhausted
}

/** 64-byte aligned, not cleared. Traps where memory does not suffice, and `isExhausted` tells. */
export function allocate(bytes: usize): usize {
  top = (top + 63) & ~63
  return extend((bytes + 63) & ~63)
}

/** Right behind what was allocated last, for a list that grows while nothing else does. */
export function extend(bytes: usize): usize {
  const at = top
  const end = at + bytes
  // Room behind the last array, because vectors are loaded whole and neighbours of padding are read but never used.
  const pages = <i32>((<u64>end + 256 + 0xffff) >> 16)
  const missing = pages - memory.size()
  if (end < at || (missing > 0 && memory.grow(missing) < 0)) {
    exhausted = true
    unreachable()
  }
  top = end
  return at
}

/** How far memory is in use, for `release`. */
export function mark(): usize {
  return top
}

export function release(to: usize): void {
  top = to
}

export function releaseAll(): void {
  top = RESERVED
  offer(0, 0)
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

/** A vector of `rows` values with a guard of zeros on both sides. */
export function allocateVector<T>(rows: i32): usize {
  const bytes = (<usize>rows * sizeof<T>() + 63) & ~63
  const at = allocateLow(bytes + 128)
  memory.fill(at, 0, bytes + 128)
  return at + 64
}
