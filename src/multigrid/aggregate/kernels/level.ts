/** The memory layout of a level.
 *
 *  Rows have two colours and are stored red ones first, each colour line by line of the grid and along x within a line. A run of
 *  neighbouring cells is padded to whole blocks of vector lanes; padding is a pinned row without links. Blocks whose rows all have the same
 *  six steps to their neighbours form records; where also all links are alike, a record needs no coefficients at all. */
import { runWide } from '../../../machine/kernels/pool'

/** All links equal: (6, −1 … −1) times the weight of the level; in flat grids without the two along z. */
export const UNIFORM: u32 = 0
/** A slot of 128 bytes for each block: inverse, D, and the weights towards −x, +x, −y, +y, −z, +z. */
export const PACKED: u32 = 1
/** A slot for each block too, but neighbours anywhere and any number of them, in entries. */
export const LISTED: u32 = 2

export const OPEN_ROW: u8 = 1
export const LINKED: u8 = 2

export const SLOT: usize = 128
/** An entry: column and direction (u32 each), then weight, weight with nothing pinned (on the finest level: in f64) and share, 8 bytes
 *  each. The slot holds, behind inverse and D, where the entries of each lane begin (at 32) and end (at 48). */
export const ENTRY: usize = 32

@unmanaged
export class Level {
  /** 1 if vectors and coefficients are f64, 0 if they are f32. */
  wide: i32
  nx: i32
  ny: i32
  nz: i32
  /** Rows that are cells. */
  unknowns: i32
  /** All rows, with padding. */
  rows: i32
  reds: i32
  /** Off-diagonal non-zeros. */
  links: i32
  flat: i32
  /** Weight of a link in open liquid, and 1 / diagonal there. */
  weight: f64
  inverse: f64
  /** Red and black: for every line of the grid (j + ny k) its first row; one more at the end. u32. */
  redLines: usize
  blackLines: usize
  /** i of every row, −1 for padding. i32. */
  cell: usize
  /** Per row: OPEN_ROW if all links are equal and nothing holds it towards 0, LINKED if it has a link. u8. */
  flags: usize
  /** 1 if a cell may hold more than one row. */
  split: i32
  /** Record of every block, as a pointer. */
  recordOf: usize
  redSlots: usize
  blackSlots: usize
  slots: i32
  /** Distance in bytes from the values of a slot to the values with nothing pinned, and from there to the shares. Coarse only. */
  copies: usize
  /** Row of the next level, or −1. */
  parent: usize
  /** Per row with links: its corner in a block of the next level, a bit for each axis. u8. */
  corner: usize
  /** A slot with the values of open liquid, for code that reads values row by row. Only if the level has a next one. */
  openSlot: usize
  /** Per row: 1 if it is a pinned contact or, on a coarse level, has no free child. u8. */
  pinned: usize
  /** 1 if values may differ from those with nothing pinned. */
  touched: i32
  /** Coarse only: where the children of each row begin and end, two u32; padding has none. */
  childStart: usize
  children: usize
  /** Rows whose values can change: contacts, and coarse rows that depend on one. i32 list. */
  dependents: usize
  dependentCount: i32
  /** Finest only: f64 coefficients of slots, and the word of each slot about them, as laid out in cycle/residual-f64.ts. */
  exact: usize
  exactWords: usize
  /** Pieces; one more at the end, in which only rows and line are valid. */
  pieces: usize
  pieceCount: i32
  contacts: usize
  contactCount: i32
  /** Coefficients and values of every contact, laid out in contacts/active-set.ts. */
  surroundings: usize
  /** Per contact: A p + b where it is pinned, diagonal · p where it is free. f64. */
  terms: usize
  /** Per contact: the pocket that must keep one of its contacts pinned, or −1. i32; 0 if there is none of that kind. */
  guards: usize
  guarded: i32
  /** Marks of rows, 0 between uses. */
  marks: usize
  /** Vectors: right-hand side, solution, residual, preconditioned residual and its image, direction and its image. */
  f: usize
  x: usize
  r: usize
  z: usize
  Az: usize
  d: usize
  q: usize
  /** The next level, 0 if this is the last. */
  next: usize
  /** The dense factor if this is the last level and small (cycle/dense.ts), else 0. */
  dense: usize
  /** 1 if values have changed since the level was factored. */
  stale: i32
  /** Finest only, f64: the pressure without x, which is added to it, and b. */
  p: usize
  b: usize
}

@unmanaged
export class Record {
  start: u32
  blocks: u32
  kind: u32
  /** First slot. */
  slots: usize
  /** Steps to the neighbours, in rows. */
  d0: i32
  d1: i32
  d2: i32
  d3: i32
  d4: i32
  d5: i32
}

export const RECORD: usize = offsetof<Record>()

/** A piece: whole lines of the grid, with records of its own. */
@unmanaged
export class Piece {
  redFrom: usize
  redTo: usize
  blackFrom: usize
  blackTo: usize
  redRow: i32
  blackRow: i32
  /** First line. */
  line: i32
  /** First contact, on the finest level. */
  contact: i32
  /** While it is packed: first slots, and space for records. */
  redSlot: usize
  blackSlot: usize
  records: usize
  recordsEnd: usize
}

export const PIECE_BYTES: usize = offsetof<Piece>()

@inline
export function pieceOf(level: Level, index: i32): Piece {
  return changetype<Piece>(level.pieces + <usize>index * PIECE_BYTES)
}

/** Runs a loop over all pieces of a level, in the precision of the level. */
@inline
export function runLoop(level: Level, loop: i32): void {
  runWide(level.wide, loop, level.pieceCount)
}

/** Bytes of a value, as a shift. */
@inline
export function valueShift(level: Level): usize {
  return level.wide ? 3 : 2
}

@inline
export function lanes<T>(): i32 {
  return 16 / sizeof<T>()
}

@inline
export function recordOfRow<T>(level: Level, row: i32): Record {
  return changetype<Record>(load<usize>(level.recordOf + ((<usize>row / lanes<T>()) << 2)))
}

/** Slot of a row's block (its record must have slots), moved to the row's lane. */
@inline
export function laneOf<T>(record: Record, row: i32): usize {
  const inside = <usize>(<u32>row - record.start)
  return record.slots + (inside / lanes<T>()) * SLOT + (inside % lanes<T>()) * sizeof<T>()
}

@inline
export function stepOf(record: Record, direction: i32): i32 {
  return load<i32>(changetype<usize>(record) + offsetof<Record>('d0') + ((<usize>direction) << 2))
}

/** Address of the word that holds the start of a listed row's entries; the word ENTRIES_END bytes behind it holds their end. */
@inline
export function entriesOf<T>(record: Record, row: i32): usize {
  const inside = <usize>(<u32>row - record.start)
  return record.slots + (inside / lanes<T>()) * SLOT + 32 + (inside % lanes<T>()) * 4
}
export const ENTRIES_END: usize = 16

@inline
export function isPinned(level: Level, row: i32): bool {
  return load<u8>(level.pinned + row) != 0
}
