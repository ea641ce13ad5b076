/** Files as bytes, in both directions, without a file system: the `peel/formats` entry, for Node and pages alike. */
export type { TriangleMesh } from '../grid/isosurface.js'
export type { Frame, FrameFields, FrameParticles } from '../liquid/frame.js'
export { type SurfaceOptions, surfaceMesh } from '../liquid/surface-mesh.js'
export { joinParts } from './bytes.js'
export { type Checkpoint, formatCheckpoint, parseCheckpoint } from './checkpoint.js'
export { canonicalJson, compareScenes, describeChanges, type SceneChange } from './compare-scenes.js'
export type { Formatted, NumberArray } from './container.js'
export { formatFieldsNpz, formatParticlesNpz } from './frame-arrays.js'
export { formatFrame, parseFrame } from './frame-file.js'
export { formatGlb } from './glb.js'
export { formatGridProblem, parseGridProblem } from './grid-problem.js'
export { formatHistories, parseHistories, type SavedHistory, type SavedRecord } from './history.js'
export type { JsonObject, JsonValue } from './json.js'
export {
  type ArrayMatrix,
  type CoordinateMatrix,
  formatArray,
  formatCoordinate,
  parseMatrixMarket,
} from './mtx.js'
export { formatNpy, type NpyArray, type NpyData, parseNpy } from './npy.js'
export { formatNpz, parseNpz } from './npz.js'
export { formatObj } from './obj.js'
export { formatMeshPly, formatParticlesPly } from './ply.js'
export { formatPng } from './png.js'
export { formatPressure, parsePressure } from './pressure-array.js'
export { formatSparseProblem, type MatrixText, parseSparseProblem, type SparseProblemTexts } from './sparse-problem.js'
export { checkpointOf, stateOf } from './state-checkpoint.js'
export { formatPvd, formatVti, formatVtp } from './vtk.js'
