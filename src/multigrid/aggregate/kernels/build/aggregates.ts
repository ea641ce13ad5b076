/** The rows of a coarse level: one for each connected part of a 2×2×2 block. */
import { beginCorners, cornerBytes, findInCorners } from './aggregate-blocks'
import { padded } from './finest-rows'
import { beginParts, CoarsenJob, hasExtra, PART, Part, partAt, partCount, AGGREGATE_SUMS } from './aggregate-record'
import { jobOf, setSum, totalOf } from '../../../../machine/kernels/job'
import { pieceOf, Level, SLOT } from '../level'
import { findInLists } from './aggregate-lists'
import {
  allocate,
  allocateLow,
  beginList,
  clearFew,
  endList,
  reserveScratch,
  scratchOf,
} from '../../../../machine/kernels/memory'
import { run, runFor, threadCount, threadNumber } from '../../../../machine/kernels/pool'
import { findDependents } from '../contacts/contact-dependents'

/** Maximum number of ranges of coarse lines that are searched for parts; and minimum number of rows in each, on average. */
const MAX_RANGES: i32 = 64
const RANGE_ROWS: i32 = 2048

/** In the table of blocks: the block has several rows. −1: it has none. */
const SEVERAL: i32 = -2

/** Finds the parts, gives them rows, and fills in the parents of the fine rows. Returns how many there are. The arguments of the
 *  job, and the low memory that they point to, are used again to pack the level. */
export function divide<T>(fine: Level, coarse: Level): i32 {
  const rows = <usize>fine.rows
  const lines = <usize>(coarse.ny * coarse.nz)
  coarse.children = allocate(rows << 2)
  coarse.redLines = allocate((lines + 1) << 2)
  coarse.blackLines = allocate((lines + 1) << 2)
  fine.corner = allocate(rows)
  fine.openSlot = allocate(SLOT)
  clearFew(fine.openSlot, SLOT)
  for (let d: usize = 0; d < <usize>(fine.flat ? 4 : 6); d++)
    v128.store(fine.openSlot + (d << 4), v128.splat<T>(<T>fine.weight), 32)
  const task = jobOf<CoarsenJob>()
  task.fine = fine
  task.coarse = coarse
  task.parts = allocateLow(rows * PART)
  task.lineParts = allocateLow(lines << 2)
  task.lineEnds = allocateLow(lines << 2)
  task.nextRow = fine.split ? allocateLow(rows << 2) : 0
  // Of a grid that has just become flat, a coarse line covers lines of two planes, so it stays in one piece.
  const most = max(1, min(MAX_RANGES, fine.rows / RANGE_ROWS))
  const ranges = coarse.nz > 1 ? min(most, coarse.nz) : fine.nz > 1 ? 1 : min(most, coarse.ny)
  task.ranges = ranges
  // Those of a part of open liquid, and zeros.
  const sums = allocateLow(2 * AGGREGATE_SUMS)
  task.openSums = sums
  clearFew(sums, 2 * AGGREGATE_SUMS)
  for (let d: usize = 0; d < <usize>(fine.flat ? 4 : 6); d++) store<f64>(sums + (d << 3), fine.weight * <f64>(fine.flat ? 2 : 4))
  reserveScratch(cornerBytes(coarse), threadCount())
  beginList()
  runFor<T>(findPartsPiece, ranges)
  endList()
  const count = <i32>totalOf(ranges, 0)
  if (count > 0) {
    coarse.split = totalOf(ranges, 1) > 0 ? 1 : 0
    coarse.unknowns = count
    numberParts<T>(task)
    setParents(task)
    findDependents<T>(fine, coarse)
  }
  return count
}

