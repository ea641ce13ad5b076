/** A simulation of a scene file. */
import { checkObject } from '../checks.js'
import { inspectMeshes, meshWarnings } from '../scene/mesh/report.js'
import type { TriangleMesh } from '../scene/mesh.js'
import { prepareScene } from '../scene/prepare.js'
import { SHARED_KEYS, type SharedKey } from '../scene/schema/simulation.js'
import type { Scene, SceneInput } from '../scene/schema.js'
import { validateScene } from '../scene/validate.js'
import type { HostSolver } from '../solvers/contract/data-limits.js'
import type { SimulationOptions } from './options.js'
import type { SimulationState } from './saving/state.js'
import { createSimulation, type Simulation } from './simulation.js'

export interface SceneWithMeshes {
  readonly scene: Scene | SceneInput
  /** By the names that the scene gives them. */
  readonly meshes?: ReadonlyMap<string, TriangleMesh>
  /** Called with one sentence for each fault of a mesh, before the simulation is made: holes, thin parts and others. */
  readonly onWarning?: (sentence: string) => void
}

export interface SceneOptions extends SimulationOptions {
  /** Allows the scene to name this solver, if it is one that starts programs, and adds options that scenes cannot set. */
  readonly host?: HostSolver
}

/** `options` override those of the scene; `state` is a saved state to continue from. */
export async function simulateScene(
  given: SceneWithMeshes,
  options: SceneOptions = {},
  state?: SimulationState,
): Promise<Simulation> {
  checkObject(given, 'simulateScene: its first argument', 'an object with scene and, if needed, meshes')
  checkObject(options, 'simulateScene: the options')
  const { scene, meshes, onWarning } = given
  const { host, ...own } = options
  // Where code chooses the solver, the scene's choice starts nothing.
  const chosen = optionsOf(scene, own.solver ? (scene as Scene | undefined)?.solver : host)
  const setting = prepareScene(scene, meshes)
  if (onWarning) for (const warning of meshWarnings(await inspectMeshes(scene, meshes))) onWarning(warning)
  return createSimulation(setting, { ...chosen, ...own }, state)
}

export function optionsOf(scene: Scene | SceneInput, host?: HostSolver): SimulationOptions {
  const valid = validateScene(scene, 'The scene', host)
  const { solver } = valid
  const { engine, threads, maxIterations, ...choice } = solver
  const shared = Object.fromEntries(SHARED_KEYS.map(key => [key, valid[key]])) as Pick<Scene, SharedKey>
  const options = host?.name === solver.name ? { ...solver.options, ...host.options } : solver.options
  return {
    ...shared,
    solver: { ...choice, options, ...(maxIterations && { maxIterations }) },
    engine,
    threads,
  }
}
