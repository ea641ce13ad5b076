/** Where the arrays of an algebraic solve lie: in memory of its own, or in that of a machine with compiled loops. */
import { InputError } from '../input-error.js'
import { type Buffers, createBuffers } from '../sparse/buffers.js'
import { type Machine, startMachine } from './kernels.js'
import { chooseEngine, type EngineSetting } from './setting.js'
import { buffersIn } from './sparse-buffers.js'

export interface SparseMemory {
  /** Buffers for one solve; those of the solve before are of no use afterwards. `bytes`: what it is going to need. */
  open(rows: number, bytes: number): Promise<Buffers>
  clear(): void
}

/** What addresses of 32 bits reach, but for what the machine keeps for itself. */
const MOST = 2 ** 32 - 2 ** 20

export function createSparseMemory(name: string, setting: EngineSetting): SparseMemory {
  const plain = createBuffers()
  let machine: Machine | undefined
  return {
    async open(rows, bytes) {
      if (!chooseEngine(setting, rows).compiled) return plain
      if (bytes > MOST) {
        // Whoever has left the choice to us gets an answer.
        if ((setting.engine ?? 'auto') === 'auto') return plain
        const gigabytes = (bytes / 2 ** 30).toFixed(1)
        throw new InputError(
          `${name}: ${rows} unknowns need about ${gigabytes} GiB, and compiled loops reach 4; take the engine «portable».`,
        )
      }
      machine ??= await startMachine(1)
      return buffersIn(machine, bytes)
    },
    clear() {
      plain.clear()
      machine?.dispose()
      machine = undefined
    },
  }
}
