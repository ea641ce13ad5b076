/** Loops for the bounds of contacts on a lattice: clamping, pinned cells, the natural residual and the energy. */
import { jobOf, largestOf, setResult, setSum, totalOf } from '../../../machine/kernels/job'
import { run } from '../../../machine/kernels/pool'
import { BLACK, Lattice, lanesSum, onMask, RED, recordAt, Run, RUN } from './lattice'
import { LatticeChangeJob } from './vectors'

@unmanaged
class LatticeClampJob {
  lattice: Lattice
  p: usize
  lowest: usize
}

@unmanaged
class LatticeMaskJob extends LatticeClampJob {
  from: usize
  to: usize
}

export function latticeMaskPinned(lattice: Lattice, p: usize, lowest: usize, from: usize, to: usize): void {
  const job = jobOf<LatticeMaskJob>()
  job.lattice = lattice
  job.p = p
  job.lowest = lowest
  job.from = from
  job.to = to
  run(maskPinnedPiece, lattice.pieceCount)
}

/** to = from, but 0 where p is at its bound and the residual points below it. */
@piece
export function maskPinnedPiece(piece: i32): void {
  maskPinnedOf(piece, RED)
  maskPinnedOf(piece, BLACK)
}

function maskPinnedOf(piece: i32, list: usize): void {
  const job = jobOf<LatticeMaskJob>()
  const lattice = job.lattice
  const p = job.p
  const lowest = job.lowest
  const from = job.from
  const to = job.to
  const zero = v128.splat<f64>(0)
  const end = recordAt(lattice, list, piece + 1)
  for (let record = recordAt(lattice, list, piece); record < end; record += RUN) {
    const run = changetype<Run>(record)
    const stop = run.start + ((<usize>run.blocks) << 4)
    if (run.slots == 0) {
      // Nothing is bounded in open liquid.
      if (from != to) for (let at = run.start; at < stop; at += 16) v128.store(to + at, v128.load(from + at))
      continue
    }
    for (let at = run.start; at < stop; at += 16) {
      const value = v128.load(from + at)
      const pinned = v128.and(v128.le<f64>(v128.load(p + at), v128.load(lowest + at)), v128.lt<f64>(value, zero))
      v128.store(to + at, v128.andnot(value, pinned))
    }
  }
}

export function latticeClamp(lattice: Lattice, p: usize, lowest: usize): void {
  const job = jobOf<LatticeClampJob>()
  job.lattice = lattice
  job.p = p
  job.lowest = lowest
  run(clampPiece, lattice.pieceCount)
}

/** p = max(p, lowest). */
@piece
export function clampPiece(piece: i32): void {
  clampOf(piece, RED)
  clampOf(piece, BLACK)
}

function clampOf(piece: i32, list: usize): void {
  const job = jobOf<LatticeClampJob>()
  const lattice = job.lattice
  const p = job.p
  const lowest = job.lowest
  const end = recordAt(lattice, list, piece + 1)
  for (let record = recordAt(lattice, list, piece); record < end; record += RUN) {
    const run = changetype<Run>(record)
    if (run.slots == 0) continue
    const stop = run.start + ((<usize>run.blocks) << 4)
    for (let at = run.start; at < stop; at += 16) v128.store(p + at, v128.pmax<f64>(v128.load(p + at), v128.load(lowest + at)))
  }
}

/** The natural residual: −r, or diagonal · p where a contact is pinned. */
@inline
function natural(slot: usize, p: v128, r: v128, lowest: v128): v128 {
  const w = v128.neg<f64>(r)
  const scaled = v128.mul<f64>(v128.load(slot, 16), p)
  const letGo = v128.and(v128.lt<f64>(scaled, w), v128.gt<f64>(lowest, v128.splat<f64>(-Infinity)))
  return v128.bitselect(scaled, w, letGo)
}

@unmanaged
class LatticeEnergyJob extends LatticeChangeJob {
  lowest: usize
}

