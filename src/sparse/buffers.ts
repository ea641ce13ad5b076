/** Memory that outlives a solve. */
import { portableLoops, type RowLoops } from './row-loops.js'

/** Named arrays that outlive a solve: liquid moves, so the number of unknowns changes from step to step, and a solver that is
 *  used again should find its memory again. An array is allocated again only when it has grown past its capacity. */
export interface Buffers {
  f64(name: string, length: number): Float64Array
  i32(name: string, length: number): Int32Array
  u8(name: string, length: number): Uint8Array
  clear(): void
  /** The loops that work where these arrays are stored. */
  readonly loops: RowLoops
}

type Pool<T> = Map<string, T>

/** Growth of an array beyond the requested length when it is requested longer: liquid spreads, and this avoids further allocations. */
export const HEADROOM = 1.25

export function createBuffers(): Buffers {
  const doubles: Pool<Float64Array> = new Map()
  const integers: Pool<Int32Array> = new Map()
  const bytes: Pool<Uint8Array> = new Map()
  return {
    loops: portableLoops,
    f64: (name, length) => obtain(doubles, name, length, capacity => new Float64Array(capacity)),
    i32: (name, length) => obtain(integers, name, length, capacity => new Int32Array(capacity)),
    u8: (name, length) => obtain(bytes, name, length, capacity => new Uint8Array(capacity)),
    clear() {
      doubles.clear()
      integers.clear()
      bytes.clear()
    },
  }
}

/** Arrays keep their last contents; callers that need zeros fill them. */
function obtain<T extends Float64Array | Int32Array | Uint8Array>(
  pool: Pool<T>,
  name: string,
  length: number,
  allocate: (capacity: number) => T,
): T {
  let array = pool.get(name)
  if (!array || array.length < length) {
    array = allocate(array ? Math.ceil(length * HEADROOM) : length)
    pool.set(name, array)
  }
  return (array.length === length ? array : array.subarray(0, length)) as T
}
