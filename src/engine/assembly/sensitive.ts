/** Coarse rows whose values can change. */
import { ENTRIES_END, ENTRY, entriesOf, Level, LISTED, recordOfRow, stepOf } from './level'
import { allocate } from './memory'
import { weightOf } from './weights'

/** Rows that see something that can change below: they need a slot. Also the contacts, for the problem of this level. The rows stay marked,
 *  and are listed in ascending order. */
export function findSensitive<T>(fine: Level, coarse: Level): void {
  findContacts(fine, coarse)
  for (let at: usize = 0; at < <usize>fine.sensitives; at++) {
    const row = load<i32>(fine.sensitive + (at << 2))
    markParent(fine, coarse, row)
    const record = recordOfRow<T>(fine, row)
    if (record.kind == LISTED) {
      const start = entriesOf<T>(record, row)
      const end = <usize>load<u32>(start, ENTRIES_END)
      for (let entry = <usize>load<u32>(start); entry < end; entry += ENTRY) markParent(fine, coarse, load<i32>(entry))
    } else {
      // Only what leads out of the block: inside it, a link makes it the same part.
      const corner = <i32>load<u8>(fine.corner + <usize>row)
      const x = corner & 1
      const y = 2 | ((corner >> 1) & 1)
      const z = 4 | ((corner >> 2) & 1)
      if (weightOf<T>(fine, record, row, x) != 0) markParent(fine, coarse, row + stepOf(record, x))
      if (weightOf<T>(fine, record, row, y) != 0) markParent(fine, coarse, row + stepOf(record, y))
      if (weightOf<T>(fine, record, row, z) != 0) markParent(fine, coarse, row + stepOf(record, z))
    }
  }
  listMarked(coarse)
}

function findContacts(fine: Level, coarse: Level): void {
  coarse.contacts = allocate(<usize>fine.contactCount << 2)
  coarse.contactCount = 0
  for (let at: usize = 0; at < <usize>fine.contactCount; at++) {
    const parent = load<i32>(fine.parent + (<usize>load<i32>(fine.contacts + (at << 2)) << 2))
    if (parent == coarse.rows || load<u8>(coarse.marks + <usize>parent)) continue
    store<u8>(coarse.marks + <usize>parent, 1)
    store<i32>(coarse.contacts + (<usize>(coarse.contactCount++) << 2), parent)
  }
}

/** Rows without parent mark the place behind the last row. */
@inline
function markParent(fine: Level, coarse: Level, row: i32): void {
  store<u8>(coarse.marks + <usize>load<i32>(fine.parent + (<usize>row << 2)), 1)
}

function listMarked(coarse: Level): void {
  coarse.sensitive = allocate(<usize>coarse.unknowns << 2)
  coarse.sensitives = 0
  for (let row = 0; row < coarse.rows; row += 4) {
    if (row + 4 <= coarse.rows && load<u32>(coarse.marks + <usize>row) == 0) continue
    for (let one = row; one < min(row + 4, coarse.rows); one++)
      if (load<u8>(coarse.marks + <usize>one)) store<i32>(coarse.sensitive + (<usize>(coarse.sensitives++) << 2), one)
  }
}
