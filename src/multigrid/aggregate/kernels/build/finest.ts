/** The finest level, packed from the problem. */
import { CONTACT } from '../../../../pressure/cell-kinds'
import { beginExact } from '../cycle/residual-f64'
import { baseOf, countFinestPiece, isIsolatedRun, isOpenBlock, PackFinestJob, unitLines } from './finest-rows'
import { addContact, beginContacts, placeValues } from './finest-values'
import { Input, lineRun, runFirst, runLength, runStart } from '../problem/input'
import { jobOf } from '../../../../machine/kernels/job'
import { pieceOf, lanes, Level } from '../level'
import { packIsolated } from './pack-isolated'
import { allocate, beginList, clearFew, endList, reserveScratch, scratchOf } from '../../../../machine/kernels/memory'
import { beginPiece, endPiece, endPacking, packBlock, packOpenBlocks } from './pack'
import { cutIntoPieces, reserveBlocks } from './pieces'
import { runFor, threadCount, threadNumber } from '../../../../machine/kernels/pool'
import { findSpans, Span, spanAt, spanBytes } from './neighbour-spans'
import { ROW, Row } from './slots'
import { packTogether } from './pack-simd'

/** Fills the level, and its p and b, which the caller has allocated. `valueScale`: what b is divided by. */
export function packFinest<T>(input: Input, level: Level, valueScale: f64): void {
  const rows = <usize>level.rows
  level.cell = allocate(rows << 2)
  level.parent = allocate((rows + 4) << 2)
  level.pinned = allocate(rows)
  level.marks = allocate(rows)
  memory.fill(level.pinned, 0, rows)
  memory.fill(level.marks, 0, rows)
  level.contacts = allocate((<usize>input.special) << 2)
  cutIntoPieces(level)
  const task = jobOf<PackFinestJob>()
  task.input = input
  task.level = level
  task.valueScale = valueScale
  runFor<T>(countFinestPiece, level.pieceCount)
  level.contactCount = 0
  for (let index = 0; index < level.pieceCount; index++) {
    const here = pieceOf(level, index)
    const count = here.contact
    here.contact = level.contactCount
    level.contactCount += count
  }
  pieceOf(level, level.pieceCount).contact = level.contactCount
  reserveBlocks<T>(level, true)
  reserveScratch(64 + 4 * spanBytes(input) + <usize>lanes<T>() * ROW, threadCount())
  beginList()
  runFor<T>(packFinestPiece, level.pieceCount)
  endList()
  endPacking(level)
  level.dependents = level.contacts
  level.dependentCount = level.contactCount
}

@piece
export function packFinestPiece<T>(piece: i32): void {
  const task = jobOf<PackFinestJob>()
  const input = task.input
  const level = task.level
  const valueScale = task.valueScale
  const spans = scratchOf(threadNumber()) + 64
  const here = pieceOf(level, piece)
  beginContacts(here.contact)
  beginPiece(level, piece, true)
  beginExact<T>(level, here.redSlot, here.blackSlot)
  for (let line = here.line, end = pieceOf(level, piece + 1).line; line < end; line++) {
    packLine<T>(task, line, spans)
    if (input.isolated && ((line + 1) % unitLines(input) == 0 || line + 1 == input.ny * input.nz)) {
      const from = line - (line % unitLines(input))
      packIsolated<T>(input, level, from, line + 1, 0, valueScale)
      packIsolated<T>(input, level, from, line + 1, 1, valueScale)
    }
  }
  endPiece<T>(level, piece)
}

function packLine<T>(task: PackFinestJob, line: i32, spans: usize): void {
  const input = task.input
  const level = task.level
  const j = line % input.ny
  const k = line / input.ny
  const toSouth = j > 0 ? line - 1 : -1
  const toNorth = j < input.ny - 1 ? line + 1 : -1
  const toDown = k > 0 ? line - input.ny : -1
  const toUp = k < input.nz - 1 ? line + input.ny : -1
  let south = firstRun(input, toSouth)
  let north = firstRun(input, toNorth)
  let down = firstRun(input, toDown)
  let up = firstRun(input, toUp)
  const bytes = spanBytes(input)
  const inverse = 1 / input.scale
  for (let run = lineRun(input, line), end = lineRun(input, line + 1); run < end; run++) {
    if (isIsolatedRun(input, run)) continue
    const colour = (runStart(input, run) + j + k) & 1
    south = findSpans(input, run, colour, toSouth, south, spans)
    north = findSpans(input, run, colour, toNorth, north, spans + bytes)
    down = findSpans(input, run, colour, toDown, down, spans + 2 * bytes)
    up = findSpans(input, run, colour, toUp, up, spans + 3 * bytes)
    packRun<T>(input, level, run, colour, 0, inverse, spans)
    packRun<T>(input, level, run, colour, 1, inverse, spans)
    placeValues<T>(input, level, run, (j + k) & 1, task.valueScale)
  }
}

@inline
function firstRun(input: Input, line: i32): i32 {
  return line < 0 ? 0 : lineRun(input, line)
}

