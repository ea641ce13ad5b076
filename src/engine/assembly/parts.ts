/** The rows of a coarse level: one for each connected part of a 2×2×2 block. */
import { padded } from './finest-rows'
import { pointer, setPointer, setSum, totalOf } from './jobs'
import { chunkOf, ENTRIES_END, ENTRY, entriesOf, Level, LINKED, LISTED, OPEN, recordOfRow, stepOf } from './level'
import { FIND_PARTS, SET_PARENTS } from './loops'
import { allocate, allocateLow, reserveScratch, scratchOf } from './memory'
import { run, threadCount, threadNumber } from './pool'
import { findSensitive } from './sensitive'
import { weightOf } from './weights'

// Parts, numbered by where they are found: a range of coarse lines has as many numbers as it has fine rows, and uses the first of them. All
// threads have these addresses from the arguments of the loop.
let partCount: i32 = 0
let partI: usize = 0
let partExtra: usize = 0
let partOpen: usize = 0
let partInside: usize = 0
let partChildren: usize = 0
let partRow: usize = 0
let children: usize = 0
let childEnd: i32 = 0
let anyExtra: bool = false
/** Of every coarse line its first part, and after how many it ends. */
let lineParts: usize = 0
let lineEnds: usize = 0
/** Per fine row with links: its corner of the block, a bit for each axis. Not set where the whole block is open. */
let corners: usize = 0
/** Next row of the same block, where cells may hold several. */
let nextRow: usize = 0

/** Ranges of coarse lines that are searched for parts, at most. */
const RANGES: i32 = 64

/** Finds the parts, gives them rows, and fills in the parents of the fine rows. Returns how many there are. Low memory then holds, for each
 *  row, links inside it per axis (f64), whether all its cells are open, and the corners of the fine rows. */
export function divide<T>(fine: Level, coarse: Level): i32 {
  const rows = <usize>fine.rows
  const lines = <usize>(coarse.ny * coarse.nz)
  coarse.children = allocate(rows << 2)
  coarse.redLines = allocate((lines + 1) << 2)
  coarse.blackLines = allocate((lines + 1) << 2)
  setPointer(0, changetype<usize>(fine))
  setPointer(1, changetype<usize>(coarse))
  setPointer(2, allocateLow(rows))
  setPointer(3, allocateLow(rows << 2))
  setPointer(4, allocateLow(rows))
  setPointer(5, allocateLow(rows))
  setPointer(6, allocateLow(rows * 24))
  setPointer(7, allocateLow((rows + 1) << 2))
  setPointer(8, allocateLow(rows << 2))
  setPointer(9, allocateLow(lines << 2))
  setPointer(10, allocateLow(lines << 2))
  setPointer(11, fine.split ? allocateLow(rows << 2) : 0)
  // Of a grid that has just become flat, a coarse line covers lines of two planes, so it stays in one piece.
  const ranges = coarse.nz > 1 ? min(RANGES, coarse.nz) : fine.nz > 1 ? 1 : min(RANGES, coarse.ny)
  setPointer(12, ranges)
  reserveScratch(<usize>coarse.nx << 5, threadCount())
  run(FIND_PARTS + (sizeof<T>() == 8 ? 1 : 0), ranges)
  takeAddresses()
  const count = <i32>totalOf(ranges, 0)
  if (count > 0) {
    coarse.split = totalOf(ranges, 1) > 0 ? 1 : 0
    coarse.unknowns = count
    numberParts<T>(coarse)
    setParents(fine, coarse)
    findSensitive<T>(fine, coarse)
  }
  return count
}

function takeAddresses(): void {
  corners = pointer(2)
  partI = pointer(3)
  partExtra = pointer(4)
  partOpen = pointer(5)
  partInside = pointer(6)
  partChildren = pointer(7)
  partRow = pointer(8)
  lineParts = pointer(9)
  lineEnds = pointer(10)
  nextRow = pointer(11)
}

