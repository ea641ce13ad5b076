/** Writes the rows of one line of the grid as blocks, and blocks as records. */
import { exactOf, exactSlot } from './exact'
import { allocate, extend } from './memory'
import { MAX_CHUNKS } from './jobs'
import { CHUNK, Chunk, ENTRY, lanes, Level, LINKED, LISTED, OPEN, PACKED, Record, RECORD, SLOT, UNIFORM } from './level'

/** A row before it is packed. Rows with several neighbours in one direction have written their entries already. */
@unmanaged
export class Row {
  w0: f64
  w1: f64
  w2: f64
  w3: f64
  w4: f64
  w5: f64
  /** Coarse: share of each link. */
  s0: f64
  s1: f64
  s2: f64
  s3: f64
  s4: f64
  s5: f64
  D: f64
  /** Finest: as given, 0 on padding. */
  diagonal: f64
  n0: i32
  n1: i32
  n2: i32
  n3: i32
  n4: i32
  n5: i32
  /** Its values can change, so it needs a slot. */
  sensitive: i32
  /** Needs a slot for another reason. */
  special: i32
  padding: i32
  /** Entries, 0 where the six directions suffice. */
  entries: usize
  entriesEnd: usize
}

export const ROW: usize = offsetof<Row>()

// Records of the two colours grow from both ends of one array; the black ones are moved behind the red ones at last.
let redRecord: usize = 0
let blackRecord: usize = 0
let redSlot: usize = 0
let blackSlot: usize = 0
let records: usize = 0
let capacity: i32 = 0
let chunkTarget: i32 = 0
let chunkRows: i32 = 0
let finest: bool = false

/** Allocates what the blocks of a level need. There are at most so many slots of each colour, and stretches of rows along x. */
export function beginPacking<T>(level: Level, redSlots: i32, blackSlots: i32, stretches: i32, isFinest: bool): void {
  const blocks = level.rows / lanes<T>()
  finest = isFinest
  // A record ends where a slot begins or ends, with a stretch, or with a piece of work.
  capacity = min(blocks, 2 * (redSlots + blackSlots) + stretches + 2 * MAX_CHUNKS + 2)
  records = allocate(<usize>capacity * RECORD)
  level.records = records
  redRecord = records
  blackRecord = records + <usize>capacity * RECORD
  level.redRecords = 0
  level.blackRecords = 0
  level.recordOf = allocate(<usize>blocks << 2)
  level.flags = allocate(<usize>level.rows)
  memory.fill(level.flags, 0, <usize>level.rows)
  const copies: usize = isFinest ? 1 : 3
  level.copies = isFinest ? 0 : <usize>(redSlots + blackSlots) * SLOT
  level.redSlots = allocate(<usize>(redSlots + blackSlots) * SLOT * copies)
  level.blackSlots = level.redSlots + <usize>redSlots * SLOT
  redSlot = level.redSlots
  blackSlot = level.blackSlots
  if (isFinest) {
    level.redExact = allocate(<usize>(redSlots + blackSlots) * exactSlot<T>())
    level.blackExact = level.redExact + <usize>redSlots * exactSlot<T>()
  }
  level.chunks = allocate(CHUNK * <usize>(MAX_CHUNKS + 2))
  level.chunkCount = 0
  level.links = 0
  chunkTarget = max(2048, level.rows / (MAX_CHUNKS / 2))
  chunkRows = chunkTarget
}

/** To be called before each line: pieces of work begin only where also a line of the next level begins. */
export function beginLine(level: Level, line: i32): void {
  const j = line % level.ny
  const k = line / level.ny
  const aligned = level.nz > 1 ? (k & 1) == 0 && j == 0 : (j & 1) == 0
  const redRow = load<u32>(level.redLines + (<usize>line << 2))
  const blackRow = load<u32>(level.blackLines + (<usize>line << 2))
  if (!aligned || chunkRows < chunkTarget) return
  chunkRows = 0
  writeChunk(level, level.chunkCount++, redRow, blackRow)
  cutRed = true
  cutBlack = true
}

let cutRed: bool = false
let cutBlack: bool = false

function writeChunk(level: Level, index: i32, redRow: u32, blackRow: u32): void {
  const chunk = changetype<Chunk>(level.chunks + <usize>index * CHUNK)
  chunk.redRecord = level.redRecords
  chunk.blackRecord = level.blackRecords
  chunk.redRow = redRow
  chunk.blackRow = blackRow
}

