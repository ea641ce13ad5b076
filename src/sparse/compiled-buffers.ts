/** Buffers in the memory of a machine, so that the arrays of a solve are what the compiled loops work on. Memory that grows takes its
 *  arrays away from their owners; so the room a solve needs is made before it begins, and what exceeds it is outside, where the loops of
 *  plain TypeScript do the work. */

import type { SolveMachine } from '../machine/generated/solve.js'
import { type Buffers, HEADROOM } from './buffers.js'
import { compiledRowLoops } from './compiled-loops.js'

export interface MachineBuffers extends Buffers {
  /** Bytes taken so far, and bytes that found no room and are outside. */
  readonly taken: () => number
  readonly outside: () => number
}

const ALIGNMENT = 64

/** `bytes`: room for all of them. All the memory above what the machine keeps for itself belongs to these buffers. */
export function buffersIn(machine: SolveMachine, bytes: number): MachineBuffers {
  const { kernels, memory } = machine
  kernels.releaseAll()
  const start = kernels.allocate(bytes)
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
    const size = length * Numbers.BYTES_PER_ELEMENT
    if (top + size > end) {
      outside += size
      return new Numbers(length)
    }
    const array = new Numbers(memory.buffer, top, length)
    top += Math.ceil(size / ALIGNMENT) * ALIGNMENT
    return array
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
