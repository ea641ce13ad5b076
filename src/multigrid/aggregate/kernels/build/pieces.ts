/** Pieces of a level, and the memory of its blocks. */
import { MAX_PIECES } from '../../../../machine/header'
import { allocate } from '../../../../machine/kernels/memory'
import { exactSlot } from '../cycle/residual-f64'
import { lanes, Level, PIECE_BYTES, pieceOf, RECORD, SLOT } from '../level'

/** Minimum number of rows in a piece. */
const MIN_ROWS: i32 = 2048

/** Cuts the lines of a level, whose rows have been numbered, into pieces. They begin only where a line of the next level begins, too. */
export function cutIntoPieces(level: Level): void {
  const lines = level.ny * level.nz
  const target = max(MIN_ROWS, level.rows / (MAX_PIECES / 2))
  level.pieces = allocate(PIECE_BYTES * <usize>(MAX_PIECES + 2))
  level.pieceCount = 0
  let last = -target
  for (let line = 0; line <= lines; line++) {
    const j = line % level.ny
    const k = line / level.ny
    const redRow = load<i32>(level.redLines + ((<usize>line) << 2))
    const blackRow = load<i32>(level.blackLines + ((<usize>line) << 2))
    const rows = redRow + blackRow - level.reds
    const aligned = level.nz > 1 ? (k & 1) == 0 && j == 0 : (j & 1) == 0
    if (line < lines && (!aligned || rows - last < target)) continue
    last = rows
    const here = pieceOf(level, line < lines ? level.pieceCount++ : level.pieceCount)
    here.line = line
    here.redRow = redRow
    here.blackRow = blackRow
  }
}

/** Allocates what the blocks of a level need. On entry, `redSlot` and `blackSlot` of a piece are the maximum numbers of slots it
 *  needs, and `records` the number of runs of rows along x; they become addresses here. */
export function reserveBlocks<T>(level: Level, isFinest: bool): void {
  let reds: usize = 0
  let blacks: usize = 0
  let records: usize = 0
  for (let index = 0; index < level.pieceCount; index++) {
    const here = pieceOf(level, index)
    const next = pieceOf(level, index + 1)
    const blocks = <usize>((next.redRow - here.redRow + next.blackRow - here.blackRow) / lanes<T>())
    // A record ends where a slot begins or ends, or with a run.
    const room = min(blocks, 2 * (here.redSlot + here.blackSlot) + here.records + 2)
    here.records = records
    records += room
    here.recordsEnd = records
    reds += here.redSlot
    blacks += here.blackSlot
  }
  const at = allocate(records * RECORD)
  level.recordOf = allocate((<usize>(level.rows / lanes<T>())) << 2)
  level.flags = allocate(<usize>level.rows)
  memory.fill(level.flags, 0, <usize>level.rows)
  level.copies = isFinest ? 0 : (reds + blacks) * SLOT
  level.redSlots = allocate((reds + blacks) * SLOT * (isFinest ? 1 : 3))
  level.blackSlots = level.redSlots + reds * SLOT
  if (isFinest) {
    level.exact = allocate((reds + blacks) * exactSlot<T>())
    level.exactWords = allocate((reds + blacks) << 2)
  }
  let red = level.redSlots
  let black = level.blackSlots
  for (let index = 0; index < level.pieceCount; index++) {
    const here = pieceOf(level, index)
    const redCount = here.redSlot
    const blackCount = here.blackSlot
    here.redSlot = red
    here.blackSlot = black
    here.records = at + here.records * RECORD
    here.recordsEnd = at + here.recordsEnd * RECORD
    red += redCount * SLOT
    black += blackCount * SLOT
  }
}
