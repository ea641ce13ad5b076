/** The next level: one row for each connected part of a 2×2×2 block, joined by sums of links, scaled as resistances in series: half of
 *  one block, the faces between, half of the other. In open liquid the scale is exactly ½; at a doorway it is nearly 1. */
import { beginLine, packOpenRows, packSummed, fillFromSums } from './coarse-blocks'
import { CoarsenJob } from './aggregate-record'
import { jobOf } from '../../../../machine/kernels/job'
import { pieceOf, ENTRIES_END, ENTRY, entriesOf, laneOf, lanes, Level, LISTED, recordOfRow, stepOf, UNIFORM } from '../level'
import {
  append,
  beginList,
  clearFew,
  endList,
  markLow,
  releaseLow,
  reserveScratch,
  scratchOf,
} from '../../../../machine/kernels/memory'
import { beginPiece, endPiece, endPacking, packBlock } from './pack'
import { cutIntoPieces, reserveBlocks } from './pieces'
import { divide } from './aggregates'
import { runFor, threadCount, threadNumber } from '../../../../machine/kernels/pool'
import { ROW, Row, writeEntry } from './slots'
import { DIRICHLET_SHARE, heldOf, MIN_SHARE, weightOf } from '../weights'

/** Fills in the parents of the fine rows. Returns false, without building anything, if no row has links. */
export function coarsen<T>(fine: Level, coarse: Level): bool {
  if (fine.links == 0) return false
  coarse.nx = (fine.nx + 1) >> 1
  coarse.ny = (fine.ny + 1) >> 1
  coarse.nz = (fine.nz + 1) >> 1
  coarse.flat = coarse.nz == 1 ? 1 : 0
  const axes = (fine.nx > 1 ? 1 : 0) + (fine.ny > 1 ? 1 : 0) + (fine.nz > 1 ? 1 : 0)
  coarse.weight = axes > 1 ? fine.weight * <f64>(1 << (axes - 1)) * 0.5 : fine.weight * 0.5
  const kept = markLow()
  const parts = divide<T>(fine, coarse)
  if (parts > 0) packCoarse<T>(coarse)
  // Inverse diagonals of rows that can change are those of unrounded D so far.
  coarse.touched = 1
  releaseLow(kept)
  return parts > 0
}

/** With the arguments that `divide` has filled in. */
function packCoarse<T>(coarse: Level): void {
  cutIntoPieces(coarse)
  for (let index = 0; index < coarse.pieceCount; index++) {
    const here = pieceOf(coarse, index)
    const next = pieceOf(coarse, index + 1)
    here.redSlot = <usize>((next.redRow - here.redRow) / lanes<T>())
    here.blackSlot = <usize>((next.blackRow - here.blackRow) / lanes<T>())
    here.records = 0
  }
  reserveBlocks<T>(coarse, false)
  reserveScratch(64 + <usize>lanes<T>() * ROW + (MAX_LINKS << 4), threadCount())
  beginList()
  runFor<T>(packCoarsePiece, coarse.pieceCount)
  endList()
  endPacking(coarse)
  for (let at: usize = 0; at < <usize>coarse.dependentCount; at++)
    store<u8>(coarse.marks + <usize>load<i32>(coarse.dependents + (at << 2)), 0)
}

@piece
export function packCoarsePiece<T>(piece: i32): void {
  const task = jobOf<CoarsenJob>()
  const fine = task.fine
  const coarse = task.coarse
  const scratch = scratchOf(threadNumber())
  const rows = scratch + 64
  lists = rows + <usize>lanes<T>() * ROW
  beginPiece(coarse, piece, false)
  for (let line = pieceOf(coarse, piece).line; line < pieceOf(coarse, piece + 1).line; line++) {
    beginLine(coarse, line)
    for (let colour = 0; colour < 2; colour++) {
      const starts = (colour ? coarse.blackLines : coarse.redLines) + ((<usize>line) << 2)
      const from = load<i32>(starts)
      const to = load<i32>(starts, 4)
      for (let start = from; start < to; start += lanes<T>()) {
        if (packOpenRows<T>(coarse, colour == 1, start) || packSummed<T>(coarse, colour == 1, start)) continue
        for (let lane = 0; lane < lanes<T>(); lane++)
          fillRow<T>(fine, coarse, start + lane, changetype<Row>(rows + <usize>lane * ROW))
        packBlock<T>(coarse, colour == 1, start, rows)
      }
    }
  }
  endPiece<T>(coarse, piece)
}

/** Neighbours of the row that is being summed: column, direction, weight. */
let lists: usize = 0
let links: i32 = 0
const MAX_LINKS: usize = 1 << 12

