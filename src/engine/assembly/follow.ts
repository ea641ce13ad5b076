/** Lets coarse levels follow the set of rows that are off. */
import { DIRICHLET_SHARE } from './coarsen'
import { cutList } from './contacts'
import { pointer, setPointer } from './jobs'
import { ENTRIES_END, ENTRY, entriesOf, isOff, laneOf, Level, LISTED, Record, recordOfRow, stepOf, UNIFORM } from './level'
import { FOLLOW } from './loops'
import { run } from './pool'
import { heldOf } from './weights'

/** 1 / diagonal of a row that has a slot; 0 if it is off. */
export function finishRow<T>(level: Level, row: i32): void {
  const record = recordOfRow<T>(level, row)
  const lane = laneOf<T>(record, row)
  let sum = <f64>load<T>(lane, 16)
  if (record.kind == LISTED) {
    const at = entriesOf<T>(record, row)
    const end = <usize>load<u32>(at, ENTRIES_END)
    for (let entry = <usize>load<u32>(at); entry < end; entry += ENTRY) sum += <f64>load<T>(entry, 8)
  } else for (let d: usize = 0; d < 6; d++) sum += <f64>load<T>(lane + (d << 4), 32)
  store<T>(lane, isOff(level, row) || !(sum > 0) ? <T>0 : <T>(1.0 / sum))
}

/** Gives all rows that can change the values they have when nothing is off. */
export function restore<T>(level: Level, finest: bool): void {
  for (let at: usize = 0; at < <usize>level.sensitives; at++) {
    const row = load<i32>(level.sensitive + (at << 2))
    store<u8>(level.off + <usize>row, 0)
    if (!finest) restoreRow<T>(level, row)
    finishRow<T>(level, row)
  }
}

function restoreRow<T>(level: Level, row: i32): void {
  const record = recordOfRow<T>(level, row)
  const lane = laneOf<T>(record, row)
  const base = lane + level.copies
  store<T>(lane, load<T>(base, 16), 16)
  if (record.kind == LISTED) {
    const at = entriesOf<T>(record, row)
    const end = <usize>load<u32>(at, ENTRIES_END)
    for (let entry = <usize>load<u32>(at); entry < end; entry += ENTRY) store<T>(entry, load<T>(entry, 16), 8)
  } else for (let d: usize = 0; d < 6; d++) store<T>(lane + (d << 4), load<T>(base + (d << 4), 32), 32)
}

/** Sums the children of a coarse row: links between free ones, and what holds them towards 0, to which a link to a row that is off
 *  belongs. */
function gather<T>(fine: Level, coarse: Level, row: i32): void {
  const record = recordOfRow<T>(coarse, row)
  const lane = laneOf<T>(record, row)
  clearWeights<T>(record, row, lane)
  let held = 0.0
  let on = false
  const end = load<i32>(coarse.childStart + (<usize>row << 3), 4)
  for (let c = load<i32>(coarse.childStart + (<usize>row << 3)); c < end; c++) {
    const child = load<i32>(coarse.children + (<usize>c << 2))
    if (isOff(fine, child)) continue
    on = true
    const from = recordOfRow<T>(fine, child)
    if (from.kind == UNIFORM) {
      for (let d = 0; d < (fine.flat ? 4 : 6); d++) held += passOn<T>(fine, record, row, lane, child + stepOf(from, d), d, fine.weight)
    } else if (from.kind == LISTED) {
      held += heldOf<T>(from, child)
      const at = entriesOf<T>(from, child)
      const stop = <usize>load<u32>(at, ENTRIES_END)
      for (let entry = <usize>load<u32>(at); entry < stop; entry += ENTRY)
        held += passOn<T>(fine, record, row, lane, load<i32>(entry), load<i32>(entry, 4), <f64>load<T>(entry, 8))
    } else {
      const slot = laneOf<T>(from, child)
      held += <f64>load<T>(slot, 16)
      for (let d = 0; d < 6; d++) {
        const weight = <f64>load<T>(slot + (<usize>d << 4), 32)
        if (weight != 0) held += passOn<T>(fine, record, row, lane, child + stepOf(from, d), d, weight)
      }
    }
  }
  applyShares<T>(record, row, lane, coarse.copies)
  store<T>(lane, <T>(DIRICHLET_SHARE * held), 16)
  store<u8>(coarse.off + <usize>row, on ? 0 : 1)
}

