/** The vector work of conjugate gradients, fused so that every vector is read once an iteration. */
import { jobOf, setSum } from '../../../../machine/kernels/job'
import { pieceOf, Level, LISTED, Record, RECORD, UNIFORM } from '../level'
import { bytes, flowFlat, flowListed, flowUniform, flowWeighted, onMask, shift, slotAt } from './stencil'

/** Blocks whose products are summed in vector precision before they are added in f64. */
const FLUSH: usize = 32

@unmanaged
export class TwoVectorsJob {
  level: Level
  x: usize
  y: usize
}

/** y = A x on free rows and 0 on the others. */
@piece
export function productPiece<T>(piece: i32): void {
  const task = jobOf<TwoVectorsJob>()
  const level = task.level
  const here = pieceOf(level, piece)
  const x = task.x
  const y = task.y
  productOf<T>(level, here.blackFrom, here.blackTo, x, y)
  productOf<T>(level, here.redFrom, here.redTo, x, y)
}

function productOf<T>(level: Level, from: usize, end: usize, x: usize, y: usize): void {
  const weight = v128.splat<T>(-(<T>level.weight))
  const zero = v128.splat<T>(<T>0)
  for (let at = from; at < end; at += RECORD) {
    const record = changetype<Record>(at)
    const offset = (<usize>record.start) << shift<T>()
    const d0 = bytes<T>(record.d0)
    const d1 = bytes<T>(record.d1)
    const d2 = bytes<T>(record.d2)
    const d3 = bytes<T>(record.d3)
    const d4 = bytes<T>(record.d4)
    const d5 = bytes<T>(record.d5)
    let xAt = x + offset
    let yAt = y + offset
    const xEnd = xAt + ((<usize>record.blocks) << 4)
    const kind = record.kind
    if (kind == UNIFORM) {
      if (level.flat) {
        for (; xAt < xEnd; xAt += 16, yAt += 16) v128.store(yAt, v128.mul<T>(weight, flowFlat<T>(xAt, d0, d1, d2, d3)))
      } else {
        for (; xAt < xEnd; xAt += 16, yAt += 16) v128.store(yAt, v128.mul<T>(weight, flowUniform<T>(xAt, d0, d1, d2, d3, d4, d5)))
      }
    } else if (kind == LISTED) multiplyListed<T>(record, x, y)
    else {
      for (let slot = slotAt(record, 0); xAt < xEnd; xAt += 16, yAt += 16, slot += 128) {
        const product = v128.sub<T>(zero, flowWeighted<T>(slot, xAt, d0, d1, d2, d3, d4, d5))
        v128.store(yAt, v128.and(product, onMask<T>(slot)))
      }
    }
  }
}

function multiplyListed<T>(record: Record, x: usize, y: usize): void {
  const offset = (<usize>record.start) << shift<T>()
  const end = offset + ((<usize>record.blocks) << 4)
  for (let at = offset, slot = slotAt(record, 0); at < end; at += 16, slot += 128) {
    const product = v128.sub<T>(v128.splat<T>(<T>0), flowListed<T>(slot, x, x + at))
    v128.store(y + at, v128.and(product, onMask<T>(slot)))
  }
}

@unmanaged
export class ResidualJob {
  level: Level
  r: usize
}

/** After a cycle that ended on red A z = r there: completes Az on black and sums z·r, z·Az and z·q. */
@piece
export function finishPiece<T>(piece: i32): void {
  const task = jobOf<ResidualJob>()
  finishRows<T>(task.level, piece, task.r)
}

export function finishRows<T>(level: Level, piece: i32, r: usize): void {
  const z = level.z
  const q = level.q
  const Az = level.Az
  const here = pieceOf(level, piece)
  const next = pieceOf(level, piece + 1)
  productOf<T>(level, here.blackFrom, here.blackTo, z, Az)
  let zr = 0.0
  let zAz = 0.0
  let zq = 0.0
  const zero = v128.splat<T>(<T>0)
  let at = (<usize>here.redRow) << shift<T>()
  let end = (<usize>next.redRow) << shift<T>()
  while (at < end) {
    const stop = min(end, at + FLUSH * 16)
    let sumR = zero
    let sumQ = zero
    for (; at < stop; at += 16) {
      const value = v128.load(z + at)
      const residual = v128.load(r + at)
      v128.store(Az + at, residual)
      sumR = v128.add<T>(sumR, v128.mul<T>(value, residual))
      sumQ = v128.add<T>(sumQ, v128.mul<T>(value, v128.load(q + at)))
    }
    zr += total<T>(sumR)
    zq += total<T>(sumQ)
  }
  zAz = zr
  at = (<usize>here.blackRow) << shift<T>()
  end = (<usize>next.blackRow) << shift<T>()
  while (at < end) {
    const stop = min(end, at + FLUSH * 16)
    let sumR = zero
    let sumA = zero
    let sumQ = zero
    for (; at < stop; at += 16) {
      const value = v128.load(z + at)
      sumR = v128.add<T>(sumR, v128.mul<T>(value, v128.load(r + at)))
      sumA = v128.add<T>(sumA, v128.mul<T>(value, v128.load(Az + at)))
      sumQ = v128.add<T>(sumQ, v128.mul<T>(value, v128.load(q + at)))
    }
    zr += total<T>(sumR)
    zAz += total<T>(sumA)
    zq += total<T>(sumQ)
  }
  setSum(piece, 0, zr)
  setSum(piece, 1, zAz)
  setSum(piece, 2, zq)
}

