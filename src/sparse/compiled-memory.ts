/** Memory of the arrays of an algebraic solve: its own, or that of a machine with compiled loops. */
import { InputError } from '../input-error.js'
import { chooseEngine, type EngineSetting } from '../machine/engine-choice.js'
import { type SolveMachine, solveModule } from '../machine/generated/solve.js'
import { startMachine } from '../machine/machine.js'
import { MemoryRefused, sizeOf } from '../machine/memory-limits.js'
import { type Buffers, createBuffers, HEADROOM } from './buffers.js'
import { buffersIn } from './compiled-buffers.js'

export interface SparseMemory {
  /** Buffers for one solve; those of the solve before are invalid afterwards. `bytes`: what the solve needs. */
  open(rows: number, bytes: number): Promise<Buffers>
  clear(): void
}

/** The address space of 32 bits, less the memory of the machine itself. */
const MAX_MATRIX_BYTES = 2 ** 32 - 2 ** 20

export function createSparseMemory(name: string, setting: EngineSetting): SparseMemory {
  const plain = createBuffers()
  let machine: SolveMachine | undefined
  let capacity = 0
  /** Hosts need seconds to refuse memory, so it is requested once. */
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
      if (capacity < bytes && bytes <= MAX_MATRIX_BYTES) {
        // A new memory instead of a longer one: if memory has grown, JavaScript engines slow down every typed array of the program for good.
        const wanted = Math.min(MAX_MATRIX_BYTES, Math.ceil(capacity > 0 ? HEADROOM * bytes : bytes))
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
