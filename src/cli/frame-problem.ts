/** The pressure problem of any substep of a run: simulated again from the checkpoint before it, which gives the same bits. */
import { counted } from '../counted.js'
import { InputError } from '../input-error.js'
import { loadScene, readCheckpoint, requireOwnScene, type StoredRun, stateOf } from '../io/index.js'
import { simulateScene } from '../liquid/from-scene.js'
import { copyProblem, type PressureProblem } from '../pressure/problem.js'
import { meshesOf } from '../scene/prepare.js'
import { validateScene } from '../scene/validate.js'
import type { HostSolver } from '../solvers/contract/data-limits.js'

export interface ProblemChoice {
  /** Counted from 1 within the frame; the last one if absent. */
  readonly substep?: number
  /** Where the meshes of the scene are; only scenes with meshes need it. */
  readonly scene?: string
  /** The solver of the run, if it is one that starts programs: the run itself cannot decide on that. */
  readonly host?: HostSolver
}

export async function problemOfFrame(run: StoredRun, index: number, choice: ProblemChoice = {}): Promise<PressureProblem> {
  if (index === 0) throw new InputError(`Frame 0 of ${run.path} is the start and has no pressure; use frame 1 or later.`)
  requireOwnScene(run)
  const scene = validateScene(run.scene, `The scene of ${run.path}`, choice.host)
  const needsMeshes = meshesOf(scene).size > 0
  if (needsMeshes && choice.scene === undefined)
    throw new InputError(`The scene of ${run.path} has meshes; use --scene to give the path of the scene file beside them.`)
  const meshes = needsMeshes ? await meshesOfRun(run, choice.scene!, choice.host) : undefined
  const before = run.manifest.checkpoints.filter(({ frame }) => frame < index).at(-1)
  const { sceneSince = -1 } = run.manifest
  if ((before?.frame ?? -1) < sceneSince)
    throw new InputError(
      `The scene of ${run.path} was changed with --force after frame ${sceneSince}, so the problems of frame ${index} cannot be computed again; ` +
        'choose a frame after a later checkpoint.',
    )
  const state =
    before && stateOf(await readCheckpoint(run, before.frame), `The checkpoint of frame ${before.frame} in ${run.path}`)
  const simulation = await simulateScene({ scene, meshes }, { host: choice.host }, state)
  try {
    while (simulation.frame < index - 1) await simulation.advance()
    let found: PressureProblem | undefined
    const { substeps } = await simulation.advance(done => {
      if (choice.substep === undefined || done === choice.substep) found = copyProblem(simulation.problem())
    })
    if (found) return found
    throw new InputError(
      `--substep: frame ${index} of ${run.path} has ${counted(substeps.length, 'substep')}, not ${choice.substep}.`,
    )
  } finally {
    simulation.dispose()
  }
}

/** Those of a scene, if they are the ones that the run was computed with. */
async function meshesOfRun({ path, manifest }: StoredRun, scene: string, host?: HostSolver) {
  const { meshes, hashes } = await loadScene(scene, [], host)
  const changed = Object.keys(manifest.meshes).find(name => hashes[name] !== manifest.meshes[name])
  if (changed !== undefined)
    throw new InputError(`--scene: ${changed} of ${scene} is not the mesh that ${path} was computed with; restore the original.`)
  return meshes
}
