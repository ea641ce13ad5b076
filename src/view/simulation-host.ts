/** The worker's side: runs a simulation on request. */
import { InputError } from '../input-error.js'
import type { Frame } from '../liquid/frame.js'
import { optionsOf } from '../liquid/from-scene.js'
import { createSimulation, type Simulation } from '../liquid/simulation.js'
import { canShare } from '../machine/host.js'
import { copyProblem } from '../pressure/problem.js'
import { estimateScene } from '../scene/estimate.js'
import { prepareScene } from '../scene/prepare.js'
import type { Scene } from '../scene/schema.js'
import type { Answer, Failure, Moment, OrderName, Orders, Started, StartOrder, WorkerOrder } from './protocol.js'

/** Where responses are posted: a worker's global scope, or a port. */
export type Reply = (answer: Answer, transfer: Transferable[]) => void

type Doing = { readonly [N in OrderName]: (given: Orders[N]['given']) => Promise<Orders[N]['answer']> }

/** Requests are processed in order. */
export function createSimulationHost(reply: Reply) {
  let simulation: Simulation | undefined
  let hasStepped = false
  let before: Promise<void> = Promise.resolve()

  const running = () => {
    if (!simulation) throw new InputError('There is no simulation yet; start one first.')
    return simulation
  }

  const doing: Doing = {
    async start(order) {
      const state = order.goesOn ? running().save() : undefined
      const started = await start(order, state)
      simulation?.dispose()
      simulation = started.simulation
      hasStepped = false
      return started.report
    },
    async advance({ parts, influence }) {
      if (influence) running().influence(influence)
      const record = await running().advance()
      hasStepped = true
      return { frame: running().capture(parts), record }
    },
    capture: async parts => running().capture(parts),
    async problem() {
      if (!hasStepped) throw new InputError('The start has no pressure problem; compute a frame first.')
      return copyProblem(running().problem())
    },
  }

  async function carryOut(order: WorkerOrder): Promise<void> {
    try {
      const answer = await (doing[order.name] as (given: unknown) => Promise<Orders[OrderName]['answer']>)(order.given)
      reply({ number: order.number, answer }, buffersOf(answer))
    } catch (error) {
      reply({ number: order.number, failure: failureOf(error) }, [])
    }
  }

  return {
    take(order: WorkerOrder): void {
      before = before.then(() => carryOut(order))
    },
    dispose(): void {
      simulation?.dispose()
      simulation = undefined
    },
  }
}

async function start({ scene, meshes, threads, maxBytes, parts }: StartOrder, state: ReturnType<Simulation['save']> | undefined) {
  const setting = prepareScene(scene, meshes)
  const estimate = estimateScene(scene, setting)
  if (estimate.compiledBytes > maxBytes) throw new InputError(tooLarge(scene, estimate.compiledBytes, maxBytes))
  const options = { ...optionsOf(scene), threads: threadsFor(scene, threads), keepsProblem: true }
  const simulation = await createSimulation(setting, options, state)
  const moment: Moment = { frame: simulation.capture(parts) }
  const { engine, note } = simulation
  const report: Started = { moment, estimate, engine, threads: simulation.threads, note }
  return { simulation, report }
}

/** Absent, small solves stay on one thread while the rest has all. */
function threadsFor({ solver }: Scene, wanted: number | undefined): number | undefined {
  if (!canShare() || solver.engine === 'portable' || solver.engine === 'wasm') return 1
  return wanted ?? solver.threads
}

function tooLarge({ domain: { resolution, size } }: Scene, bytes: number, limit: number): string {
  const inMebibytes = (value: number) => `${Math.round(value / 2 ** 20)} MiB`
  const fitting = Math.max(1, Math.floor(0.95 * resolution * (limit / bytes) ** (1 / size.length)))
  return `A resolution of ${resolution} needs about ${inMebibytes(bytes)}, more than the ${inMebibytes(limit)} available here; use ${fitting} or less.`
}

/** Large arrays move to the page instead of being copied. */
function buffersOf(answer: Orders[OrderName]['answer']): Transferable[] {
  if ('moment' in answer) return frameBuffers(answer.moment.frame)
  if ('frame' in answer) return frameBuffers(answer.frame)
  if ('liquid' in answer) return frameBuffers(answer)
  return [answer.kind, answer.diagonal, ...answer.links, answer.b].map(({ buffer }) => buffer as ArrayBuffer)
}

function frameBuffers({ liquid, solid, particles, fields }: Frame): Transferable[] {
  const arrays: ArrayBufferView[] = [liquid, solid]
  if (particles) arrays.push(particles.position, particles.velocity)
  if (fields) arrays.push(fields.pressure, fields.kind, ...fields.velocity)
  return arrays.map(({ buffer }) => buffer as ArrayBuffer)
}

function failureOf(error: unknown): Failure {
  if (error instanceof InputError) return { isInput: true, message: error.message }
  if (error instanceof RangeError)
    return { isInput: true, message: `There is not enough memory; use a lower resolution (${error.message}).` }
  return { isInput: false, message: error instanceof Error ? error.message : String(error) }
}
