/** SCENE on the command line: a JSON file, or the name of a scene that comes with Peel; and the flags that change it. */
import type { Command } from 'commander'
import { type LoadedScene, loadScene } from '../../io/index.js'
import { inspectMeshes, meshWarnings } from '../../scene/mesh/report.js'
import { type Override, parseOverride } from '../../scene/overrides.js'
import { printMessage } from '../terminal.js'
import { hostSolver } from './cluster-flags.js'
import { wholeNumber } from './problem-argument.js'

export interface SceneFlags {
  readonly resolution?: number
  readonly solver?: string
  readonly set: readonly string[]
}

export function addSceneFlags(command: Command): Command {
  return command
    .option('--resolution <N>', 'cells along the longest side', value => wholeNumber(value, 1))
    .option('--solver <name>', 'pressure solver (solver.name)')
    .option('--set <path=value>', 'set one value of the scene, as in time.frames=48; can be repeated', collect, [])
}

export function loadSceneArgument(argument: string, flags: SceneFlags): Promise<LoadedScene> {
  const overrides: Override[] = flags.set.map(parseOverride)
  if (flags.resolution !== undefined) overrides.push(['domain.resolution', flags.resolution])
  if (flags.solver !== undefined) overrides.push(['solver.name', flags.solver])
  return loadScene(argument, overrides, hostSolver(flags).host)
}

/** The faults of its meshes that `peel check` names, as warnings. */
export async function warnOfMeshes({ scene, meshes }: LoadedScene): Promise<void> {
  for (const warning of meshWarnings(await inspectMeshes(scene, meshes))) printMessage(`peel: warning: ${warning}`)
}

function collect(value: string, previous: readonly string[]): string[] {
  return [...previous, value]
}
