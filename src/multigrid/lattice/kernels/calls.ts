/** Loops on lattices that the host calls. Vectors are addresses. */
export { latticeClamp, latticeEnergy, latticeMaskPinned, latticeNatural } from './bounds'
export { latticeApply, latticeJacobi, latticeRelax, latticeResidual } from './stencil'
export { latticeProlong, latticeRestrict } from './transfer'
export { latticeCombine, latticeDot, latticeSlopes, latticeStep } from './vectors'
