/** Particles at the sides of the grid. */
import { REMOVED } from '../../loops.js'
import { f32 } from '../arithmetic.js'
import type { PlainState } from '../state.js'

/** Cells that particles keep from walls: a few roundings of a coordinate of a thousand cells. */
export const WALL_GAP = f32(1e-3)

export interface ParticleSides {
  /** Closed sides keep a particle inside and remove its velocity towards them. Returns whether it has left: through an open side, or because
   *  its position is not a number. */
  stop(position: Float32Array, velocity: Float32Array): boolean
  /** Moves a position to between the closed sides. */
  clamp(position: Float32Array): void
  /** Moves a position to between all sides, open ones included. */
  keepInside(position: Float32Array): void
}

export function createSides({ grid: { shape, dims }, sides }: PlainState): ParticleSides {
  const isOpen = (axis: number, upper: 0 | 1) => axis < dims && sides[axis][upper] === 'open'
  const lowest = shape.map((_, axis) => (isOpen(axis, 0) ? REMOVED / 2 : WALL_GAP))
  const highest = shape.map((size, axis) => f32(size - (isOpen(axis, 1) ? REMOVED / 2 : WALL_GAP)))
  const hasLeft = (position: Float32Array) => {
    for (let axis = 0; axis < 3; axis++) {
      const coordinate = position[axis]
      if (Number.isNaN(coordinate)) return true
      if ((coordinate < 0 && isOpen(axis, 0)) || (coordinate > shape[axis] && isOpen(axis, 1))) return true
    }
    return false
  }
  return {
    stop(position, velocity) {
      if (hasLeft(position)) return true
      for (let axis = 0; axis < 3; axis++) {
        const inside = Math.min(Math.max(position[axis], WALL_GAP), f32(shape[axis] - WALL_GAP))
        const back = f32(inside - position[axis])
        if (f32(velocity[axis] * back) < 0) velocity[axis] = 0
        position[axis] = inside
      }
      return false
    },
    keepInside(position) {
      for (let axis = 0; axis < 3; axis++)
        position[axis] = Math.min(Math.max(position[axis], WALL_GAP), f32(shape[axis] - WALL_GAP))
    },
    clamp(position) {
      for (let axis = 0; axis < 3; axis++) position[axis] = Math.min(Math.max(position[axis], lowest[axis]), highest[axis])
    },
  }
}
