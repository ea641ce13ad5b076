/** Everything that is read and written: the `peel/io` entry. It needs Node; what does not is in `formats.js`. */
export { checkTarget, type ExportRecord } from './export-record.js'
export { readPressure, readProblem, writeFilesWhole, writeFileWhole, writePressure, writeProblem } from './files.js'
export * from './formats.js'
export { describeFrames, readCheckpoint, readFrame, readRun, type StoredRun } from './read-run.js'
export {
  createRun,
  hashScene,
  type OpenedRun,
  type OpenRunOptions,
  openRun,
  type RunDescription,
  type RunScene,
} from './run-directory.js'
export { type KeptFile, numbered, type RunManifest, type RunVersions } from './run-manifest.js'
export type { Moment, RunWriter } from './run-writer.js'
export { type LoadedScene, loadScene, shippedScenes } from './scene-file.js'