/** Packs the cells of one colour in a run, given the colour of its first cell and 1 / scale. */
function packRun<T>(input: Input, level: Level, run: i32, first: i32, colour: i32, inverse: f64, spans: usize): void {
  const length = runLength(input, run)
  const unknown = runFirst(input, run)
  const bytes = spanBytes(input)
  const black = colour == 1
  const odd = first ^ colour
  const own = baseOf(input, run, colour)
  const east = baseOf(input, run, 1 - colour) + odd - own
  const west = east - 1
  let south = changetype<Span>(spans)
  let north = changetype<Span>(spans + bytes)
  let down = changetype<Span>(spans + 2 * bytes)
  let up = changetype<Span>(spans + 3 * bytes)
  for (let n = odd, row = own; n < length; ) {
    south = spanAt(south, n)
    north = spanAt(north, n)
    down = spanAt(down, n)
    up = spanAt(up, n)
    const blocks = countOpen<T>(input.plain + <usize>unknown, n, level.flat, south, north, down, up)
    if (blocks > 0) {
      if (odd) packOpenBlocks<T>(level, black, row, blocks, west, east, south.odd, north.odd, down.odd, up.odd)
      else packOpenBlocks<T>(level, black, row, blocks, west, east, south.even, north.even, down.even, up.even)
      n += blocks * 2 * lanes<T>()
      row += blocks * lanes<T>()
      continue
    }
    const contacts = contactsAt<T>(input.kind + <usize>(unknown + n), (length - n + 1) >> 1)
    for (let bits = contacts; bits; bits &= bits - 1) addContact(level, row + ctz(bits))
    if (!packTogether<T>(input, level, black, row, n, length, unknown, contacts, inverse, west, east, south, north, down, up)) {
      const rows = spans + 4 * bytes
      for (let lane = 0; lane < lanes<T>(); lane++) {
        const into = changetype<Row>(rows + <usize>lane * ROW)
        clearFew(changetype<usize>(into), ROW)
        if (n + 2 * lane < length)
          fillRow(input, n + 2 * lane, length, unknown, row + lane, west, east, south, north, down, up, into)
        else into.padding = 1
      }
      packBlock<T>(level, black, row, rows)
    }
    n += 2 * lanes<T>()
    row += lanes<T>()
  }
}

/** How many blocks of open liquid follow from cell n on, one after the other, with all neighbours in the same runs. */
@inline
function countOpen<T>(plain: usize, n: i32, flat: i32, south: Span, north: Span, down: Span, up: Span): i32 {
  if (south.low > n || north.low > n) return 0
  let end = min(south.high, north.high)
  if (!flat) {
    if (down.low > n || up.low > n) return 0
    end = min(end, min(down.high, up.high))
  }
  let blocks = 0
  for (; n + 2 * (lanes<T>() - 1) < end && isOpenBlock<T>(plain + <usize>n); n += 2 * lanes<T>()) blocks++
  return blocks
}

/** Which of the next rows, `count` at most, are contacts: a bit for each. */
@inline
function contactsAt<T>(kind: usize, count: i32): i32 {
  const kinds = v128.load64_zero(kind)
  const rows = v128.shuffle<u8>(kinds, kinds, 0, 2, 4, 6, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8)
  const wanted = min(count, lanes<T>())
  return i8x16.bitmask(i8x16.eq(rows, i8x16.splat(<i8>CONTACT))) & ((1 << wanted) - 1)
}

/** A row that needs coefficients, of the cell n. */
function fillRow(
  input: Input,
  n: i32,
  length: i32,
  first: i32,
  own: i32,
  west: i32,
  east: i32,
  south: Span,
  north: Span,
  down: Span,
  up: Span,
  row: Row,
): void {
  const unknown = first + n
  const scale = input.scale
  south = spanAt(south, n)
  north = spanAt(north, n)
  down = spanAt(down, n)
  up = spanAt(up, n)
  const odd = n & 1
  row.n0 = own + west
  row.n1 = own + east
  row.n2 = own + (odd ? south.odd : south.even)
  row.n3 = own + (odd ? north.odd : north.even)
  row.n4 = own + (odd ? down.odd : down.even)
  row.n5 = own + (odd ? up.odd : up.even)
  if (n > 0) row.w0 = weightAt(input.east, unknown - 1, scale)
  if (n + 1 < length) row.w1 = weightAt(input.east, unknown, scale)
  if (south.low <= n) row.w2 = weightAt(input.north, unknown + south.shift, scale)
  if (north.low <= n) row.w3 = weightAt(input.north, unknown, scale)
  if (down.low <= n) row.w4 = weightAt(input.up, unknown + down.shift, scale)
  if (up.low <= n) row.w5 = weightAt(input.up, unknown, scale)
  const diagonal = load<f64>(input.diagonal + ((<usize>unknown) << 3)) / scale
  const held = diagonal - (row.w0 + row.w1 + (row.w2 + row.w3) + (row.w4 + row.w5))
  row.diagonal = diagonal
  // Rounding of a row sum is not air; but only where it is that of f64 may the row pass for open liquid.
  row.D = held > 1e-14 * diagonal ? held : 0
  row.special = held < -1e-14 * diagonal ? 1 : 0
  row.changeable = load<u8>(input.kind + <usize>unknown) == CONTACT ? 1 : 0
}

@inline
function weightAt(links: usize, unknown: i32, scale: f64): f64 {
  return -load<f64>(links + ((<usize>unknown) << 3)) / scale
}
