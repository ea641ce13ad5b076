/** A simulation of a scene file. */
import type { TriangleMesh } from '../scene/mesh.js'
import { prepareScene } from '../scene/prepare.js'
import type { Scene } from '../scene/schema.js'
import type { SimulationOptions } from './options.js'
import { createSimulation, type Simulation } from './simulation.js'
import type { SimulationState } from './state.js'

export interface SceneWithMeshes {
  readonly scene: Scene
  /** By the names that the scene gives them. */
  readonly meshes?: ReadonlyMap<string, TriangleMesh>
}

/** `options` go before what the scene says; `state` is where to go on. */
export function simulateScene(
  { scene, meshes }: SceneWithMeshes,
  options: SimulationOptions = {},
  state?: SimulationState,
): Promise<Simulation> {
  return createSimulation(prepareScene(scene, meshes), { ...optionsOf(scene), ...options }, state)
}

export function optionsOf({ seed, density, time, particles, volume, solver }: Scene): SimulationOptions {
  const { threads, maxIterations, ...choice } = solver
  return { seed, density, time, particles, volume, solver: { ...choice, ...(maxIterations && { maxIterations }) }, threads }
}
