/** Traces the content of cells back by one substep with the midpoint rule: where it was, and how deep. */
import { NO_VELOCITY, SLACK } from '../../shared-constants.js'
import { addScaled, f32, lengthOf, mix } from '../arithmetic.js'
import { createDistance, type SolidDistance, stridesOf } from '../distance.js'
import { gridVelocity } from '../grid/velocities.js'
import { flowAxes, forCells } from '../grid/walk.js'
import {
  centreLattice,
  createFaceSampler,
  createPlace,
  faceLattice,
  locate,
  type Place,
  type SampleLattice,
} from '../interpolate.js'
import type { PlainState } from '../state.js'
import { carryAlong, frameAt } from '../wall-frames.js'

/** Displacements of all cells along x, y and z, in cells. */
export type Displacements = readonly [Float32Array, Float32Array, Float32Array]

/** Sets `carried`, which is 0 where no velocity reaches. Needs the pairs and `depth`. */
export function traceBack(state: PlainState, dt: number): Displacements {
  const { grid, arrays } = state
  const [nx, ny] = grid.shape
  const displacements: Displacements = [new Float32Array(grid.cells), new Float32Array(grid.cells), new Float32Array(grid.cells)]
  const displacementTo = createBackwardDisplacement(state, f32(dt / grid.spacing))
  const distance = createDistance(state)
  const lattice = centreLattice(grid)
  const place = createPlace()
  const [to, displacement, from] = [new Float32Array(3), new Float32Array(3), new Float32Array(3)]
  forCells(grid, (cell, i, j, k) => {
    arrays.carried[cell] = 0
    if (arrays.layerX[i + (nx + 1) * (j + ny * k)] === NO_VELOCITY) return
    to[0] = i + 0.5
    to[1] = j + 0.5
    to[2] = k + 0.5
    displacementTo(i, j, k, to, displacement)
    if (state.hasSolids) stopBehindWalls(state, distance, to, displacement)
    for (let axis = 0; axis < 3; axis++) displacements[axis][cell] = displacement[axis]
    addScaled(from, to, displacement, -1)
    locate(lattice, from, place)
    arrays.carried[cell] = Math.floor(f32(depthAt(arrays.depth, lattice, place) + 0.5))
  })
  return displacements
}

/** Displacement with which the flow reaches the centre of a cell. */
function createBackwardDisplacement(state: PlainState, scale: number) {
  const sample = createFaceSampler(state.grid)
  const velocity = gridVelocity(state)
  const lattices = flowAxes(state.grid).map(axis => faceLattice(state.grid, axis))
  const [there, middle] = [new Float32Array(3), new Float32Array(3)]
  return (i: number, j: number, k: number, to: Float32Array, displacement: Float32Array) => {
    lattices.forEach(({ points, steps }, axis) => {
      const lower = i + points[0] * (j + points[1] * k)
      there[axis] = f32(velocity[axis][lower] + velocity[axis][lower + steps[axis]]) * 0.5
    })
    addScaled(middle, to, there, -f32(0.5 * scale))
    sample(velocity, middle, displacement)
    for (let axis = 0; axis < 3; axis++) displacement[axis] *= scale
  }
}

/** Shortens a displacement to the part without a solid: liquid does not come through a thin wall. Near a wall that has moved, the part relative
 *  to the wall is shortened. */
function stopBehindWalls(state: PlainState, distance: SolidDistance, to: Float32Array, displacement: Float32Array): void {
  const away = distance.at(to)
  if (away > f32(f32(SLACK) * f32(lengthOf(displacement) + f32(state.motion.farthest)))) return
  const frame = frameAt(state, to)
  const carried = new Float32Array(3)
  if (frame > 0) {
    const from = new Float32Array(3)
    addScaled(from, to, displacement, -1)
    addScaled(carried, carryAlong(state, state.motion.frames[frame - 1], from), from, -1)
  }
  const relative = new Float32Array(3)
  addScaled(relative, displacement, carried, -1)
  const length = lengthOf(relative)
  if (away > f32(f32(SLACK) * length)) return
  const strides = stridesOf(length)
  const here = to.slice()
  const next = new Float32Array(3)
  for (let n = 0; n < strides; n++) {
    addScaled(next, here, relative, f32(-1 / strides))
    if (distance.at(next) < 0) break
    here.set(next)
  }
  addScaled(relative, to, here, -1)
  addScaled(displacement, relative, carried, 1)
}

/** Trilinear: along x first, as compiled loops do it, because the result is rounded to whole numbers. */
function depthAt(depth: Uint8Array, { steps }: SampleLattice, { at, fraction }: Place): number {
  const [fx, fy, fz] = [fraction[0], fraction[1], fraction[2]]
  const alongX = (lower: number) => mix(depth[lower], depth[lower + steps[0]], fx)
  const alongY = (lower: number) => mix(alongX(lower), alongX(lower + steps[1]), fy)
  return mix(alongY(at), alongY(at + steps[2]), fz)
}
