/** The memory of a machine: as much as the host gives. */
import { addressSpace } from './host.js'
import { refusedMemory } from './memory-limits.js'

/** 4 GiB, all that addresses of 32 bits reach. Some hosts give less, and shared memory has to say how much it may become. */
export const MAX_PAGES = 65536
const SIZES = [MAX_PAGES, 32768, 16384, 8192, 4096]

/** The first page is the machine's own, and so is a little behind the last array. */
function pagesFor(bytes: number): number {
  return Math.max(2, 1 + Math.ceil((bytes + 1024) / 65536))
}

export interface Room {
  readonly memory: WebAssembly.Memory
  /** It may grow to this many. */
  readonly pages: number
  readonly share: boolean
}

/** As large as the host lets it become; not shared where that is all it gives. */
export function createMemory(mayShare: boolean, bytes: number): Room {
  const initial = pagesFor(bytes)
  const attempt = (maximum: number, share: boolean): Room | undefined => {
    try {
      const memory = new WebAssembly.Memory({ initial, maximum, shared: share })
      // Where addresses are short, hosts make shared memory that can never grow. Memory that is not shared may move instead.
      if (share && initial < maximum) memory.grow(1)
      return { memory, pages: maximum, share }
    } catch (error) {
      if (error instanceof RangeError || error instanceof TypeError) return undefined
      throw error
    }
  }
  const all = attempt(MAX_PAGES, mayShare)
  if (all) return all
  // A memory that took all addresses would leave none to threads, and a process without dies on the spot.
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
