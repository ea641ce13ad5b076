/** The finest level, packed from the problem. */
import { exactOf } from './exact'
import { baseOf, CONTACT, isOpenBlock } from './finest-rows'
import { findAcross, Input, lineRun, runFirst, runLength, runStart } from './input'
import { number, pointer, setNumber, setPointer } from './jobs'
import { chunkOf, lanes, Level, LINKED } from './level'
import { COUNT, NUMBER, PACK_FINEST } from './loops'
import { allocate, beginList, clearFew, endList, reserveScratch, scratchOf } from './memory'
import {
  addStep,
  beginBlock,
  beginChunk,
  cutIntoChunks,
  endChunk,
  endPacking,
  nextSlot,
  packBlock,
  packOpen,
  reserveBlocks,
  takeSlot,
} from './pack'
import { run as runLoop, threadCount, threadNumber } from './pool'
import { ROW, Row } from './slots'

/** Fills the level and f64 vectors p and b. `valueScale`: what b is divided by. */
export function packFinest<T>(input: Input, level: Level, p: usize, b: usize, valueScale: f64): void {
  const rows = <usize>level.rows
  level.cell = allocate(rows << 2)
  level.parent = allocate((rows + 4) << 2)
  level.off = allocate(rows)
  level.marks = allocate(rows)
  memory.fill(level.cell, 255, rows << 2)
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
  reserveScratch(64 + (<usize>input.nx << 4) + <usize>lanes<T>() * ROW, threadCount())
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
  const rows = neighbours + (<usize>input.nx << 4)
  const rowOf = input.segment
  const across = <usize>input.nx << 2
  contactEnd = chunkOf(level, index).contact
  beginChunk(level, index, true)
  for (let line = chunkOf(level, index).line; line < chunkOf(level, index + 1).line; line++) {
    const j = line % input.ny
    const k = line / input.ny
    const parity = (j + k) & 1
    for (let run = lineRun(input, line); run < lineRun(input, line + 1); run++) {
      findAcross(input, run, j > 0 ? line - 1 : -1, neighbours)
      findAcross(input, run, j < input.ny - 1 ? line + 1 : -1, neighbours + across)
      findAcross(input, run, k > 0 ? line - input.ny : -1, neighbours + 2 * across)
      findAcross(input, run, k < input.nz - 1 ? line + input.ny : -1, neighbours + 3 * across)
      const open = input.plain + <usize>runFirst(input, run)
      packRun<T>(input, level, run, parity, 0, neighbours, open, rowOf, rows)
      packRun<T>(input, level, run, parity, 1, neighbours, open, rowOf, rows)
      placeValues<T>(input, level, run, parity, 0, p, b, valueScale)
      placeValues<T>(input, level, run, parity, 1, p, b, valueScale)
    }
  }
  endChunk<T>(level, index)
}

/** Where this thread writes the next contact. */
let contactEnd: i32 = 0

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
  const across = <usize>input.nx << 2
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
    const whole = n + span < length
    for (let lane = 0; lane < lanes<T>(); lane++) {
      const here = n + 2 * lane
      const isContact = (whole || here < length) && load<u8>(input.kind + <usize>(first + here)) == CONTACT
      if (isContact) store<i32>(level.contacts + (<usize>(contactEnd++) << 2), row + lane)
    }
    if (packStraight<T>(input, level, colour == 1, row, n, length, first, at, rowOf)) continue
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

/** Writes a block of rows straight into the next slot, if they have the same steps to their neighbours; else leaves it to the slower way,
 *  which writes over it. */
