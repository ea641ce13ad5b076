/** The rows of a coarse level: one for each connected part of a 2×2×2 block. */
import { padded } from './finest'
import { ENTRIES_END, ENTRY, entriesOf, Level, LINKED, LISTED, OPEN, recordOfRow, stepOf } from './level'
import { allocate, allocateLow, markLow, releaseLow } from './memory'
import { weightOf } from './weights'

// Parts in the order they are found, line by line of the coarse grid.
export let partCount: i32 = 0
let partI: usize = 0
let partExtra: usize = 0
export let partOpen: usize = 0
let anyExtra: bool = false
/** Per fine row with links: its corner of the block, a bit for each axis. Not set where the whole block is open. */
export let corners: usize = 0
export let partInside: usize = 0
let partChildren: usize = 0
export let partRow: usize = 0
let children: usize = 0
let childEnd: i32 = 0
let lineParts: usize = 0

/** Finds the parts, gives them rows, and fills in the parents of the fine rows. Returns how many there are. What describes them lies in
 *  low memory. */
export function divide<T>(fine: Level, coarse: Level): i32 {
  const unknowns = <usize>fine.unknowns
  const lines = coarse.ny * coarse.nz
  coarse.children = allocate(unknowns << 2)
  children = coarse.children
  coarse.redLines = allocate((<usize>lines + 1) << 2)
  coarse.blackLines = allocate((<usize>lines + 1) << 2)
  partI = allocateLow(unknowns << 2)
  partExtra = allocateLow(unknowns)
  partOpen = allocateLow(unknowns)
  anyExtra = false
  partInside = allocateLow(unknowns * 24)
  partChildren = allocateLow((unknowns + 1) << 2)
  partRow = allocateLow(unknowns << 2)
  lineParts = allocateLow((<usize>lines + 1) << 2)
  findParts<T>(fine, coarse)
  if (partCount > 0) {
    numberParts<T>(coarse)
    setParents(fine, coarse)
    findSensitive<T>(fine, coarse)
  }
  return partCount
}

function findParts<T>(fine: Level, coarse: Level): void {
  corners = allocateLow(<usize>fine.rows)
  const kept = markLow()
  const first = allocateLow(<usize>coarse.nx << 2)
  const blocks = allocateLow(<usize>coarse.nx << 5)
  const next = allocateLow(<usize>(fine.split ? fine.rows : 0) << 2)
  memory.fill(fine.parent, 255, <usize>fine.rows << 2)
  partCount = 0
  childEnd = 0
  store<u32>(partChildren, 0)
  for (let K = 0, line = 0; K < coarse.nz; K++) {
    for (let J = 0; J < coarse.ny; J++, line++) {
      store<i32>(lineParts + (<usize>line << 2), partCount)
      if (fine.split) findInLists<T>(fine, coarse, J, K, first, next)
      else findInCorners<T>(fine, coarse, J, K, blocks)
    }
  }
  store<i32>(lineParts + (<usize>(coarse.ny * coarse.nz) << 2), partCount)
  releaseLow(kept)
}

/** Parts of a line of blocks, from a level with at most one row in a cell: eight places a block. Rows without links stay behind: their
 *  own level solves them exactly. */
function findInCorners<T>(fine: Level, coarse: Level, J: i32, K: i32, blocks: usize): void {
  let any = false
  for (let k = 2 * K; k < min(2 * K + 2, fine.nz); k++)
    for (let j = 2 * J; j < min(2 * J + 2, fine.ny); j++) {
      const line = <usize>(j + fine.ny * k) << 2
      if (load<i32>(fine.redLines + line) != load<i32>(fine.redLines + line, 4)) any = true
      if (load<i32>(fine.blackLines + line) != load<i32>(fine.blackLines + line, 4)) any = true
    }
  if (!any) return
  memory.fill(blocks, 255, <usize>coarse.nx << 5)
  for (let k = 2 * K; k < min(2 * K + 2, fine.nz); k++)
    for (let j = 2 * J; j < min(2 * J + 2, fine.ny); j++) {
      const line = <usize>(j + fine.ny * k) << 2
      const corner = <usize>(((j & 1) << 1) | ((k & 1) << 2))
      placeInCorners(fine, load<i32>(fine.redLines + line), load<i32>(fine.redLines + line, 4), corner, blocks)
      placeInCorners(fine, load<i32>(fine.blackLines + line), load<i32>(fine.blackLines + line, 4), corner, blocks)
    }
  const full = fine.flat ? 4 : 8
  for (let I = 0; I < coarse.nx; I++) {
    const block = blocks + (<usize>I << 5)
    // Empty places are negative, and what is open has its lowest bit set.
    let all = load<i32>(block) & load<i32>(block, 4) & load<i32>(block, 8) & load<i32>(block, 12)
    let any = load<i32>(block) | load<i32>(block, 4) | load<i32>(block, 8) | load<i32>(block, 12)
    if (full == 8) {
      all &= load<i32>(block, 16) & load<i32>(block, 20) & load<i32>(block, 24) & load<i32>(block, 28)
      any |= load<i32>(block, 16) | load<i32>(block, 20) | load<i32>(block, 24) | load<i32>(block, 28)
    }
    if (any >= 0 && all & 1) {
      takeOpenBlock(fine, block, full)
      endPart(I, false)
      store<u8>(partOpen + <usize>(partCount - 1), 1)
      continue
    }
    let extra = false
    for (let corner: usize = 0; corner < <usize>full; corner++) {
      const place = load<i32>(block + (corner << 2))
      if (place >= 0) store<u8>(corners + <usize>(place >> 1), <u8>corner)
    }
    for (let corner: usize = 0; corner < <usize>full; corner++) {
      const seed = load<i32>(block + (corner << 2)) >> 1
      if (seed < 0 || load<i32>(fine.parent + (<usize>seed << 2)) >= 0) continue
      growPart<T>(fine, seed)
      endPart(I, extra)
      extra = true
    }
  }
}

