/** peel demo: a scene where walls stick beside the same scene where they let go, as one page with a video. */
import { join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Command } from 'commander'
import { hardwareThreads } from '../engine/host.js'
import { InputError } from '../input-error.js'
import { makeFolder, removeEmpty } from '../io/folder.js'
import { type LoadedScene, loadScene } from '../io/index.js'
import { formatPng } from '../io/png.js'
import { encodeVideo } from '../io/video.js'
import { isFolder, isThere, writeFilesWhole } from '../io/whole-file.js'
import { type FrameRecord, hasConverged } from '../liquid/records.js'
import type { CameraOptions } from '../render/camera.js'
import { sideBySide } from '../render/caption.js'
import { createFramePainter, type FramePainter } from '../render/frame-painter.js'
import type { ReportData, ReportFrame } from '../render/report.js'
import type { Override } from '../scene/overrides.js'
import { dimsOf } from '../scene/schema.js'
import { type Both, compareWalls, createComparison, forBoth, together } from './compare-walls.js'
import { wholeNumber } from './problem-argument.js'
import { clearProgress } from './progress.js'
import { watchInterruption } from './run-frames.js'
import { createProgressLine, formatDuration } from './run-report.js'

interface DemoFlags {
  readonly output: string
  readonly scene: string
  readonly resolution?: number
  readonly frames?: number
  readonly quick?: boolean
}

/** Pixels are those of one picture of the video, and of one of the pair. */
const USUAL = { resolution: 40, frames: undefined, pixels: 300, pairPixels: 480 }
const QUICK = { resolution: 24, frames: 24, pixels: 160, pairPixels: 240 }
const VIDEO_FRAMES_PER_SECOND = 24

const SCENE = 'splash'
/** A sphere leaves the corners of its box empty. */
const CAMERAS: Readonly<Record<string, CameraOptions>> = { [SCENE]: { azimuth: 14, elevation: 10, zoom: 1.3 } }
const WORDS: Both<string> = { sticking: 'walls stick', separating: 'walls let go' }

export function demoCommand(finish: (exitCode: number) => void): Command {
  return new Command('demo')
    .description('Simulate a scene where walls stick beside the same where they let go, and write a page with a video of both.')
    .option('-o, --output <folder>', 'where index.html, video.mp4 and pair.png go', 'out')
    .option('--scene <scene>', 'scene file, or one of peel scenes', SCENE)
    .option('--resolution <n>', `cells along the longest side (default: ${USUAL.resolution})`, value => wholeNumber(value, 1))
    .option('--frames <n>', 'frames to simulate (default: as the scene says)', value => wholeNumber(value, 1))
    .option('--quick', `small and soon done: ${QUICK.resolution} cells, ${QUICK.frames} frames, small pictures`)
    .addHelpText('after', '\nExample:\n  peel demo --quick -o out/quick')
    .action(async (flags: DemoFlags) => finish(await demo(flags)))
}

async function demo(flags: DemoFlags): Promise<number> {
  const { output } = flags
  const usual = flags.quick ? QUICK : USUAL
  if ((await isThere(output)) && !(await isFolder(output)))
    throw new InputError(`${output} is a file; --output must be a folder, or a name that is free.`)
  const { resolution = usual.resolution, frames = usual.frames } = flags
  const size: Override[] = [['domain.resolution', resolution]]
  if (frames !== undefined) size.push(['time.frames', frames])
  const scenes = await forBoth(walls => loadScene(flags.scene, [...size, ['walls', walls]]))
  const { scene } = scenes.separating
  // A folder that cannot be made is better known before minutes of work than after.
  const made = await makeFolder(output)
  const started = performance.now()
  const comparison = createComparison(scene.domain.sides.top !== 'open')
  const interruption = watchInterruption('nothing is written; once more to end at once')
  const painter = await createFramePainter(dimsOf(scene), hardwareThreads())
  const camera = CAMERAS[flags.scene]
  try {
    console.error(`${scene.title || flags.scene}, ${scene.time.frames} frames, with walls that stick and with walls that let go:`)
    const pictures = drawMoments(scenes, comparison, painter, { size: usual.pixels, camera }, interruption.happened)
    const { bytes: video } = await encodeVideo(pictures, { framesPerSecond: VIDEO_FRAMES_PER_SECOND })
    if (interruption.happened()) return 130
    clearProgress()
    const pair = comparison.pair()
    const draw = (walls: keyof Both<unknown>) =>
      painter.draw(pair[walls], { size: usual.pairPixels, samples: 2, camera, caption: WORDS[walls], time: true })
    const pictured = await forBoth(draw)
    const data: ReportData = {
      title: scene.title || flags.scene,
      dims: dimsOf(scene),
      ...comparison.frames,
      pair: { time: pair.separating.time, ...pictured },
      video,
      solve: hardestSolve(comparison.records, scenes.separating),
      parameters: parametersOf(scenes.separating, comparison.records),
      command: commandOf(flags),
    }
    // Loaded only here: the plotting library is the slowest thing to start in the whole command line.
    const { drying, reportHtml, summary } = await import('../render/report.js')
    const files = [
      [join(output, 'video.mp4'), video],
      [join(output, 'pair.png'), formatPng(sideBySide([pictured.sticking, pictured.separating]))],
      [join(output, 'index.html'), reportHtml(data)],
    ] as const
    if (interruption.happened()) return 130
    await writeFilesWhole(files)
    console.log(`${summary(data)}\n${drying(data)}\n${average(data)}`)
    console.log(`Done in ${formatDuration((performance.now() - started) / 1000)}. Open ${resolve(files[2][0])}`)
    console.log(`The video alone: ${resolve(files[0][0])}; both side by side: ${resolve(files[1][0])}`)
    return comparison.records.every(both => hasConverged(together(both))) ? 0 : 2
  } catch (error) {
    // Ctrl-C ends a program that encodes, too, which is no fault of its own.
    if (interruption.happened()) return 130
    throw error
  } finally {
    await removeEmpty(made)
    interruption.end()
    painter.dispose()
  }
}

