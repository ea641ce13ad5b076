/** Loops over the vectors of one level, for the host and for cycles. */
import { carryUpPiece, prolongPiece, restrictPiece, TransferJob } from './transfer'
import { dotPiece, finishPiece, productPiece, ResidualJob, TwoVectorsJob, updatePiece, UpdateVectorsJob } from './conjugate'
import { smoothFromZeroPiece, SmoothJob, smoothPiece } from './smooth'
import { chain, ChainJob } from './pipeline'
import { jobOf, larger, largestOf, resultsOf, totalOf } from '../../../../machine/kernels/job'
import { Level, runLoop, valueShift } from '../level'

export function clear(level: Level, x: usize): void {
  memory.fill(x, 0, (<usize>level.rows) << valueShift(level))
}

export function smooth(level: Level, black: i32, f: usize, x: usize, floor: usize): void {
  const task = jobOf<SmoothJob>()
  task.level = level
  task.f = f
  task.x = x
  task.floor = floor
  task.black = black
  runLoop(level, smoothPiece)
}

export function smoothFromZero(level: Level, f: usize, x: usize): void {
  const task = jobOf<SmoothJob>()
  task.level = level
  task.f = f
  task.x = x
  runLoop(level, smoothFromZeroPiece)
}

/** The downward half of a cycle on one level: sweeps from x = 0, and their residual restricted to f of the next level. */
export function descendFrom(level: Level, sweeps: i32, f: usize, x: usize): void {
  const next = changetype<Level>(level.next)
  clear(next, next.f)
  const task = jobOf<ChainJob>()
  task.level = level
  task.f = f
  task.x = x
  task.coarse = next.f
  task.finishes = 0
  task.down = 1
  chain(task, sweeps)
  clearOverflow(next, next.f)
}

/** The upward half: adds x of the next level, then sweeps that mirror those on the way down. `finishes`: also does what `finishProduct` does;
 *  f is r and x is z then. */
export function ascendTo(level: Level, sweeps: i32, f: usize, x: usize, finishes: bool): void {
  const task = jobOf<ChainJob>()
  task.level = level
  task.f = f
  task.x = x
  task.coarse = changetype<Level>(level.next).x
  task.finishes = <i32>finishes
  task.down = 0
  chain(task, sweeps)
  if (finishes) sumProducts(level)
}

export function restrictResidual(level: Level, f: usize, x: usize, coarse: usize): void {
  const next = changetype<Level>(level.next)
  clear(next, coarse)
  const task = jobOf<TransferJob>()
  task.level = level
  task.f = f
  task.x = x
  task.coarse = coarse
  runLoop(level, restrictPiece)
  clearOverflow(next, coarse)
}

/** Rows without parent add to the place behind the last row. */
function clearOverflow(level: Level, vector: usize): void {
  store<f64>(vector + ((<usize>level.rows) << valueShift(level)), 0)
}

export function prolong(level: Level, coarse: usize, x: usize): void {
  const task = jobOf<TransferJob>()
  task.level = level
  task.x = x
  task.coarse = coarse
  runLoop(level, prolongPiece)
}

export function carryUp(level: Level, coarse: usize, x: usize): void {
  const task = jobOf<TransferJob>()
  task.level = level
  task.x = x
  task.coarse = coarse
  runLoop(level, carryUpPiece)
}

export function multiply(level: Level, x: usize, y: usize): void {
  const task = jobOf<TwoVectorsJob>()
  task.level = level
  task.x = x
  task.y = y
  runLoop(level, productPiece)
}

/** Results of `finishProduct` and `precondition`. */
@unmanaged
export class ProductResults {
  zr: f64
  zAz: f64
  zq: f64
  /** Of `precondition` only: matrix non-zeros touched. */
  touched: f64
}

/** After a cycle that ended on red: Az of the level, and as results z·r, z·Az and z·q. */
export function finishProduct(level: Level, r: usize): void {
  const task = jobOf<ResidualJob>()
  task.level = level
  task.r = r
  runLoop(level, finishPiece)
  sumProducts(level)
}

function sumProducts(level: Level): void {
  const results = resultsOf<ProductResults>()
  results.zr = totalOf(level.pieceCount, 0)
  results.zAz = totalOf(level.pieceCount, 1)
  results.zq = totalOf(level.pieceCount, 2)
}

/** A step of conjugate gradients with the vectors of the level and the given residual; returns its largest entry. */
export function update(level: Level, alpha: f64, beta: f64, r: usize): f64 {
  const task = jobOf<UpdateVectorsJob>()
  task.level = level
  task.alpha = alpha
  task.beta = beta
  task.r = r
  runLoop(level, updatePiece)
  return largestOf(level.pieceCount, 0)
}

export function dot(level: Level, x: usize, y: usize): f64 {
  const task = jobOf<TwoVectorsJob>()
  task.level = level
  task.x = x
  task.y = y
  runLoop(level, dotPiece)
  return totalOf(level.pieceCount, 0)
}

export function largest(level: Level, x: usize): f64 {
  return level.wide ? largestIn<f64>(level, x) : largestIn<f32>(level, x)
}

function largestIn<T>(level: Level, x: usize): f64 {
  let most = 0.0
  for (let at = x, end = x + <usize>level.rows * sizeof<T>(); at < end; at += sizeof<T>())
    most = larger(most, abs(<f64>load<T>(at)))
  return most
}
