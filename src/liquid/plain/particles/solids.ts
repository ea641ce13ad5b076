/** Particles near solids. No particle enters a solid: where one might, its path is walked in short strides, stopped at the wall, and continued
 *  along it. Particles that a moving solid has run over are pushed out. */
import { SLACK } from '../../shared-constants.js'
import { addScaled, f32, lengthOf, roundToEven } from '../arithmetic.js'
import { createDistance, type SolidDistance, stridesOf } from '../distance.js'
import { wallOf, wallVelocity } from '../grid/nodal-solids.js'
import { lowestNode } from '../grid/walk.js'
import type { PlainState } from '../state.js'
import { createSides, type ParticleSides, WALL_GAP } from './sides.js'

/** Distances without any solid are larger than this. */
const NO_SOLID = 1e5
/** Least steepness of a distance that has a direction; 1 away from edges and corners. */
const MIN_STEEPNESS = f32(1e-3)
/** Iterations after which pushing a particle out stops. */
const MAX_PUSHES = 6
/** Cells along an axis that are searched for a way out between wedged solids. */
const FARTHEST_NODE = 3

export interface ParticleSolids {
  /** Corrects the end `to` of a particle's path, and its velocity, where a solid is in the way. */
  stop(from: Float32Array, displacement: Float32Array, length: number, to: Float32Array, velocity: Float32Array): void
}

export function createSolids(state: PlainState): ParticleSolids {
  const distance = createDistance(state)
  const sides = createSides(state)
  return {
    stop(from, displacement, length, to, velocity) {
      const away = distance.at(from)
      // A signed distance changes by no more than the displacement, but across a hole of a mesh it jumps.
      const isNear = away < f32(f32(f32(SLACK) * length) + 4 * WALL_GAP)
      if (!isNear && !(away < NO_SOLID && distance.at(to) < WALL_GAP)) return
      to.set(leaveSolid(state, distance, sides, walk(distance, sides, from, displacement, length)))
      stopAtWall(state, distance, to, velocity)
    },
  }
}

/** End of a path that is walked in strides, pushed out of solids after each. */
function walk(
  distance: SolidDistance,
  sides: ParticleSides,
  from: Float32Array,
  displacement: Float32Array,
  length: number,
): Float32Array {
  const strides = stridesOf(length)
  const stride = displacement.map(component => component * f32(1 / strides))
  const reach = f32(f32(f32(SLACK) * length) / strides)
  let here = from.slice()
  let away = distance.at(from)
  for (let done = 0; done < strides; ) {
    const free = freeStrides(away, reach, strides - done)
    const ahead = here.slice()
    for (let n = 0; n < free; n++) addScaled(ahead, ahead, stride, 1)
    // Strides that cannot reach a solid are tested once, together, because distances may jump.
    if (free > 0 && distance.at(ahead) >= WALL_GAP) {
      here = ahead
      done += free
    } else {
      const next = here.slice()
      addScaled(next, next, stride, 1)
      pushOut(distance, sides, next)
      // Wedged: there is no way out from there, so the particle stays where it was.
      if (distance.at(next) < 0) break
      here = next
      done++
    }
    away = distance.at(here)
  }
  return here
}

/** Number of strides of a given reach that cannot get to a solid; 0 if joining them does not pay. */
function freeStrides(away: number, reach: number, left: number): number {
  if (left <= 1 || !(away > f32(WALL_GAP + f32(2 * reach)))) return 0
  return Math.trunc(Math.min(left, f32(f32(away - WALL_GAP) / reach)))
}

/** Moves along the gradient until outside; a few times, because corners and interpolation bend it. */
function pushOut(distance: SolidDistance, sides: ParticleSides, position: Float32Array): void {
  const slope = new Float32Array(3)
  for (let turn = 0; turn < MAX_PUSHES; turn++) {
    const away = distance.withSlope(position, slope)
    if (away >= WALL_GAP) return
    const steepness = lengthOf(slope)
    if (!(steepness > MIN_STEEPNESS)) return
    addScaled(position, position, slope, f32(f32(2 * WALL_GAP - away) / f32(steepness * steepness)))
    // Between a side and an approaching solid, particles have to move along both.
    sides.clamp(position)
  }
}

/** Out of a solid that has moved over the position; elsewhere the position itself. */
function leaveSolid(state: PlainState, distance: SolidDistance, sides: ParticleSides, position: Float32Array): Float32Array {
  if (distance.at(position) >= 0) return position
  pushOut(distance, sides, position)
  return distance.at(position) < 0 ? nearestOutside(state, position) : position
}

/** Where solids meet, slopes lead back and forth. Then the nearest node outside of them is a way out, if there is one around. */
function nearestOutside({ grid, arrays }: PlainState, position: Float32Array): Float32Array {
  const { shape, dims } = grid
  const [x, y, z] = position
  const lowest = (coordinate: number) => Math.ceil(Math.max(f32(coordinate - FARTHEST_NODE), 0))
  const highest = (coordinate: number, size: number) => Math.floor(Math.min(f32(coordinate + FARTHEST_NODE), size))
  const [firstK, lastK] = dims === 3 ? [lowest(z), highest(z, shape[2])] : [0, 0]
  let nearest = Infinity
  let found = position
  for (let k = firstK; k <= lastK; k++) {
    for (let j = lowest(y); j <= highest(y, shape[1]); j++) {
      for (let i = lowest(x); i <= highest(x, shape[0]); i++) {
        const node = i + (shape[0] + 1) * (j + (shape[1] + 1) * k)
        if (!(arrays.solid[node] > WALL_GAP)) continue
        const [dx, dy, dz] = [f32(i - x), f32(j - y), dims === 3 ? f32(k - z) : 0]
        const square = f32(f32(f32(dx * dx) + f32(dy * dy)) + f32(dz * dz))
        if (square >= nearest) continue
        nearest = square
        found = Float32Array.of(i, j, dims === 3 ? k : z)
      }
    }
  }
  return found
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
  const { grid, arrays } = state
  const [i, j, k] = grid.shape.map((size, axis) => Math.min(Math.max(roundToEven(position[axis]), 0), size))
  const wall = wallOf(state, arrays.owner[lowestNode(grid, i, j, k)])
  const metres = grid.shape.map((_, axis) => (axis < grid.dims ? position[axis] * grid.spacing : 0))
  return Float32Array.from(metres, (_, axis) => wallVelocity(wall, axis, metres))
}
