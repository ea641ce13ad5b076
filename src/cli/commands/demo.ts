/** peel demo: a scene with sticking and with separating walls, as one page with a video. */
import { join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Command } from 'commander'
import { counted } from '../../counted.js'
import { InputError } from '../../input-error.js'
import { isFolder, isThere, writeFilesWhole } from '../../io/files/atomic-file.js'
import { makeFolder, removeEmpty } from '../../io/files/folder.js'
import { formatPng } from '../../io/formats/png.js'
import { type LoadedScene, loadScene } from '../../io/index.js'
import { encodeVideo } from '../../io/video/video.js'
import { type FrameRecord, hasConverged } from '../../liquid/records.js'
import { runWarnings } from '../../liquid/warnings/run-warnings.js'
import { hardwareThreads } from '../../machine/host.js'
import type { CameraOptions } from '../../paint/camera.js'
import { sideBySide } from '../../paint/caption.js'
import { createPainter, type Painter } from '../../paint/painter.js'
import { drawPicture, type PictureOptions } from '../../paint/picture.js'
import { printableLine } from '../../printable.js'
import type { ReportData, ReportFrame } from '../../report/report-data.js'
import type { LiquidColours } from '../../scene/liquid-colours.js'
import type { Override } from '../../scene/overrides.js'
import { dimsOf, type Scene } from '../../scene/schema.js'
import { coloursOption } from '../arguments/colours-option.js'
import { engineOption } from '../arguments/engine-option.js'
import { pathArgument } from '../arguments/path-argument.js'
import { wholeNumber } from '../arguments/problem-argument.js'
import { warnOfMeshes } from '../arguments/scene-argument.js'
import { type Both, compareWalls, createComparison, forBoth, together } from '../compare-walls.js'
import { INTERRUPTED, watchInterruption } from '../interruption.js'
import { clearProgress } from '../output/progress.js'
import { createProgressLine, formatDuration } from '../output/run-report.js'
import { printData, printMessage } from '../terminal.js'

interface DemoFlags {
  readonly output: string
  readonly scene: string
  readonly resolution?: number
  readonly frames?: number
  readonly engine?: string
  readonly colours: LiquidColours
  readonly quick?: boolean
}

/** Pixels are those of one picture of the video, and of one of the pair. */
const USUAL = { resolution: 40, frames: undefined, pixels: 300, pairPixels: 480 }
const QUICK = { resolution: 24, frames: 24, pixels: 160, pairPixels: 240 }
const VIDEO_FRAMES_PER_SECOND = 24

const DEMO_SCENE = 'splash'
/** A sphere leaves the corners of its box empty. */
const CAMERAS: Readonly<Record<string, CameraOptions>> = { [DEMO_SCENE]: { azimuth: 14, elevation: 10, zoom: 1.3 } }
const WALL_WORDS: Both<string> = { sticking: 'sticking walls', separating: 'separating walls' }

export function demoCommand(finish: (exitCode: number) => void): Command {
  return new Command('demo')
    .description('Simulate a scene with sticking and with separating walls, and write a page with a video of both.')
    .option('-o, --output <folder>', 'folder for index.html, video.mp4 and pair.png', pathArgument, 'out')
    .option('--scene <scene>', 'a scene file, or a name from peel scenes', DEMO_SCENE)
    .option('--resolution <n>', `cells along the longest side (default: ${USUAL.resolution})`, value => wholeNumber(value, 1))
    .option('--frames <n>', 'frames to simulate (default: from the scene)', value => wholeNumber(value, 1))
    .addOption(engineOption())
    .addOption(coloursOption().default('water'))
    .option('--quick', `small and fast: ${QUICK.resolution} cells, ${QUICK.frames} frames, small pictures`)
    .addHelpText('after', '\nExample:\n  peel demo --quick -o out/quick')
    .action(async (flags: DemoFlags) => finish(await demo(flags)))
}

