/** Updates coarse levels when rows are pinned or freed. */
import { pieceCount, pieceSize } from './active-set'
import { factor } from '../cycle/dense'
import { jobOf } from '../../../../machine/kernels/job'
import {
  ENTRIES_END,
  ENTRY,
  entriesOf,
  isPinned,
  laneOf,
  lanes,
  Level,
  LISTED,
  PACKED,
  Record,
  recordOfRow,
  SLOT,
  stepOf,
  UNIFORM,
} from '../level'
import { runFor } from '../../../../machine/kernels/pool'
import { DIRICHLET_SHARE, heldOf } from '../weights'

/** 1 / diagonal of a row that has a slot; 0 if it is pinned. */
export function finishRow<T>(level: Level, row: i32): void {
  const record = recordOfRow<T>(level, row)
  const lane = laneOf<T>(record, row)
  let sum = <f64>load<T>(lane, 16)
  if (record.kind == LISTED) {
    const at = entriesOf<T>(record, row)
    const end = <usize>load<u32>(at, ENTRIES_END)
    for (let entry = <usize>load<u32>(at); entry < end; entry += ENTRY) sum += <f64>load<T>(entry, 8)
  } else {
    sum += <f64>load<T>(lane, 32)
    sum += <f64>load<T>(lane, 48)
    sum += <f64>load<T>(lane, 64)
    sum += <f64>load<T>(lane, 80)
    sum += <f64>load<T>(lane, 96)
    sum += <f64>load<T>(lane, 112)
  }
  store<T>(lane, isPinned(level, row) || !(sum > 0) ? <T>0 : <T>(1.0 / sum))
}

/** Gives all rows that can change the values they have when nothing is pinned. */
export function restore<T>(level: Level, finest: bool): void {
  if (!level.touched) return
  level.touched = 0
  level.stale = 1
  let last = -1
  for (let at: usize = 0; at < <usize>level.dependentCount; at++) {
    const row = load<i32>(level.dependents + (at << 2))
    const record = recordOfRow<T>(level, row)
    if (!finest && record.kind == PACKED) {
      // Rows are in ascending order, and the other rows of a block never change.
      const block = row & ~(lanes<T>() - 1)
      if (block != last) restoreBlock<T>(level, block, laneOf<T>(record, block))
      last = block
      continue
    }
    store<u8>(level.pinned + <usize>row, 0)
    if (!finest) restoreEntries<T>(level, row)
    finishRow<T>(level, row)
  }
}

function restoreBlock<T>(level: Level, block: i32, slot: usize): void {
  if (sizeof<T>() == 4) store<u32>(level.pinned + <usize>block, 0)
  else store<u16>(level.pinned + <usize>block, 0)
  const base = slot + level.copies
  for (let at: usize = 0; at < SLOT; at += 16) v128.store(slot + at, v128.load(base + at))
}

function restoreEntries<T>(level: Level, row: i32): void {
  const record = recordOfRow<T>(level, row)
  const lane = laneOf<T>(record, row)
  store<T>(lane, load<T>(lane + level.copies, 16), 16)
  const at = entriesOf<T>(record, row)
  const end = <usize>load<u32>(at, ENTRIES_END)
  for (let entry = <usize>load<u32>(at); entry < end; entry += ENTRY) store<T>(entry, load<T>(entry, 16), 8)
}

/** The new values of a coarse row from its children: links between free ones, and what holds them towards 0, which includes links to pinned
 *  rows. */
