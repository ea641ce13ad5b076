/** Threads of the host: worker_threads in Node, workers on a page. The one file of this room that knows where it runs. */
import { DONE } from './header.js'

export interface Workers {
  end(): void
  /** How many are known to have failed. */
  readonly missing: number
  /** The error of the first thread that failed; waits for its report. To be called only if one has failed. */
  failure(): Promise<Error>
}

/** Maximum sleep in ms. Threads are woken when there is work; the limit is in case a host fails to wake them. */
const NAP = 1000

/** How long a failed thread may take to report why, ms. */
const PATIENCE = 5000

/** How long threads of a page may take to start before they are left to join later, ms. */
const START = 2000

/** A thread shares memory and module with its caller and lives inside the loop `work` of the module. The pool works
 *  without one that cannot start; one that fails later holds a piece of a loop, for which the caller must not wait for ever. */
const SOURCE = `
const start = ({ module, memory }) => {
  const words = new Int32Array(memory.buffer)
  const park = (at, value) => { Atomics.wait(words, at >>> 2, value, ${NAP}) }
  const { exports } = new WebAssembly.Instance(module, { env: { memory, park } })
  try {
    exports.work()
  } catch (error) {
    Atomics.or(words, ${DONE >>> 2}, 1 << 31)
    Atomics.notify(words, ${DONE >>> 2})
    throw error
  }
}
`
const IN_NODE = `${SOURCE}
start(require('node:worker_threads').workerData)`
const ON_PAGE = `${SOURCE}
addEventListener('message', event => { postMessage('here'); start(event.data); close() }, { once: true })`

interface NodeProcess {
  readonly versions?: { readonly node?: string }
  readonly report?: { excludeNetwork: boolean; getReport(): unknown }
  getBuiltinModule?(name: string): unknown
}
const node = (globalThis as unknown as { process?: NodeProcess }).process
const isNode = typeof node?.versions?.node === 'string'

/** Can threads be started, and memory be shared with them? Pages need cross-origin isolation for the latter. */
export function canShare(): boolean {
  if (typeof SharedArrayBuffer !== 'function') return false
  const { crossOriginIsolated } = globalThis as { crossOriginIsolated?: boolean }
  return isNode || (crossOriginIsolated !== false && typeof Worker === 'function')
}

/** Threads that a solve may use by default: as many as the machine has, within reason. */
export function hardwareThreads(): number {
  const { hardwareConcurrency } = globalThis.navigator ?? {}
  return Math.max(1, Math.min(8, hardwareConcurrency ?? availableInNode()))
}

function availableInNode(): number {
  const os = node?.getBuiltinModule?.('node:os') as { availableParallelism(): number } | undefined
  return os?.availableParallelism() ?? 1
}

/** Bytes that this process may address, if that is limited and known. Takes about 20 ms. */
export function addressSpace(): number | undefined {
  if (!isNode || !node?.report) return undefined
  node.report.excludeNetwork = true
  const { userLimits } = node.report.getReport() as { userLimits?: { virtual_memory_kbytes?: { soft?: string | number } } }
  // In bytes, in spite of its name.
  const bytes = Number(userLimits?.virtual_memory_kbytes?.soft)
  return bytes > 0 && bytes < Infinity ? bytes : undefined
}

/** How the caller waits while threads finish their last pieces. The main thread of a page must not sleep: it polls, for as long as a piece
 *  takes. */
export function createPark(memory: WebAssembly.Memory): (at: number, value: number) => void {
  const words = new Int32Array(memory.buffer)
  return maySleep() ? (at, value) => void Atomics.wait(words, at >>> 2, value, NAP) : () => {}
}

function maySleep(): boolean {
  if (!canShare()) return false
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0)
    return true
  } catch {
    return false
  }
}

/** Threads that start late join later; the caller never waits for threads without work. */
export async function startWorkers(count: number, module: WebAssembly.Module, memory: WebAssembly.Memory): Promise<Workers> {
  return isNode ? startInNode(count, { module, memory }) : startOnPage(count, { module, memory })
}

interface Share {
  readonly module: WebAssembly.Module
  readonly memory: WebAssembly.Memory
}

async function startInNode(count: number, share: Share): Promise<Workers> {
  // Not a literal, so that bundlers for pages leave it alone.
  const name = 'node:worker_threads'
  const { default: threads } = (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as {
    default: typeof import('node:worker_threads')
  }
  const failures = createFailures()
  const workers = startAll(count, failures, () => {
    // Without options and environment of the process: loaders, for example, would be loaded by each thread.
    const worker = new threads.Worker(IN_NODE, { eval: true, workerData: share, execArgv: [], env: {} })
    worker.on('error', failures.add)
    // The process may end while threads wait for work.
    worker.unref()
    return { end: () => void worker.terminate() }
  })
  return Object.assign(failures, workers)
}

async function startOnPage(count: number, share: Share): Promise<Workers> {
  const url = URL.createObjectURL(new Blob([ON_PAGE], { type: 'text/javascript' }))
  const failures = createFailures()
  const arrivals: Promise<unknown>[] = []
  const workers = startAll(count, failures, () => {
    const worker = new Worker(url, { name: 'peel' })
    arrivals.push(
      new Promise(resolve => {
        worker.onmessage = resolve
        worker.onerror = event => {
          event.preventDefault()
          failures.add(new Error(event.message))
          resolve(event)
        }
      }),
    )
    worker.postMessage(share)
    return { end: () => worker.terminate() }
  })
  // Workers of a page start only while the event loop of the page turns, which consecutive solves would prevent.
  await Promise.race([Promise.all(arrivals), new Promise(resolve => setTimeout(resolve, START))])
  return Object.assign(failures, {
    end() {
      workers.end()
      URL.revokeObjectURL(url)
    },
  })
}

/** Workers that the host refuses to create count as missing, like those that cannot start. */
function startAll(count: number, failures: Failures, start: () => { end(): void }): { end(): void } {
  const workers: { end(): void }[] = []
  for (let n = 0; n < count; n++) {
    try {
      workers.push(start())
    } catch (error) {
      failures.add(error)
    }
  }
  return {
    end() {
      for (const worker of workers) worker.end()
    },
  }
}

type Failures = ReturnType<typeof createFailures>

function createFailures() {
  let count = 0
  let resolve: (error: Error) => void
  const first = new Promise<Error>(done => {
    resolve = done
  })
  return {
    add(error: unknown) {
      count++
      resolve(error instanceof Error ? error : new Error(String(error)))
    },
    get missing() {
      return count
    },
    failure: () => Promise.race([first, silence()]),
  }
}

function silence(): Promise<Error> {
  return new Promise(resolve => setTimeout(() => resolve(new Error('the reason is unknown')), PATIENCE))
}
