/** Particles near solids. No particle enters a solid: where one might, its path is walked in short strides. Particles that are at a wall afterwards
 *  lose their velocity into it. */
import { SLACK } from '../../shared-constants.js'
import { addScaled, f32, lengthOf } from '../arithmetic.js'
import { createDistance, type SolidDistance } from '../distance.js'
import { wallOf, wallVelocity } from '../grid/nodal-solids.js'
import type { PlainState } from '../state.js'
import { ownerAt } from '../wall-frames.js'
import { WALL_GAP } from './sides.js'
import { createWalk, MIN_STEEPNESS } from './walk-along.js'

/** Distances without any solid are larger than this. */
const NO_SOLID = 1e5

export interface ParticleSolids {
  /** Corrects the end `to` of a particle's path, and its velocity, where a solid is in the way. */
  stop(from: Float32Array, displacement: Float32Array, to: Float32Array, velocity: Float32Array): void
}

/** `hasFrames`: whether walls have moved while particles do. */
export function createSolids(state: PlainState, hasFrames: boolean): ParticleSolids {
  const distance = createDistance(state)
  const walkAlong = createWalk(state)
  const farthest = hasFrames ? f32(state.motion.farthest) : 0
  return {
    stop(from, displacement, to, velocity) {
      const away = distance.at(from)
      const length = lengthOf(displacement)
      // A signed distance changes by no more than the displacement, but across a hole of a mesh it jumps.
      const isNear = away < f32(f32(f32(SLACK) * f32(length + farthest)) + 4 * WALL_GAP)
      if (!isNear && !(away < NO_SOLID && distance.at(to) < WALL_GAP)) return
      to.set(walkAlong(from, to, length, hasFrames))
      stopAtWall(state, distance, to, velocity)
    },
  }
}

/** Removes the velocity of a particle into a wall; otherwise particles on a wall without pressure would fall faster and faster. */
function stopAtWall(state: PlainState, distance: SolidDistance, position: Float32Array, velocity: Float32Array): void {
  const normal = new Float32Array(3)
  if (distance.withSlope(position, normal) > 4 * WALL_GAP) return
  const steepness = lengthOf(normal)
  if (!(steepness > MIN_STEEPNESS)) return
  for (let axis = 0; axis < 3; axis++) normal[axis] *= f32(1 / steepness)
  const wall = velocityOfSolid(state, position)
  let into = 0
  for (let axis = 0; axis < 3; axis++) into = f32(into + f32(f32(velocity[axis] - wall[axis]) * normal[axis]))
  if (into < 0) addScaled(velocity, velocity, normal, -into)
}

/** Velocity of the solid at the nearest node. */
function velocityOfSolid(state: PlainState, position: Float32Array): Float32Array {
  const { grid } = state
  const wall = wallOf(state, ownerAt(state, position))
  const metres = grid.shape.map((_, axis) => (axis < grid.dims ? position[axis] * grid.spacing : 0))
  return Float32Array.from(metres, (_, axis) => wallVelocity(wall, axis, metres))
}
