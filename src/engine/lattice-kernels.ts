/** What assembly/lattice-calls.ts exports. Lattices and vectors are addresses. */
import type { Kernels, Machine } from './kernels.js'

export interface LatticeKernels extends Kernels {
  latticeRelax(lattice: number, list: number, p: number, b: number, lowest: number): void
  latticeJacobi(lattice: number, add: number, damping: number, b: number, p: number): void
  latticeResidual(lattice: number, p: number, b: number, r: number): void
  latticeApply(lattice: number, x: number, y: number): number
  latticeRestrict(fine: number, coarse: number, scale: number, r: number, to: number): void
  latticeProlong(fine: number, coarse: number, x: number, to: number): void
  latticeDot(lattice: number, x: number, y: number): number
  latticeCombine(lattice: number, a: number, x: number, b: number, to: number): void
  latticeStep(lattice: number, alpha: number, d: number, Ad: number, x: number, r: number): number
  latticeMaskPinned(lattice: number, p: number, lowest: number, from: number, to: number): void
  latticeClamp(lattice: number, p: number, lowest: number): void
  latticeEnergy(lattice: number, p: number, start: number, r: number, rStart: number, lowest: number): number
  latticeSlopes(lattice: number, p: number, start: number, r: number, rStart: number): number
  latticeNatural(lattice: number, p: number, r: number, lowest: number): number
  latticeSecond(): number
}

export function latticeKernels({ kernels }: Machine): LatticeKernels {
  return kernels as LatticeKernels
}
