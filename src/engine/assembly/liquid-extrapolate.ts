/** Continues velocities beyond where they are known, layer by layer, as src/grid/extrapolate.ts defines. A layer looks at earlier ones alone,
 *  so the order of faces does not matter, and values are filled in place.
 *
 *  Most of the grid is far from where a layer grows. So every row of faces has two words (`front`), with a bit for each block of faces along
 *  it: one for the layer before, which says where to look, and one for the layer that is filled. And since the same faces are looked at
 *  again and again, a piece fills all layers while they are at hand. Each of them lies a slab lower than the one before, so that a piece
 *  needs nothing of those above it. Faces to fill come into a list first: reading values without a branch in between is what makes it fast. */
import { PROGRESS } from './chain'
import { pointer } from './jobs'
import { Liquid } from './liquid'
import { BEYOND } from './liquid-project'
import { byAxis, current, endRow, planeRows, rowLength, rowsBefore } from './liquid-rows'
import { advance, awaitAtLeast } from './pool'

/** Of the number of faces that one bit stands for, 4 or more, the logarithm: a row has 64 bits. */
@inline
function blockShift(length: i32): i32 {
  return max(2, 26 - <i32>clz(length - 1))
}

/** Bits of the first blocks that sixteen faces take up, or of one that is larger. */
@inline
function blocksOfSixteen(shift: i32): u64 {
  return shift >= 4 ? 1 : shift == 3 ? 3 : 15
}

/** Words for a layer, of the rows of an axis. */
@inline
function frontOf(liquid: Liquid, axis: i32, layer: i32): usize {
  return liquid.front + (<usize>(rowsBefore(liquid, axis) + (layer & 1) * rowsBefore(liquid, 3)) << 3)
}

/** Faces of a list, and its bytes: sixteen of work space, then two i32 a face. A chunk has one. */
const LISTED: i32 = 512
const LIST: i32 = 16 + 8 * LISTED

/** Bytes of all words. */
@inline
function wordBytes(ny: i32, nz: i32): i32 {
  return 16 * (3 * ny * nz + nz + ny)
}

/** Bytes of all words and lists. */
export function frontBytes(ny: i32, nz: i32, chunks: i32): i32 {
  return wordBytes(ny, nz) + chunks * LIST
}

/** Pointer 1: number of layers. A piece waits for the layer before of the piece below, so words of `front` and faces that one writes are none
 *  that another one looks at. */
export function extrapolateChunk(chunk: i32): void {
  const liquid = current()
  const layers = <i32>pointer(1)
  const list = liquid.front + <usize>(wordBytes(liquid.ny, liquid.nz) + chunk * LIST)
  const isLast = chunk == liquid.chunkCount - 1
  const progress = PROGRESS + (<usize>chunk << 2)
  for (let layer = 0; layer <= layers; layer++) {
    if (layer > 0 && chunk > 0) awaitAtLeast(progress - 4, layer)
    const first = chunk == 0 ? 0 : max(0, chunk * liquid.chunkSlabs + 1 - layer)
    const stop = max(0, (chunk + 1) * liquid.chunkSlabs + 1 - layer)
    for (let axis = 0; axis < liquid.dims; axis++) {
      const rows = liquid.dims == 2 ? 1 : planeRows(liquid, axis)
      const end = isLast ? endRow(liquid, axis, chunk) : stop * rows
      if (layer == 0) findFront(liquid, axis, first * rows, end)
      else fillRows(liquid, axis, first * rows, end, layer, list)
    }
    advance(progress, layer + 1)
  }
}

/** Where velocities are known. */
function findFront(liquid: Liquid, axis: i32, first: i32, end: i32): void {
  const length = rowLength(liquid, axis)
  const shift = blockShift(length)
  const layers = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
  const front = frontOf(liquid, axis, 0)
  for (let row = first; row < end; row++) {
    const marks = layers + <usize>(row * length)
    let bits: u64 = 0
    // What lies behind the end of a row makes work at most.
    for (let i = 0; i < length; i += 16) if (!v128.all_true<i8>(v128.load(marks + <usize>i))) bits |= blocksOfSixteen(shift) << <u64>(i >> shift)
    store<u64>(front + (<usize>row << 3), bits)
  }
}

