/** Parts of a line of blocks, from a level with several rows in a cell: a list of rows for each block. */
import { addChild, CoarsenJob, endPart, HELD, nextChildren, AGGREGATE_SUMS, allocateSums } from './aggregate-record'
import { jobOf } from '../../../../machine/kernels/job'
import { ENTRIES_END, ENTRY, entriesOf, Level, LINKED, LISTED, Record, recordOfRow, stepOf } from '../level'
import { clearFew } from '../../../../machine/kernels/memory'
import { heldOf, weightOf } from '../weights'

/** `first`: room for the first row of each block. */
export function findInLists<T>(fine: Level, coarse: Level, J: i32, K: i32, first: usize): void {
  const nextRow = jobOf<CoarsenJob>().nextRow
  memory.fill(first, 255, (<usize>coarse.nx) << 2)
  let any = false
  for (let k = 2 * K; k < min(2 * K + 2, fine.nz); k++)
    for (let j = 2 * J; j < min(2 * J + 2, fine.ny); j++) {
      const from = j + fine.ny * k
      const corner = <u8>(((j & 1) << 1) | ((k & 1) << 2))
      if (sortIn(fine, fine.redLines, from, corner, first, nextRow)) any = true
      if (sortIn(fine, fine.blackLines, from, corner, first, nextRow)) any = true
    }
  if (!any) return
  for (let I = 0; I < coarse.nx; I++) {
    let extra = false
    for (let seed = load<i32>(first + ((<usize>I) << 2)); seed >= 0; seed = load<i32>(nextRow + ((<usize>seed) << 2))) {
      if (load<i32>(fine.parent + ((<usize>seed) << 2)) >= 0) continue
      growPart<T>(fine, seed, I, extra)
      extra = true
    }
  }
}

function sortIn(fine: Level, lines: usize, line: i32, corner: u8, first: usize, nextRow: usize): bool {
  const begin = load<i32>(lines + ((<usize>line) << 2))
  const end = load<i32>(lines + ((<usize>line) << 2), 4)
  // Backwards, so that the lists are ascending.
  for (let row = end - 1; row >= begin; row--) {
    const i = load<i32>(fine.cell + ((<usize>row) << 2))
    store<i32>(fine.parent + ((<usize>row) << 2), -1)
    if (i < 0 || !(load<u8>(fine.flags + <usize>row) & LINKED)) continue
    const list = first + ((<usize>(i >> 1)) << 2)
    store<i32>(nextRow + ((<usize>row) << 2), load<i32>(list))
    store<i32>(list, row)
    store<u8>(fine.corner + <usize>row, corner | <u8>(i & 1))
  }
  return end > begin
}

/** Collects what is connected with the seed inside its block. */
export function growPart<T>(fine: Level, seed: i32, I: i32, extra: bool): void {
  const list = nextChildren()
  let met = 1
  let x = 0.0
  let y = 0.0
  let z = 0.0
  // Not for parts of rows with entries, which have entries too.
  let sums = allocateSums()
  clearFew(sums, AGGREGATE_SUMS)
  addChild(fine, list, 0, seed)
  for (let head = 0; head < met; head++) {
    const row = load<i32>(list + ((<usize>head) << 2))
    const corner = load<u8>(fine.corner + <usize>row)
    const record = recordOfRow<T>(fine, row)
    if (record.kind == LISTED) {
      sums = 0
      const at = entriesOf<T>(record, row)
      const end = <usize>load<u32>(at, ENTRIES_END)
      for (let entry = <usize>load<u32>(at); entry < end; entry += ENTRY) {
        const direction = load<i32>(entry, 4)
        if (!leadsInside(corner, direction)) continue
        met += join(fine, list, met, load<i32>(entry))
        if (!(direction & 1)) continue
        const weight = <f64>load<T>(entry, 8)
        if (direction == 1) x += weight
        else if (direction == 3) y += weight
        else z += weight
      }
      continue
    }
    if (sums) addToSums<T>(fine, record, row, corner, sums)
    for (let axis = 0; axis < 3; axis++) {
      const upwards = (corner >> <u8>axis) & 1 ? 0 : 1
      const direction = 2 * axis + upwards
      const weight = weightOf<T>(fine, record, row, direction)
      if (weight == 0) continue
      met += join(fine, list, met, row + stepOf(record, direction))
      // Every link is met from both ends.
      if (!upwards) continue
      if (axis == 0) x += weight
      else if (axis == 1) y += weight
      else z += weight
    }
  }
  endPart(I, extra, met, x, y, z, sums)
}

/** Adds what holds a row, and the links that lead out of its block. */
@inline
function addToSums<T>(fine: Level, record: Record, row: i32, corner: u8, sums: usize): void {
  store<f64>(sums, load<f64>(sums, HELD) + heldOf<T>(record, row), HELD)
  for (let axis = 0; axis < 3; axis++) {
    const direction = 2 * axis + ((<i32>corner >> axis) & 1)
    const at = sums + ((<usize>direction) << 3)
    store<f64>(at, load<f64>(at) + weightOf<T>(fine, record, row, direction))
  }
}

@inline
function leadsInside(corner: u8, direction: i32): bool {
  const upper = (<i32>corner >> (direction >> 1)) & 1
  return direction & 1 ? upper == 0 : upper == 1
}

/** Returns how many rows that adds. */
@inline
function join(fine: Level, list: usize, met: i32, row: i32): i32 {
  if (load<i32>(fine.parent + ((<usize>row) << 2)) >= 0) return 0
  addChild(fine, list, met, row)
  return 1
}
