/** Particles move with the velocity of the grid. Second order is the midpoint rule, third order Ralston's rule (1962):
 *
 *    k1 = u(x)    k2 = u(x + ½ dt k1)    k3 = u(x + ¾ dt k2)    x += dt k2,  or  x += dt (2 k1 + 3 k2 + 4 k3) / 9 */
import { REMOVED } from '../../loops.js'
import { addScaled, f32 } from '../arithmetic.js'
import { gridVelocity } from '../grid/velocities.js'
import { createFaceSampler } from '../interpolate.js'
import type { PlainState } from '../state.js'
import { isRemoved } from '../store.js'
import { createSides } from './sides.js'
import { createSolids } from './solids.js'

/** Cells that particles may be from known faces, plus cells from a position to the faces around it. */
const BESIDE = 1.5

const RALSTON = [f32(2 / 9), f32(3 / 9), f32(4 / 9)] as const

/** How to move particles. */
interface Advection {
  readonly order: 2 | 3
  /** Whether walls have moved in this time. */
  readonly hasFrames: boolean
}

/** Moves all particles, and changes the velocity of those that walls stop. Returns how many left through open sides. */
export function advectParticles(state: PlainState, dt: number, { order, hasFrames }: Advection): number {
  const { arrays, grid, particleCount } = state
  const columns = [arrays.px, arrays.py, arrays.pz]
  const velocities = [arrays.vx, arrays.vy, arrays.vz]
  // Cells per m/s.
  const scale = f32(dt / grid.spacing)
  const findDisplacement = createFlowDisplacement(state, scale, order)
  const solids = createSolids(state, hasFrames)
  const sides = createSides(state)
  const [from, to, displacement, velocity] = Array.from({ length: 4 }, () => new Float32Array(3))
  let left = 0
  for (let n = 0; n < particleCount; n++) {
    if (isRemoved(arrays.px[n])) continue
    for (let axis = 0; axis < 3; axis++) {
      from[axis] = columns[axis][n]
      velocity[axis] = velocities[axis][n]
    }
    findDisplacement(from, displacement)
    addScaled(to, from, displacement, 1)
    if (state.hasSolids) solids.stop(from, displacement, to, velocity)
    if (sides.stop(to, velocity)) {
      to.fill(REMOVED)
      left++
    }
    for (let axis = 0; axis < 3; axis++) {
      columns[axis][n] = to[axis]
      velocities[axis][n] = velocity[axis]
    }
  }
  return left
}

type FindDisplacement = (from: Float32Array, displacement: Float32Array) => void

/** Displacement of a particle with the flow, in cells. */
function createFlowDisplacement(state: PlainState, scale: number, order: 2 | 3): FindDisplacement {
  const sample = createFaceSampler(state.grid)
  const velocity = gridVelocity(state)
  const reach = reachOf(state)
  const [k1, k2, k3, between] = Array.from({ length: 4 }, () => new Float32Array(3))
  return (from, displacement) => {
    sample(velocity, from, k1)
    goTo(between, from, k1, f32(0.5 * scale), reach)
    sample(velocity, between, k2)
    if (order === 2) {
      for (let axis = 0; axis < 3; axis++) displacement[axis] = k2[axis] * scale
      return
    }
    goTo(between, from, k2, f32(0.75 * scale), reach)
    sample(velocity, between, k3)
    for (let axis = 0; axis < 3; axis++) {
      const first = f32(f32(k1[axis] * RALSTON[0]) + f32(k2[axis] * RALSTON[1]))
      displacement[axis] = f32(first + f32(k3[axis] * RALSTON[2])) * scale
    }
  }
}

/** Cells along an axis beyond which no velocity is looked up, because it may not have been extrapolated that far. Only spray is so fast, and
 *  it flies straight on. */
function reachOf({ extrapolatedLayers }: PlainState): number {
  return extrapolatedLayers === 0 ? Infinity : Math.max(1, extrapolatedLayers - BESIDE)
}

/** to = from + time · velocity, or in that direction as far as velocities are looked up. */
function goTo(to: Float32Array, from: Float32Array, velocity: Float32Array, time: number, reach: number): void {
  for (let axis = 0; axis < 3; axis++) to[axis] = velocity[axis] * time
  const farthest = Math.max(Math.abs(to[0]), Math.abs(to[1]), Math.abs(to[2]))
  addScaled(to, from, to, farthest > reach ? f32(reach / farthest) : 1)
}
