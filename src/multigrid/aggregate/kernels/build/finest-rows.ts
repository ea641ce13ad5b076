/** The rows of the finest level: how many, which cell is which, and how many of them need coefficients of their own. */
import { CONTACT } from '../../../../pressure/cell-kinds'
import { Input, lineRun, ISOLATED, runFirst, runLength, runStart } from '../problem/input'
import { jobOf } from '../../../../machine/kernels/job'
import { pieceOf, lanes, Level } from '../level'
import { allocate } from '../../../../machine/kernels/memory'

@unmanaged
export class PackFinestJob {
  input: Input
  level: Level
  /** What b is divided by. */
  valueScale: f64
}

/** Counts, for the lines of one piece of work, the blocks of each colour that may need a slot: those with a row that is not open liquid,
 *  and those whose neighbours in another line are in two runs, which a gap in that line can cause for two blocks in each of the four lines
 *  around it. Also runs of rows along x, and contacts. */
@piece
export function countFinestPiece<T>(piece: i32): void {
  const task = jobOf<PackFinestJob>()
  const input = task.input
  const level = task.level
  const here = pieceOf(level, piece)
  const end = pieceOf(level, piece + 1).line
  let gaps: usize = 0
  let reds: usize = 0
  let blacks: usize = 0
  let contacts = 0
  // A gap reaches one line beyond the piece.
  const around = input.nz > 1 ? input.ny : 1
  for (let line = max(0, here.line - around); line < min(end + around, input.ny * input.nz); line++)
    gaps += <usize>max(0, lineRun(input, line + 1) - lineRun(input, line) - 1)
  for (let line = here.line; line < end; line++) {
    const parity = ((line % input.ny) + line / input.ny) & 1
    for (let run = lineRun(input, line); run < lineRun(input, line + 1); run++) {
      const length = runLength(input, run)
      const first = <usize>runFirst(input, run)
      const colour = (runStart(input, run) + parity) & 1
      const even = countIrregular<T>(input.plain + first, 0, length)
      const odd = countIrregular<T>(input.plain + first, 1, length)
      reds += colour == 0 ? even : odd
      blacks += colour == 0 ? odd : even
      contacts += countContacts(input.kind + first, <usize>length)
    }
  }
  const next = pieceOf(level, piece + 1)
  here.redSlot = min(reds + 8 * gaps, <usize>((next.redRow - here.redRow) / lanes<T>()))
  here.blackSlot = min(blacks + 8 * gaps, <usize>((next.blackRow - here.blackRow) / lanes<T>()))
  here.records = 2 * <usize>(lineRun(input, end) - lineRun(input, here.line))
  here.contact = contacts
}

function countContacts(kind: usize, length: usize): i32 {
  let count = 0
  let n: usize = 0
  for (; n + 16 <= length; n += 16) count += popcnt(i8x16.bitmask(i8x16.eq(v128.load(kind + n), i8x16.splat(<i8>CONTACT))))
  for (; n < length; n++) count += <i32>(load<u8>(kind + n) == CONTACT)
  return count
}

function countIrregular<T>(plain: usize, from: i32, length: i32): usize {
  let count: usize = 0
  for (let n = from; n < length; n += 2 * lanes<T>())
    if (n + 2 * (lanes<T>() - 1) >= length || !isOpenBlock<T>(plain + <usize>n)) count++
  return count
}