/** Packs `count` rows (whole blocks) of one colour, which stand in `rows` and begin at row `start` of the level. */
export function packRows<T>(level: Level, black: bool, start: i32, count: i32, rows: usize): void {
  for (let at = 0; at < count; at += lanes<T>()) packBlock<T>(level, black, start + at, rows + <usize>at * ROW)
}

/** Packs a block of open liquid, given the steps to its neighbours. */
export function packOpen<T>(level: Level, black: bool, start: i32, d0: i32, d1: i32, d2: i32, d3: i32, d4: i32, d5: i32): void {
  for (let lane: usize = 0; lane < <usize>lanes<T>(); lane++) store<u8>(level.flags + <usize>start + lane, OPEN | LINKED)
  level.links += lanes<T>() * (level.flat ? 4 : 6)
  chunkRows += lanes<T>()
  if (!(black ? cutBlack || level.blackRecords == 0 : cutRed || level.redRecords == 0)) {
    const last = changetype<Record>(black ? blackRecord : redRecord - RECORD)
    if (
      last.kind == UNIFORM && last.start + last.blocks * lanes<T>() == <u32>start && last.d0 == d0 && last.d1 == d1 &&
      last.d2 == d2 && last.d3 == d3 && (level.flat || (last.d4 == d4 && last.d5 == d5))
    ) {
      last.blocks++
      return
    }
  }
  store<i32>(STEPS, d0)
  store<i32>(STEPS, d1, 4)
  store<i32>(STEPS, d2, 8)
  store<i32>(STEPS, d3, 12)
  store<i32>(STEPS, d4, 16)
  store<i32>(STEPS, d5, 20)
  for (let d: usize = 0; d < 6; d++) store<i32>(KNOWN + (d << 2), !level.flat || d < 4 ? 1 : 0)
  addToRecord<T>(level, black, start, UNIFORM)
}

// Step of a block in each direction, and whether any of its rows has a link there. At a fixed place and not in static data, because that
// is written anew whenever a thread starts.
const STEPS: usize = 2048
const KNOWN: usize = 2080

// @ts-ignore: decorator
@inline
function step(d: i32): i32 {
  return load<i32>(STEPS + (<usize>d << 2))
}

// @ts-ignore: decorator
@inline
function isKnown(d: i32): bool {
  return load<i32>(KNOWN + (<usize>d << 2)) != 0
}

export function beginBlock(): void {
  memory.fill(STEPS, 0, 64)
}

/** Notes the step to a neighbour; false if another row of the block has another step in this direction. */
// @ts-ignore: decorator
@inline
export function addStep(d: i32, found: i32): bool {
  if (isKnown(d)) return step(d) == found
  store<i32>(KNOWN + (<usize>d << 2), 1)
  store<i32>(STEPS + (<usize>d << 2), found)
  return true
}

/** The slot that the next block of a colour will have, for the caller to fill; lanes from `count` on are off. */
export function nextSlot<T>(level: Level, black: bool, count: i32): usize {
  const slot = black ? blackSlot : redSlot
  if (count < lanes<T>()) {
    memory.fill(slot, 0, SLOT)
    if (finest) memory.fill(exactOf<T>(level, slot, black), 0, exactSlot<T>())
  }
  return slot
}

/** Makes a block of the slot that was filled, with the steps that were noted. */
export function takeSlot<T>(level: Level, black: bool, start: i32): void {
  chunkRows += lanes<T>()
  addToRecord<T>(level, black, start, PACKED)
  if (black) blackSlot += SLOT
  else redSlot += SLOT
}

