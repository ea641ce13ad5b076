/** Parts of blocks as they are found, before they have rows. They are numbered by where they are found: a range of coarse lines has as many
 *  numbers as it has fine rows, and uses the first of them. All threads have these addresses from the arguments of the loop. */
import { jobOf } from '../../../../machine/kernels/job'
import { Level } from '../level'
import { append } from '../../../../machine/kernels/memory'

/** Arguments of all loops that make a level from the next finer one; arrays are in low memory. */
@unmanaged
export class CoarsenJob {
  fine: Level
  coarse: Level
  /** Ranges of coarse lines that are searched for parts, a piece each. */
  ranges: i32
  /** Parts by number, and for every coarse line its first part and the end of its parts, i32. */
  parts: usize
  lineParts: usize
  lineEnds: usize
  /** Per fine row: the next one in the same block, i32; 0 if no cell of the fine level is split. */
  nextRow: usize
  /** Sums of a part of open liquid, and behind them those of nothing. */
  openSums: usize
  /** Per coarse row: resistances from its centre to its sides (an array of f64 per axis), whether all its cells are open (u8), and its
   *  sums, as a pointer. */
  halves: usize
  openOf: usize
  sumsOf: usize
  /** For every coarse line a table with the row of every block, as a pointer; one more for lines without rows. */
  tables: usize
}

@unmanaged
export class Part {
  /** Its place along x, in blocks. */
  I: i32
  row: i32
  /** Where its children begin and end in their list. */
  children: i32
  childrenEnd: i32
  /** Resistance from its centre to its side, per axis. */
  halfX: f64
  halfY: f64
  halfZ: f64
  /** Sums over its children, laid out below; 0 for parts of rows with entries, which have entries too. */
  sums: usize
  /** 1 if its block has a part before it, and if all its cells are open liquid and fill the block. */
  extra: u8
  open: u8
}

export const PART: usize = (offsetof<Part>() + 7) & ~7

/** Sums of a part: the links that lead out of its block in six directions, then what holds its children, f64 each. */
export const AGGREGATE_SUMS: usize = 64
export const HELD: usize = 48
/** Memory that a thread allocates at once. */
const SUMS_TAKEN: usize = 8 * AGGREGATE_SUMS

let parts: usize = 0
let children: usize = 0
let count: i32 = 0
let childEnd: i32 = 0
let anyExtra: bool = false
let openSums: usize = 0
let openHalf: f64 = 0
let openHalfZ: f64 = 0
let nextSums: usize = 0
let lastSums: usize = 0

@inline
export function partAt(parts: usize, index: i32): Part {
  return changetype<Part>(parts + <usize>index * PART)
}

/** From here on this thread finds parts in a range of lines, below which the fine rows, red and black together, begin with `first`. */
export function beginParts(fine: Level, coarse: Level, first: i32): void {
  const task = jobOf<CoarsenJob>()
  parts = task.parts
  openSums = task.openSums
  children = coarse.children
  count = first
  childEnd = first
  anyExtra = false
  const inside = fine.weight * <f64>(fine.flat ? 2 : 4)
  openHalf = halfOf(inside)
  openHalfZ = fine.flat ? 0 : openHalf
  nextSums = 0
  lastSums = 0
}

@inline
export function partCount(): i32 {
  return count
}

@inline
export function hasExtra(): bool {
  return anyExtra
}

/** Address for the children of the next part. */
@inline
export function nextChildren(): usize {
  return children + ((<usize>childEnd) << 2)
}

/** Makes a row the child of the next part, behind `before` others. */
@inline
export function addChild(fine: Level, list: usize, before: i32, row: i32): void {
  store<i32>(fine.parent + ((<usize>row) << 2), count)
  store<i32>(list + ((<usize>before) << 2), row)
}

/** Memory for the sums of a part. */
@inline
export function allocateSums(): usize {
  if (nextSums == lastSums) {
    nextSums = append(SUMS_TAKEN)
    lastSums = nextSums + SUMS_TAKEN
  }
  nextSums += AGGREGATE_SUMS
  return nextSums - AGGREGATE_SUMS
}

/** Makes a part of the next `added` children. `x`, `y`, `z`: its links inside, per axis. */
export function endPart(I: i32, extra: bool, added: i32, x: f64, y: f64, z: f64, sums: usize): void {
  const part = partAt(parts, count++)
  part.I = I
  part.children = childEnd
  childEnd += added
  part.childrenEnd = childEnd
  part.halfX = halfOf(x)
  part.halfY = halfOf(y)
  part.halfZ = halfOf(z)
  part.sums = sums
  part.extra = extra ? 1 : 0
  part.open = 0
  if (extra) anyExtra = true
}

/** The same for a block of open liquid. */
@inline
export function endOpenPart(I: i32, full: i32): void {
  const part = partAt(parts, count++)
  part.I = I
  part.children = childEnd
  childEnd += full
  part.childrenEnd = childEnd
  part.halfX = openHalf
  part.halfY = openHalf
  part.halfZ = openHalfZ
  part.sums = openSums
  part.extra = 0
  part.open = 1
}

@inline
function halfOf(inside: f64): f64 {
  return inside > 0 ? 0.5 / inside : 0
}