/** x·y. */
@piece
export function dotPiece<T>(piece: i32): void {
  const task = jobOf<TwoVectorsJob>()
  const level = task.level
  const x = task.x
  const y = task.y
  const here = pieceOf(level, piece)
  const next = pieceOf(level, piece + 1)
  setSum(piece, 0, dotRows<T>(here.redRow, next.redRow, x, y) + dotRows<T>(here.blackRow, next.blackRow, x, y))
}

function dotRows<T>(from: i32, to: i32, x: usize, y: usize): f64 {
  let sum = 0.0
  let at = (<usize>from) << shift<T>()
  const end = (<usize>to) << shift<T>()
  while (at < end) {
    const stop = min(end, at + FLUSH * 16)
    let part = v128.splat<T>(<T>0)
    for (; at < stop; at += 16) part = v128.add<T>(part, v128.mul<T>(v128.load(x + at), v128.load(y + at)))
    sum += total<T>(part)
  }
  return sum
}

@inline
function total<T>(v: v128): f64 {
  if (sizeof<T>() == 4) {
    const low = <f64>v128.extract_lane<f32>(v, 0) + <f64>v128.extract_lane<f32>(v, 1)
    return low + (<f64>v128.extract_lane<f32>(v, 2) + <f64>v128.extract_lane<f32>(v, 3))
  }
  return v128.extract_lane<f64>(v, 0) + v128.extract_lane<f64>(v, 1)
}

@unmanaged
export class UpdateVectorsJob {
  level: Level
  alpha: f64
  beta: f64
  r: usize
}

/** d = z + βd, q = Az + βq, x += αd, r −= αq; the largest |r|. */
@piece
export function updatePiece<T>(piece: i32): void {
  const task = jobOf<UpdateVectorsJob>()
  const level = task.level
  const here = pieceOf(level, piece)
  const next = pieceOf(level, piece + 1)
  const red = updateRows<T>(task, here.redRow, next.redRow)
  const black = updateRows<T>(task, here.blackRow, next.blackRow)
  // Written so that NaN is the larger of the two.
  setSum(piece, 0, red <= black ? black : red)
}

function updateRows<T>(task: UpdateVectorsJob, from: i32, to: i32): f64 {
  const alpha = v128.splat<T>(<T>task.alpha)
  const beta = v128.splat<T>(<T>task.beta)
  const level = task.level
  const z = level.z
  const Az = level.Az
  const d = level.d
  const q = level.q
  const x = level.x
  const r = task.r
  let largest = v128.splat<T>(<T>0)
  let broken = v128.splat<T>(<T>0)
  const end = (<usize>to) << shift<T>()
  for (let at = (<usize>from) << shift<T>(); at < end; at += 16) {
    const direction = v128.add<T>(v128.load(z + at), v128.mul<T>(beta, v128.load(d + at)))
    v128.store(d + at, direction)
    const image = v128.add<T>(v128.load(Az + at), v128.mul<T>(beta, v128.load(q + at)))
    v128.store(q + at, image)
    v128.store(x + at, v128.add<T>(v128.load(x + at), v128.mul<T>(alpha, direction)))
    const residual = v128.sub<T>(v128.load(r + at), v128.mul<T>(alpha, image))
    v128.store(r + at, residual)
    largest = v128.pmax<T>(largest, v128.abs<T>(residual))
    // 0 · NaN and 0 · ∞ are NaN, which pmax would lose.
    broken = v128.add<T>(broken, v128.mul<T>(residual, v128.splat<T>(<T>0)))
  }
  return highest<T>(largest) + total<T>(broken)
}

@inline
function highest<T>(v: v128): f64 {
  let most = max<f64>(<f64>v128.extract_lane<T>(v, 0), <f64>v128.extract_lane<T>(v, 1))
  if (sizeof<T>() == 4) {
    most = max<f64>(most, <f64>v128.extract_lane<f32>(v, 2))
    most = max<f64>(most, <f64>v128.extract_lane<f32>(v, 3))
  }
  return most
}
