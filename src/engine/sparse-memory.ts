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

/** Liquid spreads: a solve that needs more than the one before is likely to be followed by another. */
const HEADROOM = 1.25

export function createSparseMemory(name: string, setting: EngineSetting): SparseMemory {
  const plain = createBuffers()
  let machine: Machine | undefined
  let capacity = 0
  const forget = () => {
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
        forget()
        machine = await startMachine(1, wanted).catch(orTooLarge)
        if (machine) capacity = wanted
      }
      if (machine && bytes <= capacity) return buffersIn(machine, capacity)
      // Whoever has left the choice to us gets an answer.
      if ((setting.engine ?? 'auto') === 'auto') return plain
      const gigabytes = (bytes / 2 ** 30).toFixed(1)
      const limit = bytes > MOST ? 'compiled loops reach 4' : 'this host does not give them to compiled loops'
      throw new InputError(`${name}: ${rows} unknowns need about ${gigabytes} GiB, and ${limit}; take the engine «portable».`)
    },
    clear() {
      plain.clear()
      forget()
    },
  }
}

function orTooLarge(error: unknown): undefined {
  if (!(error instanceof RangeError)) throw error
}
