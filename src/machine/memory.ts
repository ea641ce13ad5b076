/** The memory of a machine: as large as the host allows. */
import { addressSpace } from './host.js'
import { refusedMemory } from './memory-limits.js'

/** 4 GiB, the address space of 32 bits. Some hosts allow less, and shared memory must declare its maximum. */
export const MAX_PAGES = 65536
const SIZES = [MAX_PAGES, 32768, 16384, 8192, 4096]

/** The machine itself uses the first page, and a little behind the last array. */
function pagesFor(bytes: number): number {
  return Math.max(2, 1 + Math.ceil((bytes + 1024) / 65536))
}

export interface Room {
  readonly memory: WebAssembly.Memory
  /** The maximum it may grow to. */
  readonly pages: number
  readonly share: boolean
}

/** With the largest maximum that the host allows; not shared if the host refuses shared memory. */
export function createMemory(mayShare: boolean, bytes: number): Room {
  const initial = pagesFor(bytes)
  const attempt = (maximum: number, share: boolean): Room | undefined => {
    try {
      const memory = new WebAssembly.Memory({ initial, maximum, shared: share })
      // If address space is short, hosts create shared memory that can never grow. Memory that is not shared may move instead.
      if (share && initial < maximum) memory.grow(1)
      return { memory, pages: maximum, share }
    } catch (error) {
      if (error instanceof RangeError || error instanceof TypeError) return undefined
      throw error
    }
  }
  const all = attempt(MAX_PAGES, mayShare)
  if (all) return all
  // A memory that used the whole address space would leave none to threads, and the process would crash.
  const most = Math.max(initial, SIZES[SIZES.length - 1], (addressSpace() ?? Infinity) / 65536 / 4)
  const sizes = SIZES.filter(pages => pages >= initial && pages <= most)
  for (const share of mayShare ? [true, false] : [false]) {
    // Hosts take seconds to refuse, so the smallest is tried before larger ones.
    if (!attempt(sizes[sizes.length - 1] ?? MAX_PAGES, share)) continue
    for (const pages of sizes) {
      const found = attempt(pages, share)
      if (found) return found
    }
  }
  throw refusedMemory(65536 * initial)
}
