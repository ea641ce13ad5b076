/** Deep liquid is advected on the grid (semi-Lagrangian): a face gets the velocity at the point where its liquid comes from. Displacements
 *  are known at cell centres; a face uses the mean of its two cells, which is as accurate. */
import type { Axis, Grid } from '../../../grid/grid.js'
import { LAYER, NO_VELOCITY } from '../../shared-constants.js'
import { f32 } from '../arithmetic.js'
import { byAxis, flowAxes, forFacesOf, OUTSIDE } from '../grid/walk.js'
import { createPlace, faceLattice, interpolate, locate, type SampleLattice } from '../interpolate.js'
import type { PlainState } from '../state.js'
import { createCubic } from './cubic.js'
import { type Displacements, traceBack } from './trace.js'

/** Sets `carried`, and `beforeX` …, which were velocities after the kick, to those of deep liquid at the end of the substep, 0 on other faces.
 *  Needs the pairs, `depth`, and velocities that are known or extrapolated as far as the liquid gets. Overwrites `startX` … . */
export function carryDeep(state: PlainState, dt: number): void {
  const { arrays } = state
  const displacements = traceBack(state, dt)
  for (const axis of flowAxes(state.grid)) carryFaces(state, axis, displacements)
  const { beforeX, beforeY, beforeZ, startX, startY, startZ } = arrays
  Object.assign(arrays, { beforeX: startX, beforeY: startY, beforeZ: startZ, startX: beforeX, startY: beforeY, startZ: beforeZ })
}

/** The grid contributes to the velocity of faces deeper than this; one layer deeper, it alone defines it. */
const minCarried = ({ bandWidth }: PlainState) => LAYER * (bandWidth - 1)

function carryFaces(state: PlainState, axis: Axis, displacements: Displacements): void {
  const { before, start, layer } = byAxis(state)
  const velocity = before[axis]
  const lattice = faceLattice(state.grid, axis)
  const cubic = createCubic(lattice)
  const place = createPlace()
  const position = new Float32Array(3)
  forFacesOf(state.grid, axis, (_, face, below, above, i, j, k) => {
    start[axis][face] = 0
    // Deep in solids no velocity is known: liquid there would fall for ever.
    if (carriedBeside(state, below, above) <= minCarried(state) || layer[axis][face] === NO_VELOCITY) return
    position[0] = i + lattice.offset[0] - displacementBeside(displacements[0], below, above)
    position[1] = j + lattice.offset[1] - displacementBeside(displacements[1], below, above)
    position[2] = k + lattice.offset[2] - displacementBeside(displacements[2], below, above)
    locate(lattice, position, place)
    const isInner = hasTwoPointsAround(state.grid, lattice, position)
    start[axis][face] = isInner ? cubic(velocity, place) : interpolate(velocity, lattice, place)
  })
}

/** Mean of both sides of a face; at a side of the grid, the value of the cell inside. */
function displacementBeside(displacements: Float32Array, below: number, above: number): number {
  return f32(0.5 * f32(displacements[below === OUTSIDE ? above : below] + displacements[above === OUTSIDE ? below : above]))
}

/** Whether there are two points on both sides along every axis. */
function hasTwoPointsAround({ dims }: Grid, { points, offset }: SampleLattice, position: Float32Array): boolean {
  for (let axis = 0; axis < dims; axis++) {
    const coordinate = f32(position[axis] - offset[axis])
    if (!(coordinate >= 1 && coordinate < points[axis] - 2)) return false
  }
  return true
}

/** Uses the velocity of deep liquid where particles do not define one, after they were transferred to the faces of an axis. Across one layer
 *  of depths, both are mixed. */
export function mergeDeep(state: PlainState, axis: Axis): void {
  const { u, before, layer } = byAxis(state)
  forFacesOf(state.grid, axis, (_, face, below, above) => {
    const beyond = carriedBeside(state, below, above) - minCarried(state)
    if (beyond <= 0) return
    const share = layer[axis][face] === 0 ? Math.min(1, beyond / LAYER) : 1
    u[axis][face] += share * (before[axis][face] - u[axis][face])
    layer[axis][face] = 0
  })
}

/** `carried` next to a face: the smaller value of both sides. */
function carriedBeside({ arrays: { carried } }: PlainState, below: number, above: number): number {
  return Math.min(carried[below === OUTSIDE ? above : below], carried[above === OUTSIDE ? below : above])
}
