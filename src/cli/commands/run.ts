/** peel run: simulates a scene into a run directory. */
import { readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { InputError } from '../../input-error.js'
import type { JsonObject } from '../../io/bytes/json.js'
import { isThere } from '../../io/files/atomic-file.js'
import {
  createRun,
  isUnstarted,
  type LoadedScene,
  loadScene,
  openRun,
  type RunWriter,
  readRun,
  requireFree,
} from '../../io/index.js'
import { estimateDisk } from '../../io/run/disk-estimate.js'
import { type RunEnding, runFrames } from '../../io/run/frames.js'
import { stateOf } from '../../io/run/state-checkpoint.js'
import { simulateScene } from '../../liquid/from-scene.js'
import type { Simulation } from '../../liquid/simulation.js'
import type { SimulationState } from '../../liquid/state.js'
import { checkSetting } from '../../machine/engine-choice.js'
import { sizeOf } from '../../machine/memory-limits.js'
import { createPainter } from '../../paint/painter.js'
import { estimateScene } from '../../scene/estimate.js'
import { type Override, parseOverride } from '../../scene/overrides.js'
import { prepareScene } from '../../scene/prepare.js'
import type { IterationRecord } from '../../solvers/contract/solver.js'
import { findSolver } from '../../solvers/registry.js'
import { addClusterFlags, type ClusterFlags, hostSolver } from '../arguments/cluster-flags.js'
import { engineOption } from '../arguments/engine-option.js'
import { pathArgument } from '../arguments/path-argument.js'
import { wholeNumber } from '../arguments/problem-argument.js'
import { warnOfMeshes } from '../arguments/scene-argument.js'
import { INTERRUPTED, watchInterruption } from '../interruption.js'
import { showProgress, stepLine } from '../output/progress.js'
import { type RunPainter, writeMissingPictures, writePicture, writeRunVideo } from '../output/run-pictures.js'
import { createRunReporter, describeOpened, type RunReporter } from '../output/run-report.js'
import { printMessage } from '../terminal.js'

interface RunFlags extends ClusterFlags {
  readonly output: string
  readonly frames?: string
  readonly resolution?: string
  readonly solver?: string
  readonly walls?: string
  readonly seed?: string
  readonly engine?: string
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
    .description('Simulate a scene.')
    .argument('<scene>', 'a scene file, or a name from peel scenes')
    .requiredOption('-o, --output <folder>', 'the run directory: a new one, or one to resume', pathArgument)
    .option('--frames <n>', 'frames to simulate (time.frames)')
    .option('--resolution <n>', 'cells along the longest side (domain.resolution)')
    .option('--solver <name>', 'pressure solver (solver.name)')
    .addOption(new Option('--walls <kind>', 'default of all walls (walls)').choices(['separating', 'sticking']))
    .option('--seed <n>', 'seed of the random numbers (seed)')
    .addOption(engineOption())
    .option('--threads <n>', 'number of threads; it does not change the result', value => wholeNumber(value, 1))
    .option('--set <path=value>', 'any value of the scene, as in time.cfl=2; can be repeated', collect, [])
    .option('--pictures', 'a picture of every frame, in its folder pictures (output.pictures)')
    .option('--video', 'a video of all frames at the end, video.mp4')
    .option('--resume', 'continue where the run stopped')
    .option(
      '--from-frame <n>',
      'with --resume: continue from this frame, or from the checkpoint before it; 0: start over',
      value => wholeNumber(value, 0),
    )
    .option('--force', 'with --resume: continue although the scene has changed, as far as its frames allow')
    .addOption(
      new Option('--on-fail <what>', 'what to do if a solve does not converge').choices(['stop', 'continue']).default('continue'),
    )
    .option('--json', 'one event per line on standard output')
    .addHelpText('after', '\nExample:\n  peel run splash -o out/splash --resolution 32 --frames 24')
    .action(async (scene: string, flags: RunFlags) => finish(await run(scene, flags)))
}

const EXIT = { done: 0, failed: 2, interrupted: INTERRUPTED } as const

async function run(name: string, flags: RunFlags): Promise<number> {
  requireResume(flags)
  checkSetting({ threads: flags.threads })
  const loaded = await loadScene(name, overridesOf(flags), hostSolver(flags).host)
  findSolver(loaded.scene.solver.name)
  await warnOfMeshes(loaded)
  await warnOfDisk(loaded, flags.output)
  const resumes = flags.resume && !(await isUnstarted(flags.output))
  const begun = resumes ? await resumeRun(loaded, flags) : await startRun(loaded, flags)
  try {
    const reporter = createRunReporter(flags.json ?? false)
    return EXIT[await simulateInto(begun, loaded, flags, reporter)]
  } catch (error) {
    throw error instanceof InputError ? withWhatIsKept(error, begun.writer) : error
  } finally {
    begun.dispose()
    await begun.writer.close()
  }
}

/** Before anything is simulated: a run that fills its disk ends there. */
async function warnOfDisk({ scene, meshes }: LoadedScene, output: string): Promise<void> {
  const setting = prepareScene(scene, meshes)
  const diskBytes = estimateDisk(scene, setting, estimateScene(scene, setting))
  const free = await freeBytes(output)
  if (free < diskBytes)
    printMessage(`peel: warning: the run will take about ${sizeOf(diskBytes)}, but only ${sizeOf(free)} are free for ${output}.`)
}

/** Free bytes where a folder is or will be created; Infinity if unknown. */
async function freeBytes(path: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize
  } catch {
    const above = dirname(resolve(path))
    return above === path ? Infinity : freeBytes(above)
  }
}

