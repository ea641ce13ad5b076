/** Buffers in the memory of a machine, so that the arrays of a solve are what the compiled loops work on. Memory that grows takes its
 *  arrays away from their owners; so the room a solve needs is made before it begins, and what exceeds it lies outside, where the loops of
 *  plain TypeScript do the work. */
import { InputError } from '../input-error.js'
import { type Buffers, createBuffers } from '../sparse/buffers.js'
import { type Machine, startMachine } from './kernels.js'
import { chooseEngine, type EngineSetting } from './setting.js'
import { compiledRowLoops } from './sparse-loops.js'

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

export interface MachineBuffers extends Buffers {
  /** Bytes taken so far, and bytes that found no room and lie outside. */
  readonly taken: () => number
  readonly outside: () => number
}

const ALIGNMENT = 64

/** A name that is asked for again with more needs new room; this much more spares the third. */
const HEADROOM = 1.25

/** All the memory above what the machine keeps for itself belongs to these buffers. */
export function buffersIn(machine: Machine, bytes: number): MachineBuffers {
  const { kernels, memory } = machine
  kernels.releaseAll()
  const start = kernels.allocate(bytes) >>> 0
  const end = start + bytes
  const arrays = new Map<string, Float64Array | Int32Array | Uint8Array>()
  let top = start
  let outside = 0

  type Kind<T> = {
    new (buffer: ArrayBufferLike, at: number, length: number): T
    new (length: number): T
    BYTES_PER_ELEMENT: number
  }
  function take<T extends Float64Array | Int32Array | Uint8Array>(Numbers: Kind<T>, name: string, length: number): T {
    // Each type has names of its own.
    const key = `${Numbers.BYTES_PER_ELEMENT}.${name}`
    let array = arrays.get(key) as T | undefined
    if (!array || array.length < length) {
      array = make(Numbers, array ? Math.ceil(length * HEADROOM) : length)
      arrays.set(key, array)
    }
    return (array.length === length ? array : array.subarray(0, length)) as T
  }
  function make<T extends Float64Array | Int32Array | Uint8Array>(Numbers: Kind<T>, length: number): T {
    const size = Math.ceil((length * Numbers.BYTES_PER_ELEMENT) / ALIGNMENT) * ALIGNMENT
    if (top + size > end) {
      outside += size
      return new Numbers(length)
    }
    top += size
    return new Numbers(memory.buffer, top - size, length)
  }
  return {
    loops: compiledRowLoops(machine),
    f64: (name, length) => take(Float64Array, name, length),
    i32: (name, length) => take(Int32Array, name, length),
    u8: (name, length) => take(Uint8Array, name, length),
    clear: () => arrays.clear(),
    taken: () => top - start,
    outside: () => outside,
  }
}