/** Finds the parts in one range of coarse lines: whole planes, or lines of a flat grid. */
@piece
export function findPartsPiece<T>(range: i32): void {
  const task = jobOf<CoarsenJob>()
  const fine = task.fine
  const coarse = task.coarse
  const lineParts = task.lineParts
  const lineEnds = task.lineEnds
  const scratch = scratchOf(threadNumber())
  const from = firstLine(coarse, range, task.ranges)
  const to = firstLine(coarse, range + 1, task.ranges)
  const first = rowsBefore(fine, coarse, from)
  beginParts(fine, coarse, first)
  if (!fine.split) beginCorners(coarse, scratch)
  for (let line = from; line < to; line++) {
    store<i32>(lineParts + ((<usize>line) << 2), partCount())
    if (fine.split) findInLists<T>(fine, coarse, line % coarse.ny, line / coarse.ny, scratch)
    else findInCorners<T>(fine, line % coarse.ny, line / coarse.ny)
    store<i32>(lineEnds + ((<usize>line) << 2), partCount())
  }
  setSum(range, 0, <f64>(partCount() - first))
  setSum(range, 1, hasExtra() ? 1 : 0)
}

function firstLine(coarse: Level, range: i32, ranges: i32): i32 {
  const planes = coarse.nz > 1 ? coarse.nz : coarse.ny
  return <i32>((<i64>planes * range) / ranges) * (coarse.nz > 1 ? coarse.ny : 1)
}

/** Fine rows, red and black, below the lines before a coarse one at which a range begins. They are consecutive too. */
function rowsBefore(fine: Level, coarse: Level, line: i32): i32 {
  const fineLine = coarse.nz > 1 ? min(2 * (line / coarse.ny), fine.nz) * fine.ny : min(2 * line, fine.ny)
  return load<i32>(fine.redLines + ((<usize>fineLine) << 2)) + load<i32>(fine.blackLines + ((<usize>fineLine) << 2)) - fine.reds
}

/** Rows of the parts: in each colour line by line, first parts of blocks in runs, further parts of the same blocks behind them. */
function numberParts<T>(task: CoarsenJob): void {
  const coarse = task.coarse
  const lines = coarse.ny * coarse.nz
  const parts = task.parts
  const lineParts = task.lineParts
  const lineEnds = task.lineEnds
  let row = 0
  for (let colour = 0; colour < 2; colour++) {
    const starts = colour ? coarse.blackLines : coarse.redLines
    for (let line = 0; line < lines; line++) {
      store<i32>(starts + ((<usize>line) << 2), row)
      const parity = ((line % coarse.ny) + line / coarse.ny) & 1
      const from = partAt(parts, load<i32>(lineParts + ((<usize>line) << 2)))
      const to = partAt(parts, load<i32>(lineEnds + ((<usize>line) << 2)))
      let last = -2
      let extras = false
      for (let at = changetype<usize>(from); at < changetype<usize>(to); at += PART) {
        const part = changetype<Part>(at)
        if (part.extra) {
          extras = true
          continue
        }
        if (part.I != last + 1) row = padded<T>(row)
        last = part.I
        if (((last + parity) & 1) == colour) part.row = row++
      }
      row = padded<T>(row)
      if (!extras) continue
      for (let at = changetype<usize>(from); at < changetype<usize>(to); at += PART) {
        const part = changetype<Part>(at)
        if (part.extra && ((part.I + parity) & 1) == colour) part.row = row++
      }
      row = padded<T>(row)
    }
    store<i32>(starts + ((<usize>lines) << 2), row)
    if (colour == 0) coarse.reds = row
  }
  coarse.rows = row
}

/** Bytes of one line in the table of blocks: one more in front, and as many behind as vectors read. */
@inline
function lineBytes(coarse: Level): usize {
  return (<usize>(coarse.nx + 12)) << 2
}

