/** What is kept, drawn and exported of one moment: plain arrays, metres and seconds, laid out as in `grid/`. Absent is what the run does
 *  not keep. Lengths of arrays: cells, nodes (cell corners), faces per axis, particles. */
import type { Grid } from '../grid/grid.js'

export interface Frame {
  readonly grid: Grid
  /** 0 is the start. */
  readonly index: number
  readonly time: number
  /** Signed distance to the surface at cell centres, < 0 inside. */
  readonly liquid: Float32Array
  /** Signed distance to the nearest solid at nodes, < 0 inside. */
  readonly solid: Float32Array
  readonly particles?: FrameParticles
  readonly fields?: FrameFields
}

/** What of a frame to keep besides the surface; nothing if absent. */
export interface FrameParts {
  readonly particles?: boolean
  readonly fields?: boolean
}

export interface FrameParticles {
  /** x, y, z of every particle, one after the other; z is 0 in 2D. */
  readonly position: Float32Array
  /** m/s, likewise. */
  readonly velocity: Float32Array
}

/** As of the last substep: what particles were moved with. */
export interface FrameFields {
  /** Pa at cell centres, 0 in dry cells. */
  readonly pressure: Float32Array
  /** DRY, LIQUID or CONTACT, as the pressure problem had it. */
  readonly kind: Uint8Array
  /** m/s on faces. */
  readonly velocity: readonly [Float32Array, Float32Array, Float32Array]
}
