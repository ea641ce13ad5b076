/** Files as bytes, in both directions, without a file system: the `peel/formats` entry, for Node and pages alike. Arguments are checked
 *  here, once, for callers from outside. */
import {
  checkBytes,
  checked,
  checkedAsync,
  checkFlag,
  checkIterable,
  checkText,
  checkWhole,
  listOf,
  objectWith,
  optional,
} from '../checks.js'
import { checkSurface } from '../grid/isosurface.js'
import { checkFrame, checkParticles } from '../liquid/frame.js'
import { checkState } from '../liquid/saving/state.js'
import * as surface from '../liquid/surface/surface-mesh.js'
import { checkProblemShape, type Problem } from '../pressure/problem.js'
import { packPlanes as pack } from './bytes/byte-planes.js'
import * as bytes from './bytes/bytes.js'
import { crc32 as checksum } from './bytes/crc32.js'
import { parseJsonFile } from './bytes/json.js'
import { formatTable as table } from './documents/markdown-table.js'
import * as check from './formats/checks.js'
import * as forcesCsv from './formats/forces-csv.js'
import * as frameArrays from './formats/frame-arrays.js'
import * as glb from './formats/glb.js'
import * as history from './formats/history.js'
import * as mtx from './formats/mtx.js'
import * as npy from './formats/npy.js'
import * as npz from './formats/npz.js'
import * as obj from './formats/obj.js'
import * as ply from './formats/ply.js'
import * as png from './formats/png.js'
import * as vtk from './formats/vtk.js'
import * as gridProblem from './problem/grid-problem.js'
import * as pressureArray from './problem/pressure-array.js'
import * as sparseProblem from './problem/sparse-problem.js'
import * as checkpoint from './run/checkpoint.js'
import * as scenes from './run/compare-scenes.js'
import * as frameFile from './run/frame-file.js'
import * as stateCheckpoint from './run/state-checkpoint.js'

export type { SurfaceMesh } from '../grid/isosurface.js'
export type { Frame, FrameFields, FrameParticles } from '../liquid/frame.js'
export type { SurfaceOptions } from '../liquid/surface/surface-mesh.js'
export type { Packing } from './bytes/byte-planes.js'
export type { Codec } from './bytes/codec.js'
export type { Formatted, NumberArray } from './bytes/container.js'
export type { JsonObject, JsonValue } from './bytes/json.js'
export type { ForceRecord } from './formats/forces-csv.js'
export type { SavedHistory, SavedRecord } from './formats/history.js'
export type { ArrayMatrix, CoordinateMatrix } from './formats/mtx.js'
export type { NpyArray, NpyData } from './formats/npy.js'
export type { MatrixText, SparseProblemTexts } from './problem/sparse-problem.js'
export type { Checkpoint } from './run/checkpoint.js'
export type { SceneChange } from './run/compare-scenes.js'

const file = { bytes: checkBytes, where: checkText }
const text = { text: checkText, where: checkText }
const problem = (value: unknown, what: string) => checkProblemShape(value as Problem, what)
const name = optional(checkText)
const codec = optional(check.checkCodec)
const json = optional(check.checkJson)