function gather<T>(fine: Level, coarse: Level, row: i32): void {
  const record = recordOfRow<T>(coarse, row)
  if (record.kind == LISTED) {
    gatherEntries<T>(fine, coarse, row, record)
    finishRow<T>(coarse, row)
    return
  }
  const pinned = fine.pinned
  const corners = fine.corner
  const openSlot = fine.openSlot
  let w0: T = 0
  let w1: T = 0
  let w2: T = 0
  let w3: T = 0
  let w4: T = 0
  let w5: T = 0
  let held = 0.0
  let on = false
  const end = coarse.children + ((<usize>load<i32>(coarse.childStart + ((<usize>row) << 3), 4)) << 2)
  for (let at = coarse.children + ((<usize>load<i32>(coarse.childStart + ((<usize>row) << 3))) << 2); at < end; at += 4) {
    const child = load<i32>(at)
    if (load<u8>(pinned + <usize>child)) continue
    on = true
    const from = recordOfRow<T>(fine, child)
    if (from.kind == LISTED) {
      held += heldListed<T>(fine, from, child)
      continue
    }
    const slot = from.kind == UNIFORM ? openSlot : laneOf<T>(from, child)
    // Steps without a link lead to an arbitrary row, with weight 0.
    const here = pinned + <usize>child
    const pinned0 = <i32>load<u8>(here + <usize>from.d0)
    const pinned1 = <i32>load<u8>(here + <usize>from.d1)
    const pinned2 = <i32>load<u8>(here + <usize>from.d2)
    const pinned3 = <i32>load<u8>(here + <usize>from.d3)
    const pinned4 = <i32>load<u8>(here + <usize>from.d4)
    const pinned5 = <i32>load<u8>(here + <usize>from.d5)
    held += <f64>load<T>(slot, 16)
    if (pinned0 | pinned1 | pinned2 | (pinned3 | pinned4 | pinned5)) {
      held += <f64>unless<T>(slot, 0, pinned0 ^ 1)
      held += <f64>unless<T>(slot, 1, pinned1 ^ 1)
      held += <f64>unless<T>(slot, 2, pinned2 ^ 1)
      held += <f64>unless<T>(slot, 3, pinned3 ^ 1)
      held += <f64>unless<T>(slot, 4, pinned4 ^ 1)
      held += <f64>unless<T>(slot, 5, pinned5 ^ 1)
    }
    // Links that lead out of the block belong to a link of the row; those inside join children of the same row.
    const corner = <i32>load<u8>(corners + <usize>child)
    const x = corner & 1
    const y = (corner >> 1) & 1
    const z = corner >> 2
    w0 += unless<T>(slot, 0, pinned0 | x)
    w1 += unless<T>(slot, 1, pinned1 | (x ^ 1))
    w2 += unless<T>(slot, 2, pinned2 | y)
    w3 += unless<T>(slot, 3, pinned3 | (y ^ 1))
    w4 += unless<T>(slot, 4, pinned4 | z)
    w5 += unless<T>(slot, 5, pinned5 | (z ^ 1))
  }
  const lane = laneOf<T>(record, row)
  const shares = lane + 2 * coarse.copies
  const D = <T>(DIRICHLET_SHARE * held)
  let sum = <f64>D
  store<T>(lane, D, 16)
  w0 *= load<T>(shares, 32)
  store<T>(lane, w0, 32)
  sum += <f64>w0
  w1 *= load<T>(shares, 48)
  store<T>(lane, w1, 48)
  sum += <f64>w1
  w2 *= load<T>(shares, 64)
  store<T>(lane, w2, 64)
  sum += <f64>w2
  w3 *= load<T>(shares, 80)
  store<T>(lane, w3, 80)
  sum += <f64>w3
  w4 *= load<T>(shares, 96)
  store<T>(lane, w4, 96)
  sum += <f64>w4
  w5 *= load<T>(shares, 112)
  store<T>(lane, w5, 112)
  sum += <f64>w5
  store<T>(lane, on && sum > 0 ? <T>(1.0 / sum) : <T>0)
  store<u8>(coarse.pinned + <usize>row, on ? 0 : 1)
}

/** What holds a listed child of a row that is not listed itself. Such a row has no links, so all links of the child lead to other
 *  children, pinned ones included. */
function heldListed<T>(fine: Level, from: Record, child: i32): f64 {
  let held = heldOf<T>(from, child)
  const at = entriesOf<T>(from, child)
  const end = <usize>load<u32>(at, ENTRIES_END)
  for (let entry = <usize>load<u32>(at); entry < end; entry += ENTRY)
    if (isPinned(fine, load<i32>(entry))) held += <f64>load<T>(entry, 8)
  return held
}

/** The weight in one direction, or 0 if `not` is 1. By bit masks, because a choice between floats is a branch. */
@inline
function unless<T>(slot: usize, direction: usize, not: i32): T {
  if (sizeof<T>() == 4) return <T>reinterpret<f32>(load<i32>(slot + (direction << 4), 32) & (not - 1))
  return <T>reinterpret<f64>(load<i64>(slot + (direction << 4), 32) & (<i64>not - 1))
}

/** The same for a row with entries, but for its inverse diagonal. */
function gatherEntries<T>(fine: Level, coarse: Level, row: i32, record: Record): void {
  const entries = <usize>load<u32>(entriesOf<T>(record, row))
  const entriesEnd = <usize>load<u32>(entriesOf<T>(record, row), ENTRIES_END)
  for (let entry = entries; entry < entriesEnd; entry += ENTRY) store<T>(entry, 0, 8)
  let held = 0.0
  let on = false
  const end = load<i32>(coarse.childStart + ((<usize>row) << 3), 4)
  for (let c = load<i32>(coarse.childStart + ((<usize>row) << 3)); c < end; c++) {
    const child = load<i32>(coarse.children + ((<usize>c) << 2))
    if (isPinned(fine, child)) continue
    on = true
    const from = recordOfRow<T>(fine, child)
    if (from.kind == UNIFORM) {
      for (let d = 0; d < (fine.flat ? 4 : 6); d++) held += passOn<T>(fine, entries, row, child + stepOf(from, d), fine.weight)
    } else if (from.kind == LISTED) {
      held += heldOf<T>(from, child)
      const at = entriesOf<T>(from, child)
      const stop = <usize>load<u32>(at, ENTRIES_END)
      for (let entry = <usize>load<u32>(at); entry < stop; entry += ENTRY)
        held += passOn<T>(fine, entries, row, load<i32>(entry), <f64>load<T>(entry, 8))
    } else {
      const slot = laneOf<T>(from, child)
      held += <f64>load<T>(slot, 16)
      for (let d = 0; d < 6; d++) {
        const weight = <f64>load<T>(slot + ((<usize>d) << 4), 32)
        if (weight != 0) held += passOn<T>(fine, entries, row, child + stepOf(from, d), weight)
      }
    }
  }
  for (let entry = entries; entry < entriesEnd; entry += ENTRY) store<T>(entry, load<T>(entry, 8) * load<T>(entry, 24), 8)
  store<T>(laneOf<T>(record, row), <T>(DIRICHLET_SHARE * held), 16)
  store<u8>(coarse.pinned + <usize>row, on ? 0 : 1)
}

