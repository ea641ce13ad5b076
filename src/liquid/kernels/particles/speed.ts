/** The velocity of the grid before forces act on it: kept, because FLIP adds its change to particles, and measured, because speeds limit the
 *  length of a substep. */
import { NO_VELOCITY } from '../../shared-constants'
import { jobOf, larger, largestOf, setResult, setSum } from '../../../machine/kernels/job'
import { Liquid } from '../liquid'
import { LiquidJob } from '../grid/rows'
import { clear, FACE_PIECES, facesOf, faceStart, isReached } from './to-grid'
import { run } from '../../../machine/kernels/pool'

/** Bins of the histogram of speeds, the last one for everything faster; bytes of its counts, i32. */
const SPEEDS: i32 = 1024
const SPEED_BYTES: i32 = 4 * SPEEDS

/** Histograms of a piece. Neighbours, whose speeds are usually equal, go to different ones: incrementing the same count again would wait for
 *  the previous store. */
const TABLES: i32 = 4

/** Bytes of `speeds` of a liquid. */
export const SPEED_COUNTS: i32 = FACE_PIECES * TABLES * SPEED_BYTES

@unmanaged
class SpeedJob extends LiquidJob {
  /** Bins of the histogram per m/s. */
  stepsPerSpeed: f64
}

/** Call after the transfer from particles and its extrapolation. Returns the largest component on known faces, NaN if one is NaN. Result 1: the
 *  speed that all but a `share` of the known faces stay below, in steps. */
export function keepVelocity(liquid: Liquid, stepsPerSpeed: f64, share: f64): f64 {
  const job = jobOf<SpeedJob>()
  job.liquid = liquid
  job.stepsPerSpeed = stepsPerSpeed
  run(keepVelocityPiece, FACE_PIECES)
  for (let piece = 1; piece < FACE_PIECES; piece++) addCounts(countsOf(liquid, 0), countsOf(liquid, piece))
  setResult(1, usualSpeed(liquid, share))
  return largestOf(FACE_PIECES, 0)
}

/** Infinite if it is in the last bin. */
function usualSpeed(liquid: Liquid, share: f64): f64 {
  const counts = countsOf(liquid, 0)
  let known: i64 = 0
  for (let at: usize = 0; at < <usize>SPEED_BYTES; at += 4) known += <i64>load<i32>(counts + at)
  let faster: i64 = 0
  for (let speed = SPEEDS - 1; speed >= 0; speed--) {
    faster += <i64>load<i32>(counts + ((<usize>speed) << 2))
    if (<f64>faster > share * <f64>known) return speed == SPEEDS - 1 ? Infinity : <f64>(speed + 1)
  }
  return 0
}

/** Adds one histogram to another. */
@inline
function addCounts(to: usize, from: usize): void {
  for (let at: usize = 0; at < <usize>SPEED_BYTES; at += 16)
    v128.store(to + at, v128.add<i32>(v128.load(to + at), v128.load(from + at)))
}

/** Histograms of a piece; the first one holds the sum in the end. */
@inline
function countsOf(liquid: Liquid, piece: i32): usize {
  return liquid.speeds + <usize>(TABLES * SPEED_BYTES * piece)
}

