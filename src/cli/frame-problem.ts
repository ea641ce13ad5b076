/** The pressure problem of any substep of a run: simulated again from the checkpoint before it, which gives the same bits. */
import { InputError } from '../input-error.js'
import { loadScene, readCheckpoint, type StoredRun, stateOf } from '../io/index.js'
import { simulateScene } from '../liquid/from-scene.js'
import { copyProblem, type PressureProblem } from '../pressure/problem.js'
import { meshesOf } from '../scene/prepare.js'
import { validateScene } from '../scene/validate.js'

export interface ProblemChoice {
  /** Counted from 1 within the frame; the last one if absent. */
  readonly substep?: number
  /** Where the meshes of the scene are; only scenes with meshes need it. */
  readonly scene?: string
}

export async function problemOfFrame(run: StoredRun, index: number, choice: ProblemChoice = {}): Promise<PressureProblem> {
  if (index === 0)
    throw new InputError(`Frame 0 of ${run.path} is the start, to which no pressure led; take frame 1 or a later one.`)
  const scene = validateScene(run.scene, `The scene of ${run.path}`)
  const needsMeshes = meshesOf(scene).size > 0
  if (needsMeshes && choice.scene === undefined)
    throw new InputError(`The scene of ${run.path} has meshes; say with --scene where it is, so that they are found.`)
  const meshes = choice.scene === undefined ? undefined : (await loadScene(choice.scene)).meshes
  const before = run.manifest.checkpoints.filter(({ frame }) => frame < index).at(-1)
  const state =
    before && stateOf(await readCheckpoint(run, before.frame), `The checkpoint of frame ${before.frame} in ${run.path}`)
  const simulation = await simulateScene({ scene, meshes }, {}, state)
  try {
    while (simulation.frame < index - 1) await simulation.advance()
    let found: PressureProblem | undefined
    const { substeps } = await simulation.advance(done => {
      if (choice.substep === undefined || done === choice.substep) found = copyProblem(simulation.problem())
    })
    if (found) return found
    throw new InputError(`--substep: frame ${index} of ${run.path} has ${substeps.length} substeps, not ${choice.substep}.`)
  } finally {
    simulation.dispose()
  }
}
