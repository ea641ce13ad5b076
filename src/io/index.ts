/** Everything that is read and written: the `peel/io` entry. It needs Node; what does not is in `formats.js`. Arguments are checked here,
 *  once, for callers from outside. */
import {
  type Check,
  checkChoice,
  checked,
  checkedAsync,
  checkFlag,
  checkFunction,
  checkIterable,
  checkNumber,
  checkSignal,
  checkText,
  checkWhole,
  listOf,
  objectWith,
  optional,
} from '../checks.js'
import { checkFrame } from '../liquid/frame.js'
import { createPainter as startPainter } from '../paint/painter.js'
import { drawPicture as draw } from '../paint/picture.js'
import { checkProblemShape, type Problem } from '../pressure/problem.js'
import { checkOverride } from '../scene/overrides.js'
import type { ChartOptions, ChartPoint } from './documents/chart.js'
import { openSection as open } from './documents/document.js'
import * as check from './formats/checks.js'
import * as files from './problem/problem-files.js'
import * as runs from './run/directory.js'
import * as exportRecord from './run/export-record.js'
import { runFrames as run } from './run/frames.js'
import * as leftovers from './run/leftovers.js'
import * as manifest from './run/manifest.js'
import * as readRuns from './run/read.js'
import * as runScenes from './run/scene.js'
import * as sceneFile from './scene-file.js'
import * as video from './video/video.js'

export type { Picture } from '../liquid/picture.js'
export type { Painter, PainterOptions } from '../paint/painter.js'
export type { PictureOptions } from '../paint/picture.js'
export { nodeCodec } from './bytes/node-codec.js'
export type { ChartOptions, ChartPoint } from './documents/chart.js'
export type { DocumentSection } from './documents/document.js'
export * from './formats.js'
export type { OpenedRun, OpenRunOptions, RunDescription } from './run/directory.js'
export type { ExportRecord } from './run/export-record.js'
export type { RunEnding, RunPlan } from './run/frames.js'
export type { KeptFile, RunManifest, RunScene, RunVersions } from './run/manifest.js'
export type { StoredRun } from './run/read.js'
export type { KeptMoment, RunWriter } from './run/writer.js'
export type { LoadedScene } from './scene-file.js'
export type { VideoOptions, WrittenVideo } from './video/video.js'

const path = checkText
/** Pictures can be made while they are encoded. */
const checkPictures: Check = (value, what) => {
  if (typeof (value as AsyncIterable<unknown> | undefined)?.[Symbol.asyncIterator] !== 'function') checkIterable(value, what)
}
const frame = (value: unknown, what: string) => checkWhole(value, what, 0)
const problem = (value: unknown, what: string) => checkProblemShape(value as Problem, what)
const runScene = {
  scene: check.checkJsonObject,
  meshes: optional(check.checkJsonObject),
  seed: (v: unknown, what: string) => checkNumber(v, what),
}

async function chart(points: readonly ChartPoint[], options: ChartOptions): Promise<string> {
  // Loaded only here: plotting brings packages that nothing else needs.
  const { formatChart } = await import('./documents/chart.js')
  return formatChart(points, options)
}