/** Translates parts into rows. Rows without a part get the row behind the last as parent, whose value is not used. */
function setParents(task: CoarsenJob): void {
  const coarse = task.coarse
  const rows = <usize>coarse.rows
  coarse.cell = allocate(rows << 2)
  coarse.parent = allocate((rows + 4) << 2)
  coarse.pinned = allocate(rows)
  // One more, for rows without parent.
  coarse.marks = allocate(rows + 1)
  coarse.childStart = allocate(rows << 3)
  memory.fill(coarse.cell, 255, rows << 2)
  memory.fill(coarse.pinned, 0, rows)
  memory.fill(coarse.marks, 0, rows + 1)
  memory.fill(coarse.childStart, 0, rows << 3)
  const open = allocateLow(rows)
  memory.fill(open, 0, rows)
  // With a guard on both sides: whole vectors are loaded.
  const halves = allocateLow(rows * 24 + 128) + 64
  const sums = allocateLow(rows << 2)
  const nothing = v128.splat<u32>(<u32>(task.openSums + AGGREGATE_SUMS))
  for (let at = sums; at < sums + (rows << 2); at += 16) v128.store(at, nothing)
  task.halves = halves
  task.openOf = open
  task.sumsOf = sums
  task.tables = allocateLow((<usize>(coarse.ny * coarse.nz) + 1) << 2)
  fillTables(task)
  run(setParentsPiece, task.fine.pieceCount)
}

/** Copies the data of parts to their rows. */
function fillTables(task: CoarsenJob): void {
  const coarse = task.coarse
  const tables = task.tables
  const halves = task.halves
  const open = task.openOf
  const sums = task.sumsOf
  const parts = task.parts
  const lineParts = task.lineParts
  const lineEnds = task.lineEnds
  const lines = <usize>(coarse.ny * coarse.nz)
  let filled: usize = 1
  for (let line: usize = 0; line < lines; line++)
    if (load<i32>(lineEnds + (line << 2)) > load<i32>(lineParts + (line << 2))) filled++
  // The first is that of all lines without rows, also those beyond the grid.
  const none = allocateLow(filled * lineBytes(coarse))
  memory.fill(none, 255, filled * lineBytes(coarse))
  store<usize>(tables + (lines << 2), none + 4)
  let table = none + 4
  const axis = (<usize>coarse.rows) << 3
  for (let line: usize = 0; line < lines; line++) {
    const from = load<i32>(lineParts + (line << 2))
    const to = load<i32>(lineEnds + (line << 2))
    if (from < to) table += lineBytes(coarse)
    store<usize>(tables + (line << 2), from < to ? table : none + 4)
    for (let index = from; index < to; index++) {
      const part = partAt(parts, index)
      const row = <usize>part.row
      store<i32>(coarse.cell + (row << 2), part.I)
      store<u64>(coarse.childStart + (row << 3), load<u64>(changetype<usize>(part), offsetof<Part>('children')))
      store<f64>(halves + (row << 3), part.halfX)
      store<f64>(halves + axis + (row << 3), part.halfY)
      store<f64>(halves + 2 * axis + (row << 3), part.halfZ)
      store<u8>(open + row, part.open)
      store<usize>(sums + (row << 2), part.sums)
      store<i32>(table + ((<usize>part.I) << 2), part.extra ? SEVERAL : <i32>row)
    }
  }
}

/** Translates the part of every fine row into a row. */
@piece
export function setParentsPiece(piece: i32): void {
  const task = jobOf<CoarsenJob>()
  const fine = task.fine
  const none = task.coarse.rows
  const parts = task.parts
  const here = pieceOf(fine, piece)
  const next = pieceOf(fine, piece + 1)
  translate(fine, here.redRow, next.redRow, parts, none)
  translate(fine, here.blackRow, next.blackRow, parts, none)
}

function translate(fine: Level, from: i32, to: i32, parts: usize, none: i32): void {
  for (let at = fine.parent + ((<usize>from) << 2), end = fine.parent + ((<usize>to) << 2); at < end; at += 4) {
    const part = load<i32>(at)
    store<i32>(at, part < 0 ? none : partAt(parts, part).row)
  }
}
