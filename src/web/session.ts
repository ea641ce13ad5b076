/** A simulation as a page sees it: it runs in a worker of its own, one frame at a time, and hands frames over. */
import { InputError } from '../input-error.js'
import type { Frame, FrameParts } from '../liquid/frame.js'
import type { Influence } from '../liquid/influence.js'
import type { PressureProblem } from '../pressure/problem.js'
import type { SceneEstimate } from '../scene/estimate.js'
import type { TriangleMesh } from '../scene/mesh.js'
import type { Scene, SceneInput } from '../scene/schema.js'
import { validateScene } from '../scene/validate.js'
import type { Answer, Moment, Order, OrderName, Orders, Started } from './protocol.js'

type Meshes = ReadonlyMap<string, TriangleMesh>

export interface SessionScene {
  readonly scene: SceneInput | Scene
  /** By the names that the scene gives them. */
  readonly meshes?: Meshes
}

export interface SessionOptions {
  /** What frames bring along besides the surface. */
  readonly parts?: FrameParts
  /** As many as the machine has if absent; one on pages that are not cross-origin isolated. */
  readonly threads?: number
  /** Bytes above which a scene is refused before it starts. */
  readonly mostBytes?: number
  /** For hosts that start workers in another way. */
  readonly createWorker?: () => WorkerLike
}

/** What is used of a Worker. */
export interface WorkerLike {
  postMessage(message: unknown): void
  terminate(): void
  onmessage: ((event: MessageEvent) => unknown) | null
  onerror: ((event: ErrorEvent) => unknown) | null
}

export interface Session {
  readonly scene: Scene
  readonly estimate: SceneEstimate
  readonly threads: number
  /** The latest one. */
  readonly moment: Moment
  advance(parts?: FrameParts): Promise<Moment>
  /** From the next frame on, until it is ended with null or the session starts over. What is absent stays as it was. */
  influence(change: Influence): void
  /** This moment once more, with other parts. */
  capture(parts: FrameParts): Promise<Frame>
  /** The pressure problem of the last substep. */
  problem(): Promise<PressureProblem>
  /** Goes on from the liquid as it is with other walls, solver, tolerance, gravity, solids: anything but the cells. */
  change(given: SessionScene, threads?: number): Promise<Moment>
  /** From the start, with this scene or another. */
  restart(given?: SessionScene, threads?: number): Promise<Moment>
  /** Gives up what is under way: its promises are rejected with Interrupted, and only `restart` helps from here on. */
  interrupt(): void
  dispose(): void
}

/** Why a promise of a session was broken: somebody wanted something else. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

const MOST_BYTES = 1.5 * 2 ** 30

export async function startSession(given: SessionScene, options: SessionOptions = {}): Promise<Session> {
  const { parts = {}, mostBytes = MOST_BYTES, createWorker = createSimulationWorker } = options
  // Before there is a worker: most mistakes are found here.
  validateScene(given.scene)
  let line = openLine(createWorker())
  let running: { readonly scene: Scene; readonly meshes: Meshes; readonly threads?: number; readonly started: Started }
  let moment: Moment
  /** All that a hand does, and whether the worker knows of it. */
  let influence: Influence = {}
  let isInfluenceNew = false

  /** What does not start leaves everything as it was. */
  async function start({ scene, meshes }: SessionScene, threads: number | undefined, goesOn: boolean): Promise<Moment> {
    const next = { scene: validateScene(scene), meshes: meshes ?? new Map(), threads }
    const started = await line.ask('start', { ...next, mostBytes, parts, goesOn })
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
  return {
    get scene() {
      return running.scene
    },
    get estimate() {
      return running.started.estimate
    },
    get threads() {
      return running.started.threads
    },
    get moment() {
      return moment
    },
    async advance(wanted = parts) {
      const asked = line.ask('advance', { parts: wanted, ...(isInfluenceNew && { influence }) })
      isInfluenceNew = false
      moment = await asked
      return moment
    },
    influence(change) {
      influence = { ...influence, ...change }
      isInfluenceNew = true
    },
    capture: wanted => line.ask('capture', wanted),
    problem: () => line.ask('problem', undefined),
    change: (next, threads = running.threads) => start(next, threads, true),
    restart(next = running, threads = running.threads) {
      if (!line.isOpen) line = openLine(createWorker())
      return start(next, threads, false)
    },
    interrupt() {
      if (line.isBusy) line.close(new Interrupted('The frame under way was given up.'))
    },
    dispose: () => line.close(new Interrupted('The simulation was disposed of.')),
  }
}

/** Bundlers find the worker by this form of words. */
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
      const order: Order = { number: ++count, name, given }
      return new Promise((resolve, reject) => {
        waiting.set(order.number, { resolve: resolve as Waiting['resolve'], reject })
        worker.postMessage(order)
      })
    },
    close,
  }
}
