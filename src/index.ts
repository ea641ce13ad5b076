/** `peel`: everything a simulator needs to let go of walls. */
export { createFaceMask, extrapolate, type FaceMask } from './grid/extrapolate.js'
export { interpolate, type ScalarFunction, sampleCells, sampleNodes } from './grid/field.js'
export { type Axis, cellIndex, cellPosition, createGrid, type Grid } from './grid/grid.js'
export { redistance } from './grid/redistance.js'
export { createFaceField, type FaceField, sampleFaces } from './grid/staggered.js'
export {
  type AssembledProblem,
  type AssembleInput,
  assemble,
  type Side,
  type Sides,
  type Solid,
  type Walls,
} from './pressure/assemble.js'
export { project } from './pressure/project.js'
export * from './solvers/index.js'