/** Both walls side by side, picture after picture, as they are simulated. */
async function* drawMoments(
  scenes: Both<LoadedScene>,
  comparison: ReturnType<typeof createComparison>,
  painter: FramePainter,
  look: { readonly size: number; readonly camera?: CameraOptions },
  isInterrupted: () => boolean,
) {
  const showFrame = createProgressLine(scenes.separating.scene.time.frames)
  for await (const moment of compareWalls(scenes)) {
    // Signals are heard only when the loop of events gets its turn.
    await setImmediate()
    if (isInterrupted()) return
    comparison.add(moment)
    const { sticking, separating } = await forBoth(walls =>
      painter.draw(moment.frames[walls], { ...look, caption: WORDS[walls], time: true }),
    )
    yield sideBySide([sticking, separating])
    if (moment.records) showFrame(together(moment.records))
  }
}

/** The one with most contacts that let go, beside one of the same frame where walls stick. */
function hardestSolve(records: readonly Both<FrameRecord>[], { scene }: LoadedScene): ReportData['solve'] {
  const all = records.flatMap(both => both.separating.substeps.map(({ solve }) => ({ both, solve })))
  if (all.length === 0) return undefined
  const { both, solve } = all.reduce((most, next) => (next.solve.pinned > most.solve.pinned ? next : most))
  return {
    title: `Frame ${both.separating.index}: ${solve.unknowns} unknowns, ${solve.pinned} contacts let go`,
    tolerance: scene.solver.tolerance,
    curves: [
      { name: WORDS.sticking, records: both.sticking.substeps[0].solve.history },
      { name: WORDS.separating, records: solve.history },
    ],
  }
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
      `${VIDEO_FRAMES_PER_SECOND} frames per second: ${Number((VIDEO_FRAMES_PER_SECOND / fps).toPrecision(3))} × as fast as it is`,
    ],
    ['cells crossed in a substep', `up to ${cfl}`],
    ['solver', `${scene.solver.name}, residual below ${scene.solver.tolerance} 1/s`],
    ['engine', records.at(-1)?.separating.substeps.at(-1)?.solve.engine ?? 'none'],
    ['seed', String(scene.seed)],
  ]
}

function commandOf({ scene, resolution, frames, quick }: DemoFlags): string {
  const words = ['peel demo']
  if (scene !== SCENE) words.push(`--scene ${scene}`)
  if (quick) words.push('--quick')
  if (resolution !== undefined) words.push(`--resolution ${resolution}`)
  if (frames !== undefined) words.push(`--frames ${frames}`)
  return words.join(' ')
}

function average({ dims, sticking, separating }: ReportData): string {
  const unit = dims === 2 ? 'm' : 'm²'
  const mean = (frames: readonly ReportFrame[]) =>
    Number((frames.reduce((sum, { wettedCeiling }) => sum + wettedCeiling, 0) / frames.length).toPrecision(3))
  const seconds = Number((separating.at(-1)?.time ?? 0).toPrecision(3))
  return `On average over ${seconds} s it touches ${mean(sticking)} ${unit} where they stick and ${mean(separating)} ${unit} where they let go.`
}
