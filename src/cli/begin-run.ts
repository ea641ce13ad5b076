/** Starts or resumes a run. Everything that can fail because of the scene or the machine happens before the run directory is changed. */
import { InputError } from '../input-error.js'
import type { JsonObject } from '../io/bytes/json.js'
import { isThere } from '../io/files/atomic-file.js'
import { createRun, type LoadedScene, openRun, type RunWriter, readRun, requireFree } from '../io/index.js'
import { stateOf } from '../io/run/state-checkpoint.js'
import { simulateScene } from '../liquid/from-scene.js'
import type { SimulationState } from '../liquid/saving/state.js'
import type { Simulation } from '../liquid/simulation.js'
import { createPainter } from '../paint/painter.js'
import type { IterationRecord } from '../solvers/contract/solver.js'
import { findSolver } from '../solvers/registry.js'
import { hostSolver } from './arguments/cluster-flags.js'
import type { RunFlags } from './arguments/run-flags.js'
import { showProgress, stepLine } from './output/progress.js'
import type { RunPainter } from './output/run-pictures.js'
import { describeOpened } from './output/run-report.js'
import { printMessage } from './terminal.js'
import { packageVersion } from './version.js'

interface PreparedRun {
  readonly simulation: Simulation
  readonly painter: RunPainter | undefined
  dispose(): void
}

export interface BegunRun extends PreparedRun {
  readonly writer: RunWriter
  readonly resumed: boolean
}

async function prepare({ scene, meshes }: LoadedScene, flags: RunFlags, state?: SimulationState): Promise<PreparedRun> {
  const { name, elsewhere } = findSolver(scene.solver.name)
  // Solves on a cluster can be slow: each step updates the progress line.
  const monitor = elsewhere ? (record: IterationRecord) => showProgress(stepLine(name, record)) : undefined
  const options = { ...(flags.threads && { threads: flags.threads }), monitor, host: hostSolver(flags).host }
  const simulation = await simulateScene({ scene, meshes }, options, state)
  try {
    const { every, width, colours } = scene.output.pictures
    const draws = every > 0 || flags.video
    const painter = draws ? { ...(await createPainter({ threads: flags.threads })), size: width, colours } : undefined
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

export async function startRun(loaded: LoadedScene, flags: RunFlags): Promise<BegunRun> {
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

export async function resumeRun(loaded: LoadedScene, flags: RunFlags): Promise<BegunRun> {
  const { scene, hashes } = loaded
  const { output, force, fromFrame } = flags
  if (!(await isThere(output))) throw new InputError(`There is no run ${output} to resume; remove --resume to start it.`)
  const before = (await readRun(output)).scene
  const expected = { scene: withKeysThatMayChange(plain(scene), before), meshes: hashes, seed: scene.seed }
  let prepared: PreparedRun | undefined
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

/** The number of frames, the output and the title do not affect existing frames: a difference there is no reason to refuse. */
function withKeysThatMayChange(scene: JsonObject, before: JsonObject): JsonObject {
  const time = { ...(scene.time as JsonObject), frames: (before.time as JsonObject | undefined)?.frames ?? 0 }
  const { title, description, output } = before
  return { ...scene, time, title, description, output }
}

/** As JSON represents it: without keys that are undefined. */
function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value))
}
