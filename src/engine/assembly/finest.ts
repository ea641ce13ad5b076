/** The finest level, packed from the problem. */
import { acrossBytes, baseOf, CONTACT, isLonelyRun, isOpenBlock, rowAt, unitLines } from './finest-rows'
import { addContact, beginContacts, placeValues } from './finest-values'
import { findAcross, Input, lineRun, runFirst, runLength, runStart } from './input'
import { number, pointer, setNumber, setPointer } from './jobs'
import { chunkOf, lanes, Level } from './level'
import { packLonely } from './lonely'
import { COUNT, NUMBER, PACK_FINEST } from './loops'
import { allocate, beginList, clearFew, endList, reserveScratch, scratchOf } from './memory'
import { beginChunk, cutIntoChunks, endChunk, endPacking, packBlock, packOpen, reserveBlocks } from './pack'
import { run as runLoop, threadCount, threadNumber } from './pool'
import { ROW, Row } from './slots'
import { packStraight } from './straight'

/** Fills the level and f64 vectors p and b. `valueScale`: what b is divided by. */
export function packFinest<T>(input: Input, level: Level, p: usize, b: usize, valueScale: f64): void {
  const rows = <usize>level.rows
  level.cell = allocate(rows << 2)
  level.parent = allocate((rows + 4) << 2)
  level.off = allocate(rows)
  level.marks = allocate(rows)
  memory.fill(level.off, 0, rows)
  memory.fill(level.marks, 0, rows)
  level.contacts = allocate(<usize>input.special << 2)
  cutIntoChunks(level)
  setPointer(0, changetype<usize>(input))
  setPointer(1, changetype<usize>(level))
  setPointer(2, p)
  setPointer(3, b)
  setNumber(0, valueScale)
  runLoop(COUNT + (sizeof<T>() == 8 ? 1 : 0), level.chunkCount)
  level.contactCount = 0
  for (let index = 0; index < level.chunkCount; index++) {
    const chunk = chunkOf(level, index)
    const count = chunk.contact
    chunk.contact = level.contactCount
    level.contactCount += count
  }
  reserveBlocks<T>(level, true)
  reserveScratch(64 + 4 * acrossBytes(input) + <usize>lanes<T>() * ROW, threadCount())
  beginList()
  runLoop(NUMBER, level.chunkCount)
  runLoop(PACK_FINEST + (sizeof<T>() == 8 ? 1 : 0), level.chunkCount)
  endList()
  endPacking(level)
  level.sensitive = level.contacts
  level.sensitives = level.contactCount
}

export function packChunk<T>(index: i32): void {
  const input = changetype<Input>(pointer(0))
  const level = changetype<Level>(pointer(1))
  const p = pointer(2)
  const b = pointer(3)
  const valueScale = number(0)
  const scratch = scratchOf(threadNumber())
  const neighbours = scratch + 64
  const across = acrossBytes(input)
  const rows = neighbours + 4 * across
  const rowOf = input.segment
  beginContacts(chunkOf(level, index).contact)
  beginChunk(level, index, true)
  for (let line = chunkOf(level, index).line; line < chunkOf(level, index + 1).line; line++) {
    const j = line % input.ny
    const k = line / input.ny
    const parity = (j + k) & 1
    for (let run = lineRun(input, line), end = lineRun(input, line + 1); run < end; run++) {
      if (isLonelyRun(input, run)) continue
      findAcross(input, run, j > 0 ? line - 1 : -1, neighbours)
      findAcross(input, run, j < input.ny - 1 ? line + 1 : -1, neighbours + across)
      findAcross(input, run, k > 0 ? line - input.ny : -1, neighbours + 2 * across)
      findAcross(input, run, k < input.nz - 1 ? line + input.ny : -1, neighbours + 3 * across)
      const open = input.plain + <usize>runFirst(input, run)
      packRun<T>(input, level, run, parity, 0, neighbours, open, rowOf, rows)
      packRun<T>(input, level, run, parity, 1, neighbours, open, rowOf, rows)
      placeValues<T>(input, level, run, parity, p, b, valueScale)
    }
    if ((line + 1) % unitLines(input) == 0 || line + 1 == input.ny * input.nz) {
      const from = line - line % unitLines(input)
      packLonely<T>(input, level, from, line + 1, 0, p, b, valueScale)
      packLonely<T>(input, level, from, line + 1, 1, p, b, valueScale)
    }
  }
  endChunk<T>(level, index)
}