function requireResume({ resume, fromFrame, force }: RunFlags): void {
  if (resume) return
  const flag = fromFrame !== undefined ? '--from-frame' : force ? '--force' : undefined
  if (flag) throw new InputError(`${flag} needs --resume; add it or remove ${flag}.`)
}

/** A full disk, for example, ends a run that can continue later. */
function withWhatIsKept({ message }: InputError, { path, manifest }: RunWriter): InputError {
  const last = manifest().frames.at(-1)?.frame
  const kept = last === undefined ? 'has no frame yet' : `has its frames up to ${last}`
  return new InputError(`${message} ${path} ${kept}; --resume continues from there.`)
}

/** Everything that can fail for a reason in the scene or the machine, made before anything is written. */
interface Prepared {
  readonly simulation: Simulation
  readonly painter: RunPainter | undefined
  dispose(): void
}

interface Begun extends Prepared {
  readonly writer: RunWriter
  readonly resumed: boolean
}

async function prepare({ scene, meshes }: LoadedScene, flags: RunFlags, state?: SimulationState): Promise<Prepared> {
  const { name, elsewhere } = findSolver(scene.solver.name)
  // Solves elsewhere may take long: their steps move the progress line.
  const monitor = elsewhere ? (record: IterationRecord) => showProgress(stepLine(name, record)) : undefined
  const options = { ...(flags.threads && { threads: flags.threads }), monitor, host: hostSolver(flags).host }
  const simulation = await simulateScene({ scene, meshes }, options, state)
  try {
    const { every, width } = scene.output.pictures
    const draws = every > 0 || flags.video
    const painter = draws ? { ...(await createPainter({ threads: flags.threads })), size: width } : undefined
    return {
      simulation,
      painter,
      dispose() {
        painter?.dispose()
        simulation.dispose()
      },
    }
  } catch (error) {
    simulation.dispose()
    throw error
  }
}

async function simulateInto(
  { writer, simulation, painter, resumed }: Begun,
  { scene }: LoadedScene,
  flags: RunFlags,
  reporter: RunReporter,
): Promise<RunEnding> {
  reporter.start({ path: writer.path, scene, simulation, resumed })
  const { every } = scene.output.pictures
  if (painter && every > 0 && resumed) await writeMissingPictures(writer.path, painter, every)
  const interruption = watchInterruption('the frame under way is finished and kept')
  let ending: RunEnding
  try {
    ending = await runFrames(simulation, {
      frames: scene.time.frames,
      writer,
      keep: scene.output.keep,
      stopOnFail: flags.onFail === 'stop',
      signal: interruption.signal,
      async onFrame(record, frame) {
        reporter.frame(record)
        if (painter && every > 0 && frame.index % every === 0) await writePicture(writer.path, painter, frame)
      },
    })
  } finally {
    interruption.end()
  }
  reporter.end(ending)
  if (painter && flags.video) reporter.video(await writeRunVideo(writer.path, painter, scene.time.fps))
  return ending
}

/** Flags are shorthands for values of the scene. */
function overridesOf(flags: RunFlags): Override[] {
  const { frames, resolution, solver, walls, seed, engine, pictures, set } = flags
  const shorthand: [string, string | undefined][] = [
    ['time.frames', frames],
    ['domain.resolution', resolution],
    ['solver.name', solver],
    ['walls', walls],
    ['seed', seed],
    ['solver.engine', engine],
    ['output.pictures.every', pictures ? '1' : undefined],
    ...hostSolver(flags).forScene.map(([name, value]) => [`solver.options.${name}`, value] as [string, string]),
  ]
  const given = shorthand.flatMap(([path, value]) => (value === undefined ? [] : [parseOverride(`${path}=${value}`)]))
  return [...given, ...set.map(parseOverride)]
}

async function startRun(loaded: LoadedScene, flags: RunFlags): Promise<Begun> {
  const { scene, hashes } = loaded
  // A folder that cannot be used must be reported before the liquid is prepared, not after.
  await requireFree(flags.output)
  const prepared = await prepare(loaded, flags)
  const { seed } = scene
  const versions = { peel: packageVersion(), scene: scene.version }
  const { checkpointEvery } = scene.output
  const { engine } = scene.solver
  const about = { scene: plain(scene), meshes: hashes, seed, versions, engine, checkpointEvery, threaded: true }
  try {
    return { ...prepared, writer: await createRun(flags.output, about), resumed: false }
  } catch (error) {
    prepared.dispose()
    throw error
  }
}

async function resumeRun(loaded: LoadedScene, flags: RunFlags): Promise<Begun> {
  const { scene, hashes } = loaded
  const { output, force, fromFrame } = flags
  if (!(await isThere(output))) throw new InputError(`There is no run ${output} to resume; remove --resume to start it.`)
  const before = (await readRun(output)).scene
  const expected = { scene: withoutBearing(plain(scene), before), meshes: hashes, seed: scene.seed }
  let prepared: Prepared | undefined
  try {
    const opened = await openRun(output, {
      expected,
      force,
      fromFrame,
      threaded: true,
      async prepare({ resume }) {
        const state = resume && stateOf(resume.checkpoint, `The checkpoint of frame ${resume.frame} in ${output}`)
        prepared = await prepare(loaded, flags, state)
      },
    })
    for (const line of describeOpened(opened, fromFrame)) printMessage(`peel: ${line}`)
    return { ...prepared!, writer: opened.run, resumed: opened.resume !== undefined }
  } catch (error) {
    prepared?.dispose()
    throw error
  }
}

/** The number of frames, what is kept and the title do not affect existing frames. */
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
  return JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')).version
}