/** Finds the parts in one range of coarse lines: whole planes, or lines of a flat grid. */
export function findPartsChunk<T>(range: i32): void {
  const fine = changetype<Level>(pointer(0))
  const coarse = changetype<Level>(pointer(1))
  takeAddresses()
  children = coarse.children
  const scratch = scratchOf(threadNumber())
  const ranges = <i32>pointer(12)
  const planes = coarse.nz > 1 ? coarse.nz : coarse.ny
  const perPlane = coarse.nz > 1 ? coarse.ny : 1
  const from = <i32>((<i64>planes * range) / ranges) * perPlane
  const to = <i32>((<i64>planes * (range + 1)) / ranges) * perPlane
  // Fine lines below these coarse ones are consecutive too.
  const fineLine = coarse.nz > 1 ? min(2 * (from / perPlane), fine.nz) * fine.ny : min(2 * from, fine.ny)
  const first = load<i32>(fine.redLines + (<usize>fineLine << 2)) + load<i32>(fine.blackLines + (<usize>fineLine << 2)) - fine.reds
  partCount = first
  childEnd = first
  anyExtra = false
  store<i32>(partChildren + (<usize>first << 2), first)
  for (let line = from; line < to; line++) {
    store<i32>(lineParts + (<usize>line << 2), partCount)
    if (fine.split) findInLists<T>(fine, coarse, line % coarse.ny, line / coarse.ny, scratch)
    else findInCorners<T>(fine, coarse, line % coarse.ny, line / coarse.ny, scratch)
    store<i32>(lineEnds + (<usize>line << 2), partCount)
  }
  setSum(range, 0, <f64>(partCount - first))
  setSum(range, 1, anyExtra ? 1 : 0)
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
  lowest = fine.nx
  highest = -1
  for (let k = 2 * K; k < min(2 * K + 2, fine.nz); k++)
    for (let j = 2 * J; j < min(2 * J + 2, fine.ny); j++) {
      const line = <usize>(j + fine.ny * k) << 2
      const corner = <usize>(((j & 1) << 1) | ((k & 1) << 2))
      placeInCorners(fine, load<i32>(fine.redLines + line), load<i32>(fine.redLines + line, 4), corner, blocks)
      placeInCorners(fine, load<i32>(fine.blackLines + line), load<i32>(fine.blackLines + line, 4), corner, blocks)
    }
  const full = fine.flat ? 4 : 8
  for (let I = lowest >> 1; I <= highest >> 1; I++) {
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

/** Least and greatest i that this thread has placed in the present line of blocks. */
let lowest: i32 = 0
let highest: i32 = 0

function placeInCorners(fine: Level, from: i32, to: i32, corner: usize, blocks: usize): void {
  for (let row = <usize>from; row < <usize>to; row++) {
    const i = load<i32>(fine.cell + (row << 2))
    const flags = load<u8>(fine.flags + row)
    store<i32>(fine.parent + (row << 2), -1)
    if (i < 0 || !(flags & LINKED)) continue
    lowest = min(lowest, i)
    highest = max(highest, i)
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
function findInLists<T>(fine: Level, coarse: Level, J: i32, K: i32, first: usize): void {
  memory.fill(first, 255, <usize>coarse.nx << 2)
  let any = false
  for (let k = 2 * K; k < min(2 * K + 2, fine.nz); k++)
    for (let j = 2 * J; j < min(2 * J + 2, fine.ny); j++) {
      const from = j + fine.ny * k
      const corner = <u8>(((j & 1) << 1) | ((k & 1) << 2))
      if (sortIn(fine, fine.redLines, from, corner, first)) any = true
      if (sortIn(fine, fine.blackLines, from, corner, first)) any = true
    }
  if (!any) return
  for (let I = 0; I < coarse.nx; I++) {
    let extra = false
    for (let seed = load<i32>(first + (<usize>I << 2)); seed >= 0; seed = load<i32>(nextRow + (<usize>seed << 2))) {
      if (load<i32>(fine.parent + (<usize>seed << 2)) >= 0) continue
      growPart<T>(fine, seed)
      endPart(I, extra)
      extra = true
    }
  }
}

function sortIn(fine: Level, lines: usize, line: i32, corner: u8, first: usize): bool {
  const begin = load<i32>(lines + (<usize>line << 2))
  const end = load<i32>(lines + (<usize>line << 2), 4)
  // Backwards, so that the lists are ascending.
  for (let row = end - 1; row >= begin; row--) {
    const i = load<i32>(fine.cell + (<usize>row << 2))
    store<i32>(fine.parent + (<usize>row << 2), -1)
    if (i < 0 || !(load<u8>(fine.flags + <usize>row) & LINKED)) continue
    const list = first + (<usize>(i >> 1) << 2)
    store<i32>(nextRow + (<usize>row << 2), load<i32>(list))
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

@inline
function leadsInside(corner: u8, direction: i32): bool {
  const upper = (<i32>corner >> (direction >> 1)) & 1
  return direction & 1 ? upper == 0 : upper == 1
}

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
      const to = load<i32>(lineEnds + (<usize>line << 2))
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
  const inside = allocateLow(rows * 24)
  const open = allocateLow(rows)
  memory.fill(open, 0, rows)
  setPointer(13, inside)
  setPointer(14, open)
  for (let line: usize = 0; line < <usize>(coarse.ny * coarse.nz); line++) {
    const end = <usize>load<i32>(lineEnds + (line << 2))
    for (let part = <usize>load<i32>(lineParts + (line << 2)); part < end; part++) {
      const row = <usize>load<i32>(partRow + (part << 2))
      store<i32>(coarse.cell + (row << 2), load<i32>(partI + (part << 2)))
      store<u64>(coarse.childStart + (row << 3), load<u64>(partChildren + (part << 2)))
      store<f64>(inside + row * 24, load<f64>(partInside + part * 24))
      store<f64>(inside + row * 24, load<f64>(partInside + part * 24, 8), 8)
      store<f64>(inside + row * 24, load<f64>(partInside + part * 24, 16), 16)
      store<u8>(open + row, load<u8>(partOpen + part))
    }
  }
  run(SET_PARENTS, fine.chunkCount)
}

/** Translates the part of every fine row into a row. */
export function setParentsChunk(index: i32): void {
  const fine = changetype<Level>(pointer(0))
  const none = changetype<Level>(pointer(1)).rows
  const rowOf = pointer(8)
  const here = chunkOf(fine, index)
  const next = chunkOf(fine, index + 1)
  translate(fine, here.redRow, next.redRow, rowOf, none)
  translate(fine, here.blackRow, next.blackRow, rowOf, none)
}

function translate(fine: Level, from: i32, to: i32, rowOf: usize, none: i32): void {
  for (let row = <usize>from; row < <usize>to; row++) {
    const part = load<i32>(fine.parent + (row << 2))
    store<i32>(fine.parent + (row << 2), part < 0 ? none : load<i32>(rowOf + (<usize>part << 2)))
  }
}
