/** Distance to the solids, in cells, < 0 inside, and strides that follow a path without missing a solid. */
import { f32 } from './arithmetic.js'
import { createPlace, interpolate, interpolateWithSlope, locate, nodeLattice } from './interpolate.js'
import type { PlainState } from './state.js'

/** Longest stride of a walk near solids, in cells, and how many there are at most. */
const STRIDE = 0.25
const MAX_STRIDES = 64

/** Number of strides of a path of this length. */
export function stridesOf(length: number): number {
  return Math.min(MAX_STRIDES, 1 + Math.trunc(f32(length / STRIDE)))
}

export interface SolidDistance {
  at(position: Float32Array): number
  /** Returns the distance; `slope` becomes its gradient, per cell. */
  withSlope(position: Float32Array, slope: Float32Array): number
}

/** To all solids, or to those of other distances at nodes. */
export function createDistance({ grid, arrays }: PlainState, nodes?: Float32Array): SolidDistance {
  const lattice = nodeLattice(grid)
  const place = createPlace()
  return {
    at(position) {
      locate(lattice, position, place)
      return interpolate(nodes ?? arrays.solid, lattice, place)
    },
    withSlope(position, slope) {
      locate(lattice, position, place)
      return interpolateWithSlope(nodes ?? arrays.solid, lattice, place, slope)
    },
  }
}
