/** A writer of runs whose work is done by a thread of its own: frames are packed and written while the next one is simulated. */
import { Worker } from 'node:worker_threads'
import { InputError } from '../../input-error.js'
import { explainMemory } from '../../machine/memory-limits.js'
import type { RunManifest } from './manifest.js'
import type { RunWriter } from './writer.js'

/** What the thread starts from. */
export interface ThreadStart {
  readonly path: string
  readonly manifest: RunManifest
  readonly statsBytes: number
}

/** The answer to every moment, in order. */
export type ThreadAnswer = { readonly manifest: RunManifest } | { readonly failure: string; readonly isInput: boolean }

/** As `createWriter`, but arrays may be changed as soon as they were passed. Arrays of checkpoints are transferred, not
 *  copied. */
export function createThreadedWriter(
  path: string,
  start: RunManifest,
  statsBytes: number,
  unlock: () => Promise<void>,
): RunWriter {
  const workerData: ThreadStart = { path, manifest: start, statsBytes }
  // Options of the process are not for this thread: loaders, for example, would be loaded again.
  const thread = startThread(workerData)
  let manifest = start
  let broken: Error | undefined
  const waiting: { resolve(): void; reject(error: Error): void }[] = []
  const next = () => {
    const first = waiting.shift()
    if (waiting.length === 0) thread.unref()
    return first
  }
  const breakDown = (error: Error) => {
    broken ??= explainMemory(error) ?? error
    while (waiting.length > 0) next()?.reject(broken)
  }
  thread.on('message', (answer: ThreadAnswer) => {
    if ('failure' in answer) return next()?.reject(answer.isInput ? new InputError(answer.failure) : new Error(answer.failure))
    manifest = answer.manifest
    next()?.resolve()
  })
  thread.on('error', breakDown)
  thread.on('exit', () => breakDown(new Error('The thread that writes frames has ended.')))
  // The process stays alive for pending writes only; the listener alone would keep it alive.
  thread.unref()

  let last: Promise<unknown> = Promise.resolve()
  return {
    path,
    manifest: () => manifest,
    keep(moment) {
      const done = new Promise<void>((resolve, reject) => {
        if (broken) return reject(broken)
        waiting.push({ resolve, reject })
        thread.ref()
        thread.postMessage(moment, buffersOf(moment.checkpoint?.arrays.values() ?? []))
      })
      last = done.catch(() => {})
      return done
    },
    async close() {
      await last
      await thread.terminate()
      await unlock()
    },
  }
}

function startThread(workerData: ThreadStart): Worker {
  try {
    return new Worker(new URL('./writer-thread.js', import.meta.url), { workerData, execArgv: [] })
  } catch (error) {
    throw explainMemory(error) ?? error
  }
}

/** Those that hold nothing but one of the arrays. */
function buffersOf(arrays: Iterable<ArrayBufferView>): ArrayBuffer[] {
  const whole = new Set<ArrayBuffer>()
  for (const { buffer, byteLength } of arrays)
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) whole.add(buffer)
  return [...whole]
}
