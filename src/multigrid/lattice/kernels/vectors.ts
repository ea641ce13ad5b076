/** Vectors on a lattice: sums and steps. */
import { jobOf, largestOf, setResult, setSum, totalOf } from '../../../machine/kernels/job'
import { run } from '../../../machine/kernels/pool'
import { byteAt, Lattice, lanesSum } from './lattice'

@unmanaged
class LatticeDotJob {
  lattice: Lattice
  x: usize
  y: usize
}

export function latticeDot(lattice: Lattice, x: usize, y: usize): f64 {
  const job = jobOf<LatticeDotJob>()
  job.lattice = lattice
  job.x = x
  job.y = y
  run(dotPiece, lattice.pieceCount)
  return totalOf(lattice.pieceCount, 0)
}

/** Sums x·y. Padding and gaps hold 0, so vectors are read without regard to lines. */
@piece
export function dotPiece(piece: i32): void {
  const job = jobOf<LatticeDotJob>()
  const lattice = job.lattice
  const x = job.x
  const y = job.y
  let sum = v128.splat<f64>(0)
  let other = v128.splat<f64>(0)
  const end = byteAt(lattice, piece + 1)
  // Lines are whole blocks in both halves, so a piece is a multiple of 32 bytes.
  for (let at = byteAt(lattice, piece); at < end; at += 32) {
    sum = v128.add<f64>(sum, v128.mul<f64>(v128.load(x + at), v128.load(y + at)))
    other = v128.add<f64>(other, v128.mul<f64>(v128.load(x + at, 16), v128.load(y + at, 16)))
  }
  setSum(piece, 0, lanesSum(v128.add<f64>(sum, other)))
}

@unmanaged
class LatticeCombineJob {
  a: f64
  b: f64
  lattice: Lattice
  x: usize
  to: usize
}

/** to = a x + b to; x = 0: to = 0. */
export function latticeCombine(lattice: Lattice, a: f64, x: usize, b: f64, to: usize): void {
  const job = jobOf<LatticeCombineJob>()
  job.a = a
  job.b = b
  job.lattice = lattice
  job.x = x
  job.to = to
  run(combinePiece, lattice.pieceCount)
}

/** to = a x + b to; without x: to = 0, without b: to = a x. */
@piece
export function combinePiece(piece: i32): void {
  const job = jobOf<LatticeCombineJob>()
  const lattice = job.lattice
  const x = job.x
  const to = job.to
  const a = v128.splat<f64>(job.a)
  const b = v128.splat<f64>(job.b)
  let at = byteAt(lattice, piece)
  const end = byteAt(lattice, piece + 1)
  if (x == 0) memory.fill(to + at, 0, end - at)
  else if (job.b == 0) {
    if (job.a == 1) memory.copy(to + at, x + at, end - at)
    else for (; at < end; at += 16) v128.store(to + at, v128.mul<f64>(a, v128.load(x + at)))
  } else {
    for (; at < end; at += 16)
      v128.store(to + at, v128.add<f64>(v128.mul<f64>(a, v128.load(x + at)), v128.mul<f64>(b, v128.load(to + at))))
  }
}

@unmanaged
class LatticeStepJob {
  alpha: f64
  lattice: Lattice
  d: usize
  Ad: usize
  x: usize
  r: usize
}

/** Returns the largest |r|, NaN if any is. */
export function latticeStep(lattice: Lattice, alpha: f64, d: usize, Ad: usize, x: usize, r: usize): f64 {
  const job = jobOf<LatticeStepJob>()
  job.alpha = alpha
  job.lattice = lattice
  job.d = d
  job.Ad = Ad
  job.x = x
  job.r = r
  run(stepPiece, lattice.pieceCount)
  return largestOf(lattice.pieceCount, 0)
}

/** x += alpha d, r −= alpha Ad; the largest |r|. */
@piece
export function stepPiece(piece: i32): void {
  const job = jobOf<LatticeStepJob>()
  const lattice = job.lattice
  const d = job.d
  const Ad = job.Ad
  const x = job.x
  const r = job.r
  const alpha = v128.splat<f64>(job.alpha)
  let largest = v128.splat<f64>(0)
  const end = byteAt(lattice, piece + 1)
  for (let at = byteAt(lattice, piece); at < end; at += 16) {
    v128.store(x + at, v128.add<f64>(v128.load(x + at), v128.mul<f64>(alpha, v128.load(d + at))))
    const rest = v128.sub<f64>(v128.load(r + at), v128.mul<f64>(alpha, v128.load(Ad + at)))
    v128.store(r + at, rest)
    // Not pmax: this one keeps NaN.
    largest = v128.max<f64>(largest, v128.abs<f64>(rest))
  }
  setSum(piece, 0, max(v128.extract_lane<f64>(largest, 0), v128.extract_lane<f64>(largest, 1)))
}

/** A step from `start`, where the residual is `rStart`, to p, where it is r. */
@unmanaged
export class LatticeChangeJob {
  lattice: Lattice
  p: usize
  start: usize
  r: usize
  rStart: usize
}

/** The slope; result 1: the curvature. */
export function latticeSlopes(lattice: Lattice, p: usize, start: usize, r: usize, rStart: usize): f64 {
  const job = jobOf<LatticeChangeJob>()
  job.lattice = lattice
  job.p = p
  job.start = start
  job.r = r
  job.rStart = rStart
  run(slopesPiece, lattice.pieceCount)
  setResult(1, totalOf(lattice.pieceCount, 1))
  return totalOf(lattice.pieceCount, 0)
}

/** Sums (p − start)·w and (p − start)·(w' − w) with w = −rStart and w' = −r. */
@piece
export function slopesPiece(piece: i32): void {
  const job = jobOf<LatticeChangeJob>()
  const lattice = job.lattice
  const p = job.p
  const start = job.start
  const r = job.r
  const rStart = job.rStart
  let slope = v128.splat<f64>(0)
  let curvature = v128.splat<f64>(0)
  const end = byteAt(lattice, piece + 1)
  for (let at = byteAt(lattice, piece); at < end; at += 16) {
    const step = v128.sub<f64>(v128.load(p + at), v128.load(start + at))
    const rBefore = v128.load(rStart + at)
    slope = v128.sub<f64>(slope, v128.mul<f64>(step, rBefore))
    curvature = v128.add<f64>(curvature, v128.mul<f64>(step, v128.sub<f64>(rBefore, v128.load(r + at))))
  }
  setSum(piece, 0, lanesSum(slope))
  setSum(piece, 1, lanesSum(curvature))
}