function overridesOf({ resolution, frames, engine }: DemoFlags, usual: typeof USUAL | typeof QUICK): Override[] {
  const given: [string, number | string | undefined][] = [
    ['domain.resolution', resolution ?? usual.resolution],
    ['time.frames', frames ?? usual.frames],
    ['solver.engine', engine],
  ]
  return given.flatMap(([path, value]) => (value === undefined ? [] : [[path, value] as Override]))
}

async function refuseFile(output: string): Promise<void> {
  if ((await isThere(output)) && !(await isFolder(output)))
    throw new InputError(`${output} is a file; --output must be a folder or a new name.`)
}

async function demo(flags: DemoFlags): Promise<number> {
  const { output } = flags
  const usual = flags.quick ? QUICK : USUAL
  await refuseFile(output)
  const scenes = await forBoth(walls => loadScene(flags.scene, [...overridesOf(flags, usual), ['walls', walls]]))
  const { scene } = scenes.separating
  await warnOfMeshes(scenes.separating)
  // A folder that cannot be created must be reported before minutes of work, not after.
  const made = await makeFolder(output)
  const started = performance.now()
  const comparison = createComparison(scene.domain.sides.top !== 'open')
  const interruption = watchInterruption('nothing is written')
  const look = { samples: 2, camera: CAMERAS[flags.scene], colours: flags.colours }
  let painter: Painter | undefined
  try {
    painter = await createPainter({ threads: dimsOf(scene) === 3 ? hardwareThreads() : 1 })
    const frameCount = counted(scene.time.frames, 'frame')
    printMessage(`${printableLine(scene.title) || flags.scene}, ${frameCount}, with sticking and with separating walls:`)
    const pictures = drawMoments(scenes, comparison, painter, { size: usual.pixels, ...look }, interruption.happened)
    const { bytes: video } = await encodeVideo(pictures, { framesPerSecond: VIDEO_FRAMES_PER_SECOND })
    if (interruption.happened()) return INTERRUPTED
    clearProgress()
    const pair = comparison.pair()
    const draw = (walls: keyof Both<unknown>) =>
      drawPicture(painter!, pair[walls], { size: usual.pairPixels, ...look, caption: WALL_WORDS[walls], time: true })
    const pictured = await forBoth(draw)
    const data: ReportData = {
      title: scene.title || flags.scene,
      dims: dimsOf(scene),
      ...comparison.frames,
      pair: { time: pair.separating.time, ...pictured },
      video,
      solve: hardestSolve(comparison.records, scenes.separating),
      warnings: warningsOf(comparison.records, scene.time),
      parameters: parametersOf(scenes.separating, comparison.records),
      command: commandOf(flags),
    }
    // Loaded only here: the plotting library takes longer to load than the rest of the command line.
    const { drying, reportHtml, summary } = await import('../../report/report.js')
    const files = [
      [join(output, 'video.mp4'), video],
      [join(output, 'pair.png'), formatPng(sideBySide([pictured.sticking, pictured.separating]))],
      [join(output, 'index.html'), reportHtml(data)],
    ] as const
    if (interruption.happened()) return INTERRUPTED
    await writeFilesWhole(files)
    for (const warning of data.warnings) printMessage(`Warning: ${warning}`)
    printData([summary(data), drying(data), average(data), whereabouts(files, performance.now() - started)].join('\n'))
    return comparison.records.every(both => hasConverged(together(both))) ? 0 : 2
  } catch (error) {
    // Ctrl-C also ends an external encoder, which is not an error of its own.
    if (interruption.happened()) return INTERRUPTED
    throw error
  } finally {
    await removeEmpty(made)
    interruption.end()
    painter?.dispose()
  }
}

function whereabouts([[video], [pair], [page]]: readonly (readonly [string, unknown])[], milliseconds: number): string {
  return `Done in ${formatDuration(milliseconds / 1000)}. Open ${resolve(page)}\nVideo: ${resolve(video)}; pair of frames: ${resolve(pair)}`
}

