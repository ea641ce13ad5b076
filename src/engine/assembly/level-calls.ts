/** Loops over the vectors of one level, for the host and for cycles. */
import { chain } from './chain'
import { larger, largestOf, setNumber, setPointer, totalOf } from './jobs'
import { Level } from './level'
import { CARRY_UP, DOT, FINISH, PRODUCT, PROLONG, RESTRICT, SMOOTH, SMOOTH_FROM_ZERO, UPDATE } from './loops'
import { run } from './pool'

export function clear(wide: i32, level: Level, x: usize): void {
  memory.fill(x, 0, <usize>level.rows << (wide ? 3 : 2))
}

export function smooth(wide: i32, level: Level, black: i32, f: usize, x: usize, floor: usize): void {
  setPointer(0, changetype<usize>(level))
  setPointer(1, black)
  setPointer(2, f)
  setPointer(3, x)
  setPointer(4, floor)
  run(SMOOTH + wide, level.chunkCount)
}

export function smoothFromZero(wide: i32, level: Level, f: usize, x: usize): void {
  setPointer(0, changetype<usize>(level))
  setPointer(2, f)
  setPointer(3, x)
  run(SMOOTH_FROM_ZERO + wide, level.chunkCount)
}

/** The way down on one level: sweeps from x = 0, and the restriction of what they leave. */
export function goDown(wide: i32, level: Level, sweeps: i32, f: usize, x: usize, next: Level, coarse: usize): void {
  clear(wide, next, coarse)
  setPointer(0, changetype<usize>(level))
  setPointer(2, f)
  setPointer(3, x)
  setPointer(4, coarse)
  chain(wide, level, sweeps, true, 0, 0)
  // Where rows without parent have left theirs.
  store<f64>(coarse + (<usize>next.rows << (wide ? 3 : 2)), 0)
}

/** The way up: the correction of the next level, and sweeps that mirror those on the way down. Unless `q` is 0, also what `finishProduct`
 *  does with x, f, q and Ax. */
export function goUp(wide: i32, level: Level, sweeps: i32, coarse: usize, f: usize, x: usize, q: usize, Ax: usize): f64 {
  setPointer(0, changetype<usize>(level))
  setPointer(2, f)
  setPointer(3, x)
  setPointer(4, coarse)
  chain(wide, level, sweeps, false, q, Ax)
  return q ? takeProducts(level) : 0
}

export function restrictResidual(wide: i32, level: Level, f: usize, x: usize, next: Level, coarse: usize): void {
  clear(wide, next, coarse)
  setPointer(0, changetype<usize>(level))
  setPointer(2, f)
  setPointer(3, x)
  setPointer(4, coarse)
  run(RESTRICT + wide, level.chunkCount)
  // Where rows without parent have left theirs.
  store<f64>(coarse + (<usize>next.rows << (wide ? 3 : 2)), 0)
}

export function prolong(wide: i32, level: Level, coarse: usize, x: usize): void {
  setPointer(0, changetype<usize>(level))
  setPointer(3, x)
  setPointer(4, coarse)
  run(PROLONG + wide, level.chunkCount)
}

export function carryUp(wide: i32, level: Level, coarse: usize, x: usize): void {
  setPointer(0, changetype<usize>(level))
  setPointer(3, x)
  setPointer(4, coarse)
  run(CARRY_UP + wide, level.chunkCount)
}

export function multiply(wide: i32, level: Level, x: usize, y: usize): void {
  setPointer(0, changetype<usize>(level))
  setPointer(3, x)
  setPointer(4, y)
  run(PRODUCT + wide, level.chunkCount)
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
  setPointer(0, changetype<usize>(level))
  setPointer(2, z)
  setPointer(3, r)
  setPointer(4, q)
  setPointer(5, Az)
  run(FINISH + wide, level.chunkCount)
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
  setPointer(0, changetype<usize>(level))
  setNumber(0, alpha)
  setNumber(1, beta)
  setPointer(2, z)
  setPointer(3, Az)
  setPointer(4, d)
  setPointer(5, q)
  setPointer(6, p)
  setPointer(7, r)
  run(UPDATE + wide, level.chunkCount)
  return largestOf(level.chunkCount, 0)
}

export function dot(wide: i32, level: Level, x: usize, y: usize): f64 {
  setPointer(0, changetype<usize>(level))
  setPointer(2, x)
  setPointer(3, y)
  run(DOT + wide, level.chunkCount)
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
