/** Looks behind solvers: at the memories and threads they have started, and at what their module consists of. */
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import threads from 'node:worker_threads'

/** Words of the pool, as in src/machine/kernels/pool.ts. */
export const WORDS = { generation: 64, claim: 128, done: 192, helped: 448 } as const

const restore: (() => void)[] = []

/** Replaces a class by one that keeps its instances. Spies of the test framework do not build them right. */
function keepInstances<T>(module: object, name: string): T[] {
  const owner = module as Record<string, new (...args: unknown[]) => T>
  const original = owner[name]
  const instances: T[] = []
  owner[name] = new Proxy(original, {
    construct(target, args: unknown[]) {
      const instance = new target(...args)
      instances.push(instance)
      return instance as object
    },
  })
  restore.push(() => {
    owner[name] = original
  })
  return instances
}

export function stopWatching(): void {
  for (const back of restore.splice(0)) back()
}

/** Memories made from now on, until `stopWatching`. */
export function watchMemories() {
  const all = keepInstances<WebAssembly.Memory>(WebAssembly, 'Memory')
  return {
    all,
    /** Of the newest. */
    word: (name: keyof typeof WORDS) => new Int32Array(all.at(-1)!.buffer)[WORDS[name] >>> 2],
    bytes: () => all.reduce((sum, { buffer }) => sum + buffer.byteLength, 0),
  }
}

/** Threads started from now on, until `stopWatching`. */
export function watchWorkers() {
  const all = keepInstances<threads.Worker>(threads, 'Worker')
  return {
    all,
    /** Resolves when all that run now have ended. */
    ended: () =>
      Promise.all(all.filter(({ threadId }) => threadId > 0).map(worker => new Promise(done => worker.once('exit', done)))),
  }
}

interface Binaryen {
  readBinary(bytes: Uint8Array): { emitText(): string }
  parseText(text: string): { emitBinary(): Uint8Array<ArrayBuffer>; setFeatures(features: number): void }
  readonly Features: { readonly All: number }
}

/** What the compiler of the loops itself uses to read and write modules. */
export async function loadBinaryen(): Promise<Binaryen> {
  const compiler = createRequire(new URL('../../node_modules/assemblyscript/package.json', import.meta.url))
  return (await import(/* @vite-ignore */ pathToFileURL(compiler.resolve('binaryen')).href)).default
}
