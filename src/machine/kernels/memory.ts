/** Memory is a stack: a solve allocates upwards and releases everything at once. */
import { EXHAUSTED, LIST_END, PAGES, RESERVED, SCRATCH, SCRATCH_SIZE } from '../header'

let top: usize = RESERVED
/** End of the memory that `releaseAll` keeps. */
let floor: usize = RESERVED

/** Has an allocation failed? */
export function isExhausted(): bool {
  return load<i32>(EXHAUSTED) != 0
}

/** 64-byte aligned, not cleared. Traps if there is not enough memory; `isExhausted` is true then. */
export function allocate(bytes: usize): usize {
  const at = (top + 63) & ~63
  const end = <u64>at + ((<u64>bytes + 63) & ~63)
  if (end >= ALL) trapExhausted()
  top = <usize>end
  reach(top)
  return at
}

/** Bytes that addresses can reach. */
const ALL: u64 = 1 << 32

/** Maximum number of elements: with 16 bytes each they fill nearly the whole address space, so no number of bytes below wraps. */
const MAX_COUNT: f64 = 250e6

/** Number of cells, nodes or pixels of a grid. Traps if arrays of them cannot fit, because products of 32 bits would wrap and arrays be too
 *  short. */
export function countOf(nx: i32, ny: i32, nz: i32): usize {
  if (!(<f64>nx * <f64>ny * <f64>nz <= MAX_COUNT)) trapExhausted()
  return <usize>nx * <usize>ny * <usize>nz
}

/** The same for bytes of an array, whose number may be larger. */
export function bytesOf(count: i32, size: i32): usize {
  const bytes = <u64>(<u32>count) * <u64>(<u32>size)
  if (bytes >= ALL - 64) trapExhausted()
  return <usize>bytes
}

function trapExhausted(): void {
  store<i32>(EXHAUSTED, 1)
  unreachable()
}

/** Grows the memory. With space behind the last array, because whole vectors are loaded, and neighbours of padding are read but never
 *  used. */
function reach(end: usize): void {
  const missing = <i32>((<u64>end + 256 + 0xffff) >> 16) - memory.size()
  if (missing <= 0) return
  if (memory.grow(missing) < 0) trapExhausted()
  publishSize()
}

function publishSize(): void {
  for (;;) {
    const known = atomic.load<i32>(PAGES)
    const size = memory.size()
    if (size <= known || atomic.cmpxchg<i32>(PAGES, known, size) == known) return
  }
}

/** To be called by a thread before it accesses memory that others have allocated. Hosts notify a thread late, or not at all while it starts,
 *  that memory has grown elsewhere; it then traps when it fills or copies. Growing by 0 updates its view. */
@inline
export function catchUp(): void {
  if (memory.size() < atomic.load<i32>(PAGES)) memory.grow(0)
}

/** From here on until `endList` memory grows by `append` alone. */
export function beginList(): void {
  store<usize>(LIST_END, (top + 63) & ~63)
}

/** Memory at the end of the list; any thread may call it. */
export function append(bytes: usize): usize {
  const at = atomic.add<usize>(LIST_END, bytes)
  if (at + bytes < at) trapExhausted()
  reach(at + bytes)
  return at
}

export function endList(): void {
  top = load<usize>(LIST_END)
}

/** To be called by the caller of a loop that needs scratch memory. In low memory. */
export function reserveScratch(bytes: usize, threads: i32): void {
  const size = (bytes + 127) & ~63
  store<usize>(SCRATCH, allocateLow(size * <usize>threads))
  store<usize>(SCRATCH_SIZE, size)
}

export function scratchOf(thread: i32): usize {
  return load<usize>(SCRATCH) + load<usize>(SCRATCH_SIZE) * <usize>thread
}

/** Clears a few bytes, a multiple of 16; for so few, the memory.fill instruction is slow. */
@inline
export function clearFew(at: usize, bytes: usize): void {
  for (const end = at + bytes; at < end; at += 16) v128.store(at, v128.splat<i32>(0))
}

/** End of the memory in use, for `release`. */
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

/** `releaseAll` keeps everything that is in use now. */
export function keepAll(): void {
  floor = top
}

// Free memory below the top, which an earlier stage no longer needs.
let low: usize = 0
let lowEnd: usize = 0

/** Releases memory below the top, for `allocateLow`. */
export function offer(from: usize, to: usize): void {
  low = from
  lowEnd = to
}

/** From the memory that was offered if there is enough, else from the top. 64-byte aligned, not cleared. */
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

/** A vector of `rows` values with a guard of zeros on both sides. The values are 0 only with `cleared`. */
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