/** Adds a child's link to the coarse link it belongs to; returns the part that holds the row towards 0. */
@inline
function passOn<T>(fine: Level, entries: usize, row: i32, neighbour: i32, weight: f64): f64 {
  if (isPinned(fine, neighbour)) return weight
  const column = load<i32>(fine.parent + ((<usize>neighbour) << 2))
  if (column == row) return 0
  let entry = entries
  while (load<i32>(entry) != column) entry += ENTRY
  store<T>(entry, load<T>(entry, 8) + <T>weight, 8)
  return 0
}

/** Updates a level and all coarser ones after `count` of its rows were pinned or freed, and factors the coarsest level if it has changed.
 *  `changed` and `room` hold the changed rows of a level and of the next in turn. Returns how many coarse rows were updated. */
export function updateLevels<T>(level: Level, changed: usize, count: i32, room: usize): i32 {
  if (count > 0) level.touched = level.stale = 1
  for (let n: usize = 0; n < <usize>count; n++) finishRow<T>(level, load<i32>(changed + (n << 2)))
  let total = 0
  while (level.next) {
    const next = changetype<Level>(level.next)
    if (count > 0) count = updateNext<T>(level, next, changed, count, room)
    total += count
    const filled = room
    room = changed
    changed = filled
    level = next
  }
  if (level.dense && level.stale) factor<T>(level)
  return total
}

@unmanaged
export class UpdateRowsJob {
  fine: Level
  coarse: Level
  /** Changed rows of the coarse level, how many there are, and how many of them a piece has. */
  rows: usize
  count: i32
  size: i32
}

/** Updates a level after `count` rows of the next finer one have changed. Writes its own changed rows to `out` and returns their number. */
function updateNext<T>(fine: Level, coarse: Level, changed: usize, count: i32, out: usize): i32 {
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
    } else if (record.kind != UNIFORM) {
      // Only links that lead out of the block, including those that are 0 at present: they may return.
      const corner = <i32>load<u8>(fine.corner + <usize>row)
      for (let axis = 0; axis < 3; axis++) {
        const d = 2 * axis + ((corner >> axis) & 1)
        if (hasBase<T>(fine, record, row, d)) found = addParent(fine, coarse, row + stepOf(record, d), out, found)
      }
    }
  }
  if (found > 0) coarse.touched = coarse.stale = 1
  const task = jobOf<UpdateRowsJob>()
  task.fine = fine
  task.coarse = coarse
  task.rows = out
  task.count = found
  task.size = pieceSize(found)
  runFor<T>(updateRowsPiece, pieceCount(found))
  return found
}

/** Computes the new values of the changed rows of a piece; rows do not depend on each other. */
@piece
export function updateRowsPiece<T>(piece: i32): void {
  const task = jobOf<UpdateRowsJob>()
  const fine = task.fine
  const coarse = task.coarse
  const rows = task.rows
  const from = <usize>(piece * task.size)
  const to = <usize>min(piece * task.size + task.size, task.count)
  for (let at = from; at < to; at++) {
    const row = load<i32>(rows + (at << 2))
    store<u8>(coarse.marks + <usize>row, 0)
    gather<T>(fine, coarse, row)
  }
}

/** Is there a link in this direction when nothing is pinned? */
function hasBase<T>(level: Level, record: Record, row: i32, direction: i32): bool {
  return load<T>(laneOf<T>(record, row) + level.copies + ((<usize>direction) << 4), 32) != 0
}

@inline
function addParent(fine: Level, coarse: Level, row: i32, out: usize, found: i32): i32 {
  const parent = load<i32>(fine.parent + ((<usize>row) << 2))
  if (parent == coarse.rows || load<u8>(coarse.marks + <usize>parent)) return found
  store<u8>(coarse.marks + <usize>parent, 1)
  store<i32>(out + ((<usize>found) << 2), parent)
  return found + 1
}
