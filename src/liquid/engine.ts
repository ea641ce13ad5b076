/** Chooses and starts the engine of a simulation and its pressure solves. The only file of the room that knows compiled loops and machines. */
import type { Grid } from '../grid/grid.js'
import { chooseEngine, type EngineName, type EngineSetting, nameOf } from '../machine/engine-choice.js'
import { type LiquidMachine, liquidModule } from '../machine/generated/liquid.js'
import { startMachine } from '../machine/machine.js'
import { MemoryRefused } from '../machine/memory-limits.js'
import { createCompiledLiquid } from './compiled/liquid.js'
import { createCompiledParticles } from './compiled/particles.js'
import type { LiquidLoops, ParticleLoops } from './loops.js'
import { createPlainLiquid } from './plain/liquid.js'
import { createPlainParticles } from './plain/particles.js'

export interface LiquidEngine {
  /** portable, wasm, or threads with their number. */
  readonly name: string
  /** Including the calling thread. */
  readonly threads: number
  /** Why engine auto has not chosen a compiled one. */
  readonly note?: string
  readonly liquid: LiquidLoops
  readonly particles: ParticleLoops
  /** Engine of pressure solves. */
  readonly solverSetting: EngineSetting
  /** The reason of a failure of the loops, if more is known than the error they threw. */
  failure(): Promise<Error | undefined>
  dispose(): void
}

export interface LiquidEngineOptions {
  readonly engine: EngineName
  readonly threads?: number
  /** Whether particles carry gradients of their velocity (APIC). */
  readonly affine: boolean
}

/** Up to this many cells a solve uses the memory and the threads of the liquid, which saves copying; larger solves have 4 GiB of their
 *  own. */
const SHARING_CELLS = 2 ** 19

const FALLBACK = 'The simulation runs in plain TypeScript (engine portable), about ten times slower than compiled'
const NO_SIMD = `${FALLBACK}: this host does not support WebAssembly SIMD, or does not allow it.`

/** Throws an InputError if the host does not support the requested engine. */
export async function startLiquidEngine(grid: Grid, options: LiquidEngineOptions): Promise<LiquidEngine> {
  const { engine, threads, affine } = options
  const choice = chooseEngine({ engine, threads }, Infinity)
  if (!choice.compiled) return createPlainEngine(grid, affine, engine === 'auto' ? NO_SIMD : undefined)
  let machine: LiquidMachine
  try {
    machine = await startMachine(liquidModule, choice.threads)
  } catch (error) {
    if (!(engine === 'auto' && error instanceof MemoryRefused)) throw error
    return createPlainEngine(grid, affine, `${FALLBACK}. ${error.message}`)
  }
  try {
    return createCompiledEngine(machine, grid, options)
  } catch (error) {
    const reason = await machine.failure()
    machine.dispose()
    throw reason ?? error
  }
}

function createPlainEngine(grid: Grid, affine: boolean, note?: string): LiquidEngine {
  const liquid = createPlainLiquid(grid)
  return {
    name: 'portable',
    threads: 1,
    note,
    liquid,
    particles: createPlainParticles(liquid, affine),
    solverSetting: { engine: 'portable' },
    failure: async () => undefined,
    dispose() {},
  }
}

function createCompiledEngine(machine: LiquidMachine, grid: Grid, options: LiquidEngineOptions): LiquidEngine {
  const { engine, threads, affine } = options
  const liquid = createCompiledLiquid(machine, grid)
  const sharedMachine = machine.shared && grid.cells <= SHARING_CELLS ? { machine } : {}
  return {
    name: nameOf({ compiled: true, threads: machine.threads }),
    threads: machine.threads,
    liquid,
    particles: createCompiledParticles(machine, liquid, affine),
    solverSetting: { engine, threads, ...sharedMachine },
    failure: () => machine.failure(),
    dispose: () => machine.dispose(),
  }
}
