/** The choice of the engine that a solver runs on. */
import { checkObject } from '../checks.js'
import { InputError } from '../input-error.js'
import { show } from '../printable.js'
import type { SolveMachine } from './generated/solve.js'
import { canShare, hardwareThreads } from './host.js'
import { canCompile } from './machine.js'

export const ENGINES = ['auto', 'portable', 'wasm', 'threads'] as const
export type EngineName = (typeof ENGINES)[number]

export interface EngineSetting {
  /** portable: plain TypeScript. wasm: compiled, one thread. threads: compiled, several threads. auto, the default: the fastest that the
   *  host allows; small problems stay on one thread. */
  readonly engine?: EngineName
  /** Threads to use, the caller's own included; as many as the machine has if absent, at most 8. */
  readonly threads?: number
  /** A machine of the caller, who must not use it during a solve. Its memory contents are kept, and no other machine is started if this one
   *  suffices. */
  readonly machine?: SolveMachine
}

export type EngineChoice = { readonly compiled: false } | { readonly compiled: true; readonly threads: number }

/** Unknowns below which more threads gain a few per cent at best, and lose on a busy machine. */
const WORTH_THREADS = 20_000

/** Throws an InputError if the host does not support the engine. */
export function checkSetting(setting: EngineSetting): void {
  checkObject(setting, 'The setting of the engine', 'an object with engine and threads')
  const { engine = 'auto', threads, machine } = setting
  if (machine !== undefined && typeof machine?.memory !== 'object')
    throw new InputError('The machine of the setting must come from startMachine.')
  if (!ENGINES.includes(engine))
    throw new InputError(`Unknown engine "${String(engine)}"; use --engine portable (available: ${ENGINES.join(', ')}).`)
  if (threads !== undefined && !(Number.isInteger(threads) && threads >= 1 && threads <= 64))
    throw new InputError(`The number of threads must be a whole number from 1 to 64, not ${show(threads)}.`)
  if ((engine === 'portable' || engine === 'wasm') && threads !== undefined && threads > 1)
    throw new InputError(`The engine "${engine}" has one thread; use --engine threads for ${threads}.`)
  if (engine === 'threads' && !canShare())
    throw new InputError('Threads need shared memory, which needs a cross-origin isolated page; use the engine "wasm".')
  if ((engine === 'wasm' || engine === 'threads') && !canCompile())
    throw new InputError('This host does not support WebAssembly SIMD; use --engine portable.')
}

export function chooseEngine(setting: EngineSetting, unknowns: number): EngineChoice {
  checkSetting(setting)
  const { engine = 'auto', threads } = setting
  if (engine === 'portable' || !canCompile()) return { compiled: false }
  if (engine === 'wasm' || !canShare()) return { compiled: true, threads: 1 }
  if (engine === 'threads' || threads !== undefined) return { compiled: true, threads: threads ?? hardwareThreads() }
  return { compiled: true, threads: unknowns < WORTH_THREADS ? 1 : hardwareThreads() }
}

export function nameOf(choice: EngineChoice): string {
  if (!choice.compiled) return 'portable'
  return choice.threads === 1 ? 'wasm' : `threads (${choice.threads})`
}
