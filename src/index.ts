/** `peel`: everything a simulator needs for separating walls. */
import { checked, checkText, listOf } from './checks.js'
import { suggestion as suggest } from './input-error.js'

export { createFaceMask, extrapolate, type FaceMask } from './grid/extrapolate.js'
export { interpolate, type ScalarFunction, sampleCells, sampleNodes } from './grid/field.js'
export { type Axis, cellIndex, cellPosition, createGrid, type Grid } from './grid/grid.js'
export { redistance } from './grid/redistance.js'
export { createFaceField, type FaceField, sampleFaces } from './grid/staggered.js'
export type { SolidForce, WallForce, WallForces } from './liquid/boundary/force-record.js'
export type { Influence, Obstacle, Stir } from './liquid/boundary/interaction.js'
export type { Frame, FrameFields, FrameParticles, FrameParts } from './liquid/frame.js'
export { optionsOf, type SceneOptions, type SceneWithMeshes, simulateScene } from './liquid/from-scene.js'
export type { ParticleOptions, SimulationOptions, SolverChoice, VolumeOptions } from './liquid/options.js'
export {
  type FrameRecord,
  hasConverged,
  type LiquidEnergy,
  type LiquidTotals,
  type SolveSummary,
  type SubstepRecord,
  solvesOf,
} from './liquid/records.js'
export type { SimulationState } from './liquid/saving/state.js'
export { createSimulation, type Simulation } from './liquid/simulation.js'
export { STAGES, type StageSeconds, type StepStage } from './liquid/stopwatch.js'
export type { TimeOptions, Travel } from './liquid/time-step.js'
export { type RunWarning, runWarnings } from './liquid/warnings/run-warnings.js'
export { type AssembledProblem, assemble } from './pressure/assemble.js'
export type { AssembleInput, Solid } from './pressure/assemble-input.js'
export { project } from './pressure/project.js'
export { DOMAIN_SIDES, type DomainSide, type Side, type SideAdhesion, type Sides, type Walls } from './pressure/walls.js'
export { estimateScene, type SceneEstimate } from './scene/estimate.js'
export { parseMesh } from './scene/mesh/file.js'
export { inspectMesh, inspectMeshes, type MeshReport, meshWarnings } from './scene/mesh/report.js'
export type { TriangleMesh } from './scene/mesh.js'
export { type Override, parseOverride, setScenePath } from './scene/overrides.js'
export { meshNames, prepareScene } from './scene/prepare.js'
export type { MeshShape, Shape } from './scene/schema/shape.js'
export { type Scene, type SceneInput, sceneJsonSchema } from './scene/schema.js'
export type {
  Drain,
  Force,
  FrictionLaws,
  LiquidBody,
  Matrix,
  Pose,
  RigidMotion,
  SceneSetting,
  SceneSolid,
  SolidFriction,
  Source,
  Vector,
} from './scene/setting.js'
export { type ShapeGeometry, shapeGeometry } from './scene/shapes/geometry.js'
export { validateScene } from './scene/validate.js'
export * from './solvers/index.js'

/** ` (did you mean "x"?)`, or nothing where no candidate is near: for sentences that refuse a name. */
export const suggestion = /* @__PURE__ */ checked('suggestion', suggest, { word: () => {}, candidates: listOf(checkText) })
