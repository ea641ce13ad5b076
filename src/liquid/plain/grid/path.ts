/** The velocity along which particles move: that of the grid in the middle of the substep. Particles have their velocity of that time, after
 *  the kick; the liquid that passes a face then is half a step before it on its way now, so the face gets w(x) = u(x − ½ dt u(x)). With u(x)
 *  itself u·∇u would be counted twice, and waves on liquid that is carried along would grow.
 *
 *  Where the kick was kept from growing, at impacts, liquid does not reach the middle of the step by itself: there it is moved by the same
 *  share of the difference between w and the velocity after the solve. */
import type { Axis } from '../../../grid/grid.js'
import { DRY } from '../../../pressure/problem.js'
import { NO_VELOCITY, SLIVER } from '../../shared-constants.js'
import { addScaled, f32 } from '../arithmetic.js'
import { createFaceSampler, createPlace, faceLattice, interpolate, locate } from '../interpolate.js'
import type { PlainState } from '../state.js'
import { MAX_DEPTH } from './constrain.js'
import { cornerSum, faceCorners } from './nodal-solids.js'
import { byAxis, flowAxes, forFacesOf, lowestNode, OUTSIDE } from './walk.js'

/** Sets velocities that are known or extrapolated; `beforeX` … are those after the kick. `allowance` as for the pressure of the kick, Pa. */
export function findPath(state: PlainState, dt: number, allowance: number): void {
  const { grid } = state
  const { u, before, start, layer } = byAxis(state)
  const back = f32((0.5 * dt) / grid.spacing)
  const shareOf = createShare(state, allowance)
  const isDeep = createDeep(state)
  const sample = createFaceSampler(grid)
  const [from, position, velocity] = [new Float32Array(3), new Float32Array(3), new Float32Array(3)]
  const place = createPlace()
  for (const axis of flowAxes(grid)) {
    const lattice = faceLattice(grid, axis)
    const opposite = lattice.steps[0] + lattice.steps[1] + lattice.steps[2]
    forFacesOf(grid, axis, (_, face, below, above, i, j, k) => {
      if (layer[axis][face] === NO_VELOCITY) return
      position.set([i + lattice.offset[0], j + lattice.offset[1], k + lattice.offset[2]])
      from.set(position)
      const isKnown = layer[axis][face] === 0
      // The velocity at the start of the way, not at its end; extrapolated ones are not that accurate.
      for (let turn = 0; turn < (isKnown ? 2 : 1); turn++) {
        sample(before, position, velocity)
        addScaled(position, from, velocity, -back)
      }
      locate(lattice, position, place)
      const there = interpolate(before[axis], lattice, place)
      if (isKnown) {
        const share = Math.min(shareOf(below), shareOf(above))
        u[axis][face] = start[axis][face] + share * (there - start[axis][face])
        return
      }
      if (isDeep(axis, face, i, j, k)) return
      // Where nothing is known the face keeps its own velocity.
      const isReached = layer[axis][place.at] !== NO_VELOCITY && layer[axis][place.at + opposite] !== NO_VELOCITY
      if (isReached) u[axis][face] = there
    })
  }
}

/** Whether no particle can reach a face, because it is deep in a solid. */
function createDeep(state: PlainState) {
  const { grid, arrays } = state
  const { open } = byAxis(state)
  return (axis: Axis, face: number, i: number, j: number, k: number) =>
    open[axis][face] <= f32(SLIVER) &&
    cornerSum(arrays.solid, faceCorners(grid, axis, lowestNode(grid, i, j, k))) < -4 * MAX_DEPTH
}

/** Share of the kick that a cell was given, f32. */
function createShare({ arrays: { kind, pressure, kickPressure } }: PlainState, allowance: number) {
  return (cell: number) => {
    if (cell === OUTSIDE || kind[cell] === DRY) return 1
    const [kick, solved] = [Math.abs(kickPressure[cell]), Math.abs(pressure[cell])]
    return kick >= solved ? 1 : f32((kick + allowance) / (solved + allowance))
  }
}