function placeInCorners(fine: Level, from: i32, to: i32, corner: usize, blocks: usize): void {
  for (let row = <usize>from; row < <usize>to; row++) {
    const i = load<i32>(fine.cell + (row << 2))
    const flags = load<u8>(fine.flags + row)
    if (i < 0 || !(flags & LINKED)) continue
    store<i32>(blocks + (<usize>(i >> 1) << 5) + ((<usize>(i & 1) | corner) << 2), (<i32>row << 1) | <i32>(flags & OPEN))
  }
}

/** A block all of whose cells are open liquid is connected. */
function takeOpenBlock(fine: Level, block: usize, full: i32): void {
  for (let corner: usize = 0; corner < <usize>full; corner++) {
    const row = load<i32>(block + (corner << 2)) >> 1
    store<i32>(children + (<usize>(childEnd++) << 2), row)
    store<i32>(fine.parent + (<usize>row << 2), partCount)
  }
  const inside = partInside + <usize>partCount * 24
  const sum = fine.weight * <f64>(full >> 1)
  store<f64>(inside, sum)
  store<f64>(inside, sum, 8)
  store<f64>(inside, fine.flat ? 0 : sum, 16)
}

function endPart(I: i32, extra: bool): void {
  store<i32>(partI + (<usize>partCount << 2), I)
  store<u8>(partExtra + <usize>partCount, extra ? 1 : 0)
  store<u8>(partOpen + <usize>partCount, 0)
  if (extra) anyExtra = true
  partCount++
  store<i32>(partChildren + (<usize>partCount << 2), childEnd)
}

/** The same from a level with several rows in a cell: a list of rows for each block. */
function findInLists<T>(fine: Level, coarse: Level, J: i32, K: i32, first: usize, next: usize): void {
  memory.fill(first, 255, <usize>coarse.nx << 2)
  let any = false
  for (let k = 2 * K; k < min(2 * K + 2, fine.nz); k++)
    for (let j = 2 * J; j < min(2 * J + 2, fine.ny); j++) {
      const from = j + fine.ny * k
      const corner = <u8>(((j & 1) << 1) | ((k & 1) << 2))
      if (sortIn(fine, fine.redLines, from, corner, first, next)) any = true
      if (sortIn(fine, fine.blackLines, from, corner, first, next)) any = true
    }
  if (!any) return
  for (let I = 0; I < coarse.nx; I++) {
    let extra = false
    for (let seed = load<i32>(first + (<usize>I << 2)); seed >= 0; seed = load<i32>(next + (<usize>seed << 2))) {
      if (load<i32>(fine.parent + (<usize>seed << 2)) >= 0) continue
      growPart<T>(fine, seed)
      endPart(I, extra)
      extra = true
    }
  }
}

function sortIn(fine: Level, lines: usize, line: i32, corner: u8, first: usize, next: usize): bool {
  const begin = load<i32>(lines + (<usize>line << 2))
  const end = load<i32>(lines + (<usize>line << 2), 4)
  // Backwards, so that the lists are ascending.
  for (let row = end - 1; row >= begin; row--) {
    const i = load<i32>(fine.cell + (<usize>row << 2))
    if (i < 0 || !(load<u8>(fine.flags + <usize>row) & LINKED)) continue
    const list = first + (<usize>(i >> 1) << 2)
    store<i32>(next + (<usize>row << 2), load<i32>(list))
    store<i32>(list, row)
    store<u8>(corners + <usize>row, corner | <u8>(i & 1))
  }
  return end > begin
}

