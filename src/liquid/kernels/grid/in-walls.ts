/** Faces in walls: closed by solids or sides, slivers included, and within reach of particles. They are few and change only with the solids, so they are found
 *  when those have moved. Every row of faces has words with one bit per face. */
import { NO_VELOCITY } from '../../shared-constants'
import { Liquid } from '../liquid'
import { areWide } from './face-marks'
import { byAxis, nodeIndex, nodeStep, rowLength, rowsBefore } from './rows'

/** Faces deeper in a solid than this, in cells, are out of reach of particles. */
const DEEP: f32 = -1.5

/** Number of u64 words of a row. */
@inline
function wordsOfRow(nx: i32): i32 {
  return (nx + 64) >> 6
}

/** Bytes of the words of all rows. */
export function inWallsBytes(liquid: Liquid): i32 {
  return 8 * wordsOfRow(liquid.nx) * rowsBefore(liquid, 3)
}

/** The first word of a row. */
@inline
export function inWallsOf(liquid: Liquid, axis: i32, row: i32): usize {
  return liquid.inWalls + ((<usize>(wordsOfRow(liquid.nx) * (rowsBefore(liquid, axis) + row))) << 3)
}

/** Needs the open fractions of the row. */
export function findInWalls(liquid: Liquid, axis: i32, row: i32, j: i32, k: i32): void {
  const length = rowLength(liquid, axis)
  const open = byAxis(axis, liquid.openX, liquid.openY, liquid.openZ) + ((<usize>(row * length)) << 2)
  const nodes = liquid.solid + ((<usize>nodeIndex(liquid, 0, j, k)) << 2)
  const s = (<usize>nodeStep(liquid, axis == 2 ? 0 : axis + 1)) << 2
  const t = (<usize>nodeStep(liquid, axis == 0 ? 2 : axis - 1)) << 2
  const words = inWallsOf(liquid, axis, row)
  // Sixteen faces at a time.
  for (let i = 0; i < length; i += 16) {
    let found = ~v128.bitmask<i8>(areWide(open + ((<usize>i) << 2))) & 0xffff
    if (i + 16 > length) found &= (1 << (length - i)) - 1
    if (found) found &= sixteenNear(nodes + ((<usize>i) << 2), s, t)
    store<u16>(words + (<usize>i >> 3), <u16>found)
  }
}

/** Bits of the sixteen faces that are within reach of particles, by the distances at their corners. */
@inline
function sixteenNear(at: usize, s: usize, t: usize): i32 {
  return fourNear(at, s, t) | (fourNear(at + 16, s, t) << 4) | (fourNear(at + 32, s, t) << 8) | (fourNear(at + 48, s, t) << 12)
}

@inline
function fourNear(at: usize, s: usize, t: usize): i32 {
  const low = v128.add<f32>(v128.load(at), v128.load(at + s))
  const sum = v128.add<f32>(v128.add<f32>(low, v128.load(at + t)), v128.load(at + s + t))
  return v128.bitmask<i32>(v128.ge<f32>(sum, v128.splat<f32>(4 * DEEP)))
}

/** Bits of the faces in walls that have a velocity, of the sixteen from the i-th of a row on. */
@inline
export function movingInWalls(words: usize, layer: usize, i: i32): i32 {
  const found = <i32>load<u16>(words + (<usize>i >> 3))
  if (found == 0) return 0
  return found & ~v128.bitmask<i8>(v128.eq<u8>(v128.load(layer + <usize>i), v128.splat<u8>(<u8>NO_VELOCITY)))
}

/** Bits of the four faces from the i-th of a row on, where i is a multiple of 4. */
@inline
export function fourInWalls(liquid: Liquid, axis: i32, row: i32, i: i32): i32 {
  return (load<u8>(inWallsOf(liquid, axis, row) + (<usize>i >> 3)) >> (i & 4)) & 15
}
