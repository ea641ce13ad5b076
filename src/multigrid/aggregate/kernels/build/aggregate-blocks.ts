/** Parts of a line of blocks, from a level with at most one row in a cell: eight places per block. Rows without links are left out:
 *  their own level solves them exactly. */
import { addChild, endOpenPart, endPart, HELD, nextChildren, partCount, AGGREGATE_SUMS, allocateSums } from './aggregate-record'
import { laneOf, Level, LINKED, LISTED, OPEN_ROW, recordOfRow, SLOT, UNIFORM } from '../level'
import { growPart } from './aggregate-lists'
import { clearFew } from '../../../../machine/kernels/memory'

// Memory of this thread. Per corner the places of all blocks in the line: twice the row, and 1 where it is open liquid; −1 where there is
// none. Then a slot without links, and the address of the slot of each corner.
let places: usize = 0
let stride: usize = 0
let slots: usize = 0
/** Smallest i that has been placed in the present line, and an upper bound of the largest. */
let lowest: i32 = 0
let highest: i32 = 0

@inline
function strideOf(coarse: Level): usize {
  return (<usize>((coarse.nx + 11) & ~3)) << 2
}

export function cornerBytes(coarse: Level): usize {
  return 8 * strideOf(coarse) + SLOT + 32
}

/** To be called before the first line; afterwards `room` belongs to this file. */
export function beginCorners(coarse: Level, room: usize): void {
  places = room
  stride = strideOf(coarse)
  slots = places + 8 * stride
  memory.fill(places, 255, 8 * stride)
  clearFew(slots, SLOT)
}

export function findInCorners<T>(fine: Level, J: i32, K: i32): void {
  lowest = i32.MAX_VALUE
  highest = -1
  for (let k = 2 * K; k < min(2 * K + 2, fine.nz); k++)
    for (let j = 2 * J; j < min(2 * J + 2, fine.ny); j++) {
      const line = (<usize>(j + fine.ny * k)) << 2
      const corner = <usize>(((j & 1) << 1) | ((k & 1) << 2))
      const red = load<i32>(fine.redLines + line)
      const redEnd = load<i32>(fine.redLines + line, 4)
      const black = load<i32>(fine.blackLines + line)
      const blackEnd = load<i32>(fine.blackLines + line, 4)
      if (red < redEnd) place(fine, red, redEnd, corner)
      if (black < blackEnd) place(fine, black, blackEnd, corner)
    }
  const none = i32x4.splat(-1)
  for (let I = (lowest >> 1) & ~3; I <= highest >> 1; I += 4) {
    const at = places + ((<usize>I) << 2)
    let all = v128.and(v128.and(placed(at, 0), placed(at, 1)), v128.and(placed(at, 2), placed(at, 3)))
    let any = v128.or(v128.or(placed(at, 0), placed(at, 1)), v128.or(placed(at, 2), placed(at, 3)))
    if (!fine.flat) {
      all = v128.and(all, v128.and(v128.and(placed(at, 4), placed(at, 5)), v128.and(placed(at, 6), placed(at, 7))))
      any = v128.or(any, v128.or(v128.or(placed(at, 4), placed(at, 5)), v128.or(placed(at, 6), placed(at, 7))))
    }
    const empty = i32x4.bitmask(all)
    const open = i32x4.bitmask(i32x4.shl(all, 31)) & ~i32x4.bitmask(any)
    if (open == 15) addFourOpenParts(fine, at, I)
    else
      for (let lane = 0; lane < 4; lane++) {
        if ((open >> lane) & 1) addOpenPart(fine, at + ((<usize>lane) << 2), I + lane)
        else if (!((empty >> lane) & 1)) addPartsOfBlock<T>(fine, at + ((<usize>lane) << 2), I + lane)
      }
    for (let corner: usize = 0; corner < <usize>(fine.flat ? 4 : 8); corner++) v128.store(at + corner * stride, none)
  }
}

@inline
function placed(at: usize, corner: usize): v128 {
  return v128.load(at + corner * stride)
}

