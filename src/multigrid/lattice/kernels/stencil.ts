/** Smoothers, residual and product on a lattice. */
import { jobOf, setSum, totalOf } from '../../../machine/kernels/job'
import { run } from '../../../machine/kernels/pool'
import { BLACK, Lattice, lanesSum, onMask, RED, recordAt, Run, RUN, sumOpen, sumPacked } from './lattice'

@unmanaged
class LatticeRelaxJob {
  lattice: Lattice
  /** 0 red, 1 black, 2 and 3 the same in the band. */
  list: usize
  p: usize
  b: usize
  /** 0: there are no bounds. */
  lowest: usize
}

export function latticeRelax(lattice: Lattice, list: i32, p: usize, b: usize, lowest: usize): void {
  const job = jobOf<LatticeRelaxJob>()
  job.lattice = lattice
  job.list = list
  job.p = p
  job.b = b
  job.lowest = lowest
  run(relaxPiece, lattice.pieceCount)
}

/** Gauss–Seidel over one list of records, all of one colour: p = (b + Σ w p) / diagonal, not below `lowest` if there is one. */
@piece
export function relaxPiece(piece: i32): void {
  const job = jobOf<LatticeRelaxJob>()
  const lattice = job.lattice
  const list = job.list
  const p = job.p
  const b = job.b
  const lowest = job.lowest
  const wx = v128.splat<f64>(lattice.wx)
  const wy = v128.splat<f64>(lattice.wy)
  const wz = v128.splat<f64>(lattice.wz)
  const inverse = v128.splat<f64>(1 / lattice.diagonal)
  const end = recordAt(lattice, list, piece + 1)
  for (let record = recordAt(lattice, list, piece); record < end; record += RUN) {
    const run = changetype<Run>(record)
    const left = <usize>run.left
    const south = run.south
    const north = run.north
    const down = run.down
    const up = run.up
    let at = p + run.start
    let bAt = b + run.start
    const stop = at + ((<usize>run.blocks) << 4)
    let slot = run.slots
    if (slot == 0) {
      for (; at < stop; at += 16, bAt += 16) {
        const sum = v128.add<f64>(v128.load(bAt), sumOpen(wx, wy, wz, at, left, south, north, down, up))
        v128.store(at, v128.mul<f64>(inverse, sum))
      }
    } else if (lowest == 0) {
      for (; at < stop; at += 16, bAt += 16, slot += 128) {
        const sum = v128.add<f64>(v128.load(bAt), sumPacked(slot, at, left, south, north, down, up))
        v128.store(at, v128.bitselect(v128.mul<f64>(v128.load(slot), sum), v128.load(at), onMask(slot)))
      }
    } else {
      // Clamped as it is written: clamping after the sweep would have another fixed point.
      let lowestAt = lowest + run.start
      for (; at < stop; at += 16, bAt += 16, slot += 128, lowestAt += 16) {
        const sum = v128.add<f64>(v128.load(bAt), sumPacked(slot, at, left, south, north, down, up))
        const value = v128.pmax<f64>(v128.mul<f64>(v128.load(slot), sum), v128.load(lowestAt))
        v128.store(at, v128.bitselect(value, v128.load(at), onMask(slot)))
      }
    }
  }
}

@unmanaged
class LatticeJacobiJob {
  damping: f64
  lattice: Lattice
  p: usize
  b: usize
  /** Added to p, else p is overwritten. */
  adds: bool
}

export function latticeJacobi(lattice: Lattice, adds: i32, damping: f64, b: usize, p: usize): void {
  const job = jobOf<LatticeJacobiJob>()
  job.lattice = lattice
  job.adds = adds != 0
  job.damping = damping
  job.p = p
  job.b = b
  run(jacobiPiece, lattice.pieceCount)
}

/** p = damping b / diagonal, or p += damping b / diagonal. */
@piece
export function jacobiPiece(piece: i32): void {
  jacobiOf(piece, RED)
  jacobiOf(piece, BLACK)
}

function jacobiOf(piece: i32, list: usize): void {
  const job = jobOf<LatticeJacobiJob>()
  const lattice = job.lattice
  const adds = job.adds
  const p = job.p
  const b = job.b
  const damping = v128.splat<f64>(job.damping)
  const inverse = v128.splat<f64>(job.damping / lattice.diagonal)
  const end = recordAt(lattice, list, piece + 1)
  for (let record = recordAt(lattice, list, piece); record < end; record += RUN) {
    const run = changetype<Run>(record)
    let at = p + run.start
    let bAt = b + run.start
    const stop = at + ((<usize>run.blocks) << 4)
    let slot = run.slots
    if (slot == 0) {
      if (adds) {
        for (; at < stop; at += 16, bAt += 16)
          v128.store(at, v128.add<f64>(v128.load(at), v128.mul<f64>(inverse, v128.load(bAt))))
      } else {
        for (; at < stop; at += 16, bAt += 16) v128.store(at, v128.mul<f64>(inverse, v128.load(bAt)))
      }
      continue
    }
    for (; at < stop; at += 16, bAt += 16, slot += 128) {
      const value = v128.mul<f64>(v128.mul<f64>(damping, v128.load(slot)), v128.load(bAt))
      v128.store(at, adds ? v128.add<f64>(v128.load(at), value) : value)
    }
  }
}

