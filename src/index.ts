/** `peel`: everything a simulator needs to let go of walls. */
export { createFaceMask, extrapolate, type FaceMask } from './grid/extrapolate.js'
export { interpolate, type ScalarFunction, sampleCells, sampleNodes } from './grid/field.js'
export { type Axis, cellIndex, cellPosition, createGrid, type Grid } from './grid/grid.js'
export { redistance } from './grid/redistance.js'
export { createFaceField, type FaceField, sampleFaces } from './grid/staggered.js'
export type { Frame, FrameFields, FrameParticles, FrameParts } from './liquid/frame.js'
export { optionsOf, type SceneWithMeshes, simulateScene } from './liquid/from-scene.js'
export type { Influence, Obstacle, Stir } from './liquid/influence.js'
export type { ParticleOptions, SimulationOptions, SolverChoice, VolumeOptions } from './liquid/options.js'
export { type FrameRecord, hasConverged, type SolveSummary, type SubstepRecord } from './liquid/records.js'
export { createSimulation, type Simulation } from './liquid/simulation.js'
export type { SimulationState } from './liquid/state.js'
export { STAGES, type Stage, type StageSeconds } from './liquid/stopwatch.js'
export type { TimeOptions } from './liquid/time-step.js'
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
export { estimateScene, type SceneEstimate } from './scene/estimate.js'
export type { TriangleMesh } from './scene/mesh.js'
export { parseMesh } from './scene/mesh-file.js'
export { inspectMesh, type MeshReport } from './scene/mesh-report.js'
export { type Override, parseOverride, setScenePath } from './scene/overrides.js'
export { prepareScene } from './scene/prepare.js'
export { type Scene, type SceneInput, sceneJsonSchema } from './scene/schema.js'
export type { Drain, LiquidBody, RigidMotion, SceneSetting, SceneSolid, Source, Vector } from './scene/setting.js'
export { validateScene } from './scene/validate.js'
export * from './solvers/index.js'
