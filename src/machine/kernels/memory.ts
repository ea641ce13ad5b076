/** Memory is a stack: a solve allocates upwards and gives everything back at once. */
import { EXHAUSTED, LIST_END, PAGES, RESERVED, SCRATCH, SCRATCH_SIZE } from '../header'

let top: usize = RESERVED
/** What `releaseAll` leaves in use. */
let floor: usize = RESERVED

/** Has an allocation failed? */
export function isExhausted(): bool {
  return load<i32>(EXHAUSTED) != 0
}

/** 64-byte aligned, not cleared. Traps where memory does not suffice, and `isExhausted` tells. */
export function allocate(bytes: usize): usize {
  const at = (top + 63) & ~63
  const end = <u64>at + ((<u64>bytes + 63) & ~63)
  if (end >= ALL) giveUp()
  top = <usize>end
  reach(top)
  return at
}

/** All that addresses reach. */
const ALL: u64 = 1 << 32

/** More elements than fit, at any use: with 16 bytes each they take up nearly all that addresses reach, so no number of bytes below wraps. */
const MAX_COUNT: f64 = 250e6

/** Cells, nodes or pixels of a grid that arrays are made for. Gives up where they cannot fit, because products of 32 bits would start over
 *  at 0 and arrays would be too short. */
export function countOf(nx: i32, ny: i32, nz: i32): usize {
  if (!(<f64>nx * <f64>ny * <f64>nz <= MAX_COUNT)) giveUp()
  return <usize>nx * <usize>ny * <usize>nz
}

/** The same for bytes of an array, whose number may be larger. */
export function bytesOf(count: i32, size: i32): usize {
  const bytes = <u64>(<u32>count) * <u64>(<u32>size)
  if (bytes >= ALL - 64) giveUp()
  return <usize>bytes
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

function tellSize(): void {
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
  if (memory.size() < atomic.load<i32>(PAGES)) memory.grow(0)
}

/** From here on until `endList` memory grows by `append` alone. */
export function beginList(): void {
  store<usize>(LIST_END, (top + 63) & ~63)
}

/** Room for one piece of the list; any thread may ask for it. */
export function append(bytes: usize): usize {
  const at = atomic.add<usize>(LIST_END, bytes)
  if (at + bytes < at) giveUp()
  reach(at + bytes)
  return at
}

export function endList(): void {
  top = load<usize>(LIST_END)
}

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