@unmanaged
class LatticeResidualJob {
  lattice: Lattice
  p: usize
  b: usize
  r: usize
}

export function latticeResidual(lattice: Lattice, p: usize, b: usize, r: usize): void {
  const job = jobOf<LatticeResidualJob>()
  job.lattice = lattice
  job.p = p
  job.b = b
  job.r = r
  run(residualPiece, lattice.pieceCount)
}

/** r = b − A p. */
@piece
export function residualPiece(piece: i32): void {
  residualOf(piece, RED)
  residualOf(piece, BLACK)
}

function residualOf(piece: i32, list: usize): void {
  const job = jobOf<LatticeResidualJob>()
  const lattice = job.lattice
  const p = job.p
  const b = job.b
  const r = job.r
  const wx = v128.splat<f64>(lattice.wx)
  const wy = v128.splat<f64>(lattice.wy)
  const wz = v128.splat<f64>(lattice.wz)
  const diagonal = v128.splat<f64>(lattice.diagonal)
  const end = recordAt(lattice, list, piece + 1)
  for (let record = recordAt(lattice, list, piece); record < end; record += RUN) {
    const run = changetype<Run>(record)
    const left = <usize>run.left
    const south = run.south
    const north = run.north
    const down = run.down
    const up = run.up
    let at = p + run.start
    let bAt = b + run.start
    let rAt = r + run.start
    const stop = at + ((<usize>run.blocks) << 4)
    let slot = run.slots
    if (slot == 0) {
      for (; at < stop; at += 16, bAt += 16, rAt += 16) {
        const own = v128.sub<f64>(v128.load(bAt), v128.mul<f64>(diagonal, v128.load(at)))
        v128.store(rAt, v128.add<f64>(own, sumOpen(wx, wy, wz, at, left, south, north, down, up)))
      }
    } else {
      for (; at < stop; at += 16, bAt += 16, rAt += 16, slot += 128) {
        const own = v128.sub<f64>(v128.load(bAt), v128.mul<f64>(v128.load(slot, 16), v128.load(at)))
        v128.store(rAt, v128.and(v128.add<f64>(own, sumPacked(slot, at, left, south, north, down, up)), onMask(slot)))
      }
    }
  }
}

@unmanaged
class LatticeApplyJob {
  lattice: Lattice
  x: usize
  y: usize
}

/** Returns x·y. */
export function latticeApply(lattice: Lattice, x: usize, y: usize): f64 {
  const job = jobOf<LatticeApplyJob>()
  job.lattice = lattice
  job.x = x
  job.y = y
  run(applyPiece, lattice.pieceCount)
  return totalOf(lattice.pieceCount, 0)
}

/** y = A x; sums x·y. */
@piece
export function applyPiece(piece: i32): void {
  const red = applyOf(piece, RED)
  setSum(piece, 0, red + applyOf(piece, BLACK))
}

function applyOf(piece: i32, list: usize): f64 {
  const job = jobOf<LatticeApplyJob>()
  const lattice = job.lattice
  const x = job.x
  const y = job.y
  const wx = v128.splat<f64>(lattice.wx)
  const wy = v128.splat<f64>(lattice.wy)
  const wz = v128.splat<f64>(lattice.wz)
  const diagonal = v128.splat<f64>(lattice.diagonal)
  let sum = v128.splat<f64>(0)
  const end = recordAt(lattice, list, piece + 1)
  for (let record = recordAt(lattice, list, piece); record < end; record += RUN) {
    const run = changetype<Run>(record)
    const left = <usize>run.left
    const south = run.south
    const north = run.north
    const down = run.down
    const up = run.up
    let at = x + run.start
    let yAt = y + run.start
    const stop = at + ((<usize>run.blocks) << 4)
    let slot = run.slots
    if (slot == 0) {
      for (; at < stop; at += 16, yAt += 16) {
        const own = v128.load(at)
        const value = v128.sub<f64>(v128.mul<f64>(diagonal, own), sumOpen(wx, wy, wz, at, left, south, north, down, up))
        v128.store(yAt, value)
        sum = v128.add<f64>(sum, v128.mul<f64>(own, value))
      }
    } else {
      for (; at < stop; at += 16, yAt += 16, slot += 128) {
        const own = v128.load(at)
        const whole = v128.sub<f64>(v128.mul<f64>(v128.load(slot, 16), own), sumPacked(slot, at, left, south, north, down, up))
        const value = v128.and(whole, onMask(slot))
        v128.store(yAt, value)
        sum = v128.add<f64>(sum, v128.mul<f64>(own, value))
      }
    }
  }
  return lanesSum(sum)
}
