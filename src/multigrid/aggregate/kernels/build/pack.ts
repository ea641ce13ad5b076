/** Writes the rows of one line of the grid as blocks, and blocks as records. */
import { setSum, totalOf } from '../../../../machine/kernels/job'
import { pieceOf, ENTRY, lanes, Level, LINKED, LISTED, OPEN_ROW, PACKED, Record, RECORD, SLOT, UNIFORM } from '../level'
import { scratchOf } from '../../../../machine/kernels/memory'
import { threadNumber } from '../../../../machine/kernels/pool'
import { ROW, Row, writeExact, writeSlot } from './slots'

// State of the piece that this thread is packing. Records of the two colours grow from both ends of the memory of the piece.
let redRecord: usize = 0
let blackRecord: usize = 0
let firstRecord: usize = 0
let lastRecord: usize = 0
let redSlot: usize = 0
let blackSlot: usize = 0
let links: i32 = 0
let finest: bool = false

/** From here to `endPiece` this thread packs the rows of one piece. It needs the first 64 bytes of its scratch memory. */
export function beginPiece(level: Level, index: i32, isFinest: bool): void {
  const here = pieceOf(level, index)
  finest = isFinest
  firstRecord = redRecord = here.records
  lastRecord = blackRecord = here.recordsEnd
  redSlot = here.redSlot
  blackSlot = here.blackSlot
  links = 0
  STEPS = scratchOf(threadNumber())
}

/** Puts the records in order. Sums 0 and 1 of the piece are links and slots. */
export function endPiece<T>(level: Level, index: i32): void {
  const here = pieceOf(level, index)
  here.redFrom = firstRecord
  here.redTo = redRecord
  here.blackFrom = blackRecord
  here.blackTo = lastRecord
  // Black records were written backwards.
  for (let low = blackRecord, high = lastRecord - RECORD; low < high; low += RECORD, high -= RECORD) swap(low, high)
  finishRecords<T>(level, firstRecord, redRecord)
  finishRecords<T>(level, blackRecord, lastRecord)
  setSum(index, 0, <f64>links)
  setSum(index, 1, <f64>((redSlot - here.redSlot + (blackSlot - here.blackSlot)) / SLOT))
}

function finishRecords<T>(level: Level, from: usize, to: usize): void {
  for (let at = from; at < to; at += RECORD) {
    const record = changetype<Record>(at)
    // Read and multiplied by 0: any address in the vector is valid.
    const steps = at + offsetof<Record>('d0')
    const four = v128.load(steps)
    v128.store(steps, v128.andnot(four, i32x4.eq(four, i32x4.splat(NO_STEP))))
    if (record.d4 == NO_STEP) record.d4 = 0
    if (record.d5 == NO_STEP) record.d5 = 0
    for (let block: u32 = 0; block < record.blocks; block++)
      store<usize>(level.recordOf + ((<usize>(record.start / lanes<T>() + block)) << 2), at)
  }
}

/** To be called when all pieces are packed. */
export function endPacking(level: Level): void {
  level.inverse = 1.0 / (level.weight * (level.flat ? 4 : 6))
  level.links = <i32>totalOf(level.pieceCount, 0)
  level.slots = <i32>totalOf(level.pieceCount, 1)
}

/** Packs a block of open liquid, given the steps to its neighbours. */
export function packOpen<T>(level: Level, black: bool, start: i32, d0: i32, d1: i32, d2: i32, d3: i32, d4: i32, d5: i32): void {
  packOpenBlocks<T>(level, black, start, 1, d0, d1, d2, d3, d4, d5)
}

/** The same for several consecutive blocks. */
export function packOpenBlocks<T>(
  level: Level,
  black: bool,
  start: i32,
  blocks: i32,
  d0: i32,
  d1: i32,
  d2: i32,
  d3: i32,
  d4: i32,
  d5: i32,
): void {
  const flags = level.flags + <usize>start
  for (let end = flags + <usize>(blocks * lanes<T>()), at = flags; at < end; at += <usize>lanes<T>())
    if (sizeof<T>() == 4) store<u32>(at, 0x01010101 * <u32>(OPEN_ROW | LINKED))
    else store<u16>(at, 0x0101 * <u16>(OPEN_ROW | LINKED))
  links += blocks * lanes<T>() * (level.flat ? 4 : 6)
  if (hasRecord(black)) {
    const last = changetype<Record>(black ? blackRecord : redRecord - RECORD)
    if (
      last.kind == UNIFORM &&
      last.start + last.blocks * lanes<T>() == <u32>start &&
      last.d0 == d0 &&
      last.d1 == d1 &&
      last.d2 == d2 &&
      last.d3 == d3 &&
      (level.flat || (last.d4 == d4 && last.d5 == d5))
    ) {
      last.blocks += blocks
      return
    }
  }
  const record = addRecord(black, start, UNIFORM)
  record.blocks = blocks
  record.d0 = d0
  record.d1 = d1
  record.d2 = d2
  record.d3 = d3
  record.d4 = level.flat ? NO_STEP : d4
  record.d5 = level.flat ? NO_STEP : d5
}

// Step of a block in each direction, NO_STEP where none of its rows has a link; in the scratch memory of this thread.
let STEPS: usize = 0

/** Of a direction in which no row of the record has a link. */
export const NO_STEP: i32 = i32.MIN_VALUE

/** The step that was set last in a direction. */
@inline
export function stepIn(d: i32): i32 {
  return load<i32>(STEPS + ((<usize>d) << 2))
}

export function beginBlock(): void {
  for (let d = 0; d < 6; d++) setStep(d, NO_STEP)
}

/** Sets the step of all rows of the block to their neighbours in one direction. */
@inline
export function setStep(d: i32, found: i32): void {
  store<i32>(STEPS + ((<usize>d) << 2), found)
}