/** Places the rows of one colour in a line. Those of one parity of i have one corner, and neighbours have neighbouring blocks. */
function place(fine: Level, from: i32, to: i32, corner: usize): void {
  const none = i32x4.splat(-1)
  const steps = i32x4(0, 2, 4, 6)
  const even = places + corner * stride
  const odd = even + stride
  const cell = fine.cell
  const flagged = fine.flags
  const parent = fine.parent
  const cornerOf = fine.corner
  let least = lowest
  let greatest = highest
  let row = <usize>from
  for (; row + 4 <= <usize>to; row += 4) {
    const cells = v128.load(cell + (row << 2))
    const flags = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(flagged + row)))
    const i = i32x4.extract_lane(cells, 0)
    const straight = i32x4.eq(cells, i32x4.add(i32x4.splat(i), steps))
    const linked = i32x4.gt_s(flags, i32x4.splat(<i32>OPEN_ROW))
    v128.store(parent + (row << 2), none)
    // Rows with links, and at most padding behind them.
    if (i32x4.all_true(v128.and(i32x4.eq(straight, linked), v128.or(straight, i32x4.eq(cells, none))))) {
      least = min(least, i)
      greatest = max(greatest, i + 6)
      store<u32>(cornerOf + row, (<u32>corner | <u32>(i & 1)) * 0x01010101)
      const rows = v128.or(i32x4.add(i32x4.splat((<i32>row) << 1), steps), v128.and(flags, i32x4.splat(<i32>OPEN_ROW)))
      v128.store((i & 1 ? odd : even) + ((<usize>(i >> 1)) << 2), v128.bitselect(rows, none, straight))
    } else
      for (let lane: usize = 0; lane < 4; lane++) {
        const one = placeOne(fine, row + lane, corner)
        if (one < 0) continue
        least = min(least, one)
        greatest = max(greatest, one)
      }
  }
  for (; row < <usize>to; row++) {
    const one = placeOne(fine, row, corner)
    if (one < 0) continue
    least = min(least, one)
    greatest = max(greatest, one)
  }
  lowest = least
  highest = greatest
}

/** Returns its i, or −1 if it is left out. */
function placeOne(fine: Level, row: usize, corner: usize): i32 {
  const i = load<i32>(fine.cell + (row << 2))
  const flags = load<u8>(fine.flags + row)
  store<i32>(fine.parent + (row << 2), -1)
  if (i < 0 || !(flags & LINKED)) return -1
  const own = corner | <usize>(i & 1)
  store<u8>(fine.corner + row, <u8>own)
  store<i32>(places + own * stride + ((<usize>(i >> 1)) << 2), ((<i32>row) << 1) | <i32>(flags & OPEN_ROW))
  return i
}

/** A block all of whose cells are open liquid is connected. */
function addOpenPart(fine: Level, at: usize, I: i32): void {
  const full: usize = fine.flat ? 4 : 8
  const list = nextChildren()
  for (let corner: usize = 0; corner < full; corner++) {
    const row = load<i32>(at + corner * stride) >> 1
    store<i32>(list + (corner << 2), row)
    store<i32>(fine.parent + ((<usize>row) << 2), partCount())
  }
  endOpenPart(I, <i32>full)
}

/** Four blocks of open liquid side by side. */
function addFourOpenParts(fine: Level, at: usize, I: i32): void {
  const full: usize = fine.flat ? 4 : 8
  const list = nextChildren()
  const part = i32x4.add(i32x4.splat(partCount()), i32x4(0, 1, 2, 3))
  for (let corner: usize = 0; corner < full; corner += 4) {
    const a = rowsAt(fine, at + corner * stride, part)
    const b = rowsAt(fine, at + (corner + 1) * stride, part)
    const c = rowsAt(fine, at + (corner + 2) * stride, part)
    const d = rowsAt(fine, at + (corner + 3) * stride, part)
    const abLow = v128.shuffle<i32>(a, b, 0, 4, 1, 5)
    const abHigh = v128.shuffle<i32>(a, b, 2, 6, 3, 7)
    const cdLow = v128.shuffle<i32>(c, d, 0, 4, 1, 5)
    const cdHigh = v128.shuffle<i32>(c, d, 2, 6, 3, 7)
    const to = list + (corner << 2)
    v128.store(to, v128.shuffle<i64>(abLow, cdLow, 0, 2))
    v128.store(to + (full << 2), v128.shuffle<i64>(abLow, cdLow, 1, 3))
    v128.store(to + (full << 3), v128.shuffle<i64>(abHigh, cdHigh, 0, 2))
    v128.store(to + full * 12, v128.shuffle<i64>(abHigh, cdHigh, 1, 3))
  }
  for (let lane = 0; lane < 4; lane++) endOpenPart(I + lane, <i32>full)
}

