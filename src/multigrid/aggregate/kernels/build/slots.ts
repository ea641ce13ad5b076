/** The coefficients of rows in slots and entries. */
import { keepExact, nextExact } from '../cycle/residual-f64'
import { ENTRY, lanes, Level, LISTED, PACKED, SLOT } from '../level'
import { append } from '../../../../machine/kernels/memory'

/** A row before it is packed. Rows with several neighbours in one direction have written their entries already. */
@unmanaged
export class Row {
  w0: f64
  w1: f64
  w2: f64
  w3: f64
  w4: f64
  w5: f64
  /** Coarse: share of each link. */
  s0: f64
  s1: f64
  s2: f64
  s3: f64
  s4: f64
  s5: f64
  D: f64
  /** Finest: as given, 0 on padding. */
  diagonal: f64
  n0: i32
  n1: i32
  n2: i32
  n3: i32
  n4: i32
  n5: i32
  /** Its values can change, so it needs a slot. */
  changeable: i32
  /** Needs a slot for another reason. */
  special: i32
  padding: i32
  /** Entries, 0 where the six directions suffice. */
  entries: usize
  entriesEnd: usize
}

/** A multiple of 16. */
export const ROW: usize = (offsetof<Row>() + 15) & ~15

export function writeSlot<T>(level: Level, black: bool, rows: usize, slot: usize, kind: u32, finest: bool): void {
  for (let lane: usize = 0; lane < <usize>lanes<T>(); lane++) {
    const row = changetype<Row>(rows + lane * ROW)
    const at = slot + lane * sizeof<T>()
    if (kind == LISTED) listRow<T>(row, slot, lane, finest)
    store<T>(at, inverseOf<T>(row, row.D))
    store<T>(at, <T>row.D, 16)
    if (kind == PACKED)
      for (let d: usize = 0; d < 6; d++) store<T>(at + (d << 4), <T>load<f64>(changetype<usize>(row) + (d << 3)), 32)
    if (!finest && kind == PACKED)
      for (let d: usize = 0; d < 6; d++)
        store<T>(at + 2 * level.copies + (d << 4), <T>load<f64>(changetype<usize>(row) + offsetof<Row>('s0') + (d << 3)), 32)
  }
  if (finest) return
  for (let at: usize = 0; at < SLOT; at += 16) v128.store(slot + level.copies + at, v128.load(slot + at))
  // The restored diagonal of a row that can change is that with D as it is stored, in the precision of the level.
  for (let lane: usize = 0; lane < <usize>lanes<T>(); lane++) {
    const row = changetype<Row>(rows + lane * ROW)
    if (row.changeable) store<T>(slot + level.copies + lane * sizeof<T>(), inverseOf<T>(row, <f64>(<T>row.D)))
  }
}

/** 1 / diagonal, given the part of it that is not a sum of links. */
function inverseOf<T>(row: Row, D: f64): T {
  if (row.padding) return 0
  let sum = D
  if (row.entries) for (let entry = row.entries; entry < row.entriesEnd; entry += ENTRY) sum += <f64>load<T>(entry, 8)
  else for (let d: usize = 0; d < 6; d++) sum += <f64>(<T>load<f64>(changetype<usize>(row) + (d << 3)))
  return sum > 0 ? <T>(1.0 / sum) : <T>0
}

/** Writes the entries of a row of a listed block, and their address into the slot. */
function listRow<T>(row: Row, slot: usize, lane: usize, finest: bool): void {
  if (!row.entries) {
    let count: usize = 0
    if (!row.padding) for (let d: usize = 0; d < 6; d++) if (load<f64>(changetype<usize>(row) + (d << 3)) != 0) count++
    let entry = append(count * ENTRY)
    row.entries = entry
    row.entriesEnd = entry + count * ENTRY
    for (let d: usize = 0; d < 6 && entry < row.entriesEnd; d++) {
      const weight = load<f64>(changetype<usize>(row) + (d << 3))
      if (weight == 0) continue
      const column = load<u32>(changetype<usize>(row) + offsetof<Row>('n0') + (d << 2))
      writeEntry<T>(entry, column, <u32>d, weight, load<f64>(changetype<usize>(row) + offsetof<Row>('s0') + (d << 3)), finest)
      entry += ENTRY
    }
  }
  store<u32>(slot + (lane << 2), <u32>row.entries, 32)
  store<u32>(slot + (lane << 2), <u32>row.entriesEnd, 48)
}

export function writeEntry<T>(entry: usize, column: u32, direction: u32, weight: f64, share: f64, finest: bool): void {
  store<u32>(entry, column)
  store<u32>(entry, direction, 4)
  store<T>(entry, <T>weight, 8)
  if (finest) store<f64>(entry, weight, 16)
  else store<T>(entry, <T>weight, 16)
  store<T>(entry, <T>share, 24)
}

/** The f64 coefficients of a slot of the finest level that has been written. */
export function writeExact<T>(level: Level, black: bool, rows: usize, slot: usize, kind: u32): void {
  const at = nextExact(black)
  let contacts: usize = 0
  let whole = false
  for (let lane: usize = 0; lane < <usize>lanes<T>(); lane++) {
    const row = changetype<Row>(rows + lane * ROW)
    store<f64>(at + (lane << 3), row.diagonal)
    if (row.changeable) contacts |= 1 << lane
    if (sizeof<T>() == 4 && kind == PACKED)
      for (let d: usize = 0; d < 6; d++) {
        const weight = load<f64>(changetype<usize>(row) + (d << 3))
        store<f64>(at + (d << 5) + (lane << 3), weight, 32)
        if (<f64>(<f32>weight) != weight) whole = true
      }
  }
  keepExact<T>(level, slot, black, contacts, whole)
}