/** Rows of the finest level, padding included, and the first row of every run in both colours. */
export function numberRows<T>(input: Input, level: Level): void {
  const lines = input.ny * input.nz
  level.nx = input.nx
  level.ny = input.ny
  level.nz = input.nz
  level.flat = input.nz == 1 ? 1 : 0
  level.weight = 1
  level.unknowns = input.unknowns
  level.redLines = allocate((<usize>lines + 1) << 2)
  level.blackLines = allocate((<usize>lines + 1) << 2)
  input.isolated = 0
  let row = 0
  for (let colour = 0; colour < 2; colour++) {
    const starts = colour ? level.blackLines : level.redLines
    for (let from = 0; from < lines; from += unitLines(input)) {
      const to = min(lines, from + unitLines(input))
      let isolated = 0
      for (let line = from; line < to; line++) {
        store<u32>(starts + ((<usize>line) << 2), row)
        const parity = ((line % input.ny) + line / input.ny) & 1
        for (let run = lineRun(input, line), end = lineRun(input, line + 1); run < end; run++) {
          if (isIsolatedRun(input, run)) {
            isolated++
            continue
          }
          store<u32>(input.bases + ((<usize>run) << 3) + ((<usize>colour) << 2), row)
          row += padded<T>(countOf(runStart(input, run) + parity, runLength(input, run), colour))
        }
      }
      if (isolated > 0) row = padded<T>(numberIsolated(input, from, to, colour, row))
    }
    store<u32>(starts + ((<usize>lines) << 2), row)
    if (colour == 0) level.reds = row
  }
  level.rows = row
}

/** Lines that share blocks of isolated cells: those of two planes, or two of a flat grid. Pieces of work begin only where these do. */
@inline
export function unitLines(input: Input): i32 {
  return input.nz > 1 ? 2 * input.ny : 2
}

/** Isolated cells have no links, so their rows need not be in the order of their lines; a block each would be mostly padding. */
@inline
export function isIsolatedRun(input: Input, run: i32): bool {
  return runLength(input, run) == 1 && load<u8>(input.plain + <usize>runFirst(input, run)) == ISOLATED
}

/** Returns the row behind the last. */
function numberIsolated(input: Input, from: i32, to: i32, colour: i32, row: i32): i32 {
  for (let line = from; line < to; line++) {
    const parity = ((line % input.ny) + line / input.ny) & 1
    for (let run = lineRun(input, line), end = lineRun(input, line + 1); run < end; run++)
      if (isIsolatedRun(input, run) && ((runStart(input, run) + parity) & 1) == colour) {
        store<u32>(input.bases + ((<usize>run) << 3) + ((<usize>colour) << 2), row++)
        input.isolated++
      }
  }
  return row
}

/** Cells of one colour in a run whose first cell has the given parity. */
@inline
export function countOf(first: i32, length: i32, colour: i32): i32 {
  return (first & 1) == colour ? (length + 1) >> 1 : length >> 1
}

@inline
export function padded<T>(count: i32): i32 {
  return (count + lanes<T>() - 1) & ~(lanes<T>() - 1)
}

/** First row of a run, for one colour. The cell at distance n from the start of the run is row first + n / 2. */
@inline
export function baseOf(input: Input, run: i32, colour: i32): i32 {
  return load<i32>(input.bases + ((<usize>run) << 3) + ((<usize>colour) << 2))
}

/** Row of every unknown. Overwrites its segment, which is no longer needed. */
export function numberUnknowns(input: Input): void {
  for (let line = 0; line < input.ny * input.nz; line++) {
    const parity = ((line % input.ny) + line / input.ny) & 1
    for (let run = lineRun(input, line); run < lineRun(input, line + 1); run++) {
      const from = runStart(input, run) + parity
      const length = runLength(input, run)
      const even = baseOf(input, run, from & 1)
      const odd = baseOf(input, run, 1 - (from & 1))
      let at = input.segment + ((<usize>runFirst(input, run)) << 2)
      for (let n = 0; n < length; n++, at += 4) store<i32>(at, (n & 1 ? odd : even) + (n >> 1))
    }
  }
}

/** Are all cells of one colour among the next open liquid, as many as a block has rows? */
@inline
export function isOpenBlock<T>(open: usize): bool {
  if (sizeof<T>() == 4) return (load<u64>(open) & 0x0001000100010001) == 0x0001000100010001
  return (load<u32>(open) & 0x00010001) == 0x00010001
}
