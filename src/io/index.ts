/** Reading and writing of problems, pressures, histories and scenes: the `peel/io` entry. Only `files.js` and `scene-file.js` need Node. */
export { readPressure, readProblem, writeFileWhole, writePressure, writeProblem } from './files.js'
export { formatGridProblem, parseGridProblem } from './grid-problem.js'
export { formatHistories, parseHistories, type SavedHistory, type SavedRecord } from './history.js'
export {
  type ArrayMatrix,
  type CoordinateMatrix,
  formatArray,
  formatCoordinate,
  parseMatrixMarket,
} from './mtx.js'
export { formatNpy, type NpyArray, type NpyData, parseNpy } from './npy.js'
export { formatNpz, parseNpz } from './npz.js'
export { formatPressure, parsePressure } from './pressure-array.js'
export { type LoadedScene, loadScene, shippedScenes } from './scene-file.js'
export { formatSparseProblem, type MatrixText, parseSparseProblem, type SparseProblemTexts } from './sparse-problem.js'
