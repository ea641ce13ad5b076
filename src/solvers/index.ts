/** `peel/solvers`: the solver family alone, for people with a simulator of their own. */
import { checked, checkFlag, checkFunction, checkText, objectWith, optional } from '../checks.js'
import { createAlgebraicSolver as createOnRows } from './running/on-rows.js'

export { InputError } from '../input-error.js'
export type { EngineName, EngineSetting } from '../machine/engine-choice.js'
export { checkGridProblem, checkSparseProblem } from '../pressure/check-problem.js'
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
export { type OptionSchema, type OptionValues, parseOptions } from './contract/options.js'
export type { IterationRecord, LevelSummary, PressureSolver, SolveOptions, SolveResult, Status } from './contract/solver.js'
export { addSolver, createSolver, defaultSolver, findSolver, type SolverEntry, solvers } from './registry.js'
export { type FineSweep, measureFineSweep, measureYardstick } from './running/fine-sweep.js'
export type { Method } from './running/on-rows.js'
export { solvePressure } from './running/solve-pressure.js'
export type { System } from './running/system.js'

/** A solver from a method of your own: a generator that improves p in place and yields its estimate of the residual after every iteration.
 *  Limits, history, monitor, cancelling, sealed pockets and the independent measurement of the result are taken care of. */
export const createAlgebraicSolver = /* @__PURE__ */ checked('createAlgebraicSolver', createOnRows, {
  name: checkText,
  separating: checkFlag,
  method: checkFunction,
  traits: optional(objectWith({ needsGrid: optional(checkFlag) })),
})