export function packBlock<T>(level: Level, black: bool, start: i32, rows: usize): void {
  chunkRows += lanes<T>()
  let uniform = true
  let listed = false
  beginBlock()
  const directions = level.flat ? 4 : 6
  for (let lane = 0; lane < lanes<T>(); lane++) {
    const row = changetype<Row>(rows + <usize>lane * ROW)
    if (row.padding) {
      uniform = false
      continue
    }
    if (row.sensitive || row.special || row.D != 0) uniform = false
    if (row.entries) {
      listed = true
      store<u8>(level.flags + <usize>(start + lane), LINKED)
      level.links += <i32>((row.entriesEnd - row.entries) / ENTRY)
      continue
    }
    for (let d = 0; d < 6; d++) {
      const weight = load<f64>(changetype<usize>(row) + (<usize>d << 3))
      if (d < directions && weight != level.weight) uniform = false
      if (weight == 0) continue
      level.links++
      store<u8>(level.flags + <usize>(start + lane), LINKED)
      const found = load<i32>(changetype<usize>(row) + offsetof<Row>('n0') + (<usize>d << 2)) - (start + lane)
      if (!isKnown(d)) {
        store<i32>(KNOWN + (<usize>d << 2), 1)
        store<i32>(STEPS + (<usize>d << 2), found)
      } else if (step(d) != found) listed = true
    }
  }
  const kind = listed ? LISTED : uniform ? UNIFORM : PACKED
  addToRecord<T>(level, black, start, kind)
  if (kind == UNIFORM) {
    for (let lane: usize = 0; lane < <usize>lanes<T>(); lane++) store<u8>(level.flags + <usize>start + lane, OPEN | LINKED)
    return
  }
  const slot = black ? blackSlot : redSlot
  if (black) blackSlot += SLOT
  else redSlot += SLOT
  writeSlot<T>(level, black, rows, slot, kind)
}

/** Adds the block to the last record if that goes on the same way, else to a new one. */
function addToRecord<T>(level: Level, black: bool, start: i32, kind: u32): void {
  const count = black ? level.blackRecords : level.redRecords
  const cut = black ? cutBlack : cutRed
  if (black) cutBlack = false
  else cutRed = false
  if (count > 0 && !cut) {
    const last = changetype<Record>(black ? blackRecord : redRecord - RECORD)
    if (last.kind == kind && last.start + last.blocks * lanes<T>() == <u32>start && goesOn<T>(level, last, start, kind)) {
      last.blocks++
      return
    }
  }
  let record: Record
  if (black) {
    blackRecord -= RECORD
    record = changetype<Record>(blackRecord)
    level.blackRecords++
  } else {
    record = changetype<Record>(redRecord)
    redRecord += RECORD
    level.redRecords++
  }
  record.start = start
  record.blocks = 1
  record.kind = kind
  record.slots = black ? blackSlot : redSlot
  for (let d = 0; d < 6; d++)
    store<i32>(changetype<usize>(record) + offsetof<Record>('d0') + (<usize>d << 2), isKnown(d) ? step(d) : NO_STEP)
}

/** Of a direction in which no row of the record has a link. */
const NO_STEP: i32 = i32.MIN_VALUE

/** A record takes a block with the same steps. Where one of the two has no link in a direction, the other's step must not lead it out of
 *  the vector: what lies there is multiplied by 0, but it has to be a number. */
function goesOn<T>(level: Level, record: Record, start: i32, kind: u32): bool {
  if (kind == LISTED) return true
  const at = changetype<usize>(record) + offsetof<Record>('d0')
  for (let d = 0; d < 6; d++) {
    const has = load<i32>(at + (<usize>d << 2))
    if (isKnown(d)) {
      if (has == NO_STEP ? !isInside<T>(level, record.start + step(d)) : has != step(d)) return false
    } else if (has != NO_STEP && !isInside<T>(level, start + has)) return false
  }
  for (let d = 0; d < 6; d++) if (isKnown(d)) store<i32>(at + (<usize>d << 2), step(d))
  return true
}

// @ts-ignore: decorator
@inline
function isInside<T>(level: Level, row: i32): bool {
  return row >= 0 && row + lanes<T>() <= level.rows
}

function writeSlot<T>(level: Level, black: bool, rows: usize, slot: usize, kind: u32): void {
  for (let lane: usize = 0; lane < <usize>lanes<T>(); lane++) {
    const row = changetype<Row>(rows + lane * ROW)
    const at = slot + lane * sizeof<T>()
    if (kind == LISTED) listRow<T>(row, slot, lane)
    let sum = row.D
    if (!row.padding) {
      if (row.entries) for (let entry = row.entries; entry < row.entriesEnd; entry += ENTRY) sum += <f64>load<T>(entry, 8)
      else for (let d: usize = 0; d < 6; d++) sum += <f64><T>load<f64>(changetype<usize>(row) + (d << 3))
    }
    store<T>(at, sum > 0 && !row.padding ? <T>(1.0 / sum) : <T>0)
    store<T>(at, <T>row.D, 16)
    if (kind == PACKED)
      for (let d: usize = 0; d < 6; d++) store<T>(at + (d << 4), <T>load<f64>(changetype<usize>(row) + (d << 3)), 32)
    if (finest) writeExact<T>(level, black, row, slot, lane, kind)
    else if (kind == PACKED)
      for (let d: usize = 0; d < 6; d++)
        store<T>(at + 2 * level.copies + (d << 4), <T>load<f64>(changetype<usize>(row) + offsetof<Row>('s0') + (d << 3)), 32)
  }
  if (!finest) memory.copy(slot + level.copies, slot, SLOT)
}

