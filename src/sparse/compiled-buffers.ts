/** Buffers in the memory of a machine, so that compiled loops can use the arrays of a solve. Growth of memory may detach its arrays, so the
 *  memory of a solve is allocated before it begins; arrays that exceed it are outside, where the loops in plain TypeScript are used. */

import type { SolveMachine } from '../machine/generated/solve.js'
import { type Buffers, HEADROOM } from './buffers.js'
import { compiledRowLoops } from './compiled-loops.js'

export interface MachineBuffers extends Buffers {
  /** Bytes in use, and bytes that did not fit and are outside. */
  readonly used: () => number
  readonly outside: () => number
}

const ALIGNMENT = 64

/** `bytes`: size of all of them. All memory above that of the machine itself belongs to these buffers. */
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
  function obtain<T extends Float64Array | Int32Array | Uint8Array>(Numbers: Kind<T>, name: string, length: number): T {
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
    f64: (name, length) => obtain(Float64Array, name, length),
    i32: (name, length) => obtain(Int32Array, name, length),
    u8: (name, length) => obtain(Uint8Array, name, length),
    clear: () => arrays.clear(),
    used: () => top - start,
    outside: () => outside,
  }
}
