/** Messages between a page and the worker of its simulation. Every request has a number and is answered once, in order, with
 *  the same number. */
import type { Influence } from '../liquid/boundary/interaction.js'
import type { Frame, FrameParts } from '../liquid/frame.js'
import type { FrameRecord } from '../liquid/records.js'
import type { PressureProblem } from '../pressure/problem.js'
import type { SceneEstimate } from '../scene/estimate.js'
import type { TriangleMesh } from '../scene/mesh.js'
import type { Scene } from '../scene/schema.js'

/** Requests and their responses. */
export interface Orders {
  start: { given: StartOrder; answer: Started }
  advance: { given: AdvanceOrder; answer: Moment }
  capture: { given: FrameParts; answer: Frame }
  problem: { given: undefined; answer: PressureProblem }
}

export interface StartOrder {
  readonly scene: Scene
  readonly meshes: ReadonlyMap<string, TriangleMesh>
  /** As many as the machine has if absent; one where memory cannot be shared. */
  readonly threads?: number
  /** Refuses what is estimated to need more. */
  readonly maxBytes: number
  readonly parts: FrameParts
  /** Continues from the liquid as it is now, instead of from the start. */
  readonly goesOn: boolean
}

export interface AdvanceOrder {
  readonly parts: FrameParts
  /** Interaction since the last frame. */
  readonly influence?: Influence
}

export interface Started {
  readonly moment: Moment
  readonly estimate: SceneEstimate
  /** What the simulation runs on, and with how many threads. */
  readonly engine: string
  readonly threads: number
  /** Why it runs in plain TypeScript, where the host allows nothing faster. */
  readonly note?: string
}

export interface Moment {
  readonly frame: Frame
  /** Absent at the start. */
  readonly record?: FrameRecord
}

export type OrderName = keyof Orders

export interface WorkerOrder<N extends OrderName = OrderName> {
  readonly number: number
  readonly name: N
  readonly given: Orders[N]['given']
}

export type Answer =
  | { readonly number: number; readonly answer: Orders[OrderName]['answer'] }
  | { readonly number: number; readonly failure: Failure }

/** An error as a message can carry it. */
export interface Failure {
  readonly isInput: boolean
  readonly message: string
}
