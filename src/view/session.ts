/** A simulation as a page sees it: it runs in its own worker, one frame at a time, and returns the frames. */
import { checkFunction, checkNumber, checkObject, checkOptions, checkWhole, refuse, untilDisposed } from '../checks.js'
import { InputError } from '../input-error.js'
import type { Influence } from '../liquid/boundary/interaction.js'
import { checkParts, type Frame, type FrameParts } from '../liquid/frame.js'
import type { PressureProblem } from '../pressure/problem.js'
import type { SceneEstimate } from '../scene/estimate.js'
import type { TriangleMesh } from '../scene/mesh.js'
import type { Scene, SceneInput } from '../scene/schema.js'
import { validateScene } from '../scene/validate.js'
import type { Answer, Moment, OrderName, Orders, Started, WorkerOrder } from './protocol.js'

type Meshes = ReadonlyMap<string, TriangleMesh>

export interface SessionScene {
  readonly scene: SceneInput | Scene
  /** By the names that the scene gives them. */
  readonly meshes?: Meshes
}

export interface SessionOptions {
  /** What frames hold besides the surface. */
  readonly parts?: FrameParts
  /** As many as the machine has if absent; one on pages that are not cross-origin isolated. */
  readonly threads?: number
  /** Bytes above which a scene is refused before it starts. */
  readonly maxBytes?: number
  /** For hosts that start workers differently. */
  readonly createWorker?: () => WorkerLike
}

/** The part of a Worker that is used. */
export interface WorkerLike {
  postMessage(message: unknown): void
  terminate(): void
  onmessage: ((event: MessageEvent) => unknown) | null
  onerror: ((event: ErrorEvent) => unknown) | null
}

export interface Session {
  readonly scene: Scene
  readonly estimate: SceneEstimate
  /** What it runs on: portable, wasm, or threads with their number. */
  readonly engine: string
  readonly threads: number
  /** Why it runs in plain TypeScript, where the browser allows nothing faster; absent otherwise. */
  readonly note?: string
  /** The latest one. */
  readonly moment: Moment
  advance(parts?: FrameParts): Promise<Moment>
  /** From the next frame on, until it is ended with null or the session starts over. What is absent stays as it was. */
  influence(change: Influence): void
  /** The current frame again, with other parts. */
  capture(parts: FrameParts): Promise<Frame>
  /** The pressure problem of the last substep. */
  problem(): Promise<PressureProblem>
  /** Continues from the liquid as it is with other walls, solver, tolerance, gravity, solids: anything but the cells. */
  change(given: SessionScene, threads?: number): Promise<Moment>
  /** From the start, with this scene or another. */
  restart(given?: SessionScene, threads?: number): Promise<Moment>
  /** Aborts the current work: its promises are rejected with Interrupted, and the only valid next call is `restart`. */
  interrupt(): void
  /** Rejects pending promises with Interrupted; every later call is an InputError. */
  dispose(): void
}