/** The slot that the next block of a colour will have, for the caller to fill. */
@inline
export function nextSlot(black: bool): usize {
  return black ? blackSlot : redSlot
}

/** Adds a block with the slot that was filled and the steps that were set. */
export function addSlotBlock<T>(level: Level, black: bool, start: i32, linked: i32): void {
  links += linked
  addToRecord<T>(level, black, start, PACKED)
  if (black) blackSlot += SLOT
  else redSlot += SLOT
}

/** Adds a block of open liquid with the steps that were set. */
export function addOpenBlock<T>(level: Level, black: bool, start: i32): void {
  links += lanes<T>() * (level.flat ? 4 : 6)
  addToRecord<T>(level, black, start, UNIFORM)
}

export function packBlock<T>(level: Level, black: bool, start: i32, rows: usize): void {
  let uniform = true
  let listed = false
  beginBlock()
  for (let lane = 0; lane < lanes<T>(); lane++) {
    const row = changetype<Row>(rows + <usize>lane * ROW)
    if (row.padding) {
      uniform = false
      continue
    }
    if (row.entries) {
      uniform = false
      listed = true
      store<u8>(level.flags + <usize>(start + lane), LINKED)
      links += <i32>((row.entriesEnd - row.entries) / ENTRY)
      continue
    }
    let open = !row.special && row.D == 0
    let linked: u8 = 0
    for (let d = 0; d < 6; d++) {
      const weight = load<f64>(changetype<usize>(row) + ((<usize>d) << 3))
      if (weight != level.weight && (d < 4 || !level.flat)) open = false
      if (weight == 0) continue
      links++
      linked = LINKED
      const found = load<i32>(changetype<usize>(row) + offsetof<Row>('n0') + ((<usize>d) << 2)) - (start + lane)
      if (stepIn(d) == NO_STEP) setStep(d, found)
      else if (stepIn(d) != found) listed = true
    }
    store<u8>(level.flags + <usize>(start + lane), open ? OPEN_ROW | LINKED : linked)
    if (!open || row.changeable) uniform = false
  }
  const kind = listed ? LISTED : uniform ? UNIFORM : PACKED
  addToRecord<T>(level, black, start, kind)
  if (kind == UNIFORM) return
  // Steps of open rows are needed in every direction, and only a record has them.
  if (listed)
    for (let lane = 0; lane < lanes<T>(); lane++) {
      const at = level.flags + <usize>(start + lane)
      store<u8>(at, load<u8>(at) & LINKED)
    }
  const slot = black ? blackSlot : redSlot
  if (black) blackSlot += SLOT
  else redSlot += SLOT
  writeSlot<T>(level, black, rows, slot, kind, finest)
  if (finest) writeExact<T>(level, black, rows, slot, kind)
}

@inline
function hasRecord(black: bool): bool {
  return black ? blackRecord < lastRecord : redRecord > firstRecord
}

/** Adds the block to the last record if that continues the same way, else to a new one. */
function addToRecord<T>(level: Level, black: bool, start: i32, kind: u32): void {
  if (hasRecord(black)) {
    const last = changetype<Record>(black ? blackRecord : redRecord - RECORD)
    if (last.kind == kind && last.start + last.blocks * lanes<T>() == <u32>start && continues<T>(level, last, start, kind)) {
      last.blocks++
      return
    }
  }
  const record = changetype<usize>(addRecord(black, start, kind))
  v128.store(record, v128.load(STEPS), offsetof<Record>('d0'))
  store<u64>(record, load<u64>(STEPS, 16), offsetof<Record>('d4'))
}

/** A record of one block, whose steps are still to be filled in. */
function addRecord(black: bool, start: i32, kind: u32): Record {
  let record: Record
  if (black) {
    blackRecord -= RECORD
    record = changetype<Record>(blackRecord)
  } else {
    record = changetype<Record>(redRecord)
    redRecord += RECORD
  }
  record.start = start
  record.blocks = 1
  record.kind = kind
  record.slots = black ? blackSlot : redSlot
  return record
}

/** Can a block be added to a record? It must have the same steps. If one of the two has no link in a direction, the step of the other must not
 *  lead out of the vector: the value there is multiplied by 0, but has to be a number. */
function continues<T>(level: Level, record: Record, start: i32, kind: u32): bool {
  if (kind == LISTED) return true
  const at = changetype<usize>(record) + offsetof<Record>('d0')
  const four = v128.load(at)
  const two = v128.load64_zero(at, 16)
  if (contradict(four, v128.load(STEPS)) || contradict(two, v128.load64_zero(STEPS, 16))) return false
  for (let d = 0; d < 6; d++) {
    const has = load<i32>(at + ((<usize>d) << 2))
    const step = stepIn(d)
    if (has == step) continue
    if (!isInside<T>(level, has == NO_STEP ? <i32>record.start + step : start + has)) return false
  }
  for (let d = 0; d < 6; d++) if (stepIn(d) != NO_STEP) store<i32>(at + ((<usize>d) << 2), stepIn(d))
  return true
}

/** Do steps differ where both exist? */
@inline
function contradict(a: v128, b: v128): bool {
  const none = i32x4.splat(NO_STEP)
  return v128.any_true(v128.and(i32x4.ne(a, b), v128.and(i32x4.ne(a, none), i32x4.ne(b, none))))
}

@inline
function isInside<T>(level: Level, row: i32): bool {
  return row >= 0 && row + lanes<T>() <= level.rows
}

function swap(a: usize, b: usize): void {
  for (let word: usize = 0; word < RECORD; word += 8) {
    const kept = load<u64>(a + word)
    store<u64>(a + word, load<u64>(b + word))
    store<u64>(b + word, kept)
  }
}
