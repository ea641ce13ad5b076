/** Velocities of the faces beside known ones: see plain/grid/beside.ts. */
import { jobOf } from '../../../machine/kernels/job'
import { Liquid } from '../liquid'
import { byAxis, byteAt, current, endRow, f32At, f64At, firstRow, LiquidJob, planeRows, rowLength } from './rows'

@unmanaged
export class FollowJob extends LiquidJob {
  areOfParticles: i32
}

@piece
export function followChangesPiece(piece: i32): void {
  const liquid = current()
  for (let axis = 0; axis < 3; axis++) {
    const length = rowLength(liquid, axis)
    const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
    const end = endRow(liquid, axis, piece)
    for (let row = firstRow(liquid, axis, piece); row < end; row++) {
      for (let i = 0; i < length; i += 16) {
        for (let lanes = firstLayerOf(layer, row * length, i, length); lanes != 0; lanes &= lanes - 1)
          follow(liquid, axis, row, i + ctz(lanes))
      }
    }
  }
}

@piece
export function addKicksPiece(piece: i32): void {
  const liquid = current()
  for (let axis = 0; axis < 3; axis++) {
    const length = rowLength(liquid, axis)
    const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
    const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz)
    const start = byAxis(axis, liquid.startX, liquid.startY, liquid.startZ)
    const end = endRow(liquid, axis, piece)
    for (let row = firstRow(liquid, axis, piece); row < end; row++) {
      for (let i = 0; i < length; i += 16) {
        for (let lanes = firstLayerOf(layer, row * length, i, length); lanes != 0; lanes &= lanes - 1) {
          const face = row * length + i + ctz(lanes)
          store<f64>(u + ((<usize>face) << 3), f64At(u, face) + <f64>f32At(start, face))
        }
      }
    }
  }
}

/** Bits of those of the sixteen faces from `i` on in a row that are in the first extrapolated layer. */
@inline
function firstLayerOf(layer: usize, row: i32, i: i32, length: i32): i32 {
  const lanes = v128.bitmask<i8>(v128.eq<u8>(v128.load(layer + <usize>(row + i)), v128.splat<u8>(1)))
  return i + 16 <= length ? lanes : lanes & ((1 << (length - i)) - 1)
}

/** Of one face, the i-th of a row. */
function follow(liquid: Liquid, axis: i32, row: i32, i: i32): void {
  const length = rowLength(liquid, axis)
  const rows = planeRows(liquid, axis)
  const plane = length * rows
  const j = row % rows
  const k = row / rows
  const face = row * length + i
  const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
  const isWest = i > 0 && byteAt(layer, face - 1) == 0
  const isEast = i < length - 1 && byteAt(layer, face + 1) == 0
  const isSouth = j > 0 && byteAt(layer, face - length) == 0
  const isNorth = j < rows - 1 && byteAt(layer, face + length) == 0
  const isDown = k > 0 && byteAt(layer, face - plane) == 0
  const isUp = k < liquid.nz - 1 + i32(axis == 2) && byteAt(layer, face + plane) == 0
  const count = <f64>(i32(isWest) + i32(isEast) + i32(isSouth) + i32(isNorth) + i32(isDown) + i32(isUp))
  const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz)
  const start = byAxis(axis, liquid.startX, liquid.startY, liquid.startZ)
  const before = byAxis(axis, liquid.beforeX, liquid.beforeY, liquid.beforeZ)
  let kick = riseOf(u, start, face - 1, isWest)
  kick += riseOf(u, start, face + 1, isEast)
  kick += riseOf(u, start, face - length, isSouth)
  kick += riseOf(u, start, face + length, isNorth)
  kick += riseOf(u, start, face - plane, isDown)
  kick += riseOf(u, start, face + plane, isUp)
  const kept = <f32>(kick / count)
  const own = f32At(before, face)
  let velocity = f64At(u, face)
  if (own != 0 && jobOf<FollowJob>().areOfParticles) {
    let change = riseOf(u, before, face - 1, isWest)
    change += riseOf(u, before, face + 1, isEast)
    change += riseOf(u, before, face - length, isSouth)
    change += riseOf(u, before, face + length, isNorth)
    change += riseOf(u, before, face - plane, isDown)
    change += riseOf(u, before, face + plane, isUp)
    velocity = <f64>own + change / count
  }
  store<f32>(start + ((<usize>face) << 2), kept)
  store<f64>(u + ((<usize>face) << 3), velocity - <f64>kept)
}

/** Velocity of a face less an earlier one; 0 if it is not known. */
@inline
function riseOf(u: usize, earlier: usize, face: i32, isKnown: bool): f64 {
  return isKnown ? f64At(u, face) - <f64>f32At(earlier, face) : 0
}
