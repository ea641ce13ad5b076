/** `peel/solvers`: the solver family alone, for people with a simulator of their own. */
export type { EngineName, EngineSetting } from '../engine/setting.js'
export { InputError } from '../input-error.js'
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
export { sparseProblem } from '../sparse/matrix.js'
export type { OptionSchema, OptionValues } from './options.js'
export { addSolver, createSolver, defaultSolver, type SolverEntry, solvers } from './registry.js'
export { solvePressure } from './solve-pressure.js'
export type { IterationRecord, LevelSummary, PressureSolver, SolveOptions, SolveResult, Status } from './solver.js'
