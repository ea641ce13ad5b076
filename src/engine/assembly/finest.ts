/** The finest level, packed from the problem. */
import { findAcross, Input, lineRun, runFirst, runLength, runStart } from './input'
import { exactOf } from './exact'
import { lanes, Level, LINKED } from './level'
import { allocate } from './memory'
import { addStep, beginBlock, beginLine, beginPacking, endPacking, nextSlot, packBlock, packOpen, ROW, Row, takeSlot } from './pack'

const CONTACT: u8 = 2

/** Blocks of one colour that may need a slot: those with a row that is not open liquid, and those whose neighbours in another line stand in
 *  two runs, which a gap in that line can do to two blocks in each of the four lines around it. */
function countSlots<T>(input: Input, colour: i32): i32 {
  let count = 0
  for (let line = 0; line < input.ny * input.nz; line++) {
    const from = lineRun(input, line)
    const to = lineRun(input, line + 1)
    if (to > from + 1) count += 8 * (to - from - 1)
    const parity = (line % input.ny + line / input.ny) & 1
    for (let run = from; run < to; run++) {
      const length = runLength(input, run)
      const plain = input.plain + <usize>runFirst(input, run)
      for (let n = ((runStart(input, run) + parity) & 1) == colour ? 0 : 1; n < length; n += 2 * lanes<T>())
        if (n + 2 * (lanes<T>() - 1) >= length || !isOpenBlock<T>(plain + <usize>n)) count++
    }
  }
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
  let row = 0
  for (let colour = 0; colour < 2; colour++) {
    const starts = colour ? level.blackLines : level.redLines
    for (let line = 0; line < lines; line++) {
      store<u32>(starts + (<usize>line << 2), row)
      const parity = (line % input.ny + line / input.ny) & 1
      for (let run = lineRun(input, line); run < lineRun(input, line + 1); run++) {
        store<u32>(input.bases + (<usize>run << 3) + (<usize>colour << 2), row)
        row += padded<T>(countOf(runStart(input, run) + parity, runLength(input, run), colour))
      }
    }
    store<u32>(starts + (<usize>lines << 2), row)
    if (colour == 0) level.reds = row
  }
  level.rows = row
}

/** Cells of one colour in a run whose first cell has the given parity. */
// @ts-ignore: decorator
@inline
export function countOf(first: i32, length: i32, colour: i32): i32 {
  return (first & 1) == colour ? (length + 1) >> 1 : length >> 1
}

// @ts-ignore: decorator
@inline
export function padded<T>(count: i32): i32 {
  return (count + lanes<T>() - 1) & ~(lanes<T>() - 1)
}

/** First row of a run, for one colour. The cell at distance n from the start of the run is row first + n / 2. */
// @ts-ignore: decorator
@inline
function baseOf(input: Input, run: i32, colour: i32): i32 {
  return load<i32>(input.bases + (<usize>run << 3) + (<usize>colour << 2))
}

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
  level.contactCount = 0
  const scratch = allocate(<usize>lanes<T>() * ROW)
  const across = allocate(<usize>input.nx << 4)
  // Segments have done their service.
  const rowOf = input.segment
  numberUnknowns(input, rowOf)
  const redSlots = min(level.reds / lanes<T>(), countSlots<T>(input, 0))
  const blackSlots = min((level.rows - level.reds) / lanes<T>(), countSlots<T>(input, 1))
  beginPacking<T>(level, redSlots, blackSlots, 2 * input.runs, true)
  for (let k = 0, line = 0; k < input.nz; k++) {
    for (let j = 0; j < input.ny; j++, line++) {
      beginLine(level, line)
      for (let run = lineRun(input, line); run < lineRun(input, line + 1); run++) {
        const neighbours = across
        findAcross(input, run, j > 0 ? line - 1 : -1, neighbours)
        findAcross(input, run, j < input.ny - 1 ? line + 1 : -1, neighbours + (<usize>input.nx << 2))
        findAcross(input, run, k > 0 ? line - input.ny : -1, neighbours + (<usize>input.nx << 3))
        findAcross(input, run, k < input.nz - 1 ? line + input.ny : -1, neighbours + <usize>input.nx * 12)
        const open = input.plain + <usize>runFirst(input, run)
        const parity = (j + k) & 1
        packRun<T>(input, level, run, parity, 0, neighbours, open, rowOf, scratch)
        packRun<T>(input, level, run, parity, 1, neighbours, open, rowOf, scratch)
        placeValues<T>(input, level, run, parity, 0, p, b, valueScale)
        placeValues<T>(input, level, run, parity, 1, p, b, valueScale)
      }
    }
  }
  endPacking<T>(level)
  level.sensitive = level.contacts
  level.sensitives = level.contactCount
}

function numberUnknowns(input: Input, rowOf: usize): void {
  for (let line = 0; line < input.ny * input.nz; line++) {
    const parity = (line % input.ny + line / input.ny) & 1
    for (let run = lineRun(input, line); run < lineRun(input, line + 1); run++) {
      const from = runStart(input, run) + parity
      const first = runFirst(input, run)
      const length = runLength(input, run)
      for (let n = 0; n < length; n++) store<i32>(rowOf + (<usize>(first + n) << 2), baseOf(input, run, (from + n) & 1) + (n >> 1))
    }
  }
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
      if (isContact) store<i32>(level.contacts + (<usize>(level.contactCount++) << 2), row + lane)
    }
    if (packStraight<T>(input, level, colour == 1, row, n, length, first, at, rowOf)) continue
    for (let lane = 0; lane < lanes<T>(); lane++) {
      const into = changetype<Row>(scratch + <usize>lane * ROW)
      const here = n + 2 * lane
      if (here < length) fillRow(input, here, length, first, neighbours + (<usize>(from + here) << 2), rowOf, into)
      else {
        memory.fill(changetype<usize>(into), 0, ROW)
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
  level.links += allLinks
  takeSlot<T>(level, black, start)
  return true
}

/** A link as a weight: exactly 1 for the largest. */
// @ts-ignore: decorator
@inline
function scaled(links: usize, unknown: i32, scale: f64, inverse: f64): f64 {
  const link = load<f64>(links + (<usize>unknown << 3))
  return link == -scale ? 1 : -link * inverse
}

// @ts-ignore: decorator
@inline
function isOpenBlock<T>(open: usize): bool {
  if (sizeof<T>() == 4) return (load<u8>(open) & load<u8>(open, 2) & load<u8>(open, 4) & load<u8>(open, 6)) != 0
  return (load<u8>(open) & load<u8>(open, 2)) != 0
}

/** Do the neighbours of a block in other lines stand in one run each? Unknowns of a run have consecutive numbers. */
// @ts-ignore: decorator
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

// @ts-ignore: decorator
@inline
function rowAt(rowOf: usize, unknown: i32): i32 {
  return unknown < 0 ? -1 : load<i32>(rowOf + (<usize>unknown << 2))
}

// @ts-ignore: decorator
@inline
function weightAt(links: usize, unknown: i32, scale: f64): f64 {
  return unknown < 0 ? 0 : -load<f64>(links + (<usize>unknown << 3)) / scale
}
