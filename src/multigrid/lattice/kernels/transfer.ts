/** Trilinear transfers between a lattice and the one with half as many cells per axis: 1D weights 3/4 and 1/4, first along y and
 *  z into a line of scratch, then along x. Lines without unknowns count as 0. */
import { jobOf } from '../../../machine/kernels/job'
import { run } from '../../../machine/kernels/pool'
import { BLACK, findLine, firstLine, Lattice, Line, lineAt, onMask, RED, recordOf, Run, RUN } from './lattice'

/** Weights of an axis: along one with a single coarse cell there is no neighbour, and the parent gets the whole weight. */
@inline
function nearWeight(cells: i32): f64 {
  return cells > 1 ? 0.75 : 1
}
@inline
function farWeight(cells: i32): f64 {
  return cells > 1 ? 0.25 : 0
}

@unmanaged
class LatticeTransferJob {
  /** Factor of restriction. */
  scale: f64
  fine: Lattice
  coarse: Lattice
  from: usize
  to: usize
}

export function latticeRestrict(fine: Lattice, coarse: Lattice, scale: f64, r: usize, to: usize): void {
  const job = jobOf<LatticeTransferJob>()
  job.scale = scale
  job.fine = fine
  job.coarse = coarse
  job.from = r
  job.to = to
  run(restrictPiece, coarse.pieceCount)
}

/** Piece of the coarse lattice: to = scale Pᵀ r. */
@piece
export function restrictPiece(piece: i32): void {
  const job = jobOf<LatticeTransferJob>()
  const fine = job.fine
  const coarse = job.coarse
  const r = job.from
  const to = job.to
  const scratch = coarse.scratch + <usize>piece * coarse.scratchBytes
  const nearX = v128.splat<f64>(job.scale * nearWeight(coarse.nx))
  const farX = v128.splat<f64>(job.scale * farWeight(coarse.nx))
  const last = firstLine(coarse, piece + 1)
  for (let line = firstLine(coarse, piece); line < last; line++) {
    const entry = lineAt(coarse, line)
    // Even and odd fine cells, each from two before the first coarse cell to two behind the last.
    const first = (entry.from & ~1) - 2
    const end = (entry.to + 4) & ~1
    const bytes = (<usize>(end - first)) << 3
    const even = scratch
    const odd = scratch + bytes
    memory.fill(scratch, 0, 2 * bytes)
    for (let dk = -1; dk <= 2; dk++) {
      const weightZ = dk == 0 || dk == 1 ? nearWeight(coarse.nz) : farWeight(coarse.nz)
      for (let dj = -1; dj <= 2; dj++) {
        const weight = weightZ * (dj == 0 || dj == 1 ? nearWeight(coarse.ny) : farWeight(coarse.ny))
        const from = findLine(fine, 2 * entry.j + dj, 2 * entry.k + dk)
        if (changetype<usize>(from) != 0 && weight != 0) addHalves(from, r, weight, first, end, even, odd)
      }
    }
    // In place over the even half, one block behind what is read.
    for (let at: usize = 16; at < bytes - 16; at += 16) {
      const inner = v128.add<f64>(v128.load(even + at), v128.load(odd + at))
      const outer = v128.add<f64>(v128.load(odd + at - 8), v128.load(even + at, 8))
      v128.store(even + at - 16, v128.add<f64>(v128.mul<f64>(nearX, inner), v128.mul<f64>(farX, outer)))
    }
    // `even` now holds coarse cells from i = first + 2 on.
    spread(coarse, line, RED, even, first + 2, to)
    spread(coarse, line, BLACK, even, first + 2, to)
  }
}

/** Adds a fine line to two lines of scratch that go from i / 2 = `first` to `end`. */
@inline
function addHalves(line: Line, r: usize, weight: f64, first: i32, end: i32, even: usize, odd: usize): void {
  const w = v128.splat<f64>(weight)
  const low = max(first, line.first)
  const high = min(end, line.first + <i32>(line.half >> 3))
  if (low >= high) return
  let from = r + line.start + ((<usize>(low - line.first)) << 3)
  const half = line.half
  let at = (<usize>(low - first)) << 3
  const stop = (<usize>(high - first)) << 3
  for (; at < stop; at += 16, from += 16) {
    v128.store(even + at, v128.add<f64>(v128.load(even + at), v128.mul<f64>(w, v128.load(from))))
    v128.store(odd + at, v128.add<f64>(v128.load(odd + at), v128.mul<f64>(w, v128.load(from + half))))
  }
}

