/** Velocity of faces as momentum over weight, with the clearing of both before the transfer and the velocities of deep liquid after it. Every
 *  row of cells has a word (`occupied`) with a bit for each block of cells that holds particles: faces out of reach of particles are skipped.
 *  Done row by row, so that the data of a row stays in cache. */
import { NO_VELOCITY } from '../../shared-constants'
import { Liquid } from '../liquid'
import { mergeRow } from '../deep/carry'
import { byAxis, CELLS, current, endRow, firstRow, planeRows, rowLength } from '../grid/rows'

/** Less weight than this does not define a velocity. */
const MIN_WEIGHT: f32 = 1e-4

/** Binary logarithm of the cells or faces per bit, at least sixteen: a row of faces has 64 bits. */
@inline
function blockShift(liquid: Liquid): i32 {
  return max(4, 26 - <i32>clz(liquid.nx))
}

/** Particles must be sorted. */
@piece
export function findOccupiedPiece(piece: i32): void {
  const liquid = current()
  const nx = liquid.nx
  const shift = blockShift(liquid)
  const end = endRow(liquid, CELLS, piece)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const starts = liquid.cellStart + ((<usize>(row * nx)) << 2)
    let bits: u64 = 0
    let first = load<i32>(starts)
    for (let i = 0; i < nx; i += 1 << shift) {
      const next = load<i32>(starts + ((<usize>min(nx, i + (1 << shift))) << 2))
      if (next != first) bits |= (<u64>1) << (<u64>(i >> shift))
      first = next
    }
    store<u64>(liquid.occupied + ((<usize>row) << 3), bits)
  }
}

/** Bits of the blocks of a row of faces within reach of particles: in the cells next to the faces, and one further on across their axis. */
function reachOf(liquid: Liquid, axis: i32, j: i32, k: i32): u64 {
  const lastJ = min(liquid.ny - 1, axis == 1 ? j : j + 1)
  const lastK = min(liquid.nz - 1, axis == 2 ? k : k + 1)
  let bits: u64 = 0
  for (let c = max(0, k - 1); c <= lastK; c++) {
    for (let b = max(0, j - 1); b <= lastJ; b++) bits |= load<u64>(liquid.occupied + ((<usize>(b + liquid.ny * c)) << 3))
  }
  return bits | (bits << 1) | (bits >> 1)
}

/** Number of equal bits from the lowest on. */
@inline
function runOf(bits: u64): i32 {
  return <i32>ctz(bits & 1 ? ~bits : bits)
}

@piece
export function clearPairsPiece(piece: i32): void {
  const liquid = current()
  const shift = blockShift(liquid)
  for (let axis = 0; axis < liquid.dims; axis++) {
    const rows = planeRows(liquid, axis)
    const length = rowLength(liquid, axis)
    const pairs = byAxis(axis, liquid.pairX, liquid.pairY, liquid.pairZ)
    const end = endRow(liquid, axis, piece)
    for (let row = firstRow(liquid, axis, piece); row < end; row++) {
      const reach = reachOf(liquid, axis, row % rows, row / rows)
      if (reach == 0) continue
      const first = pairs + ((<usize>(row * length)) << 3)
      for (let block = 0, from = 0; from < length; ) {
        const bits = reach >> <u64>block
        block += runOf(bits)
        const to = block > 63 ? length : min(length, block << shift)
        if (bits & 1) clearWords(first + ((<usize>from) << 3), first + ((<usize>to) << 3))
        from = to
      }
    }
  }
}

/** Clears a multiple of eight bytes. */
@inline
function clearWords(at: usize, end: usize): void {
  const zero = v128.splat<i32>(0)
  for (; at + 16 <= end; at += 16) v128.store(at, zero)
  if (at < end) store<u64>(at, 0)
}

/** Velocity = momentum / weight; layer 0 where there is weight, NO_VELOCITY and velocity 0 elsewhere. Then merges the velocity of deep liquid. */
@piece
export function dividePiece(piece: i32): void {
  const liquid = current()
  const shift = blockShift(liquid)
  for (let axis = 0; axis < liquid.dims; axis++) {
    const rows = planeRows(liquid, axis)
    const length = rowLength(liquid, axis)
    const pairs = byAxis(axis, liquid.pairX, liquid.pairY, liquid.pairZ)
    const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz)
    const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
    const end = endRow(liquid, axis, piece)
    for (let row = firstRow(liquid, axis, piece); row < end; row++) {
      const j = row % rows
      const k = row / rows
      const reach = reachOf(liquid, axis, j, k)
      const first = <usize>(row * length)
      for (let block = 0, from = 0; from < length; ) {
        const bits = reach >> <u64>block
        block += runOf(bits)
        const to = block > 63 ? length : min(length, block << shift)
        if (bits & 1) divide(pairs, u, layer, first + <usize>from, first + <usize>to)
        else {
          clearWords(u + ((first + <usize>from) << 3), u + ((first + <usize>to) << 3))
          markUnknown(layer + first + <usize>from, layer + first + <usize>to)
        }
        from = to
      }
      if (liquid.band > 0) mergeRow(liquid, axis, row, j, k)
    }
  }
}

/** Marks faces as NO_VELOCITY. */
@inline
function markUnknown(at: usize, end: usize): void {
  for (; at + 16 <= end; at += 16) v128.store(at, v128.splat<u8>(<u8>NO_VELOCITY))
  for (; at < end; at++) store<u8>(at, NO_VELOCITY)
}

function divide(pairs: usize, u: usize, layer: usize, face: usize, end: usize): void {
  for (; face + 8 <= end; face += 8) {
    const low = divideFour(pairs + (face << 3), u + (face << 3))
    const high = divideFour(pairs + (face << 3) + 32, u + (face << 3) + 32)
    const isKnown = v128.narrow<i32>(low, high)
    v128.store64_lane(layer + face, v128.not(v128.narrow<i16>(isKnown, isKnown)), 0)
  }
  for (; face < end; face++) {
    const weight = load<f32>(pairs + (face << 3))
    const isKnown = weight > MIN_WEIGHT
    store<f64>(u + (face << 3), isKnown ? <f64>(load<f32>(pairs + (face << 3), 4) / weight) : 0)
    store<u8>(layer + face, isKnown ? 0 : NO_VELOCITY)
  }
}

/** Returns the lanes that have weight. */
@inline
function divideFour(pairs: usize, u: usize): v128 {
  const low = v128.load(pairs)
  const high = v128.load(pairs, 16)
  const weight = v128.shuffle<i32>(low, high, 0, 2, 4, 6)
  const isKnown = v128.gt<f32>(weight, v128.splat<f32>(MIN_WEIGHT))
  const velocity = v128.and(v128.div<f32>(v128.shuffle<i32>(low, high, 1, 3, 5, 7), weight), isKnown)
  v128.store(u, f64x2.promote_low_f32x4(velocity))
  v128.store(u, f64x2.promote_low_f32x4(v128.shuffle<i64>(velocity, velocity, 1, 0)), 16)
  return isKnown
}