/** Why a promise of a session was rejected: another request replaced it. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

const MAX_SESSION_BYTES = 1.5 * 2 ** 30

export async function startSession(given: SessionScene, options: SessionOptions = {}): Promise<Session> {
  checkObject(given, 'startSession: its first argument', 'an object with scene and, if needed, meshes')
  checkOptions(options, 'startSession: the options')
  const { parts = {}, maxBytes = MAX_SESSION_BYTES, createWorker = createSimulationWorker } = options
  checkParts(parts, 'startSession: parts')
  checkNumber(maxBytes, 'startSession: maxBytes', 1)
  checkFunction(createWorker, 'startSession: createWorker')
  // Before there is a worker: most mistakes are found here.
  validateScene(given.scene)
  let line = openLine(createWorker())
  let running: { readonly scene: Scene; readonly meshes: Meshes; readonly threads?: number; readonly started: Started }
  let moment: Moment
  /** The current interaction, and whether the worker has received it. */
  let influence: Influence = {}
  let isInfluenceNew = false

  /** If the new one does not start, everything stays as it was. */
  async function start(wanted: SessionScene, threads: number | undefined, goesOn: boolean): Promise<Moment> {
    checkObject(wanted, 'The scene of a session', 'an object with scene and, if needed, meshes')
    const { scene, meshes } = wanted
    if (meshes !== undefined && !(meshes instanceof Map)) refuse('The meshes of a session', 'a Map of meshes by name', meshes)
    if (threads !== undefined) checkWhole(threads, 'The threads of a session', 1, 64)
    const next = { scene: validateScene(scene), meshes: meshes ?? new Map(), threads }
    const started = await line.ask('start', { ...next, maxBytes, parts, goesOn })
    running = { ...next, started }
    moment = started.moment
    influence = goesOn ? influence : {}
    isInfluenceNew = goesOn
    return moment
  }

  try {
    await start(given, options.threads, false)
  } catch (error) {
    line.close(new Interrupted('The simulation did not start.'))
    throw error
  }
  const session: Session = {
    get scene() {
      return running.scene
    },
    get estimate() {
      return running.started.estimate
    },
    get engine() {
      return running.started.engine
    },
    get threads() {
      return running.started.threads
    },
    get note() {
      return running.started.note
    },
    get moment() {
      return moment
    },
    async advance(wanted = parts) {
      checkParts(wanted, 'advance: parts')
      const asked = line.ask('advance', { parts: wanted, ...(isInfluenceNew && { influence }) })
      isInfluenceNew = false
      moment = await asked
      return moment
    },
    influence(change) {
      checkObject(change, 'The influence')
      influence = { ...influence, ...change }
      isInfluenceNew = true
    },
    async capture(wanted) {
      checkParts(wanted, 'capture: parts')
      return line.ask('capture', wanted)
    },
    async problem() {
      return line.ask('problem', undefined)
    },
    async change(next, threads = running.threads) {
      return start(next, threads, true)
    },
    async restart(next = running, threads = running.threads) {
      if (!line.isOpen) line = openLine(createWorker())
      return start(next, threads, false)
    },
    interrupt() {
      if (line.isBusy) line.close(new Interrupted('The current frame was cancelled.'))
    },
    dispose: () => line.close(new Interrupted('The simulation was disposed of.')),
  }
  return untilDisposed(session, 'the session')
}

/** Bundlers recognise the worker by this exact expression. */
function createSimulationWorker(): WorkerLike {
  return new Worker(new URL('./simulation-worker.js', import.meta.url), { type: 'module', name: 'peel' })
}

interface Waiting {
  resolve(answer: unknown): void
  reject(error: Error): void
}

function openLine(worker: WorkerLike) {
  const waiting = new Map<number, Waiting>()
  let count = 0
  let closed: Error | undefined

  function close(reason: Error): void {
    if (closed) return
    closed = reason
    worker.terminate()
    for (const { reject } of waiting.values()) reject(reason)
    waiting.clear()
  }

  worker.onmessage = ({ data }: MessageEvent<Answer>) => {
    const asked = waiting.get(data.number)
    waiting.delete(data.number)
    if ('answer' in data) asked?.resolve(data.answer)
    else asked?.reject(data.failure.isInput ? new InputError(data.failure.message) : new Error(data.failure.message))
  }
  worker.onerror = event => {
    const reason = event.message ? `: ${event.message}` : ', most likely because its script was not found'
    close(new Error(`The worker of the simulation has failed${reason}.`))
  }
  return {
    get isOpen() {
      return closed === undefined
    },
    get isBusy() {
      return waiting.size > 0
    },
    ask<N extends OrderName>(name: N, given: Orders[N]['given']): Promise<Orders[N]['answer']> {
      if (closed) return Promise.reject(closed)
      const order: WorkerOrder = { number: ++count, name, given }
      return new Promise((resolve, reject) => {
        waiting.set(order.number, { resolve: resolve as Waiting['resolve'], reject })
        worker.postMessage(order)
      })
    },
    close,
  }
}