/** Both walls side by side, picture after picture, as they are simulated. */
async function* drawMoments(
  scenes: Both<LoadedScene>,
  comparison: ReturnType<typeof createComparison>,
  painter: Painter,
  look: PictureOptions,
  isInterrupted: () => boolean,
) {
  const showFrame = createProgressLine(scenes.separating.scene.time)
  for await (const moment of compareWalls(scenes)) {
    // Signals are delivered only when the event loop runs.
    await setImmediate()
    if (isInterrupted()) return
    if (moment.note) printMessage(moment.note)
    comparison.add(moment)
    const { sticking, separating } = await forBoth(walls =>
      drawPicture(painter, moment.frames[walls], { ...look, caption: WALL_WORDS[walls], time: true }),
    )
    yield sideBySide([sticking, separating])
    if (moment.records) showFrame(together(moment.records))
  }
}

/** The solve with most pinned contacts, beside one of the same frame with sticking walls. */
function hardestSolve(records: readonly Both<FrameRecord>[], { scene }: LoadedScene): ReportData['solve'] {
  const all = records.flatMap(both => both.separating.substeps.map(({ solve }) => ({ both, solve })))
  if (all.length === 0) return undefined
  const { both, solve } = all.reduce((most, next) => (next.solve.pinned > most.solve.pinned ? next : most))
  return {
    title: `Frame ${both.separating.index}: ${counted(solve.unknowns, 'unknown')}, ${counted(solve.pinned, 'contact')} pinned`,
    tolerance: scene.solver.tolerance,
    curves: [
      { name: WALL_WORDS.sticking, records: both.sticking.substeps[0].solve.history },
      { name: WALL_WORDS.separating, records: solve.history },
    ],
  }
}

/** Of both runs. */
function warningsOf(records: readonly Both<FrameRecord>[], time: Scene['time']): string[] {
  return (['sticking', 'separating'] as const).flatMap(walls =>
    runWarnings(
      records.map(both => both[walls]),
      time,
    ).map(({ text }) => `With ${WALL_WORDS[walls]}: ${text}`),
  )
}

function parametersOf({ name, scene }: LoadedScene, records: readonly Both<FrameRecord>[]): ReportData['parameters'] {
  const { fps, cfl } = scene.time
  return [
    ['scene', name],
    ['cells along the longest side', String(scene.domain.resolution)],
    ['particles', String(records.at(-1)?.separating.particles ?? 0)],
    ['frames', `${scene.time.frames}, ${fps} per second`],
    [
      'video',
      `${VIDEO_FRAMES_PER_SECOND} frames per second: ${Number((VIDEO_FRAMES_PER_SECOND / fps).toPrecision(3))} × real time`,
    ],
    ['cells crossed per substep', `up to ${cfl}`],
    ['solver', `${scene.solver.name}, residual below ${scene.solver.tolerance} 1/s`],
    ['engine', records.at(-1)?.separating.substeps.at(-1)?.solve.engine ?? 'none'],
    ['seed', String(scene.seed)],
  ]
}

function commandOf({ scene, resolution, frames, engine, colours, quick }: DemoFlags): string {
  const words = ['peel demo']
  if (scene !== DEMO_SCENE) words.push(`--scene ${scene}`)
  if (quick) words.push('--quick')
  if (resolution !== undefined) words.push(`--resolution ${resolution}`)
  if (frames !== undefined) words.push(`--frames ${frames}`)
  if (engine !== undefined) words.push(`--engine ${engine}`)
  if (colours !== 'water') words.push(`--colours ${colours}`)
  return words.join(' ')
}

function average({ dims, sticking, separating }: ReportData): string {
  const unit = dims === 2 ? 'm' : 'm²'
  const mean = (frames: readonly ReportFrame[]) =>
    Number((frames.reduce((sum, { wettedCeiling }) => sum + wettedCeiling, 0) / frames.length).toPrecision(3))
  const seconds = Number((separating.at(-1)?.time ?? 0).toPrecision(3))
  return `On average over ${seconds} s the liquid touches ${mean(sticking)} ${unit} of ceiling with sticking walls and ${mean(separating)} ${unit} with separating walls.`
}
