/** Coarse rows whose values can change. */
import { ENTRIES_END, ENTRY, entriesOf, Level, LISTED, recordOfRow, stepOf } from './level'
import { allocate } from './memory'
import { weightOf } from './weights'

/** Rows that see something that can change below: they need a slot. Also the contacts, for the problem of this level. */
export function findSensitive<T>(fine: Level, coarse: Level): void {
  coarse.sensitive = allocate(<usize>coarse.unknowns << 2)
  coarse.sensitives = 0
  coarse.contacts = allocate(<usize>fine.contactCount << 2)
  coarse.contactCount = 0
  for (let at: usize = 0; at < <usize>fine.contactCount; at++) {
    const parent = load<i32>(fine.parent + (<usize>load<i32>(fine.contacts + (at << 2)) << 2))
    if (parent == coarse.rows || load<u8>(coarse.marks + <usize>parent)) continue
    store<u8>(coarse.marks + <usize>parent, 1)
    store<i32>(coarse.contacts + (<usize>(coarse.contactCount++) << 2), parent)
  }
  for (let at: usize = 0; at < <usize>coarse.contactCount; at++)
    store<u8>(coarse.marks + <usize>load<i32>(coarse.contacts + (at << 2)), 0)
  for (let at: usize = 0; at < <usize>fine.sensitives; at++) {
    const row = load<i32>(fine.sensitive + (at << 2))
    markParent(fine, coarse, row)
    const record = recordOfRow<T>(fine, row)
    if (record.kind == LISTED) {
      const start = entriesOf<T>(record, row)
      const end = <usize>load<u32>(start, ENTRIES_END)
      for (let entry = <usize>load<u32>(start); entry < end; entry += ENTRY) markParent(fine, coarse, load<i32>(entry))
    } else
      for (let d = 0; d < 6; d++) if (weightOf<T>(fine, record, row, d) != 0) markParent(fine, coarse, row + stepOf(record, d))
  }
}

@inline
function markParent(fine: Level, coarse: Level, row: i32): void {
  const parent = load<i32>(fine.parent + (<usize>row << 2))
  if (parent == coarse.rows || load<u8>(coarse.marks + <usize>parent)) return
  store<u8>(coarse.marks + <usize>parent, 1)
  store<i32>(coarse.sensitive + (<usize>(coarse.sensitives++) << 2), parent)
}