function fillRow<T>(fine: Level, coarse: Level, row: i32, into: Row): void {
  clearFew(changetype<usize>(into), ROW)
  if (load<i32>(coarse.cell + ((<usize>row) << 2)) < 0) {
    into.padding = 1
    return
  }
  into.changeable = load<u8>(coarse.marks + <usize>row)
  links = 0
  if (!fillFromSums(coarse, row, into) && !sumDirections<T>(fine, coarse, row, into)) {
    sumLists<T>(fine, coarse, row, into)
    if (links == 0) return
    into.entries = append(<usize>links * ENTRY)
    into.entriesEnd = into.entries + <usize>links * ENTRY
    for (let link: usize = 0; link < <usize>links; link++) {
      const at = lists + (link << 4)
      const share = shareOf(coarse, row, load<i32>(at), load<u32>(at, 4) >> 1, load<f64>(at, 8))
      writeEntry<T>(into.entries + link * ENTRY, load<u32>(at), load<u32>(at, 4), share * load<f64>(at, 8), share, false)
    }
    return
  }
  for (let direction: u32 = 0; direction < 6; direction++) {
    const slot = changetype<usize>(into) + ((<usize>direction) << 3)
    const sum = load<f64>(slot)
    if (sum == 0) continue
    const column = load<i32>(changetype<usize>(into) + offsetof<Row>('n0') + ((<usize>direction) << 2))
    const share = shareOf(coarse, row, column, direction >> 1, sum)
    store<f64>(slot, share * sum)
    store<f64>(slot, share, offsetof<Row>('s0'))
  }
}

@inline
function shareOf(coarse: Level, row: i32, column: i32, axis: u32, sum: f64): f64 {
  return max(MIN_SHARE, 1 / (1 + sum * (halfOf(coarse, row, axis) + halfOf(coarse, column, axis))))
}

/** Resistance from the centre of a part to its side. */
@inline
function halfOf(coarse: Level, row: i32, axis: u32): f64 {
  return load<f64>(jobOf<CoarsenJob>().halves + ((<usize>(<i32>axis * coarse.rows + row)) << 3))
}

/** Sums the links of all children by direction. False if there are several neighbours in one. */
function sumDirections<T>(fine: Level, coarse: Level, row: i32, into: Row): bool {
  let held = 0.0
  const end = load<i32>(coarse.childStart + ((<usize>row) << 3), 4)
  for (let c = load<i32>(coarse.childStart + ((<usize>row) << 3)); c < end; c++) {
    const child = load<i32>(coarse.children + ((<usize>c) << 2))
    const record = recordOfRow<T>(fine, child)
    if (record.kind == LISTED) return false
    const lane = record.kind == UNIFORM ? fine.openSlot : laneOf<T>(record, child)
    held += <f64>load<T>(lane, 16)
    // Only links that lead out of the block: those inside join rows of the same part.
    const corner = <usize>load<u8>(fine.corner + <usize>child)
    for (let axis: usize = 0; axis < 3; axis++) {
      const d = 2 * axis + ((corner >> axis) & 1)
      const weight = <f64>load<T>(lane + (d << 4), 32)
      if (weight == 0) continue
      const column = load<i32>(fine.parent + ((<usize>(child + stepOf(record, <i32>d))) << 2))
      const slot = changetype<usize>(into) + (d << 3)
      const place = changetype<usize>(into) + offsetof<Row>('n0') + (d << 2)
      const sum = load<f64>(slot)
      if (sum == 0) store<i32>(place, column)
      else if (load<i32>(place) != column) return false
      store<f64>(slot, sum + weight)
    }
  }
  into.D = DIRICHLET_SHARE * held
  return true
}

/** The same for any number of neighbours. */
function sumLists<T>(fine: Level, coarse: Level, row: i32, into: Row): void {
  let held = 0.0
  const end = load<i32>(coarse.childStart + ((<usize>row) << 3), 4)
  for (let c = load<i32>(coarse.childStart + ((<usize>row) << 3)); c < end; c++) {
    const child = load<i32>(coarse.children + ((<usize>c) << 2))
    const record = recordOfRow<T>(fine, child)
    held += heldOf<T>(record, child)
    if (record.kind == LISTED) {
      const at = entriesOf<T>(record, child)
      const stop = <usize>load<u32>(at, ENTRIES_END)
      for (let entry = <usize>load<u32>(at); entry < stop; entry += ENTRY)
        addLink(fine, row, load<i32>(entry), load<i32>(entry, 4), <f64>load<T>(entry, 8))
    } else
      for (let d = 0; d < 6; d++) {
        const weight = weightOf<T>(fine, record, child, d)
        if (weight != 0) addLink(fine, row, child + stepOf(record, d), d, weight)
      }
  }
  into.D = DIRICHLET_SHARE * held
}

function addLink(fine: Level, row: i32, neighbour: i32, direction: i32, weight: f64): void {
  const column = load<i32>(fine.parent + ((<usize>neighbour) << 2))
  if (column == row) return
  for (let link = links - 1; link >= 0; link--) {
    const at = lists + ((<usize>link) << 4)
    if (load<i32>(at) != column) continue
    store<f64>(at, load<f64>(at, 8) + weight, 8)
    return
  }
  if (<usize>links == MAX_LINKS) unreachable()
  const at = lists + ((<usize>links) << 4)
  links++
  store<i32>(at, column)
  store<i32>(at, direction, 4)
  store<f64>(at, weight, 8)
}
