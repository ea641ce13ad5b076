/** peel run: simulates a scene into a run directory. */
import { Command, Option } from 'commander'
import { InputError } from '../../input-error.js'
import { isUnstarted, type LoadedScene, loadScene, type RunWriter } from '../../io/index.js'
import { type RunEnding, runFrames } from '../../io/run/frames.js'
import { checkSetting } from '../../machine/engine-choice.js'
import { findSolver } from '../../solvers/registry.js'
import { addClusterFlags, hostSolver } from '../arguments/cluster-flags.js'
import { coloursOption } from '../arguments/colours-option.js'
import { engineOption } from '../arguments/engine-option.js'
import { pathArgument } from '../arguments/path-argument.js'
import { wholeNumber } from '../arguments/problem-argument.js'
import { overridesOf, type RunFlags, requireResume } from '../arguments/run-flags.js'
import { warnOfMeshes } from '../arguments/scene-argument.js'
import { type BegunRun, resumeRun, startRun } from '../begin-run.js'
import { INTERRUPTED, watchInterruption } from '../interruption.js'
import { warnOfDisk } from '../output/disk-warning.js'
import { writeMissingPictures, writePicture, writeRunVideo } from '../output/run-pictures.js'
import { createRunReporter, type RunReporter } from '../output/run-report.js'

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
    .addOption(coloursOption(' (output.pictures.colours)'))
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

/** A full disk, for example, ends a run that can continue later. */
function withWhatIsKept({ message }: InputError, { path, manifest }: RunWriter): InputError {
  const last = manifest().frames.at(-1)?.frame
  const kept = last === undefined ? 'has no frame yet' : `has its frames up to ${last}`
  return new InputError(`${message} ${path} ${kept}; --resume continues from there.`)
}

async function simulateInto(
  { writer, simulation, painter, resumed }: BegunRun,
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