/** Gives a row of a listed block its entries, and tells the slot where they are. */
function listRow<T>(row: Row, slot: usize, lane: usize): void {
  if (!row.entries) {
    row.entries = extend(0)
    for (let d: usize = 0; d < 6; d++) {
      const weight = load<f64>(changetype<usize>(row) + (d << 3))
      if (row.padding || weight == 0) continue
      writeEntry<T>(
        load<u32>(changetype<usize>(row) + offsetof<Row>('n0') + (d << 2)),
        <u32>d,
        weight,
        load<f64>(changetype<usize>(row) + offsetof<Row>('s0') + (d << 3)),
      )
    }
    row.entriesEnd = extend(0)
  }
  store<u32>(slot + (lane << 2), <u32>row.entries, 32)
  store<u32>(slot + (lane << 2), <u32>row.entriesEnd, 48)
}

/** Appends an entry; nothing else may be allocated in between. */
export function writeEntry<T>(column: u32, direction: u32, weight: f64, share: f64): usize {
  const entry = extend(ENTRY)
  store<u32>(entry, column)
  store<u32>(entry, direction, 4)
  store<T>(entry, <T>weight, 8)
  if (finest) store<f64>(entry, weight, 16)
  else store<T>(entry, <T>weight, 16)
  store<T>(entry, <T>share, 24)
  return entry
}

function writeExact<T>(level: Level, black: bool, row: Row, slot: usize, lane: usize, kind: u32): void {
  const at = exactOf<T>(level, slot, black) + lane * 8
  const stride = <usize>lanes<T>() * 8
  store<f64>(at, row.diagonal)
  for (let d: usize = 0; d < 6; d++)
    store<f64>(at + (d + 1) * stride, kind == PACKED ? load<f64>(changetype<usize>(row) + (d << 3)) : 0)
  store<u64>(at + 7 * stride, row.sensitive ? ~(<u64>0) : 0)
}

/** Puts the records in order and closes the list of pieces. */
export function endPacking<T>(level: Level): void {
  const from = blackRecord
  const to = redRecord
  level.slots = <i32>((redSlot - level.redSlots + (blackSlot - level.blackSlots)) / SLOT)
  // Black records were written from the end of the array backwards.
  for (let low = from, high = records + <usize>(capacity - 1) * RECORD; low < high; low += RECORD, high -= RECORD) swap(low, high)
  if (from != to) memory.copy(to, from, <usize>level.blackRecords * RECORD)
  const end = to + <usize>level.blackRecords * RECORD
  for (let at = records; at < end; at += RECORD) {
    const record = changetype<Record>(at)
    for (let d: usize = 0; d < 6; d++) {
      const place = at + offsetof<Record>('d0') + (d << 2)
      // Read and multiplied by 0: any place in the vector will do.
      if (load<i32>(place) == NO_STEP) store<i32>(place, 0)
    }
    for (let block: u32 = 0; block < record.blocks; block++)
      store<usize>(level.recordOf + (<usize>(record.start / lanes<T>() + block) << 2), at)
  }
  for (let chunk = 0; chunk <= level.chunkCount; chunk++) {
    if (chunk == level.chunkCount) writeChunk(level, chunk, level.reds, level.rows)
    changetype<Chunk>(level.chunks + <usize>chunk * CHUNK).blackRecord += level.redRecords
  }
}

function swap(a: usize, b: usize): void {
  for (let word: usize = 0; word < RECORD; word += 4) {
    const kept = load<u32>(a + word)
    store<u32>(a + word, load<u32>(b + word))
    store<u32>(b + word, kept)
  }
}
