/** A machine: an instance of a compiled module with its memory and its threads. */
import { InputError } from '../input-error.js'
import type { MachineKernels } from './generated/machine.js'
import { DONE, HELPED, MAX_RESULTS, RESULTS } from './header.js'
import { canShare, createPark, startWorkers, type Workers } from './host.js'
import { createMemory, MAX_PAGES } from './memory.js'
import { refusedMemory, sizeOf } from './memory-limits.js'
import { type KernelModule, moduleBytes } from './module.js'

/** The largest number of bytes that can be requested; more would wrap. There is never that much. */
const MAX_BYTES = 2 ** 32 - 1

/** WebAssembly has no unsigned numbers: addresses above 2 GiB are returned as negative. They are made unsigned here, and nowhere else. */
function withAddresses<Kernels extends MachineKernels>(exports: WebAssembly.Exports, addresses: readonly string[]): Kernels {
  const kernels = { ...exports } as unknown as Kernels
  const calls = kernels as unknown as Record<string, (...args: readonly number[]) => number>
  for (const name of addresses) {
    const call = calls[name]
    calls[name] = (...args) => call(...args) >>> 0
  }
  const { allocate } = kernels
  kernels.allocate = bytes => allocate(Math.min(bytes, MAX_BYTES))
  return kernels
}

/** `Kernels`: the functions that its module exports. */
export interface Machine<Kernels extends MachineKernels = MachineKernels> {
  /** An InputError after `dispose`. */
  readonly kernels: Kernels
  readonly memory: WebAssembly.Memory
  /** Results of the last call of a kernel that has more than one. */
  readonly results: Float64Array
  /** Requested threads. `present()`: those of them that are not known to have failed to start. */
  readonly threads: number
  /** Whether arrays stay valid when its memory grows. */
  readonly shared: boolean
  present(): number
  /** Pieces of loops that threads other than the caller have done so far. */
  helped(): number
  /** Why the kernels have failed, if more is known than the error they threw. */
  failure(): Promise<Error | undefined>
  /** Ends the threads and releases the memory. */
  dispose(): void
}

/** Memory this large has no space for most further requests. */
const FULL = 3 * 2 ** 30

const modules = new Map<string, Promise<WebAssembly.Module>>()

function compiled(module: Pick<KernelModule<never>, 'bytes'>, share: boolean): Promise<WebAssembly.Module> {
  const key = `${share} ${module.bytes}`
  let found = modules.get(key)
  if (!found) {
    found = WebAssembly.compile(moduleBytes(module, share))
    modules.set(key, found)
  }
  return found
}

/** The smallest module with vector instructions: () => i8x16.popcnt(i8x16.splat(0)). */
const VECTORS = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]

let compiles: boolean | undefined

/** Can this host run the loops at all? Tested by a compilation, because a page may forbid it by its content security policy; once, because
 *  every solve asks. */
export function canCompile(): boolean {
  compiles ??= tryToCompile()
  return compiles
}

function tryToCompile(): boolean {
  try {
    return new WebAssembly.Module(Uint8Array.from(VECTORS)) !== undefined
  } catch {
    return false
  }
}

/** More than one thread needs a host that can share memory. Threads join when they have started; nothing waits for them. Allocating up to
 *  `bytes` does not make the memory grow. Memory is shared if the host can, even for a single thread: growth of memory that is not shared
 *  detaches its arrays, and JavaScript engines then slow down every typed array of the program for good. */
export async function startMachine<Kernels extends MachineKernels>(
  kernelModule: KernelModule<Kernels>,
  wanted: number,
  bytes = 0,
  mayShare = canShare(),
): Promise<Machine<Kernels>> {
  const { memory, pages, share } = createMemory(mayShare, bytes)
  const threads = share || !mayShare ? wanted : 1
  const module = await compiled(kernelModule, share)
  const instance = await WebAssembly.instantiate(module, { env: { memory, park: createPark(memory) } })
  const kernels = withAddresses<Kernels>(instance.exports, kernelModule.addresses)
  let workers: Workers | undefined
  if (threads > 1) {
    workers = await startWorkers(threads - 1, module, memory)
    kernels.setThreads(threads)
  }
  let isDisposed = false
  const word = (at: number) => new Int32Array(memory.buffer)[at >>> 2]
  let results = new Float64Array(memory.buffer, RESULTS, MAX_RESULTS)
  return {
    get kernels() {
      if (isDisposed) throw new InputError('The machine with the compiled loops was disposed of by its owner; start another.')
      return kernels
    },
    memory,
    get results() {
      if (results.buffer !== memory.buffer) results = new Float64Array(memory.buffer, RESULTS, MAX_RESULTS)
      return results
    },
    threads: wanted,
    shared: share,
    present: () => threads - (workers?.missing ?? 0),
    helped: () => (workers ? word(HELPED) : 0),
    async failure() {
      if (kernels.isExhausted()) {
        // Growth that is refused well below the address space is a limit of the host, not of compiled loops.
        const bytes = memory.buffer.byteLength
        if (pages < MAX_PAGES || bytes < FULL) return refusedMemory(bytes)
        return new InputError(
          `The problem does not fit into the ${sizeOf(65536 * pages)} that compiled loops can use; use --engine portable.`,
        )
      }
      if (!workers || word(DONE) >= 0) return undefined
      const cause = await workers.failure()
      return new Error(`A thread of the solver has failed: ${cause.message}`, { cause })
    },
    dispose() {
      if (isDisposed) return
      isDisposed = true
      if (!workers) return
      kernels.stopThreads()
      workers.end()
    },
  }
}
