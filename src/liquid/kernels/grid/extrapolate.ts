/** Extrapolates velocities layer by layer, as defined in src/grid/extrapolate.ts. A layer reads earlier layers only, so the order of faces
 *  does not matter and values are filled in place.
 *
 *  Most of the grid is far from the growing front. So every row of faces has words with one bit per face: not known yet, filled in the previous
 *  layer, and filled in this one. A few words then show which faces to fill, and from which neighbours. A piece fills all layers while its faces
 *  are in cache; each layer ends a slab lower than the previous one, so that a piece needs nothing of the pieces above it. */
import { NO_VELOCITY } from '../../shared-constants'
import { PROGRESS } from '../../../machine/header'
import { Liquid } from '../liquid'
import { byAxis, current, endRow, planeRows, rowLength } from './rows'
import { advance, awaitAtLeast } from '../../../machine/kernels/pool'

/** Words of a row. The last bit belongs to no face, which separates rows that are adjacent in memory. */
@inline
function wordsOf(length: i32): i32 {
  return (length + 64) >> 6
}

/** Words of a plane, followed by a row of zeros. */
@inline
function planeWords(liquid: Liquid, axis: i32): i32 {
  return wordsOf(rowLength(liquid, axis)) * (planeRows(liquid, axis) + 1)
}

/** Words of an axis, with a plane of zeros before and after. */
@inline
function axisWords(liquid: Liquid, axis: i32): i32 {
  return planeWords(liquid, axis) * (liquid.nz + 2 + i32(axis == 2))
}

/** Bytes of all words. */
export function frontBytes(liquid: Liquid): i32 {
  return 8 * SETS * (axisWords(liquid, 0) + axisWords(liquid, 1) + axisWords(liquid, 2))
}

/** Sets of words: two that layers alternate between, and one for faces that are not known. */
const SETS: i32 = 3
const NOT_KNOWN: i32 = 2

/** The first word of an axis. */
@inline
function frontOf(liquid: Liquid, axis: i32, set: i32): usize {
  const before = SETS * ((axis > 0 ? axisWords(liquid, 0) : 0) + (axis > 1 ? axisWords(liquid, 1) : 0))
  return liquid.front + ((<usize>(before + set * axisWords(liquid, axis) + planeWords(liquid, axis))) << 3)
}

/** Fills `liquid.layers` layers. A piece waits until the piece below has finished the previous layer, so no piece writes words of `front` or
 *  faces that another one reads. */
@piece
export function extrapolatePiece(piece: i32): void {
  const liquid = current()
  const layers = liquid.layers
  const isLast = piece == liquid.pieceCount - 1
  const progress = PROGRESS + ((<usize>piece) << 2)
  for (let layer = 0; layer <= layers; layer++) {
    if (layer > 0 && piece > 0) awaitAtLeast(progress - 4, layer)
    const first = piece == 0 ? 0 : max(0, piece * liquid.pieceSlabs + 1 - layer)
    const stop = max(0, (piece + 1) * liquid.pieceSlabs + 1 - layer)
    for (let axis = 0; axis < liquid.dims; axis++) {
      const rows = liquid.dims == 2 ? 1 : planeRows(liquid, axis)
      const end = isLast ? endRow(liquid, axis, piece) : stop * rows
      if (layer == 0) findFront(liquid, axis, first * rows, end)
      else fillRows(liquid, axis, first * rows, end, layer)
    }
    advance(progress, layer + 1)
  }
}

