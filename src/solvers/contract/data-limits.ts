/** What a scene or other data may decide about a solver. A scene, a run or a link starts no program, names no executable, file or host, and grants no right:
 *  solvers that start programs are chosen by the host, that is, by the command line or by code, and so are their options. */

import { type SolverEntry, solvers } from '../registry.js'
import type { OptionSchema } from './options.js'

/** The choice of the host. A scene that names this solver may use it; `options` come before those of the scene. */
export interface HostSolver {
  readonly name: string
  readonly options?: Readonly<Record<string, unknown>>
}

/** A value that data must not contain, with the key of a scene's `solver` that contains it. */
export interface Overreach {
  readonly key: readonly ['name'] | readonly ['options', string]
  /** Continues a sentence. */
  readonly text: string
}

/** Whatever is not allowed is forbidden: options of an external solver need `inScenes`, and no solver accepts free text from data. */
export function isForHost({ elsewhere }: SolverEntry, option: OptionSchema[string]): boolean {
  return !option.inScenes && (elsewhere === true || option.type === 'text')
}

/** The flag of the command line that sets an option for the host. */
export function flagOf(option: string): string {
  return `--${option.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
}

/** Forbidden values in the `solver` of a scene. A solver that is not registered cannot start anything. */
export function* findOverreach(
  { name, options = {} }: { readonly name: string; readonly options?: Readonly<Record<string, unknown>> },
  host?: HostSolver,
): Generator<Overreach> {
  const entry = solvers.find(solver => solver.name === name)
  if (!entry) return
  if (entry.elsewhere && host?.name !== name)
    yield {
      key: ['name'],
      text: `must not be ${name} in data, because that solver starts other programs; use --solver ${name}, or set it in code`,
    }
  for (const option of Object.keys(options))
    if (Object.hasOwn(entry.options, option) && isForHost(entry, entry.options[option]))
      yield {
        key: ['options', option],
        text: `must not be set by data, because it controls programs or files; use the flag ${flagOf(option)}, or set it in code`,
      }
}