/** From a line in natural order, which begins at i = `first`, to the unknowns of one colour. */
function spread(coarse: Lattice, line: i32, list: usize, from: usize, first: i32, to: usize): void {
  const entry = lineAt(coarse, line)
  const end = recordOf(coarse, list, line + 1)
  for (let record = recordOf(coarse, list, line); record < end; record += RUN) {
    const run = changetype<Run>(record)
    const odd = run.left < 0
    const inHalf = run.start - entry.start - (odd ? entry.half : 0)
    let source = from + 2 * inHalf + ((<isize>(2 * entry.first - first + (odd ? 1 : 0))) << 3)
    let at = to + run.start
    const stop = at + ((<usize>run.blocks) << 4)
    let slot = run.slots
    for (; at < stop; at += 16, source += 32) {
      let value = v128.load64_lane(source + 16, v128.load64_splat(source), 1)
      if (slot) {
        value = v128.and(value, onMask(slot))
        slot += 128
      }
      v128.store(at, value)
    }
  }
}

export function latticeProlong(fine: Lattice, coarse: Lattice, x: usize, to: usize): void {
  const job = jobOf<LatticeTransferJob>()
  job.fine = fine
  job.coarse = coarse
  job.from = x
  job.to = to
  run(prolongPiece, fine.pieceCount)
}

/** Piece of the fine lattice: to += P x. */
@piece
export function prolongPiece(piece: i32): void {
  const job = jobOf<LatticeTransferJob>()
  const fine = job.fine
  const coarse = job.coarse
  const x = job.from
  const to = job.to
  const scratch = fine.scratch + <usize>piece * fine.scratchBytes
  const last = firstLine(fine, piece + 1)
  for (let line = firstLine(fine, piece); line < last; line++) {
    const entry = lineAt(fine, line)
    // Coarse cells in natural order, in fours, with at least one on each side of those needed.
    const first = ((entry.from >> 1) - 2) & ~3
    const end = ((entry.to >> 1) + 6) & ~3
    memory.fill(scratch, 0, (<usize>(end - first)) << 3)
    const j = entry.j >> 1
    const k = entry.k >> 1
    const nextJ = j + (entry.j & 1 ? 1 : -1)
    const nextK = k + (entry.k & 1 ? 1 : -1)
    const nearY = nearWeight(coarse.ny)
    const farY = farWeight(coarse.ny)
    const nearZ = nearWeight(coarse.nz)
    const farZ = farWeight(coarse.nz)
    addNatural(coarse, j, k, x, nearY * nearZ, first, end, scratch)
    if (farY != 0) addNatural(coarse, nextJ, k, x, farY * nearZ, first, end, scratch)
    if (farZ != 0) addNatural(coarse, j, nextK, x, nearY * farZ, first, end, scratch)
    if (farY != 0 && farZ != 0) addNatural(coarse, nextJ, nextK, x, farY * farZ, first, end, scratch)
    addLine(fine, coarse, line, RED, scratch, first, to)
    addLine(fine, coarse, line, BLACK, scratch, first, to)
  }
}

/** Adds a coarse line in natural order, which in scratch goes from i = `first` to `end`. */
@inline
function addNatural(coarse: Lattice, j: i32, k: i32, x: usize, weight: f64, first: i32, end: i32, scratch: usize): void {
  const line = findLine(coarse, j, k)
  if (changetype<usize>(line) == 0) return
  const w = v128.splat<f64>(weight)
  const low = max(first >> 1, line.first)
  const high = min(end >> 1, line.first + <i32>(line.half >> 3))
  let from = x + line.start + ((<usize>(low - line.first)) << 3)
  const half = line.half
  let at = scratch + ((<isize>(2 * low - first)) << 3)
  for (let n = low; n < high; n += 2, at += 32, from += 16) {
    const even = v128.mul<f64>(w, v128.load(from))
    const odd = v128.mul<f64>(w, v128.load(from + half))
    v128.store(at, v128.add<f64>(v128.load(at), v128.shuffle<f64>(even, odd, 0, 2)))
    v128.store(at, v128.add<f64>(v128.load(at, 16), v128.shuffle<f64>(even, odd, 1, 3)), 16)
  }
}

/** The last axis: fine cells i and i + 1 are in the coarse cell i / 2; the far weight is that of the coarse cell on their side. */
function addLine(fine: Lattice, coarse: Lattice, line: i32, list: usize, from: usize, first: i32, to: usize): void {
  const entry = lineAt(fine, line)
  const near = v128.splat<f64>(nearWeight(coarse.nx))
  const far = v128.splat<f64>(farWeight(coarse.nx))
  const end = recordOf(fine, list, line + 1)
  for (let record = recordOf(fine, list, line); record < end; record += RUN) {
    const run = changetype<Run>(record)
    const odd = run.left < 0
    const inHalf = run.start - entry.start - (odd ? entry.half : 0)
    let source = from + inHalf + ((<isize>(entry.first - first)) << 3)
    const side: usize = odd ? 8 : 0 - 8
    let at = to + run.start
    const stop = at + ((<usize>run.blocks) << 4)
    let slot = run.slots
    for (; at < stop; at += 16, source += 16) {
      let value = v128.add<f64>(v128.mul<f64>(near, v128.load(source)), v128.mul<f64>(far, v128.load(source + side)))
      if (slot) {
        value = v128.and(value, onMask(slot))
        slot += 128
      }
      v128.store(at, v128.add<f64>(v128.load(at), value))
    }
  }
}
