/** Loops over all velocities: gravity, the pairs that particles read, and the speed of the liquid. */
import { jobOf, larger, setSum } from '../../../machine/kernels/job'
import { Liquid } from '../liquid'
import { byAxis, byteAt, current, endRow, f32At, f64At, firstRow, LiquidJob, rowLength } from './rows'

/** The velocity to add. */
@unmanaged
export class AddVelocityJob extends LiquidJob {
  x: f64
  y: f64
  z: f64
}

@piece
export function addVelocityPiece(piece: i32): void {
  const job = jobOf<AddVelocityJob>()
  const liquid = job.liquid
  for (let axis = 0; axis < 3; axis++) {
    const change = axis == 0 ? job.x : axis == 1 ? job.y : job.z
    if (change == 0) continue
    const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz)
    let at = u + ((<usize>firstFace(liquid, axis, piece)) << 3)
    const end = u + ((<usize>endFace(liquid, axis, piece)) << 3)
    const both = v128.splat<f64>(change)
    for (; at + 16 <= end; at += 16) v128.store(at, v128.add<f64>(v128.load(at), both))
    if (at < end) store<f64>(at, load<f64>(at) + change)
  }
}

/** Velocities of the paths of particles. Sum 0: the largest |u|, NaN if one is NaN. */
@piece
export function fillVelocitiesPiece(piece: i32): void {
  const liquid = current()
  let largest = v128.splat<f64>(0)
  let isNaN = v128.splat<i64>(0)
  for (let axis = 0; axis < 3; axis++) {
    const end = endFace(liquid, axis, piece)
    const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz)
    const velocities = byAxis(axis, liquid.pairX, liquid.pairY, liquid.pairZ)
    let face = firstFace(liquid, axis, piece)
    for (; face + 2 <= end; face += 2) {
      const velocity = v128.load(u + ((<usize>face) << 3))
      v128.store64_lane(velocities + ((<usize>face) << 2), f32x4.demote_f64x2_zero(velocity), 0)
      largest = v128.pmax<f64>(largest, v128.abs<f64>(velocity))
      isNaN = v128.or(isNaN, v128.ne<f64>(velocity, velocity))
    }
    if (face < end) {
      const velocity = f64At(u, face)
      store<f32>(velocities + ((<usize>face) << 2), <f32>velocity)
      largest = v128.pmax<f64>(largest, v128.splat<f64>(abs(velocity)))
      isNaN = v128.or(isNaN, v128.splat<i64>(-i64(velocity != velocity)))
    }
  }
  const most = larger(v128.extract_lane<f64>(largest, 0), v128.extract_lane<f64>(largest, 1))
  setSum(piece, 0, v128.any_true(isNaN) ? NaN : most)
}

@unmanaged
export class ChangesJob extends LiquidJob {
  /** Share of its velocity that a particle keeps. */
  ratio: f64
}

/** What particles add to the share of their velocity that they keep: u − ratio · `beforeX` …, which then become u. */
@piece
export function fillChangesPiece(piece: i32): void {
  const liquid = current()
  const ratio = jobOf<ChangesJob>().ratio
  const ratios = v128.splat<f64>(ratio)
  for (let axis = 0; axis < 3; axis++) {
    const end = endFace(liquid, axis, piece)
    const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz)
    const before = byAxis(axis, liquid.beforeX, liquid.beforeY, liquid.beforeZ)
    const pairs = byAxis(axis, liquid.pairX, liquid.pairY, liquid.pairZ)
    const changes = pairs + byAxis(axis, liquid.toChangeX, liquid.toChangeY, liquid.toChangeZ)
    let face = firstFace(liquid, axis, piece)
    for (; face + 2 <= end; face += 2) {
      const at = (<usize>face) << 2
      const velocity = v128.load(u + (at << 1))
      const earlier = f64x2.promote_low_f32x4(v128.load64_zero(before + at))
      const change = v128.sub<f64>(velocity, v128.mul<f64>(ratios, earlier))
      v128.store64_lane(changes + at, f32x4.demote_f64x2_zero(change), 0)
      v128.store64_lane(before + at, f32x4.demote_f64x2_zero(velocity), 0)
    }
    if (face < end) {
      const velocity = f64At(u, face)
      store<f32>(changes + ((<usize>face) << 2), <f32>(velocity - ratio * <f64>f32At(before, face)))
      store<f32>(before + ((<usize>face) << 2), <f32>velocity)
    }
  }
}

