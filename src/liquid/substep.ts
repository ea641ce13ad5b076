/** A substep under way. */
import type { Vector } from '../scene/setting.js'
import type { WallForces } from './boundary/force-record.js'
import type { SubstepRecord } from './records.js'
import type { Travel } from './time-step.js'

/** Values that parts of a substep pass on to later ones. */
export interface Substep {
  /** Time at the end of the frame, s. */
  readonly end: number
  /** Substeps of the frame that are done. */
  readonly done: number
  /** Length, s, and time at the end of the substep, s. */
  dt: number
  next: number
  travel: Travel
  /** What the solve stands for, s: half of the last substep, or of this one if it is the first. */
  half: number
  /** m/s². */
  gravity: Vector
  /** Pa that liquid may press with although it did not before, and it is no impact: the weight of a cell. */
  allowance: number
  /** Whether it is the first substep of liquid that moves. */
  isMoving: boolean
  solved?: SubstepRecord['solve']
  forces?: WallForces
  /** Share of their velocities that particles keep. */
  ratio: number
  /** Particles before some may leave. */
  count: number
}

/** Of a frame that ends at time `end`, after `done` others. */
export function createSubstep(end: number, done: number): Substep {
  return {
    end,
    done,
    dt: 0,
    next: end,
    travel: { liquid: 0, walls: 0 },
    half: 0,
    gravity: [0, 0, 0],
    allowance: 0,
    isMoving: false,
    ratio: 0,
    count: 0,
  }
}