/** The rows of four blocks in one corner, which get their parents. */
@inline
function rowsAt(fine: Level, at: usize, part: v128): v128 {
  const rows = i32x4.shr_s(v128.load(at), 1)
  const first = i32x4.extract_lane(rows, 0)
  if (i32x4.all_true(i32x4.eq(rows, i32x4.add(i32x4.splat(first), i32x4(0, 1, 2, 3)))))
    v128.store(fine.parent + ((<usize>first) << 2), part)
  else {
    store<i32>(fine.parent + ((<usize>first) << 2), i32x4.extract_lane(part, 0))
    store<i32>(fine.parent + ((<usize>i32x4.extract_lane(rows, 1)) << 2), i32x4.extract_lane(part, 1))
    store<i32>(fine.parent + ((<usize>i32x4.extract_lane(rows, 2)) << 2), i32x4.extract_lane(part, 2))
    store<i32>(fine.parent + ((<usize>i32x4.extract_lane(rows, 3)) << 2), i32x4.extract_lane(part, 3))
  }
  return rows
}

@inline
function weight<T>(slot: usize, d: usize): f64 {
  return <f64>load<T>(slot + (d << 4), 32)
}

/** A block that is not all open liquid: one part if it has all its cells and they are linked, as in most blocks. */
function addPartsOfBlock<T>(fine: Level, at: usize, I: i32): void {
  anyListed = false
  const a = slotIn<T>(fine, at, 0)
  const b = slotIn<T>(fine, at, 1)
  const c = slotIn<T>(fine, at, 2)
  const d = slotIn<T>(fine, at, 3)
  const flat = fine.flat != 0
  const e = flat ? slots : slotIn<T>(fine, at, 4)
  const f = flat ? slots : slotIn<T>(fine, at, 5)
  const g = flat ? slots : slotIn<T>(fine, at, 6)
  const h = flat ? slots : slotIn<T>(fine, at, 7)
  if (anyListed) {
    addListedParts<T>(fine, at, I)
    return
  }
  const x0 = weight<T>(a, 1)
  const x1 = weight<T>(c, 1)
  const x2 = weight<T>(e, 1)
  const x3 = weight<T>(g, 1)
  const y0 = weight<T>(a, 3)
  const y1 = weight<T>(b, 3)
  const y2 = weight<T>(e, 3)
  const y3 = weight<T>(f, 3)
  const z0 = weight<T>(a, 5)
  const z1 = weight<T>(b, 5)
  const z2 = weight<T>(c, 5)
  const z3 = weight<T>(d, 5)
  // A bit for each end of a link.
  const alongX = (<i32>(x0 != 0) | ((<i32>(x1 != 0)) << 2) | ((<i32>(x2 != 0)) << 4) | ((<i32>(x3 != 0)) << 6)) * 3
  const alongY = (<i32>(y0 != 0) | ((<i32>(y1 != 0)) << 1) | ((<i32>(y2 != 0)) << 4) | ((<i32>(y3 != 0)) << 5)) * 5
  const alongZ = (<i32>(z0 != 0) | ((<i32>(z1 != 0)) << 1) | ((<i32>(z2 != 0)) << 2) | ((<i32>(z3 != 0)) << 3)) * 17
  if ((alongX & alongY & (flat ? 15 : alongZ)) != (flat ? 15 : 255)) {
    addSeveralParts<T>(fine, at, I, alongX, alongY, alongZ)
    return
  }
  const list = nextChildren()
  addChild(fine, list, 0, rowAt(at, 0))
  addChild(fine, list, 1, rowAt(at, 1))
  addChild(fine, list, 2, rowAt(at, 2))
  addChild(fine, list, 3, rowAt(at, flat ? 3 : 4))
  if (!flat) {
    addChild(fine, list, 4, rowAt(at, 3))
    addChild(fine, list, 5, rowAt(at, 5))
    addChild(fine, list, 6, rowAt(at, 6))
    addChild(fine, list, 7, rowAt(at, 7))
  }
  const sums = allocateSums()
  // In the order of the children.
  store<f64>(sums, weight<T>(a, 0) + weight<T>(c, 0) + weight<T>(e, 0) + weight<T>(g, 0))
  store<f64>(sums, weight<T>(b, 1) + weight<T>(d, 1) + weight<T>(f, 1) + weight<T>(h, 1), 8)
  store<f64>(sums, weight<T>(a, 2) + weight<T>(b, 2) + weight<T>(e, 2) + weight<T>(f, 2), 16)
  store<f64>(sums, weight<T>(c, 3) + weight<T>(d, 3) + weight<T>(g, 3) + weight<T>(h, 3), 24)
  store<f64>(sums, weight<T>(a, 4) + weight<T>(b, 4) + weight<T>(c, 4) + weight<T>(d, 4), 32)
  store<f64>(sums, weight<T>(e, 5) + weight<T>(f, 5) + weight<T>(g, 5) + weight<T>(h, 5), 40)
  const first = held<T>(a) + held<T>(b) + held<T>(c) + held<T>(e)
  store<f64>(sums, first + held<T>(d) + held<T>(f) + held<T>(g) + held<T>(h), HELD)
  endPart(I, false, flat ? 4 : 8, x0 + x1 + x2 + x3, y0 + y1 + y2 + y3, z0 + z1 + z2 + z3, sums)
}