export const surfaceMesh = /* @__PURE__ */ checked('surfaceMesh', surface.surfaceMesh, {
  frame: checkFrame,
  options: optional(objectWith({ inSolids: optional(checkFlag) })),
})
export const joinParts = /* @__PURE__ */ checked('joinParts', bytes.joinParts, { parts: listOf(checkBytes) })
/** CRC-32 as zip and PNG use it, of bytes that follow those whose checksum is `previous`. */
export const crc32 = /* @__PURE__ */ checked('crc32', checksum, {
  bytes: checkBytes,
  previous: optional((value, what) => checkWhole(value, what, 0, 2 ** 32 - 1)),
})
/** The bytes of numbers as frame files hold them: one array for each byte of a number, deflated by the codec where that pays. */
export const packPlanes = /* @__PURE__ */ checked('packPlanes', pack, {
  bytes: checkBytes,
  width: (value, what) => checkWhole(value, what, 1, 8),
  codec: check.checkCodec,
  packing: optional(check.checkPacking),
})
/** JSON with at most 500 levels; `where` names the file in messages. */
export const parseJson = /* @__PURE__ */ checked('parseJson', parseJsonFile, text)
/** A table in Markdown, padded so that it is readable in a terminal, too. */
export const formatTable = /* @__PURE__ */ checked('formatTable', table, {
  titles: listOf(checkText),
  rows: listOf(listOf(checkText)),
})
export const formatCheckpoint = /* @__PURE__ */ checked('formatCheckpoint', checkpoint.formatCheckpoint, {
  checkpoint: check.checkCheckpoint,
  codec,
})
export const parseCheckpoint = /* @__PURE__ */ checked('parseCheckpoint', checkpoint.parseCheckpoint, { ...file, codec })
export const canonicalJson = /* @__PURE__ */ checked('canonicalJson', scenes.canonicalJson, { value: check.checkJson })
export const compareScenes = /* @__PURE__ */ checked('compareScenes', scenes.compareScenes, {
  before: json,
  after: json,
  path: name,
})
export const describeChanges = /* @__PURE__ */ checked('describeChanges', scenes.describeChanges, {
  changes: check.checkChanges,
  max: optional((value, what) => checkWhole(value, what, 0)),
})
export const formatFieldsNpz = /* @__PURE__ */ checked('formatFieldsNpz', frameArrays.formatFieldsNpz, { frame: checkFrame })
export const formatParticlesNpz = /* @__PURE__ */ checked('formatParticlesNpz', frameArrays.formatParticlesNpz, {
  frame: checkFrame,
  particles: checkParticles,
})
/** The forces of frames by solid and side, as a table: CSV. */
export const formatForcesCsv = /* @__PURE__ */ checked('formatForcesCsv', forcesCsv.formatForcesCsv, {
  records: listOf(forcesCsv.checkForceRecord),
})
export const formatFrame = /* @__PURE__ */ checked('formatFrame', frameFile.formatFrame, { frame: checkFrame, codec })
export const parseFrame = /* @__PURE__ */ checked('parseFrame', frameFile.parseFrame, { ...file, codec })
export const formatGlb = /* @__PURE__ */ checkedAsync('formatGlb', glb.formatGlb, { mesh: checkSurface, name })
export const formatGridProblem = /* @__PURE__ */ checked('formatGridProblem', gridProblem.formatGridProblem, { problem })
export const parseGridProblem = /* @__PURE__ */ checked('parseGridProblem', gridProblem.parseGridProblem, file)
export const formatHistories = /* @__PURE__ */ checked('formatHistories', history.formatHistories, {
  histories: listOf(check.checkHistory),
})
export const parseHistories = /* @__PURE__ */ checked('parseHistories', history.parseHistories, text)
export const formatArray = /* @__PURE__ */ checked('formatArray', mtx.formatArray, {
  matrix: check.checkDense,
  field: optional(check.checkField),
})
export const formatCoordinate = /* @__PURE__ */ checked('formatCoordinate', mtx.formatCoordinate, {
  matrix: check.checkCoordinates,
  field: optional(check.checkField),
})
export const parseMatrixMarket = /* @__PURE__ */ checked('parseMatrixMarket', mtx.parseMatrixMarket, text)
export const formatNpy = /* @__PURE__ */ checked('formatNpy', npy.formatNpy, {
  data: check.checkNpyData,
  shape: check.checkArrayShape,
})
export const parseNpy = /* @__PURE__ */ checked('parseNpy', npy.parseNpy, file)
export const formatNpz = /* @__PURE__ */ checked('formatNpz', npz.formatNpz, {
  arrays: checkIterable,
  options: optional(objectWith({ compress: optional(checkFlag) })),
})
export const parseNpz = /* @__PURE__ */ checked('parseNpz', npz.parseNpz, { ...file, wanted: optional(checkIterable) })
export const formatObj = /* @__PURE__ */ checked('formatObj', obj.formatObj, { mesh: checkSurface, name })
export const formatMeshPly = /* @__PURE__ */ checked('formatMeshPly', ply.formatMeshPly, { mesh: checkSurface })
export const formatParticlesPly = /* @__PURE__ */ checked('formatParticlesPly', ply.formatParticlesPly, {
  particles: checkParticles,
})
export const formatPng = /* @__PURE__ */ checked('formatPng', png.formatPng, { picture: check.checkPicture })
export const formatPressure = /* @__PURE__ */ checked('formatPressure', pressureArray.formatPressure, {
  pressure: check.checkNpyData,
  problem,
})
export const parsePressure = /* @__PURE__ */ checked('parsePressure', pressureArray.parsePressure, { ...file, problem })
export const formatSparseProblem = /* @__PURE__ */ checked('formatSparseProblem', sparseProblem.formatSparseProblem, { problem })
export const parseSparseProblem = /* @__PURE__ */ checked('parseSparseProblem', sparseProblem.parseSparseProblem, {
  texts: check.checkMatrixTexts,
})
export const checkpointOf = /* @__PURE__ */ checked('checkpointOf', stateCheckpoint.checkpointOf, { state: checkState })
export const stateOf = /* @__PURE__ */ checked('stateOf', stateCheckpoint.stateOf, {
  checkpoint: check.checkCheckpoint,
  where: checkText,
})
export const formatPvd = /* @__PURE__ */ checked('formatPvd', vtk.formatPvd, { series: check.checkSeries })
export const formatVti = /* @__PURE__ */ checked('formatVti', vtk.formatVti, { frame: checkFrame })
export const formatVtp = /* @__PURE__ */ checked('formatVtp', vtk.formatVtp, { frame: checkFrame })