/** Collects what is connected with the seed inside its block. */
function growPart<T>(fine: Level, seed: i32): void {
  const begin = childEnd
  let x = 0.0
  let y = 0.0
  let z = 0.0
  store<i32>(children + (<usize>(childEnd++) << 2), seed)
  store<i32>(fine.parent + (<usize>seed << 2), partCount)
  for (let head = begin; head < childEnd; head++) {
    const row = load<i32>(children + (<usize>head << 2))
    const corner = load<u8>(corners + <usize>row)
    const record = recordOfRow<T>(fine, row)
    if (record.kind == LISTED) {
      const at = entriesOf<T>(record, row)
      const end = <usize>load<u32>(at, ENTRIES_END)
      for (let entry = <usize>load<u32>(at); entry < end; entry += ENTRY) {
        const direction = load<i32>(entry, 4)
        if (!leadsInside(corner, direction)) continue
        join(fine, load<i32>(entry))
        if (!(direction & 1)) continue
        const weight = <f64>load<T>(entry, 8)
        if (direction == 1) x += weight
        else if (direction == 3) y += weight
        else z += weight
      }
      continue
    }
    for (let axis = 0; axis < 3; axis++) {
      const upwards = (corner >> <u8>axis) & 1 ? 0 : 1
      const direction = 2 * axis + upwards
      const weight = weightOf<T>(fine, record, row, direction)
      if (weight == 0) continue
      join(fine, row + stepOf(record, direction))
      // Every link is met from both ends.
      if (!upwards) continue
      if (axis == 0) x += weight
      else if (axis == 1) y += weight
      else z += weight
    }
  }
  const inside = partInside + <usize>partCount * 24
  store<f64>(inside, x)
  store<f64>(inside, y, 8)
  store<f64>(inside, z, 16)
}

// @ts-ignore: decorator
@inline
function leadsInside(corner: u8, direction: i32): bool {
  const upper = (<i32>corner >> (direction >> 1)) & 1
  return direction & 1 ? upper == 0 : upper == 1
}

// @ts-ignore: decorator
@inline
function join(fine: Level, row: i32): void {
  const at = fine.parent + (<usize>row << 2)
  if (load<i32>(at) >= 0) return
  store<i32>(at, partCount)
  store<i32>(children + (<usize>(childEnd++) << 2), row)
}

/** Rows of the parts: in each colour line by line, first parts of blocks in runs, further parts of the same blocks behind them. */
function numberParts<T>(coarse: Level): void {
  const lines = coarse.ny * coarse.nz
  let row = 0
  for (let colour = 0; colour < 2; colour++) {
    const starts = colour ? coarse.blackLines : coarse.redLines
    for (let line = 0; line < lines; line++) {
      store<i32>(starts + (<usize>line << 2), row)
      const parity = (line % coarse.ny + line / coarse.ny) & 1
      const from = load<i32>(lineParts + (<usize>line << 2))
      const to = load<i32>(lineParts + (<usize>line << 2), 4)
      let last = -2
      for (let part = from; part < to; part++) {
        if (load<u8>(partExtra + <usize>part)) continue
        const I = load<i32>(partI + (<usize>part << 2))
        if (I != last + 1) row = padded<T>(row)
        last = I
        if (((I + parity) & 1) == colour) store<i32>(partRow + (<usize>part << 2), row++)
      }
      row = padded<T>(row)
      for (let part = from; part < to; part++) {
        if (!load<u8>(partExtra + <usize>part)) continue
        if (((load<i32>(partI + (<usize>part << 2)) + parity) & 1) == colour) store<i32>(partRow + (<usize>part << 2), row++)
      }
      row = padded<T>(row)
    }
    store<i32>(starts + (<usize>lines << 2), row)
    if (colour == 0) coarse.reds = row
  }
  coarse.rows = row
  coarse.unknowns = partCount
  coarse.split = anyExtra ? 1 : 0
}

/** Translates parts into rows. Rows without a part get the place behind the last row as parent, where values come to nothing. */
function setParents(fine: Level, coarse: Level): void {
  const rows = <usize>coarse.rows
  coarse.cell = allocate(rows << 2)
  coarse.parent = allocate((rows + 4) << 2)
  coarse.off = allocate(rows)
  coarse.marks = allocate(rows)
  coarse.childStart = allocate(rows << 3)
  memory.fill(coarse.cell, 255, rows << 2)
  memory.fill(coarse.off, 0, rows)
  memory.fill(coarse.marks, 0, rows)
  memory.fill(coarse.childStart, 0, rows << 3)
  for (let part: usize = 0; part < <usize>partCount; part++) {
    const row = <usize>load<i32>(partRow + (part << 2))
    store<i32>(coarse.cell + (row << 2), load<i32>(partI + (part << 2)))
    store<i32>(coarse.childStart + (row << 3), load<i32>(partChildren + (part << 2)))
    store<i32>(coarse.childStart + (row << 3), load<i32>(partChildren + (part << 2), 4), 4)
  }
  for (let row: usize = 0; row < <usize>fine.rows; row++) {
    const part = load<i32>(fine.parent + (row << 2))
    store<i32>(fine.parent + (row << 2), part < 0 ? coarse.rows : load<i32>(partRow + (<usize>part << 2)))
  }
}

/** Rows that see something that can change below: they need a slot. Also the contacts, for the problem of this level. */
function findSensitive<T>(fine: Level, coarse: Level): void {
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

// @ts-ignore: decorator
@inline
function markParent(fine: Level, coarse: Level, row: i32): void {
  const parent = load<i32>(fine.parent + (<usize>row << 2))
  if (parent == coarse.rows || load<u8>(coarse.marks + <usize>parent)) return
  store<u8>(coarse.marks + <usize>parent, 1)
  store<i32>(coarse.sensitive + (<usize>(coarse.sensitives++) << 2), parent)
}