@inline
function held<T>(slot: usize): f64 {
  return <f64>load<T>(slot, 16)
}

@inline
function rowAt(at: usize, corner: usize): i32 {
  return load<i32>(at + corner * stride) >> 1
}

/** Address of D and the six weights of a corner, in the layout of a slot. Also stored for the corner. */
@inline
function slotIn<T>(fine: Level, at: usize, corner: usize): usize {
  const slot = slotOf<T>(fine, rowAt(at, corner))
  store<usize>(slots + SLOT + (corner << 2), slot)
  return slot
}

@inline
function slotOf<T>(fine: Level, row: i32): usize {
  if (row < 0) return slots
  const record = recordOfRow<T>(fine, row)
  if (record.kind == UNIFORM) return fine.openSlot
  if (record.kind == LISTED) anyListed = true
  return laneOf<T>(record, row)
}

/** Whether the present block has a row with entries. */
let anyListed: bool = false

/** Parts of a block in which rows have entries: coarse rows of these have entries too, in the same order. */
function addListedParts<T>(fine: Level, at: usize, I: i32): void {
  let extra = false
  for (let corner: usize = 0; corner < <usize>(fine.flat ? 4 : 8); corner++) {
    const seed = rowAt(at, corner)
    if (seed < 0 || load<i32>(fine.parent + ((<usize>seed) << 2)) >= 0) continue
    growPart<T>(fine, seed, I, extra)
    extra = true
  }
}

/** All parts of a block, each grown from its first corner. `alongX` and so on: corners that have a link inside the block along an axis. */
function addSeveralParts<T>(fine: Level, at: usize, I: i32, alongX: i32, alongY: i32, alongZ: i32): void {
  let left = 0
  for (let corner = 0; corner < (fine.flat ? 4 : 8); corner++) if (rowAt(at, <usize>corner) >= 0) left |= 1 << corner
  let extra = false
  while (left) {
    // Corners in the order in which they are found, four bits each.
    let order = <u32>ctz(left)
    let met = 1
    left &= left - 1
    for (let head = 0; head < met; head++) {
      const corner = <i32>((order >> ((<u32>head) << 2)) & 7)
      for (let axis = 0; axis < 3; axis++) {
        const other = corner ^ (1 << axis)
        const along = axis == 0 ? alongX : axis == 1 ? alongY : alongZ
        if (!((along >> corner) & (left >> other) & 1)) continue
        left &= ~(1 << other)
        order |= (<u32>other) << ((<u32>met) << 2)
        met++
      }
    }
    addPart<T>(fine, at, I, order, met, extra)
    extra = true
  }
}

function addPart<T>(fine: Level, at: usize, I: i32, order: u32, met: i32, extra: bool): void {
  const list = nextChildren()
  const sums = allocateSums()
  clearFew(sums, AGGREGATE_SUMS)
  let x = 0.0
  let y = 0.0
  let z = 0.0
  let holds = 0.0
  for (let child = 0; child < met; child++, order >>= 4) {
    const corner = <usize>(order & 7)
    const slot = load<usize>(slots + SLOT + (corner << 2))
    addChild(fine, list, child, rowAt(at, corner))
    if (!(corner & 1)) x += weight<T>(slot, 1)
    if (!(corner & 2)) y += weight<T>(slot, 3)
    if (!(corner & 4)) z += weight<T>(slot, 5)
    holds += held<T>(slot)
    for (let axis: usize = 0; axis < 3; axis++) {
      const d = 2 * axis + ((corner >> axis) & 1)
      store<f64>(sums + (d << 3), load<f64>(sums + (d << 3)) + weight<T>(slot, d))
    }
  }
  store<f64>(sums, holds, HELD)
  endPart(I, extra, met, x, y, z, sums)
}
