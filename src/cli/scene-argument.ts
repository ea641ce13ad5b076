/** SCENE on the command line: a JSON file, or the name of a scene that comes with Peel; and the flags that change it. */
import type { Command } from 'commander'
import { type LoadedScene, loadScene } from '../io/index.js'
import { type Override, parseOverride } from '../scene/overrides.js'
import { wholeNumber } from './problem-argument.js'

export interface SceneFlags {
  readonly resolution?: number
  readonly set: readonly string[]
}

export function addSceneFlags(command: Command): Command {
  return command
    .option('--resolution <N>', 'cells along the longest side', value => wholeNumber(value, 1))
    .option('--set <path=value>', 'set one value of the scene, as in time.frames=48; may be repeated', collect, [])
}

export function loadSceneArgument(argument: string, flags: SceneFlags): Promise<LoadedScene> {
  const overrides: Override[] = flags.set.map(parseOverride)
  if (flags.resolution !== undefined) overrides.push(['domain.resolution', flags.resolution])
  return loadScene(argument, overrides)
}

function collect(value: string, previous: readonly string[]): string[] {
  return [...previous, value]
}
