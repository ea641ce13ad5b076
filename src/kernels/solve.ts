/** The module for pressure problems: multigrid, sparse rows, and tiles for a cluster. */
export * from '../machine/kernels/exports'
export { lastTouched, precondition } from '../multigrid/aggregate/kernels/cycle/cycle'
export { lastPinned } from '../multigrid/aggregate/kernels/contacts/active-set'
export { inspect } from '../multigrid/aggregate/kernels/problem/initial-residual'
export { labelPockets, scan } from '../multigrid/aggregate/kernels/problem/components'
export { createInput, gatherPressure, listRuns, spreadPressure, takePressure, takeProblem } from '../multigrid/aggregate/kernels/problem/input'
export { levelField, levelFields } from '../multigrid/aggregate/kernels/level'
export { sumRightSide } from '../multigrid/aggregate/kernels/cycle/nested'
export * from '../multigrid/lattice/kernels/calls'
export {
  carryUp, clear, dot, finishProduct, goDown, goUp, largest, lastCurvature, lastOverlap, multiply, prolong, restrictResidual, smooth,
  smoothFromZero, update,
} from '../multigrid/aggregate/kernels/cycle/level-calls'
export * from '../sparse/kernels/rows'
export { packTiles } from '../cluster/kernels/tiles'
export { lastGap, lastLetGo, measureInput } from '../multigrid/aggregate/kernels/problem/yardstick'
export * from '../multigrid/aggregate/kernels/calls'
