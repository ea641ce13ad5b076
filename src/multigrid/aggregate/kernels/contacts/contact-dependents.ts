/** Coarse rows whose values can change, because they depend on a contact. */
import { ENTRIES_END, ENTRY, entriesOf, laneOf, Level, LISTED, recordOfRow, stepOf } from '../level'
import { allocate } from '../../../../machine/kernels/memory'

/** Rows that depend on a row that can change on the finer level: they need a slot. Also the contacts of this level. The rows stay marked,
 *  and are listed in ascending order. */
export function findDependents<T>(fine: Level, coarse: Level): void {
  findContacts(fine, coarse)
  const parent = fine.parent
  const marks = coarse.marks
  const corners = fine.corner
  const end = fine.dependents + ((<usize>fine.dependentCount) << 2)
  for (let at = fine.dependents; at < end; at += 4) {
    const row = load<i32>(at)
    markParent(marks, parent, row)
    const record = recordOfRow<T>(fine, row)
    if (record.kind == LISTED) {
      const start = entriesOf<T>(record, row)
      const last = <usize>load<u32>(start, ENTRIES_END)
      for (let entry = <usize>load<u32>(start); entry < last; entry += ENTRY) markParent(marks, parent, load<i32>(entry))
      continue
    }
    // Only links that lead out of the block: those inside join rows of the same part. A row that can change has a slot.
    const corner = <i32>load<u8>(corners + <usize>row)
    const lane = laneOf<T>(record, row)
    for (let axis = 0; axis < 3; axis++) {
      const d = 2 * axis + ((corner >> axis) & 1)
      markParent(marks, parent, load<T>(lane + ((<usize>d) << 4), 32) != 0 ? row + stepOf(record, d) : row)
    }
  }
  listMarked(coarse)
}

function findContacts(fine: Level, coarse: Level): void {
  coarse.contacts = allocate((<usize>fine.contactCount) << 2)
  coarse.contactCount = 0
  for (let at: usize = 0; at < <usize>fine.contactCount; at++) {
    const parent = load<i32>(fine.parent + ((<usize>load<i32>(fine.contacts + (at << 2))) << 2))
    if (parent == coarse.rows || load<u8>(coarse.marks + <usize>parent)) continue
    store<u8>(coarse.marks + <usize>parent, 1)
    store<i32>(coarse.contacts + ((<usize>coarse.contactCount) << 2), parent)
    coarse.contactCount++
  }
}

/** Rows without parent mark the byte behind the last row. */
@inline
function markParent(marks: usize, parent: usize, row: i32): void {
  store<u8>(marks + <usize>load<i32>(parent + ((<usize>row) << 2)), 1)
}

function listMarked(coarse: Level): void {
  coarse.dependents = allocate((<usize>coarse.unknowns) << 2)
  coarse.dependentCount = 0
  for (let row = 0; row < coarse.rows; row += 4) {
    if (row + 4 <= coarse.rows && load<u32>(coarse.marks + <usize>row) == 0) continue
    for (let one = row; one < min(row + 4, coarse.rows); one++)
      if (load<u8>(coarse.marks + <usize>one)) {
        store<i32>(coarse.dependents + ((<usize>coarse.dependentCount) << 2), one)
        coarse.dependentCount++
      }
  }
}