/** Σ n² / diagonal; result 1: the change of energy. */
export function latticeEnergy(lattice: Lattice, p: usize, start: usize, r: usize, rStart: usize, lowest: usize): f64 {
  const job = jobOf<LatticeEnergyJob>()
  job.lattice = lattice
  job.p = p
  job.start = start
  job.r = r
  job.rStart = rStart
  job.lowest = lowest
  run(energyPiece, lattice.pieceCount)
  setResult(1, totalOf(lattice.pieceCount, 1))
  return totalOf(lattice.pieceCount, 0)
}

/** Sums n² / diagonal with n the natural residual at the start, and the change of energy from there to p. */
@piece
export function energyPiece(piece: i32): void {
  const job = jobOf<LatticeEnergyJob>()
  const lattice = job.lattice
  const p = job.p
  const start = job.start
  const r = job.r
  const rStart = job.rStart
  const lowest = job.lowest
  const inverse = v128.splat<f64>(1 / lattice.diagonal)
  let needed = v128.splat<f64>(0)
  let change = v128.splat<f64>(0)
  for (let list = RED; list <= BLACK; list++) {
    const end = recordAt(lattice, list, piece + 1)
    for (let record = recordAt(lattice, list, piece); record < end; record += RUN) {
      const run = changetype<Run>(record)
      const stop = run.start + ((<usize>run.blocks) << 4)
      let slot = run.slots
      for (let at = run.start; at < stop; at += 16) {
        const before = v128.load(start + at)
        const rBefore = v128.load(rStart + at)
        const step = v128.sub<f64>(v128.load(p + at), before)
        change = v128.sub<f64>(change, v128.mul<f64>(step, v128.add<f64>(v128.load(r + at), rBefore)))
        if (slot) {
          const n = natural(slot, before, rBefore, v128.load(lowest + at))
          needed = v128.add<f64>(needed, v128.mul<f64>(v128.mul<f64>(n, n), v128.load(slot)))
          slot += 128
        } else needed = v128.add<f64>(needed, v128.mul<f64>(v128.mul<f64>(rBefore, rBefore), inverse))
      }
    }
  }
  setSum(piece, 0, lanesSum(needed))
  setSum(piece, 1, 0.5 * lanesSum(change))
}

@unmanaged
class LatticeNaturalJob {
  lattice: Lattice
  p: usize
  r: usize
  lowest: usize
}

/** The largest natural residual; result 1: the number of pinned contacts. */
export function latticeNatural(lattice: Lattice, p: usize, r: usize, lowest: usize): f64 {
  const job = jobOf<LatticeNaturalJob>()
  job.lattice = lattice
  job.p = p
  job.r = r
  job.lowest = lowest
  run(naturalPiece, lattice.pieceCount)
  setResult(1, totalOf(lattice.pieceCount, 1))
  return largestOf(lattice.pieceCount, 0)
}

/** The largest natural residual and the number of pinned contacts. */
@piece
export function naturalPiece(piece: i32): void {
  const job = jobOf<LatticeNaturalJob>()
  const lattice = job.lattice
  const p = job.p
  const r = job.r
  const lowest = job.lowest
  let largest = v128.splat<f64>(0)
  let pinned = 0
  for (let list = RED; list <= BLACK; list++) {
    const end = recordAt(lattice, list, piece + 1)
    for (let record = recordAt(lattice, list, piece); record < end; record += RUN) {
      const run = changetype<Run>(record)
      const stop = run.start + ((<usize>run.blocks) << 4)
      let slot = run.slots
      for (let at = run.start; at < stop; at += 16) {
        const rest = v128.load(r + at)
        if (slot == 0) {
          largest = v128.max<f64>(largest, v128.abs<f64>(rest))
          continue
        }
        const bound = v128.load(lowest + at)
        const value = v128.load(p + at)
        largest = v128.max<f64>(largest, v128.abs<f64>(natural(slot, value, rest, bound)))
        const letGo = v128.lt<f64>(v128.mul<f64>(v128.load(slot, 16), value), v128.neg<f64>(rest))
        const held = v128.and(v128.and(letGo, onMask(slot)), v128.gt<f64>(bound, v128.splat<f64>(-Infinity)))
        pinned += popcnt(v128.bitmask<i64>(held))
        slot += 128
      }
    }
  }
  setSum(piece, 0, max(v128.extract_lane<f64>(largest, 0), v128.extract_lane<f64>(largest, 1)))
  setSum(piece, 1, <f64>pinned)
}
