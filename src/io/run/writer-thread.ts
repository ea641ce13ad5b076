/** The thread of threaded-writer.ts: keeps one moment after the other, and answers each. */
import { parentPort, workerData } from 'node:worker_threads'
import { InputError } from '../../input-error.js'
import type { ThreadAnswer, ThreadStart } from './threaded-writer.js'
import { createWriter, type KeptMoment } from './writer.js'

const { path, manifest, statsBytes } = workerData as ThreadStart
const writer = createWriter(path, manifest, statsBytes, async () => {})
const answer = (said: ThreadAnswer) => parentPort!.postMessage(said)

parentPort!.on('message', (moment: KeptMoment) => {
  writer.keep(moment).then(
    () => answer({ manifest: writer.manifest() }),
    (error: Error) => answer({ failure: error.message, isInput: error instanceof InputError }),
  )
})
