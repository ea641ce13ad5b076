/** Velocities of the faces beside known ones, in air and in walls, after the kick. Particles that reach such a face have a velocity there already,
 *  the mean of theirs, which is one of places on the side of the liquid. So it changes as the known faces beside it do. If it became what those
 *  are instead, the difference between the two places would be lost in every substep: waves would decay, and rotating liquid would brake at
 *  curved walls. Not so with APIC: its particles know how velocity changes from place to place, and what they have is of the face itself.
 *
 *  The kick itself is kept from `constrain`: liquid that follows a curved wall leaves it for the middle of the curve by half a substep's
 *  acceleration, and comes back by the other half. */
import { faceShape } from '../../../grid/grid.js'
import type { PlainState } from '../state.js'
import { byAxis, flowAxes, forFaces, forFacesOf } from './walk.js'

/** Faces of the first extrapolated layer get the velocity from which `addKicks` leads to that after the kick, which they have in `startX` … . */
export function followChanges(state: PlainState, areOfParticles: boolean): void {
  const { grid } = state
  const { u, before, start, layer } = byAxis(state)
  for (const axis of flowAxes(grid)) {
    const [fx, fy, fz] = faceShape(grid, axis)
    const [values, earlier, known, marks] = [u[axis], before[axis], start[axis], layer[axis]]
    forFacesOf(grid, axis, (_axis, face, _below, _above, i, j, k) => {
      if (marks[face] !== 1) return
      let change = 0
      let kick = 0
      let count = 0
      const add = (neighbour: number) => {
        if (marks[neighbour] !== 0) return
        change += values[neighbour] - earlier[neighbour]
        kick += values[neighbour] - known[neighbour]
        count++
      }
      if (i > 0) add(face - 1)
      if (i < fx - 1) add(face + 1)
      if (j > 0) add(face - fx)
      if (j < fy - 1) add(face + fx)
      if (k > 0) add(face - fx * fy)
      if (k < fz - 1) add(face + fx * fy)
      known[face] = kick / count
      // 0 where no particle is.
      const velocity = areOfParticles && earlier[face] !== 0 ? earlier[face] + change / count : values[face]
      values[face] = velocity - known[face]
    })
  }
}

/** Adds what `followChanges` has kept. */
export function addKicks(state: PlainState): void {
  const { u, start, layer } = byAxis(state)
  forFaces(state.grid, (axis, face) => {
    if (layer[axis][face] === 1) u[axis][face] += start[axis][face]
  })
}
