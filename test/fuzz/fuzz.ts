/** Drives a reader over many damaged inputs. Only a result or an InputError may come out, in bounded time and memory.
 *
 *  Every input follows from the seed, the name of the driver and its number. PEEL_FUZZ_SEED repeats a run, PEEL_FUZZ_INPUT only one input of
 *  it, PEEL_FUZZ_FACTOR makes runs longer: see CONTRIBUTING.md. */
import { Worker } from 'node:worker_threads'
import { afterAll, expect, it } from 'vitest'
import { InputError } from '../../src/input-error.js'
import { printable } from '../../src/printable.js'
import { random } from '../../src/random.js'

export const SEED = Number(process.env.PEEL_FUZZ_SEED ?? Math.floor(2 ** 31 * Math.random()))
const ONLY = process.env.PEEL_FUZZ_INPUT === undefined ? undefined : Number(process.env.PEEL_FUZZ_INPUT)
const FACTOR = Number(process.env.PEEL_FUZZ_FACTOR ?? 1)

/** Random choices, all of them from the seed. */
export interface Draw {
  /** From 0 to `count` − 1. */
  below(count: number): number
  pick<T>(list: readonly T[]): T
  chance(probability: number): boolean
}

/** Milliseconds of processor time that one input may take, and bytes that the process may have. An input of a few kilobytes takes
 *  milliseconds; the limits only tell what never ends from what does. */
const MAX_MILLISECONDS = 30_000
const MAX_BYTES = 2.5 * 2 ** 30

export function drawFrom(driver: string, input: number): Draw {
  const key = [...driver].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, 7) >>> 0
  let at = 0
  const next = () => random(SEED, key, input, at++)
  const below = (count: number) => Math.floor(count * next())
  return { below, pick: list => list[below(list.length)], chance: probability => next() < probability }
}

/** `attempt` draws an input, reads it, and throws what the reader throws. It may return a word for what came out, which is counted. */
export function fuzz(driver: string, count: number, attempt: (draw: Draw, input: number) => unknown): void {
  it(`${driver}: ${count} inputs`, async () => {
    const watch = await watchdog()
    const outcomes = new Map<string, number>()
    const inputs = ONLY === undefined ? Array.from({ length: Math.ceil(count * FACTOR) }, (_, at) => at) : [ONLY]
    try {
      for (const input of inputs) {
        watch.start(driver, input)
        let outcome = 'refused'
        try {
          outcome = String((await attempt(drawFrom(driver, input), input)) ?? 'read')
        } catch (error) {
          if (!(error instanceof InputError)) {
            const stack = (error as Error)?.stack ?? String(error)
            expect.fail(`${driver}: PEEL_FUZZ_SEED=${SEED} PEEL_FUZZ_INPUT=${input} threw no InputError but ${stack}`)
          }
          const { message } = error
          const isSentence = message.length > 0 && message.length < 20_000 && message === printable(message)
          if (!isSentence)
            expect.fail(`${driver}: PEEL_FUZZ_SEED=${SEED} PEEL_FUZZ_INPUT=${input} gave no sentence but ${message}`)
        }
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
    } finally {
      await watch.end()
    }
    const counted = [...outcomes].map(([outcome, number]) => `${number} ${outcome}`).join(', ')
    console.log(`${driver}: seed ${SEED}, ${inputs.length} inputs: ${counted}`)
    // A driver of which nothing is ever read, or everything, tests nothing.
    if (inputs.length > 100) expect(outcomes.size).toBeGreaterThan(1)
  })
}

interface Watchdog {
  start(driver: string, input: number): void
  end(): Promise<unknown>
}

let running: Promise<{ worker: Worker; shared: Int32Array; driver: Uint8Array }> | undefined
afterAll(async () => (await running)?.worker.terminate())

/** A thread that names the input and ends the process where an input takes too long or too much, since a loop cannot be interrupted. */
async function watchdog(): Promise<Watchdog> {
  running ??= (async () => {
    const shared = new Int32Array(new SharedArrayBuffer(8))
    const driver = new Uint8Array(new SharedArrayBuffer(64))
    const worker = new Worker(
      `const { workerData } = require('node:worker_threads'); const { writeSync } = require('node:fs')
       const { shared, driver, seed, most, longest } = workerData
       let [last, since] = [-1, process.cpuUsage()]
       setInterval(() => {
         const input = Atomics.load(shared, 0)
         if (input !== last || input < 0) [last, since] = [input, process.cpuUsage()]
         const { user } = process.cpuUsage(since)
         const { rss } = process.memoryUsage()
         if (input < 0 || (user < 1000 * longest && rss < most)) return
         const name = Buffer.from(driver).toString().replace(/\\0/g, '')
         writeSync(2, name + ': PEEL_FUZZ_SEED=' + seed + ' PEEL_FUZZ_INPUT=' + input + ' takes ' + user / 1e6 + ' s and ' + rss + ' bytes\\n')
         process.kill(process.pid, 'SIGKILL')
       }, 200)`,
      { eval: true, workerData: { shared, driver, seed: SEED, most: MAX_BYTES, longest: MAX_MILLISECONDS } },
    )
    worker.unref()
    return { worker, shared, driver }
  })()
  const { shared, driver: place } = await running
  return {
    start(driver, input) {
      place.fill(0)
      place.set(new TextEncoder().encode(driver).subarray(0, 64))
      Atomics.store(shared, 0, input)
    },
    end: async () => Atomics.store(shared, 0, -1),
  }
}