function clearWeights<T>(record: Record, row: i32, lane: usize): void {
  if (record.kind == LISTED) {
    const at = entriesOf<T>(record, row)
    const end = <usize>load<u32>(at, ENTRIES_END)
    for (let entry = <usize>load<u32>(at); entry < end; entry += ENTRY) store<T>(entry, 0, 8)
  } else for (let d: usize = 0; d < 6; d++) store<T>(lane + (d << 4), 0, 32)
}

/** Adds a child's link to the coarse link it belongs to; returns what it adds to what holds the row. */
@inline
function passOn<T>(fine: Level, record: Record, row: i32, lane: usize, neighbour: i32, direction: i32, weight: f64): f64 {
  if (isOff(fine, neighbour)) return weight
  const column = load<i32>(fine.parent + (<usize>neighbour << 2))
  if (column == row) return 0
  if (record.kind == LISTED) {
    let entry = <usize>load<u32>(entriesOf<T>(record, row))
    while (load<i32>(entry) != column) entry += ENTRY
    store<T>(entry, load<T>(entry, 8) + <T>weight, 8)
  } else {
    const at = lane + (<usize>direction << 4)
    store<T>(at, load<T>(at, 32) + <T>weight, 32)
  }
  return 0
}

function applyShares<T>(record: Record, row: i32, lane: usize, copies: usize): void {
  if (record.kind == LISTED) {
    const at = entriesOf<T>(record, row)
    const end = <usize>load<u32>(at, ENTRIES_END)
    for (let entry = <usize>load<u32>(at); entry < end; entry += ENTRY) store<T>(entry, load<T>(entry, 8) * load<T>(entry, 24), 8)
  } else
    for (let d: usize = 0; d < 6; d++) {
      const at = lane + (d << 4)
      store<T>(at, load<T>(at, 32) * load<T>(at + 2 * copies, 32), 32)
    }
}

/** Brings one level up to date with the `count` rows of the next finer one that have changed. Leaves its own changed rows in `out` and
 *  returns their number. */
export function follow<T>(fine: Level, coarse: Level, changed: usize, count: i32, out: usize): i32 {
  let found = 0
  for (let at: usize = 0; at < <usize>count; at++) {
    const row = load<i32>(changed + (at << 2))
    found = addParent(fine, coarse, row, out, found)
    const record = recordOfRow<T>(fine, row)
    if (record.kind == LISTED) {
      const start = entriesOf<T>(record, row)
      const end = <usize>load<u32>(start, ENTRIES_END)
      for (let entry = <usize>load<u32>(start); entry < end; entry += ENTRY)
        found = addParent(fine, coarse, load<i32>(entry), out, found)
    } else if (record.kind != UNIFORM)
      // Links that are 0 just now count too: they may come back.
      for (let d = 0; d < 6; d++) if (hasBase<T>(fine, record, row, d)) found = addParent(fine, coarse, row + stepOf(record, d), out, found)
  }
  const pieces = cutList(found)
  setPointer(0, changetype<usize>(fine))
  setPointer(2, changetype<usize>(coarse))
  setPointer(3, out)
  setPointer(4, found)
  run(FOLLOW + (sizeof<T>() == 8 ? 1 : 0), pieces)
  return found
}

/** Gives the changed rows of a piece their new values; none needs those of another. */
export function followChunk<T>(piece: i32): void {
  const fine = changetype<Level>(pointer(0))
  const coarse = changetype<Level>(pointer(2))
  const out = pointer(3)
  const from = <usize>piece * pointer(1)
  const to = min(from + pointer(1), pointer(4))
  for (let at = from; at < to; at++) {
    const row = load<i32>(out + (at << 2))
    store<u8>(coarse.marks + <usize>row, 0)
    gather<T>(fine, coarse, row)
    finishRow<T>(coarse, row)
  }
}

/** Is there a link in this direction when nothing is off? */
function hasBase<T>(level: Level, record: Record, row: i32, direction: i32): bool {
  return load<T>(laneOf<T>(record, row) + level.copies + (<usize>direction << 4), 32) != 0
}

@inline
function addParent(fine: Level, coarse: Level, row: i32, out: usize, found: i32): i32 {
  const parent = load<i32>(fine.parent + (<usize>row << 2))
  if (parent == coarse.rows || load<u8>(coarse.marks + <usize>parent)) return found
  store<u8>(coarse.marks + <usize>parent, 1)
  store<i32>(out + (<usize>found << 2), parent)
  return found + 1
}