function packStraight<T>(
  input: Input,
  level: Level,
  black: bool,
  start: i32,
  n: i32,
  length: i32,
  first: i32,
  at: usize,
  rowOf: usize,
): bool {
  const across = <usize>input.nx << 2
  const count = min(lanes<T>(), (length - n + 1) >> 1)
  const slot = nextSlot<T>(level, black, count)
  const exact = exactOf<T>(level, slot, black)
  const stride = <usize>lanes<T>() * 8
  const scale = input.scale
  const inverse = 1 / scale
  let allLinks = 0
  beginBlock()
  for (let lane = 0; lane < count; lane++) {
    const here = n + 2 * lane
    const unknown = first + here
    const row = start + lane
    const place = at + (<usize>lane << 3)
    const south = load<i32>(place)
    const north = load<i32>(place + across)
    const down = load<i32>(place + 2 * across)
    const up = load<i32>(place + 3 * across)
    const w0 = here > 0 ? scaled(input.east, unknown - 1, scale, inverse) : 0
    const w1 = here + 1 < length ? scaled(input.east, unknown, scale, inverse) : 0
    const w2 = south < 0 ? 0 : scaled(input.north, south, scale, inverse)
    const w3 = north < 0 ? 0 : scaled(input.north, unknown, scale, inverse)
    const w4 = down < 0 ? 0 : scaled(input.up, down, scale, inverse)
    const w5 = up < 0 ? 0 : scaled(input.up, unknown, scale, inverse)
    let same = true
    if (w0 != 0) same = addStep(0, rowAt(rowOf, unknown - 1) - row)
    if (w1 != 0) same = addStep(1, rowAt(rowOf, unknown + 1) - row) && same
    if (w2 != 0) same = addStep(2, rowAt(rowOf, south) - row) && same
    if (w3 != 0) same = addStep(3, rowAt(rowOf, north) - row) && same
    if (w4 != 0) same = addStep(4, rowAt(rowOf, down) - row) && same
    if (w5 != 0) same = addStep(5, rowAt(rowOf, up) - row) && same
    if (!same) return false
    const into = slot + <usize>lane * sizeof<T>()
    const precise = exact + (<usize>lane << 3)
    const diagonal = load<f64>(input.diagonal + (<usize>unknown << 3)) * inverse
    const links = w0 + w1 + (w2 + w3) + (w4 + w5)
    const held = diagonal - links
    // Rounding of a row sum is not air.
    const D = held > 1e-14 * diagonal ? held : 0
    store<T>(into, links + D > 0 ? <T>(1.0 / (links + D)) : <T>0)
    store<T>(into, <T>D, 16)
    store<T>(into, <T>w0, 32)
    store<T>(into, <T>w1, 48)
    store<T>(into, <T>w2, 64)
    store<T>(into, <T>w3, 80)
    store<T>(into, <T>w4, 96)
    store<T>(into, <T>w5, 112)
    store<f64>(precise, diagonal)
    store<f64>(precise + stride, w0)
    store<f64>(precise + 2 * stride, w1)
    store<f64>(precise + 3 * stride, w2)
    store<f64>(precise + 4 * stride, w3)
    store<f64>(precise + 5 * stride, w4)
    store<f64>(precise + 6 * stride, w5)
    store<u64>(precise + 7 * stride, load<u8>(input.kind + <usize>unknown) == CONTACT ? ~(<u64>0) : 0)
    const linked = <i32>(w0 != 0) + <i32>(w1 != 0) + <i32>(w2 != 0) + <i32>(w3 != 0) + <i32>(w4 != 0) + <i32>(w5 != 0)
    allLinks += linked
    store<u8>(level.flags + <usize>row, linked ? LINKED : 0)
  }
  takeSlot<T>(level, black, start, allLinks)
  return true
}

/** A link as a weight: exactly 1 for the largest. */
@inline
function scaled(links: usize, unknown: i32, scale: f64, inverse: f64): f64 {
  const link = load<f64>(links + (<usize>unknown << 3))
  return link == -scale ? 1 : -link * inverse
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
  const across = <usize>input.nx << 2
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

/** Pressure, right-hand side and place of the cells of one colour in a run. */
function placeValues<T>(input: Input, level: Level, run: i32, parity: i32, colour: i32, p: usize, b: usize, valueScale: f64): void {
  const from = runStart(input, run)
  const length = runLength(input, run)
  const first = runFirst(input, run)
  const toPressure = input.scale / valueScale
  const toValue = 1 / valueScale
  let row = <usize>baseOf(input, run, colour)
  for (let n = ((from + parity) & 1) == colour ? 0 : 1; n < length; n += 2, row++) {
    const place = <usize>(first + n) << 3
    store<i32>(level.cell + (row << 2), from + n)
    store<f64>(p + (row << 3), load<f64>(input.p + place) * toPressure)
    store<f64>(b + (row << 3), load<f64>(input.b + place) * toValue)
  }
  for (; row & (lanes<T>() - 1); row++) {
    store<f64>(p + (row << 3), 0)
    store<f64>(b + (row << 3), 0)
  }
}

@inline
function rowAt(rowOf: usize, unknown: i32): i32 {
  return unknown < 0 ? -1 : load<i32>(rowOf + (<usize>unknown << 2))
}

@inline
function weightAt(links: usize, unknown: i32, scale: f64): f64 {
  return unknown < 0 ? 0 : -load<f64>(links + (<usize>unknown << 3)) / scale
}