/** Copies velocities to `beforeX` …, 0 where unknown. Sum 0: the largest component on known faces, NaN if one is NaN. Counts their speeds. */
@piece
export function keepVelocityPiece(piece: i32): void {
  const job = jobOf<SpeedJob>()
  const liquid = job.liquid
  const scale = v128.splat<f64>(job.stepsPerSpeed)
  const counts = countsOf(liquid, piece)
  memory.fill(counts, 0, TABLES * SPEED_BYTES)
  let largest = v128.splat<f64>(0)
  let isNaN = v128.splat<i64>(0)
  for (let axis = 0; axis < liquid.dims; axis++) {
    const faces = facesOf(liquid, axis)
    const end = faceStart(faces, piece + 1)
    const u = axis == 0 ? liquid.ux : axis == 1 ? liquid.uy : liquid.uz
    const before = axis == 0 ? liquid.beforeX : axis == 1 ? liquid.beforeY : liquid.beforeZ
    const layer = axis == 0 ? liquid.layerX : axis == 1 ? liquid.layerY : liquid.layerZ
    let face = faceStart(faces, piece)
    while (face < end) {
      const marks = v128.load(layer + face)
      const isWhole = face + 16 <= end
      if (isWhole && v128.all_true<i8>(v128.eq<u8>(marks, v128.splat<u8>(<u8>NO_VELOCITY)))) {
        // Usually 0 already.
        if (isReached(before + (face << 2))) clear(before + (face << 2))
        face += 16
        continue
      }
      if (isWhole && !v128.any_true(marks)) {
        for (const stop = face + 16; face < stop; face += 4) {
          const low = v128.load(u + (face << 3))
          const high = v128.load(u + (face << 3), 16)
          v128.store(before + (face << 2), v128.shuffle<i64>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 2))
          largest = v128.pmax<f64>(largest, v128.pmax<f64>(v128.abs<f64>(low), v128.abs<f64>(high)))
          isNaN = v128.or(isNaN, v128.or(v128.ne<f64>(low, low), v128.ne<f64>(high, high)))
          const lowSteps = stepsOf(low, scale)
          const highSteps = stepsOf(high, scale)
          count(counts, i32x4.extract_lane(lowSteps, 0))
          count(counts + <usize>SPEED_BYTES, i32x4.extract_lane(lowSteps, 1))
          count(counts + <usize>(2 * SPEED_BYTES), i32x4.extract_lane(highSteps, 0))
          count(counts + <usize>(3 * SPEED_BYTES), i32x4.extract_lane(highSteps, 1))
        }
        continue
      }
      if (isWhole) {
        // At the surface, and beyond it as far as velocities were extrapolated.
        let beyond = v128.bitmask<i8>(v128.eq<u8>(marks, v128.splat<u8>(<u8>NO_VELOCITY)))
        for (let n: usize = 0; n < 16; n += 2, beyond >>= 2) {
          const isKept = v128.eq<i64>(v128.and(v128.splat<i64>(<i64>beyond), i64x2(1, 2)), v128.splat<i64>(0))
          const velocity = v128.and(v128.load(u + ((face + n) << 3)), isKept)
          v128.store64_lane(before + ((face + n) << 2), f32x4.demote_f64x2_zero(velocity), 0)
        }
        for (let known = v128.bitmask<i8>(v128.eq<u8>(marks, v128.splat<u8>(0))); known != 0; known &= known - 1) {
          const velocity = v128.load64_zero(u + ((face + <usize>ctz(known)) << 3))
          largest = v128.pmax<f64>(largest, v128.abs<f64>(velocity))
          isNaN = v128.or(isNaN, v128.ne<f64>(velocity, velocity))
          count(counts, i32x4.extract_lane(stepsOf(velocity, scale), 0))
        }
        face += 16
        continue
      }
      const mark = v128.extract_lane<u8>(marks, 0)
      const velocity = mark == NO_VELOCITY ? v128.splat<f64>(0) : v128.load64_zero(u + (face << 3))
      store<f32>(before + (face << 2), <f32>v128.extract_lane<f64>(velocity, 0))
      if (mark == 0) {
        largest = v128.pmax<f64>(largest, v128.abs<f64>(velocity))
        isNaN = v128.or(isNaN, v128.ne<f64>(velocity, velocity))
        count(counts, i32x4.extract_lane(stepsOf(velocity, scale), 0))
      }
      face++
    }
  }
  for (let table: usize = 1; table < <usize>TABLES; table++) addCounts(counts, counts + table * <usize>SPEED_BYTES)
  const most = larger(v128.extract_lane<f64>(largest, 0), v128.extract_lane<f64>(largest, 1))
  setSum(piece, 0, v128.any_true(isNaN) ? NaN : most)
}

/** Bin of a speed. */
@inline
function stepsOf(velocity: v128, scale: v128): v128 {
  const steps = i32x4.trunc_sat_f64x2_s_zero(v128.mul<f64>(v128.abs<f64>(velocity), scale))
  return i32x4.min_s(steps, i32x4.splat(SPEEDS - 1))
}

@inline
function count(counts: usize, speed: i32): void {
  const at = counts + ((<usize>speed) << 2)
  store<i32>(at, load<i32>(at) + 1)
}