/** Packs the cells of one colour in a run. */
function packRun<T>(
  input: Input,
  level: Level,
  run: i32,
  parity: i32,
  colour: i32,
  neighbours: usize,
  open: usize,
  rowOf: usize,
  scratch: usize,
): void {
  const from = runStart(input, run)
  const length = runLength(input, run)
  const first = runFirst(input, run)
  const across = acrossBytes(input)
  const span = 2 * (lanes<T>() - 1)
  let row = baseOf(input, run, colour)
  for (let n = ((from + parity) & 1) == colour ? 0 : 1; n < length; n += 2 * lanes<T>(), row += lanes<T>()) {
    const at = neighbours + (<usize>(from + n) << 2)
    if (n + span < length && isOpenBlock<T>(open + <usize>n) && isStraight(at, <usize>span, across, level.flat)) {
      const unknown = first + n
      packOpen<T>(
        level,
        colour == 1,
        row,
        rowAt(rowOf, unknown - 1) - row,
        rowAt(rowOf, unknown + 1) - row,
        rowAt(rowOf, load<i32>(at)) - row,
        rowAt(rowOf, load<i32>(at + across)) - row,
        level.flat ? 0 : rowAt(rowOf, load<i32>(at + 2 * across)) - row,
        level.flat ? 0 : rowAt(rowOf, load<i32>(at + 3 * across)) - row,
      )
      continue
    }
    const count = min(lanes<T>(), (length - n + 1) >> 1)
    const kinds = load<u64>(input.kind + <usize>(first + n))
    for (let lane = 0; lane < count; lane++) if (((kinds >> (<u64>lane << 4)) & 255) == CONTACT) addContact(level, row + lane)
    if (packStraight<T>(input, level, colour == 1, row, n, length, at, first, count, rowOf)) continue
    for (let lane = 0; lane < lanes<T>(); lane++) {
      const into = changetype<Row>(scratch + <usize>lane * ROW)
      const here = n + 2 * lane
      if (here < length) fillRow(input, here, length, first, neighbours + (<usize>(from + here) << 2), rowOf, into)
      else {
        clearFew(changetype<usize>(into), ROW)
        into.padding = 1
      }
    }
    packBlock<T>(level, colour == 1, row, scratch)
  }
}

/** Do the neighbours of a block in other lines stand in one run each? Unknowns of a run have consecutive numbers. */
@inline
function isStraight(at: usize, span: usize, across: usize, flat: i32): bool {
  const far = at + (span << 2)
  if (load<i32>(far) - load<i32>(at) != <i32>span) return false
  if (load<i32>(far + across) - load<i32>(at + across) != <i32>span) return false
  if (flat) return true
  if (load<i32>(far + 2 * across) - load<i32>(at + 2 * across) != <i32>span) return false
  return load<i32>(far + 3 * across) - load<i32>(at + 3 * across) == <i32>span
}

/** A row that needs coefficients. `at`: its neighbours in other lines. */
function fillRow(input: Input, n: i32, length: i32, first: i32, at: usize, rowOf: usize, row: Row): void {
  const unknown = <usize>(first + n)
  const across = acrossBytes(input)
  const scale = input.scale
  row.padding = 0
  row.entries = 0
  row.n0 = rowAt(rowOf, n > 0 ? <i32>unknown - 1 : -1)
  row.n1 = rowAt(rowOf, n + 1 < length ? <i32>unknown + 1 : -1)
  row.n2 = rowAt(rowOf, load<i32>(at))
  row.n3 = rowAt(rowOf, load<i32>(at + across))
  row.n4 = rowAt(rowOf, load<i32>(at + 2 * across))
  row.n5 = rowAt(rowOf, load<i32>(at + 3 * across))
  row.w0 = n > 0 ? weightAt(input.east, <i32>unknown - 1, scale) : 0
  row.w1 = n + 1 < length ? weightAt(input.east, <i32>unknown, scale) : 0
  row.w2 = weightAt(input.north, load<i32>(at), scale)
  row.w3 = load<i32>(at + across) < 0 ? 0 : weightAt(input.north, <i32>unknown, scale)
  row.w4 = weightAt(input.up, load<i32>(at + 2 * across), scale)
  row.w5 = load<i32>(at + 3 * across) < 0 ? 0 : weightAt(input.up, <i32>unknown, scale)
  const diagonal = load<f64>(input.diagonal + (unknown << 3)) / scale
  const held = diagonal - (row.w0 + row.w1 + (row.w2 + row.w3) + (row.w4 + row.w5))
  row.diagonal = diagonal
  // Rounding of a row sum is not air; but only where it is that of f64 may the row pass for open liquid.
  row.D = held > 1e-14 * diagonal ? held : 0
  row.special = held < -1e-14 * diagonal ? 1 : 0
  row.sensitive = load<u8>(input.kind + unknown) == CONTACT ? 1 : 0
}

@inline
function weightAt(links: usize, unknown: i32, scale: f64): f64 {
  return unknown < 0 ? 0 : -load<f64>(links + (<usize>unknown << 3)) / scale
}