/** Values over sizes as SVG: one line per contender, in panels by column and row. */
export const formatChart = checkedAsync('formatChart', chart, {
  points: listOf(objectWith({ column: checkText, row: checkText, contender: checkText, size: checkNumber, value: checkNumber })),
  options: objectWith({
    title: checkText,
    label: checkText,
    x: optional((value, what) => checkChoice(value, what, ['steps', 'linear', 'log'])),
    xLabel: optional(checkText),
    y: optional((value, what) => checkChoice(value, what, ['linear', 'log'])),
  }),
})
/** The place between two marks of a Markdown document; see `DocumentSection`. */
export const openSection = checkedAsync('openSection', open, { path, name: checkText })
/** Simulates up to a frame and writes what the plan asks for; one frame is written while the next is simulated. */
export const runFrames = checkedAsync('runFrames', run, {
  simulation: objectWith({ advance: checkFunction, capture: checkFunction, save: checkFunction }),
  plan: objectWith({
    frames: frame,
    writer: optional(objectWith({ keep: checkFunction, manifest: checkFunction })),
    keep: listOf(checkText),
    stopOnFail: checkFlag,
    signal: checkSignal,
    onFrame: checkFunction,
  }),
})
export const checkTarget = checkedAsync('checkTarget', exportRecord.checkTarget, {
  folder: path,
  record: objectWith({ run: check.checkJsonObject, what: checkText, format: checkText }),
  names: listOf(checkText),
})
export const isProblemThere = checkedAsync('isProblemThere', files.isProblemThere, { path })
export const readProblem = checkedAsync('readProblem', files.readProblem, { path })
export const writeProblem = checkedAsync('writeProblem', files.writeProblem, { path, problem })
export const readPressure = checkedAsync('readPressure', files.readPressure, { path, problem })
export const writePressure = checkedAsync('writePressure', files.writePressure, { path, pressure: check.checkNpyData, problem })
export const writeFileWhole = checkedAsync('writeFileWhole', files.writeFileWhole, { path, content: check.checkContent })
export const writeFilesWhole = checkedAsync('writeFilesWhole', files.writeFilesWhole, { files: check.checkFiles })
export const describeFrames = checked('describeFrames', readRuns.describeFrames, { manifest: check.checkManifest })
export const readRun = checkedAsync('readRun', readRuns.readRun, { path })
export const readFrame = checkedAsync('readFrame', readRuns.readFrame, { run: check.checkStoredRun, index: frame })
export const readCheckpoint = checkedAsync('readCheckpoint', readRuns.readCheckpoint, { run: check.checkStoredRun, index: frame })
export const createRun = checkedAsync('createRun', runs.createRun, {
  path,
  about: objectWith({
    ...runScene,
    versions: check.checkJsonObject,
    engine: checkText,
    checkpointEvery: optional(frame),
    threaded: optional(checkFlag),
  }),
})
export const openRun = checkedAsync('openRun', runs.openRun, {
  path,
  options: optional(
    objectWith({
      expected: optional(objectWith(runScene)),
      force: optional(checkFlag),
      fromFrame: optional(frame),
      threaded: optional(checkFlag),
      prepare: optional(checkFunction),
    }),
  ),
})
export const isUnstarted = checkedAsync('isUnstarted', leftovers.isUnstarted, { path })
export const requireFree = checkedAsync('requireFree', leftovers.requireFree, { path })
export const hashScene = checked('hashScene', runScenes.hashScene, { scene: check.checkJsonObject })
export const requireOwnScene = checked('requireOwnScene', runScenes.requireOwnScene, { run: check.checkStoredRun })
export const numbered = checked('numbered', manifest.numbered, { frame })
export const loadScene = checkedAsync('loadScene', sceneFile.loadScene, { path, overrides: optional(listOf(checkOverride)) })
export const shippedScenes = sceneFile.shippedScenes

/** Paints frames; `drawPicture` makes pictures of them. Holds threads until it is disposed of. */
export const createPainter = checkedAsync('createPainter', startPainter, {
  options: optional(
    objectWith({
      threads: optional((value, what) => checkWhole(value, what, 1, 64)),
      engine: optional((value, what) => checkChoice(value, what, ['auto', 'compiled', 'plain'])),
    }),
  ),
})
/** A picture of all of the domain, for `formatPng` or a video. */
export const drawPicture = checked('drawPicture', draw, {
  painter: objectWith({ show: checkFunction, paint: checkFunction }),
  frame: checkFrame,
  options: objectWith({ size: (value, what) => checkWhole(value, what, 1) }),
})

const videoOptions = objectWith({
  framesPerSecond: (value, what) => checkNumber(value, what, 1e-3, 1000),
  encoder: optional((value, what) => checkChoice(value, what, ['ffmpeg', 'h264-mp4-encoder', 'png'])),
})
/** An MP4 file, by ffmpeg where there is one, else by an encoder that comes along. */
export const writeVideo = checkedAsync('writeVideo', video.writeVideo, { path, pictures: checkPictures, options: videoOptions })
/** The same as bytes in memory. */
export const encodeVideo = checkedAsync('encodeVideo', video.encodeVideo, { pictures: checkPictures, options: videoOptions })