function fillRows(liquid: Liquid, axis: i32, first: i32, end: i32, layer: i32, list: usize): void {
  const rows = planeRows(liquid, axis)
  const planes = liquid.dims == 2 ? 1 : liquid.nz + i32(axis == 2)
  const length = rowLength(liquid, axis)
  const shift = blockShift(length)
  const marks = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
  const values = byAxis(axis, liquid.ux, liquid.uy, liquid.uz)
  const plane = liquid.dims == 2 ? 0 : rows * length
  const earlier = frontOf(liquid, axis, layer - 1)
  const front = frontOf(liquid, axis, layer)
  let listed = 0
  let j = first % rows
  let k = first / rows
  for (let row = first; row < end; row++) {
    // A missing neighbour is the row itself, or the face itself, which is not known yet.
    const south = j > 0 ? -1 : 0
    const north = j < rows - 1 ? 1 : 0
    const down = k > 0 ? -rows : 0
    const up = k < planes - 1 ? rows : 0
    if (++j == rows) {
      j = 0
      k++
    }
    const at = earlier + (<usize>row << 3)
    const own = load<u64>(at)
    const besides = load<u64>(at + <usize>(south << 3)) | load<u64>(at + <usize>(north << 3))
    const across = load<u64>(at + <usize>(down << 3)) | load<u64>(at + <usize>(up << 3))
    let filled: u64 = 0
    for (let todo = own | (own << 1) | (own >> 1) | besides | across; todo != 0; ) {
      const block = ctz(todo)
      todo &= ~(blocksOfSixteen(shift) << block)
      const begin = <i32>block << shift
      const stop = min(length, begin + max(16, 1 << shift))
      for (let i = begin; i < stop; i += 16) {
        if (listed > LISTED - 16) listed = fillListed(list, listed, marks, values, length, plane, layer)
        let lanes = besideSixteen(list, marks, row * length, i, length, south * length, north * length, down * length, up * length, layer)
        for (; lanes != 0; lanes &= lanes - 1, listed++) {
          const lane = ctz(lanes)
          const to = list + 16 + (<usize>listed << 3)
          store<i32>(to, row * length + i + lane)
          store<i32>(to, <i32>load<u8>(list + <usize>lane), 4)
          filled |= <u64>1 << <u64>((i + lane) >> shift)
        }
      }
    }
    store<u64>(front + (<usize>row << 3), filled)
  }
  fillListed(list, listed, marks, values, length, plane, layer)
}

/** Of sixteen faces, from the i-th of a row on, those that have neighbours of the layer before, as bits; and at `list` which neighbours, a
 *  byte a face: bits 0 to 5 for −x, +x, −y, … Neighbours in other rows are so many faces away. */
@inline
function besideSixteen(list: usize, marks: usize, face: i32, i: i32, length: i32, south: i32, north: i32, down: i32, up: i32, layer: i32): i32 {
  const at = marks + <usize>(face + i)
  const open = v128.eq<u8>(v128.load(at), v128.splat<u8>(BEYOND))
  if (!v128.any_true(open)) return 0
  // Neighbours known earlier were so one layer earlier: else the face would be known by now.
  const earlier = v128.splat<u8>(<u8>(layer - 1))
  let west = v128.and(v128.eq<u8>(v128.load(at - 1), earlier), v128.splat<u8>(1))
  // Beside the ends of the row lie faces of other rows.
  if (i == 0) west = v128.replace_lane<u8>(west, 0, 0)
  const east = v128.and(v128.eq<u8>(v128.load(at + 1), earlier), v128.splat<u8>(2))
  const isSouth = v128.and(v128.eq<u8>(v128.load(at + <usize>south), earlier), v128.splat<u8>(4))
  const isNorth = v128.and(v128.eq<u8>(v128.load(at + <usize>north), earlier), v128.splat<u8>(8))
  const isDown = v128.and(v128.eq<u8>(v128.load(at + <usize>down), earlier), v128.splat<u8>(16))
  const isUp = v128.and(v128.eq<u8>(v128.load(at + <usize>up), earlier), v128.splat<u8>(32))
  let beside = v128.and(open, v128.or(v128.or(v128.or(west, east), v128.or(isSouth, isNorth)), v128.or(isDown, isUp)))
  if (i + 16 >= length) beside = v128.and(beside, withinRow(length - i))
  v128.store(list, beside)
  return v128.bitmask<i8>(v128.ne<u8>(beside, v128.splat<u8>(0)))
}

/** All bits of neighbours for the first of `rest` faces, none behind the last, and for that one none along the row. */
@inline
function withinRow(rest: i32): v128 {
  const lanes = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
  const isInside = v128.lt<i8>(lanes, v128.splat<i8>(<i8>rest))
  return v128.andnot(isInside, v128.and(v128.eq<i8>(lanes, v128.splat<i8>(<i8>(rest - 1))), v128.splat<u8>(2)))
}

/** Gives listed faces the mean of their neighbours, in the order −x, +x, −y, …; returns 0, for none is left. */
function fillListed(list: usize, listed: i32, marks: usize, values: usize, length: i32, plane: i32, layer: i32): i32 {
  const row = <usize>length << 3
  const deep = <usize>plane << 3
  const end = list + 16 + (<usize>listed << 3)
  for (let at = list + 16; at < end; at += 8) {
    const face = <usize>load<i32>(at)
    const beside = load<u32>(at, 4)
    const to = values + (face << 3)
    let sum = 0.0 + valueIf(to - 8, beside, 0)
    sum += valueIf(to + 8, beside, 1)
    sum += valueIf(to - row, beside, 2)
    sum += valueIf(to + row, beside, 3)
    sum += valueIf(to - deep, beside, 4)
    sum += valueIf(to + deep, beside, 5)
    store<f64>(to, sum / <f64>popcnt(beside))
    store<u8>(marks + face, <u8>layer)
  }
  return 0
}

/** The value there if the bit is set, else 0. */
@inline
function valueIf(at: usize, bits: u32, bit: u32): f64 {
  return reinterpret<f64>(load<u64>(at) & -<u64>((bits >> bit) & 1))
}
