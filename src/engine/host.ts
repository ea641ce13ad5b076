/** Threads of the host: worker_threads in Node, module workers on a page. The one file of this room that knows where it runs. */

export interface Workers {
  end(): void
  /** What went wrong in a thread, if anything did. */
  readonly failure: Error | undefined
}

/** A thread shares memory and module with its caller and lives inside the loop `work` of the module. */
const SOURCE = `
const start = ({ module, memory }) => {
  const words = new Int32Array(memory.buffer)
  const park = (at, value) => { Atomics.wait(words, at >>> 2, value, 1000) }
  try {
    new WebAssembly.Instance(module, { env: { memory, park } }).exports.work()
  } catch (error) {
    // Whoever waits for this thread must not wait for ever.
    Atomics.store(words, 448 >>> 2, 1)
    Atomics.notify(words, 192 >>> 2)
    throw error
  }
}
`
const IN_NODE = `${SOURCE}
const { workerData } = require('node:worker_threads')
start(workerData)`
const ON_PAGE = `${SOURCE}
addEventListener('message', event => { start(event.data); close() }, { once: true })`

/** Threads that a solve may use by default: as many as the machine has, within reason. */
export function hardwareThreads(): number {
  const { hardwareConcurrency } = globalThis.navigator ?? {}
  return Math.max(1, Math.min(8, hardwareConcurrency ?? availableInNode()))
}

const node = (globalThis as { process?: { versions?: { node?: string }; getBuiltinModule?: (name: string) => unknown } }).process
const isNode = typeof node?.versions?.node === 'string'

function availableInNode(): number {
  const os = node?.getBuiltinModule?.('node:os') as { availableParallelism(): number } | undefined
  return os?.availableParallelism() ?? 1
}

export async function startWorkers(count: number, module: WebAssembly.Module, memory: WebAssembly.Memory): Promise<Workers> {
  return isNode ? startInNode(count, module, memory) : startOnPage(count, module, memory)
}

async function startInNode(count: number, module: WebAssembly.Module, memory: WebAssembly.Memory): Promise<Workers> {
  const { Worker } = await import('node:worker_threads')
  let failure: Error | undefined
  const workers = Array.from({ length: count }, () => {
    const worker = new Worker(IN_NODE, { eval: true, workerData: { module, memory } })
    worker.on('error', error => {
      failure = error as Error
    })
    // A process ends when its own work is done, whoever still waits for more of it.
    worker.unref()
    return worker
  })
  return {
    get failure() {
      return failure
    },
    end() {
      for (const worker of workers) void worker.terminate()
    },
  }
}

async function startOnPage(count: number, module: WebAssembly.Module, memory: WebAssembly.Memory): Promise<Workers> {
  const url = URL.createObjectURL(new Blob([ON_PAGE], { type: 'text/javascript' }))
  let failure: Error | undefined
  const workers = Array.from({ length: count }, () => {
    const worker = new Worker(url, { type: 'module' })
    worker.onerror = event => {
      failure = new Error(event.message)
    }
    worker.postMessage({ module, memory })
    return worker
  })
  return {
    get failure() {
      return failure
    },
    end() {
      for (const worker of workers) worker.terminate()
      URL.revokeObjectURL(url)
    },
  }
}
