/** The module for pressure problems: multigrid, sparse rows, and tiles for a cluster. */
export * from '../machine/kernels/exports'
export { precondition } from '../multigrid/aggregate/kernels/cycle/cycle'
export { solveDense } from '../multigrid/aggregate/kernels/cycle/dense'
export { naturalResidual } from '../multigrid/aggregate/kernels/contacts/active-set'
export { inspect } from '../multigrid/aggregate/kernels/problem/initial-residual'
export { labelPockets, scan } from '../multigrid/aggregate/kernels/problem/components'
export {
  copyPressure,
  copyProblem,
  createInput,
  gatherPressure,
  listRuns,
  scatterPressure,
} from '../multigrid/aggregate/kernels/problem/input'
export { sumRightSide } from '../multigrid/aggregate/kernels/cycle/nested'
export * from '../multigrid/lattice/kernels/calls'
export {
  carryUp,
  clear,
  dot,
  finishProduct,
  largest,
  multiply,
  prolong,
  restrictResidual,
  smooth,
  smoothFromZero,
  update,
} from '../multigrid/aggregate/kernels/cycle/level-calls'
export * from '../sparse/kernels/calls'
export { packTiles } from '../cluster/kernels/tiles'
export { measureInput } from '../multigrid/aggregate/kernels/problem/yardstick'
export * from '../multigrid/aggregate/kernels/calls'