/** Copies the velocities of known faces to `startX` … . */
@piece
export function keepStartPiece(piece: i32): void {
  const liquid = current()
  for (let axis = 0; axis < 3; axis++) {
    const end = endFace(liquid, axis, piece)
    const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz)
    const start = byAxis(axis, liquid.startX, liquid.startY, liquid.startZ)
    const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
    for (let face = firstFace(liquid, axis, piece); face < end; ) {
      const stop = min(end, face + 16)
      const known = stop == face + 16 ? knownOf(layer + <usize>face) : SOME
      if (known == ALL) {
        for (; face < stop; face += 4) {
          const low = f32x4.demote_f64x2_zero(v128.load(u + ((<usize>face) << 3)))
          const high = f32x4.demote_f64x2_zero(v128.load(u + ((<usize>face) << 3), 16))
          v128.store(start + ((<usize>face) << 2), v128.shuffle<i32>(low, high, 0, 1, 4, 5))
        }
      } else if (known == SOME) {
        for (let n = face; n < stop; n++) if (byteAt(layer, n) == 0) store<f32>(start + ((<usize>n) << 2), <f32>f64At(u, n))
      }
      face = stop
    }
  }
}

const NONE: i32 = 0
const SOME: i32 = 1
const ALL: i32 = 2

/** How many of sixteen faces are known, by their layers. */
@inline
function knownOf(layers: usize): i32 {
  const sixteen = v128.load(layers)
  if (v128.all_true<i8>(sixteen)) return NONE
  return v128.any_true(sixteen) ? SOME : ALL
}

/** Copies the velocities of known faces back from `startX` … . */
@piece
export function restoreStartPiece(piece: i32): void {
  const liquid = current()
  for (let axis = 0; axis < 3; axis++) {
    const end = endFace(liquid, axis, piece)
    const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz)
    const start = byAxis(axis, liquid.startX, liquid.startY, liquid.startZ)
    const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
    for (let face = firstFace(liquid, axis, piece); face < end; ) {
      const stop = min(end, face + 16)
      const known = stop == face + 16 ? knownOf(layer + <usize>face) : SOME
      if (known == ALL) {
        for (; face < stop; face += 4) {
          const to = u + ((<usize>face) << 3)
          const four = v128.load(start + ((<usize>face) << 2))
          v128.store(to, f64x2.promote_low_f32x4(four))
          v128.store(to, f64x2.promote_low_f32x4(v128.shuffle<i32>(four, four, 2, 3, 2, 3)), 16)
        }
      } else if (known == SOME) {
        for (let n = face; n < stop; n++) if (byteAt(layer, n) == 0) store<f64>(u + ((<usize>n) << 3), <f64>f32At(start, n))
      }
      face = stop
    }
  }
}

/** Sum 0, over faces whose velocity is known: the largest |u|, NaN if one is NaN. */
@piece
export function speedPiece(piece: i32): void {
  const liquid = current()
  let largest = v128.splat<f64>(0)
  let isNaN = v128.splat<i64>(0)
  for (let axis = 0; axis < 3; axis++) {
    const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz)
    const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
    const end = endFace(liquid, axis, piece)
    let face = firstFace(liquid, axis, piece)
    while (face < end) {
      // Sixteen faces of which none is known are skipped; of sixteen known ones the marks are not read again.
      let stop = face + 2
      if (face + 16 <= end) {
        const marks = v128.load(layer + <usize>face)
        if (v128.all_true<i8>(marks)) {
          face += 16
          continue
        }
        if (!v128.any_true(marks)) stop = face + 16
      }
      if (stop <= end && load<u16>(layer + <usize>face) == 0) {
        for (; face < stop; face += 2) {
          const velocity = v128.load(u + ((<usize>face) << 3))
          largest = v128.pmax<f64>(largest, v128.abs<f64>(velocity))
          isNaN = v128.or(isNaN, v128.ne<f64>(velocity, velocity))
        }
        continue
      }
      if (byteAt(layer, face) == 0) {
        const velocity = v128.load64_zero(u + ((<usize>face) << 3))
        largest = v128.pmax<f64>(largest, v128.abs<f64>(velocity))
        isNaN = v128.or(isNaN, v128.ne<f64>(velocity, velocity))
      }
      face++
    }
  }
  const most = max<f64>(v128.extract_lane<f64>(largest, 0), v128.extract_lane<f64>(largest, 1))
  setSum(piece, 0, v128.any_true(isNaN) ? NaN : most)
}

@inline
function firstFace(liquid: Liquid, axis: i32, piece: i32): i32 {
  return firstRow(liquid, axis, piece) * rowLength(liquid, axis)
}

@inline
function endFace(liquid: Liquid, axis: i32, piece: i32): i32 {
  return endRow(liquid, axis, piece) * rowLength(liquid, axis)
}
