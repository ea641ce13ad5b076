/** peel run: simulates a scene into a run directory. */
import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { checkSetting } from '../engine/setting.js'
import { createRun, type LoadedScene, loadScene, openRun, type RunWriter, readRun } from '../io/index.js'
import type { JsonObject } from '../io/json.js'
import { stateOf } from '../io/state-checkpoint.js'
import { simulateScene } from '../liquid/from-scene.js'
import type { SimulationState } from '../liquid/state.js'
import { createFramePainter } from '../render/frame-painter.js'
import { type Override, parseOverride } from '../scene/overrides.js'
import { findSolver } from '../solvers/registry.js'
import type { IterationRecord } from '../solvers/solver.js'
import { addClusterFlags, type ClusterFlags, givenOptions } from './cluster-flags.js'
import { wholeNumber } from './problem-argument.js'
import { showProgress, stepLine } from './progress.js'
import { type RunEnding, runFrames } from './run-frames.js'
import { writePicture, writeRunVideo } from './run-pictures.js'
import { createRunReporter, type RunReporter } from './run-report.js'

interface RunFlags extends ClusterFlags {
  readonly output: string
  readonly frames?: string
  readonly resolution?: string
  readonly solver?: string
  readonly walls?: string
  readonly seed?: string
  readonly threads?: number
  readonly set: readonly string[]
  readonly pictures?: boolean
  readonly video?: boolean
  readonly resume?: boolean
  readonly fromFrame?: number
  readonly force?: boolean
  readonly onFail: 'stop' | 'continue'
  readonly json?: boolean
}

export function runCommand(finish: (exitCode: number) => void): Command {
  const collect = (value: string, all: readonly string[]) => [...all, value]
  return addClusterFlags(new Command('run'))
    .description('Simulate a scene: a file, or one of `peel scenes`.')
    .argument('<scene>', 'scene file or name')
    .requiredOption('-o, --output <folder>', 'the run directory: new, or one to resume')
    .option('--frames <n>', 'frames to simulate (time.frames)')
    .option('--resolution <n>', 'cells along the longest side (domain.resolution)')
    .option('--solver <name>', 'pressure solver (solver.name)')
    .addOption(new Option('--walls <kind>', 'what walls do (walls)').choices(['separating', 'sticking']))
    .option('--seed <n>', 'of the random numbers (seed)')
    .option('--threads <n>', 'of this run; any number gives the same result', value => wholeNumber(value, 1))
    .option('--set <path=value>', 'any value of the scene, as in time.cfl=2; may be given several times', collect, [])
    .option('--pictures', 'a picture of every frame, in its folder pictures (output.pictures)')
    .option('--video', 'a video of all frames at the end, video.mp4')
    .option('--resume', 'go on where the run stopped')
    .option('--from-frame <n>', 'with --resume: go on from this frame, or from the checkpoint before it', value =>
      wholeNumber(value, 0),
    )
    .option('--force', 'with --resume: go on though the scene has changed')
    .addOption(new Option('--on-fail <what>', 'when a solve does not converge').choices(['stop', 'continue']).default('continue'))
    .option('--json', 'one event per line on standard output')
    .addHelpText('after', '\nExample:\n  peel run splash -o out/splash --resolution 32 --frames 24')
    .action(async (scene: string, flags: RunFlags) => finish(await run(scene, flags)))
}

const EXIT = { done: 0, failed: 2, interrupted: 130 } as const

async function run(name: string, flags: RunFlags): Promise<number> {
  checkSetting({ threads: flags.threads })
  const loaded = await loadScene(name, overridesOf(flags))
  findSolver(loaded.scene.solver.name)
  const { writer, state } = flags.resume
    ? await resumeRun(loaded, flags)
    : { writer: await startRun(loaded, flags), state: undefined }
  try {
    const reporter = createRunReporter(flags.json ?? false)
    const ending = await simulateInto(writer, loaded, flags, state, reporter)
    return EXIT[ending]
  } finally {
    await writer.close()
  }
}

async function simulateInto(
  writer: RunWriter,
  { scene, meshes }: LoadedScene,
  flags: RunFlags,
  state: SimulationState | undefined,
  reporter: RunReporter,
): Promise<RunEnding> {
  const { name, elsewhere } = findSolver(scene.solver.name)
  // Solves elsewhere may take long: their steps move the progress line.
  const monitor = elsewhere ? (record: IterationRecord) => showProgress(stepLine(name, record)) : undefined
  const options = { ...(flags.threads && { threads: flags.threads }), monitor }
  const simulation = await simulateScene({ scene, meshes }, options, state)
  const { every, width } = scene.output.pictures
  const draws = every > 0 || flags.video
  const painter = draws ? { ...(await createFramePainter(simulation.grid.dims, flags.threads ?? 1)), size: width } : undefined
  try {
    reporter.start({ path: writer.path, scene, simulation, resumed: state !== undefined })
    const { frames } = scene.time
    const ending = await runFrames(simulation, {
      frames,
      writer,
      keep: scene.output.keep,
      stopOnFail: flags.onFail === 'stop',
      async onFrame(record, frame) {
        reporter.frame(record)
        if (painter && every > 0 && frame.index % every === 0) await writePicture(writer.path, painter, frame)
      },
    })
    reporter.end(ending)
    if (painter && flags.video) reporter.video(await writeRunVideo(writer.path, painter, scene.time.fps))
    return ending
  } finally {
    painter?.dispose()
    simulation.dispose()
  }
}

/** Flags are shorthands for values of the scene. */
function overridesOf(flags: RunFlags): Override[] {
  const { frames, resolution, solver, walls, seed, pictures, set } = flags
  const shorthand: [string, string | undefined][] = [
    ['time.frames', frames],
    ['domain.resolution', resolution],
    ['solver.name', solver],
    ['walls', walls],
    ['seed', seed],
    ['output.pictures.every', pictures ? '1' : undefined],
    ...givenOptions(flags).map(([name, value]) => [`solver.options.${name}`, value] as [string, string]),
  ]
  const given = shorthand.flatMap(([path, value]) => (value === undefined ? [] : [parseOverride(`${path}=${value}`)]))
  return [...given, ...set.map(parseOverride)]
}

async function startRun({ scene, hashes }: LoadedScene, { output }: RunFlags): Promise<RunWriter> {
  const { seed } = scene
  const versions = { peel: packageVersion(), scene: scene.version }
  const { checkpointEvery } = scene.output
  const { engine } = scene.solver
  return createRun(output, { scene: plain(scene), meshes: hashes, seed, versions, engine, checkpointEvery, threaded: true })
}

async function resumeRun({ scene, hashes }: LoadedScene, { output, force, fromFrame }: RunFlags) {
  const before = (await readRun(output)).scene
  const expected = { scene: withoutBearing(plain(scene), before), meshes: hashes, seed: scene.seed }
  const opened = await openRun(output, { expected, force, fromFrame, threaded: true })
  const state = opened.resume && stateOf(opened.resume.checkpoint, `The checkpoint of frame ${opened.resume.frame} in ${output}`)
  return { writer: opened.run, state }
}

/** How long a run shall be, what it keeps and how it is called changes nothing of the frames that are there. */
function withoutBearing(scene: JsonObject, before: JsonObject): JsonObject {
  const time = { ...(scene.time as JsonObject), frames: (before.time as JsonObject | undefined)?.frames ?? 0 }
  const { title, description, output } = before
  return { ...scene, time, title, description, output }
}

/** As JSON has it: without keys that are undefined. */
function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value))
}

function packageVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