/** Sets the bits of known and unknown faces. */
function findFront(liquid: Liquid, axis: i32, first: i32, end: i32): void {
  const rows = planeRows(liquid, axis)
  const length = rowLength(liquid, axis)
  const layers = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
  const toNextRow = (<usize>wordsOf(length)) << 3
  const front = frontOf(liquid, axis, 0)
  const unknown = frontOf(liquid, axis, NOT_KNOWN)
  let j = first % rows
  let word = (<usize>(wordsOf(length) * (first + first / rows))) << 3
  for (let row = first; row < end; row++) {
    const marks = layers + <usize>(row * length)
    // Sixteen faces at a time.
    for (let i = 0; i < length; i += 16) {
      const sixteen = v128.load(marks + <usize>i)
      const isInRow = i + 16 <= length ? 0xffff : (1 << (length - i)) - 1
      const at = word + (<usize>i >> 3)
      store<u16>(front + at, <u16>(v128.bitmask<i8>(v128.eq<u8>(sixteen, v128.splat<u8>(0))) & isInRow))
      store<u16>(unknown + at, <u16>(v128.bitmask<i8>(v128.eq<u8>(sixteen, v128.splat<u8>(<u8>NO_VELOCITY))) & isInRow))
    }
    word += toNextRow
    if (++j == rows) {
      j = 0
      word += toNextRow
    }
  }
}

function fillRows(liquid: Liquid, axis: i32, first: i32, end: i32, layer: i32): void {
  const rows = planeRows(liquid, axis)
  const length = rowLength(liquid, axis)
  const words = wordsOf(length)
  const wordsToRow = (<usize>words) << 3
  const wordsToPlane = (<usize>planeWords(liquid, axis)) << 3
  const earlier = frontOf(liquid, axis, (layer - 1) & 1)
  const toFront = frontOf(liquid, axis, layer & 1) - earlier
  const toUnknown = frontOf(liquid, axis, NOT_KNOWN) - earlier
  const marks = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
  const values = byAxis(axis, liquid.ux, liquid.uy, liquid.uz)
  const toRow = (<usize>length) << 3
  const toPlane = toRow * <usize>rows
  const isDeep = liquid.dims == 3
  // Read instead of neighbours that are not known.
  const zero = liquid.front
  let j = first % rows
  let from = earlier + ((<usize>(words * (first + first / rows))) << 3)
  for (let row = first; row < end; row++) {
    for (let word = 0; word < words; word++, from += 8) {
      const own = load<u64>(from)
      const west = (own << 1) | (load<u64>(from - 8) >> 63)
      const east = (own >> 1) | (load<u64>(from + 8) << 63)
      const south = load<u64>(from - wordsToRow)
      const north = load<u64>(from + wordsToRow)
      const down = load<u64>(from - wordsToPlane)
      const up = load<u64>(from + wordsToPlane)
      const unknown = load<u64>(from + toUnknown)
      const filled = unknown & (west | east | south | north | down | up)
      store<u64>(from + toFront, filled)
      if (filled == 0) continue
      store<u64>(from + toUnknown, unknown & ~filled)
      const face = <usize>(row * length + (word << 6))
      const value = values + (face << 3)
      const mark = marks + face
      for (let bits = filled; bits != 0; bits &= bits - 1) {
        const lane = ctz(bits)
        const to = value + ((<usize>lane) << 3)
        const isWest = bitOf(west, lane)
        const isEast = bitOf(east, lane)
        const isSouth = bitOf(south, lane)
        const isNorth = bitOf(north, lane)
        let count = isWest + isEast + isSouth + isNorth
        let sum = 0.0 + load<f64>(isWest ? to - 8 : zero)
        sum += load<f64>(isEast ? to + 8 : zero)
        sum += load<f64>(isSouth ? to - toRow : zero)
        sum += load<f64>(isNorth ? to + toRow : zero)
        if (isDeep) {
          const isDown = bitOf(down, lane)
          const isUp = bitOf(up, lane)
          count += isDown + isUp
          sum += load<f64>(isDown ? to - toPlane : zero)
          sum += load<f64>(isUp ? to + toPlane : zero)
        }
        store<f64>(to, sum / <f64>count)
        store<u8>(mark + <usize>lane, <u8>layer)
      }
    }
    if (++j == rows) {
      j = 0
      from += wordsToRow
    }
  }
}

@inline
function bitOf(word: u64, lane: u64): i32 {
  return <i32>(word >> lane) & 1
}
