/** `peel/solvers`: the solver family alone, for people with a simulator of their own. */

export { InputError } from '../input-error.js'
export type { EngineName, EngineSetting } from '../machine/engine-choice.js'
export {
  type GalleryEntry,
  type GalleryOptions,
  type GalleryProblem,
  gallery,
  galleryProblem,
  type Known,
} from '../pressure/gallery.js'
export { findPockets, type Pocket } from '../pressure/pockets.js'
export {
  CONTACT,
  checkGridProblem,
  checkSparseProblem,
  DRY,
  LIQUID,
  type PressureProblem,
  type Problem,
  pressureLength,
  type SparseProblem,
} from '../pressure/problem.js'
export { type Measure, measure } from '../pressure/residual.js'
export { type CompactProblem, sparseProblem } from '../sparse/matrix.js'
export { toSparseProblem } from '../sparse/to-sparse-problem.js'
export type { HostSolver } from './contract/data-limits.js'
export type { OptionSchema, OptionValues } from './contract/options.js'
export type { IterationRecord, LevelSummary, PressureSolver, SolveOptions, SolveResult, Status } from './contract/solver.js'
export { addSolver, createSolver, defaultSolver, findSolver, type SolverEntry, solvers } from './registry.js'
export { type FineSweep, measureFineSweep, measureYardstick } from './running/fine-sweep.js'
export { solvePressure } from './running/solve-pressure.js'
