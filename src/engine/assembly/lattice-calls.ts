/** What the host calls on lattices. Vectors are addresses. */
import { setNumber, setPointer, sumOf, totalOf } from './jobs'
import { Lattice } from './lattice'
import {
  APPLY,
  CLAMP,
  COMBINE,
  DOT,
  ENERGY,
  JACOBI,
  MASK_PINNED,
  NATURAL,
  PROLONG_LINES,
  RELAX,
  RESIDUAL,
  RESTRICT_LINES,
  SLOPES,
  STEP,
} from './lattice-pieces'
import { run } from './pool'

@inline
function begin(lattice: Lattice, a: usize, b: usize): void {
  setPointer(0, changetype<usize>(lattice))
  setPointer(2, a)
  setPointer(3, b)
}

/** `list`: 0 red, 1 black, 2 and 3 the same in the band. `lowest` may be 0. */
export function latticeRelax(lattice: Lattice, list: i32, p: usize, b: usize, lowest: usize): void {
  begin(lattice, p, b)
  setPointer(1, list)
  setPointer(4, lowest)
  run(RELAX, lattice.chunkCount)
}

export function latticeJacobi(lattice: Lattice, add: i32, damping: f64, b: usize, p: usize): void {
  begin(lattice, p, b)
  setPointer(1, add)
  setNumber(0, damping)
  run(JACOBI, lattice.chunkCount)
}

export function latticeResidual(lattice: Lattice, p: usize, b: usize, r: usize): void {
  begin(lattice, p, b)
  setPointer(4, r)
  run(RESIDUAL, lattice.chunkCount)
}

export function latticeApply(lattice: Lattice, x: usize, y: usize): f64 {
  begin(lattice, x, y)
  run(APPLY, lattice.chunkCount)
  return totalOf(lattice.chunkCount, 0)
}

export function latticeRestrict(fine: Lattice, coarse: Lattice, scale: f64, r: usize, to: usize): void {
  begin(fine, r, to)
  setPointer(1, changetype<usize>(coarse))
  setNumber(0, scale)
  run(RESTRICT_LINES, coarse.chunkCount)
}

export function latticeProlong(fine: Lattice, coarse: Lattice, x: usize, to: usize): void {
  begin(fine, x, to)
  setPointer(1, changetype<usize>(coarse))
  run(PROLONG_LINES, fine.chunkCount)
}

export function latticeDot(lattice: Lattice, x: usize, y: usize): f64 {
  begin(lattice, x, y)
  run(DOT, lattice.chunkCount)
  return totalOf(lattice.chunkCount, 0)
}

/** to = a x + b to; x = 0: to = 0. */
export function latticeCombine(lattice: Lattice, a: f64, x: usize, b: f64, to: usize): void {
  begin(lattice, x, to)
  setNumber(0, a)
  setNumber(1, b)
  run(COMBINE, lattice.chunkCount)
}

export function latticeStep(lattice: Lattice, alpha: f64, d: usize, Ad: usize, x: usize, r: usize): f64 {
  begin(lattice, d, Ad)
  setPointer(4, x)
  setPointer(5, r)
  setNumber(0, alpha)
  run(STEP, lattice.chunkCount)
  return largestOfAll(lattice.chunkCount)
}

/** NaN if any is. */
function largestOfAll(chunks: i32): f64 {
  let largest = 0.0
  for (let chunk = 0; chunk < chunks; chunk++) largest = max(largest, sumOf(chunk, 0))
  return largest
}

export function latticeMaskPinned(lattice: Lattice, p: usize, lowest: usize, from: usize, to: usize): void {
  begin(lattice, p, lowest)
  setPointer(4, from)
  setPointer(5, to)
  run(MASK_PINNED, lattice.chunkCount)
}

export function latticeClamp(lattice: Lattice, p: usize, lowest: usize): void {
  begin(lattice, p, lowest)
  run(CLAMP, lattice.chunkCount)
}

let second: f64 = 0

/** The second number of the last call that has two. */
export function latticeSecond(): f64 {
  return second
}

/** Σ n² / diagonal; then the change of energy. */
export function latticeEnergy(lattice: Lattice, p: usize, start: usize, r: usize, rStart: usize, lowest: usize): f64 {
  begin(lattice, p, start)
  setPointer(4, r)
  setPointer(5, rStart)
  setPointer(6, lowest)
  run(ENERGY, lattice.chunkCount)
  second = totalOf(lattice.chunkCount, 1)
  return totalOf(lattice.chunkCount, 0)
}

/** Slope; then curvature. */
export function latticeSlopes(lattice: Lattice, p: usize, start: usize, r: usize, rStart: usize): f64 {
  begin(lattice, p, start)
  setPointer(4, r)
  setPointer(5, rStart)
  run(SLOPES, lattice.chunkCount)
  second = totalOf(lattice.chunkCount, 1)
  return totalOf(lattice.chunkCount, 0)
}

/** Largest natural residual; then the number of contacts that have let go. */
export function latticeNatural(lattice: Lattice, p: usize, r: usize, lowest: usize): f64 {
  begin(lattice, p, r)
  setPointer(4, lowest)
  run(NATURAL, lattice.chunkCount)
  second = totalOf(lattice.chunkCount, 1)
  return largestOfAll(lattice.chunkCount)
}
