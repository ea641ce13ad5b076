/** Loops over the vectors of one level, for the host and for cycles. */
import { carryUpPiece, prolongPiece, restrictPiece, TransferJob } from './transfer'
import {
  dotPiece, finishPiece, FinishProductJob, productPiece, TwoVectorsJob, updatePiece, UpdateVectorsJob,
} from './conjugate'
import { smoothFromZeroPiece, SmoothJob, smoothPiece } from './smooth'
import { chain, ChainJob } from './pipeline'
import { jobOf, larger, largestOf, totalOf } from '../../../../machine/kernels/job'
import { Level } from '../level'
import { runWide } from '../../../../machine/kernels/pool'

export function clear(wide: i32, level: Level, x: usize): void {
  memory.fill(x, 0, <usize>level.rows << (wide ? 3 : 2))
}

export function smooth(wide: i32, level: Level, black: i32, f: usize, x: usize, floor: usize): void {
  const task = jobOf<SmoothJob>()
  task.level = level
  task.f = f
  task.x = x
  task.floor = floor
  task.black = black
  runWide(wide, smoothPiece, level.chunkCount)
}

export function smoothFromZero(wide: i32, level: Level, f: usize, x: usize): void {
  const task = jobOf<SmoothJob>()
  task.level = level
  task.f = f
  task.x = x
  runWide(wide, smoothFromZeroPiece, level.chunkCount)
}

/** The way down on one level: sweeps from x = 0, and the restriction of what they leave. */
export function goDown(wide: i32, level: Level, sweeps: i32, f: usize, x: usize, next: Level, coarse: usize): void {
  clear(wide, next, coarse)
  const task = jobOf<ChainJob>()
  task.level = level
  task.f = f
  task.x = x
  task.coarse = coarse
  task.q = 0
  task.down = 1
  chain(wide, task, sweeps)
  // Where rows without parent have left theirs.
  store<f64>(coarse + (<usize>next.rows << (wide ? 3 : 2)), 0)
}

/** The way up: the correction of the next level, and sweeps that mirror those on the way down. Unless `q` is 0, also what `finishProduct`
 *  does with x, f, q and Ax. */
export function goUp(wide: i32, level: Level, sweeps: i32, coarse: usize, f: usize, x: usize, q: usize, Ax: usize): f64 {
  const task = jobOf<ChainJob>()
  task.level = level
  task.f = f
  task.x = x
  task.coarse = coarse
  task.q = q
  task.Az = Ax
  task.down = 0
  chain(wide, task, sweeps)
  return q ? takeProducts(level) : 0
}

export function restrictResidual(wide: i32, level: Level, f: usize, x: usize, next: Level, coarse: usize): void {
  clear(wide, next, coarse)
  const task = jobOf<TransferJob>()
  task.level = level
  task.f = f
  task.x = x
  task.coarse = coarse
  runWide(wide, restrictPiece, level.chunkCount)
  // Where rows without parent have left theirs.
  store<f64>(coarse + (<usize>next.rows << (wide ? 3 : 2)), 0)
}

export function prolong(wide: i32, level: Level, coarse: usize, x: usize): void {
  const task = jobOf<TransferJob>()
  task.level = level
  task.x = x
  task.coarse = coarse
  runWide(wide, prolongPiece, level.chunkCount)
}

export function carryUp(wide: i32, level: Level, coarse: usize, x: usize): void {
  const task = jobOf<TransferJob>()
  task.level = level
  task.x = x
  task.coarse = coarse
  runWide(wide, carryUpPiece, level.chunkCount)
}

export function multiply(wide: i32, level: Level, x: usize, y: usize): void {
  const task = jobOf<TwoVectorsJob>()
  task.level = level
  task.x = x
  task.y = y
  runWide(wide, productPiece, level.chunkCount)
}

let zAz: f64 = 0
let zq: f64 = 0

/** z·Az and z·q of the last call of `finishProduct`, `goUp` or `precondition`, which return z·r. */
export function lastCurvature(): f64 {
  return zAz
}
export function lastOverlap(): f64 {
  return zq
}

export function finishProduct(wide: i32, level: Level, z: usize, r: usize, q: usize, Az: usize): f64 {
  const task = jobOf<FinishProductJob>()
  task.level = level
  task.z = z
  task.r = r
  task.q = q
  task.Az = Az
  runWide(wide, finishPiece, level.chunkCount)
  return takeProducts(level)
}

function takeProducts(level: Level): f64 {
  return setProducts(totalOf(level.chunkCount, 0), totalOf(level.chunkCount, 1), totalOf(level.chunkCount, 2))
}

/** Returns the first. */
export function setProducts(withR: f64, withAz: f64, withQ: f64): f64 {
  zAz = withAz
  zq = withQ
  return withR
}

export function update(wide: i32, level: Level, alpha: f64, beta: f64, z: usize, Az: usize, d: usize, q: usize, p: usize, r: usize): f64 {
  const task = jobOf<UpdateVectorsJob>()
  task.level = level
  task.alpha = alpha
  task.beta = beta
  task.z = z
  task.Az = Az
  task.d = d
  task.q = q
  task.p = p
  task.r = r
  runWide(wide, updatePiece, level.chunkCount)
  return largestOf(level.chunkCount, 0)
}

export function dot(wide: i32, level: Level, x: usize, y: usize): f64 {
  const task = jobOf<TwoVectorsJob>()
  task.level = level
  task.x = x
  task.y = y
  runWide(wide, dotPiece, level.chunkCount)
  return totalOf(level.chunkCount, 0)
}

export function largest(wide: i32, level: Level, x: usize): f64 {
  let most = 0.0
  for (let row: usize = 0; row < <usize>level.rows; row++) {
    const value = abs(wide ? load<f64>(x + (row << 3)) : <f64>load<f32>(x + (row << 2)))
    most = larger(most, value)
  }
  return most
}
