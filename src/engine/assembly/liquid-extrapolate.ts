/** Continues velocities beyond where they are known, layer by layer, as src/grid/extrapolate.ts defines. A piece that fills a layer looks at
 *  earlier ones alone, so neither the order of pieces nor that of faces matters, and values are filled in place. */
import { pointer } from './jobs'
import { Liquid } from './liquid'
import { BEYOND } from './liquid-project'
import { byAxis, current, endRow, firstRow, planeRows, rowLength } from './liquid-rows'

/** Fills the layer that pointer 1 counts. */
export function extrapolateChunk(chunk: i32): void {
  const liquid = current()
  const layer = <i32>pointer(1)
  for (let axis = 0; axis < 3; axis++) {
    const rows = planeRows(liquid, axis)
    const planes = liquid.dims == 2 ? 1 : liquid.nz + i32(axis == 2)
    const length = rowLength(liquid, axis)
    const end = endRow(liquid, axis, chunk)
    for (let row = firstRow(liquid, axis, chunk); row < end; row++)
      fillRow(liquid, axis, row * length, length, row % rows, rows, row / rows, planes, layer)
  }
}

function fillRow(liquid: Liquid, axis: i32, face: i32, length: i32, j: i32, rows: i32, k: i32, planes: i32, layer: i32): void {
  const marks = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ) + <usize>face
  const values = byAxis(axis, liquid.ux, liquid.uy, liquid.uz) + (<usize>face << 3)
  const plane = length * rows
  // A missing neighbour is the face itself, which is not known yet.
  const south = j > 0 ? -length : 0
  const north = j < rows - 1 ? length : 0
  const down = k > 0 ? -plane : 0
  const up = k < planes - 1 ? plane : 0
  const beyond = v128.splat<u8>(BEYOND)
  const earlier = v128.splat<u8>(<u8>(layer - 1))
  for (let i = 0; i < length; i += 16) {
    const at = marks + <usize>i
    const open = v128.eq<u8>(v128.load(at), beyond)
    if (!v128.any_true(open)) continue
    // Neighbours known earlier were so one layer earlier: else the face would be known by now.
    const isWest = v128.eq<u8>(v128.load(at - 1), earlier)
    const isEast = v128.eq<u8>(v128.load(at + 1), earlier)
    const isSouth = v128.eq<u8>(v128.load(at + <usize>south), earlier)
    const isNorth = v128.eq<u8>(v128.load(at + <usize>north), earlier)
    const isDown = v128.eq<u8>(v128.load(at + <usize>down), earlier)
    const isUp = v128.eq<u8>(v128.load(at + <usize>up), earlier)
    const isNext = v128.or(v128.or(v128.or(isWest, isEast), v128.or(isSouth, isNorth)), v128.or(isDown, isUp))
    let lanes = v128.bitmask<i8>(v128.and(open, isNext))
    if (i + 16 > length) lanes &= (1 << (length - i)) - 1
    if (lanes == 0) continue
    // Beside the ends of the row lie faces of other rows.
    const west = i == 0 ? v128.bitmask<i8>(isWest) & ~1 : v128.bitmask<i8>(isWest)
    const east = i + 16 >= length ? v128.bitmask<i8>(isEast) & ~(1 << (length - 1 - i)) : v128.bitmask<i8>(isEast)
    const besides = v128.bitmask<i8>(isSouth) | (v128.bitmask<i8>(isNorth) << 16)
    const across = v128.bitmask<i8>(isDown) | (v128.bitmask<i8>(isUp) << 16)
    for (; lanes != 0; lanes &= lanes - 1) {
      const lane = ctz(lanes)
      const to = values + (<usize>(i + lane) << 3)
      let sum = 0.0
      let count = 0
      if ((west >> lane) & 1) {
        sum += load<f64>(to - 8)
        count++
      }
      if ((east >> lane) & 1) {
        sum += load<f64>(to + 8)
        count++
      }
      if ((besides >> lane) & 1) {
        sum += load<f64>(to + (<usize>south << 3))
        count++
      }
      if ((besides >> (lane + 16)) & 1) {
        sum += load<f64>(to + (<usize>north << 3))
        count++
      }
      if ((across >> lane) & 1) {
        sum += load<f64>(to + (<usize>down << 3))
        count++
      }
      if ((across >> (lane + 16)) & 1) {
        sum += load<f64>(to + (<usize>up << 3))
        count++
      }
      if (count == 0) continue
      store<f64>(to, sum / <f64>count)
      store<u8>(at + <usize>lane, <u8>layer)
    }
  }
}
