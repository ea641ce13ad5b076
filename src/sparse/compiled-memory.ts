/** Memory of the arrays of an algebraic solve: its own, or that of a machine with compiled loops. */
import { InputError } from '../input-error.js'
import { chooseEngine, type EngineSetting } from '../machine/engine-choice.js'
import { type SolveMachine, solveModule } from '../machine/generated/solve.js'
import { startMachine } from '../machine/machine.js'
import { MemoryRefused, sizeOf } from '../machine/memory-limits.js'
import { type Buffers, createBuffers, HEADROOM } from './buffers.js'
import { buffersIn } from './compiled-buffers.js'

export interface SparseMemory {
  /** Buffers for one solve; those of the solve before are of no use afterwards. `bytes`: what it is going to need. */
  open(rows: number, bytes: number): Promise<Buffers>
  clear(): void
}

/** What addresses of 32 bits reach, but for what the machine keeps for itself. */
const MOST = 2 ** 32 - 2 ** 20

export function createSparseMemory(name: string, setting: EngineSetting): SparseMemory {
  const plain = createBuffers()
  let machine: SolveMachine | undefined
  let capacity = 0
  /** Hosts take seconds to refuse memory; one time is enough. */
  let refusal: MemoryRefused | undefined
  const orRefused = (error: unknown): undefined => {
    if (!(error instanceof MemoryRefused)) throw error
    refusal = error
  }
  const disposeMachine = () => {
    machine?.dispose()
    machine = undefined
    capacity = 0
  }
  return {
    async open(rows, bytes) {
      if (!chooseEngine(setting, rows).compiled) return plain
      if (capacity < bytes && bytes <= MOST) {
        // A new memory instead of a longer one: where memory has grown, engines slow down every typed array of the program for good.
        const wanted = Math.min(MOST, Math.ceil(capacity > 0 ? HEADROOM * bytes : bytes))
        disposeMachine()
        machine = refusal ? undefined : await startMachine(solveModule, 1, wanted).catch(orRefused)
        if (machine) capacity = wanted
      }
      if (machine && bytes <= capacity) return buffersIn(machine, capacity)
      // With the engine `auto`, the solve continues without compiled loops.
      if ((setting.engine ?? 'auto') === 'auto') return plain
      if (refusal) throw refusal
      throw new InputError(
        `${name}: ${rows} unknowns need about ${sizeOf(bytes)}, and compiled loops can use 4 GiB; use --engine portable.`,
      )
    },
    clear() {
      plain.clear()
      disposeMachine()
    },
  }
}
