/** From faces to particles: how particles get their velocity from the grid, after the pressure has changed it. */
import type { Axis } from '../../../grid/grid.js'
import { f32 } from '../arithmetic.js'
import { gridChange } from '../grid/velocities.js'
import { flowAxes } from '../grid/walk.js'
import {
  createPlace,
  faceLattice,
  interpolate,
  interpolateWithSlope,
  locate,
  type Place,
  type SampleLattice,
} from '../interpolate.js'
import type { PlainState } from '../state.js'
import { capacityOf } from '../store.js'

/** A particle keeps a share of its velocity and adds what `fillChanges` has found for that ratio: 1 is FLIP, which adds the change of the grid,
 *  0 is PIC, which replaces the velocity by that of the grid (Zhu and Bridson 2005). Seeds have the velocity of this substep already. */
export function updateFlip(state: PlainState, ratio: number): void {
  const { particleCount, seedCount } = state
  const changes = gridChange(state)
  forParticles(state, (axis, n, column, lattice, place) => {
    if (n >= particleCount - seedCount) return
    column[n] = f32(f32(ratio) * column[n]) + interpolate(changes[axis], lattice, place)
  })
}

/** APIC: the velocity of the grid and its gradient, which on a staggered grid is Σ_i ∇w_ip u_i for each component (Jiang et al. 2015).
 *  Particles keep nothing of theirs, so what they add is the velocity. */
export function updateAffine(state: PlainState): void {
  const { affine } = state.arrays
  const capacity = capacityOf(state)
  const perMetre = f32(1 / state.grid.spacing)
  const velocities = gridChange(state)
  const slope = new Float32Array(3)
  forParticles(state, (axis, n, column, lattice, place) => {
    column[n] = interpolateWithSlope(velocities[axis], lattice, place, slope)
    for (let by = 0; by < 3; by++) affine[(3 * axis + by) * capacity + n] = perMetre * slope[by]
  })
}

/** `column`: the velocities of particles along the axis; `place`: where particle n is between the faces of the axis. */
type VisitParticle = (axis: Axis, n: number, column: Float32Array, lattice: SampleLattice, place: Place) => void

function forParticles({ grid, arrays, particleCount }: PlainState, visit: VisitParticle): void {
  const place = createPlace()
  const position = new Float32Array(3)
  for (const axis of flowAxes(grid)) {
    const column = [arrays.vx, arrays.vy, arrays.vz][axis]
    const lattice = faceLattice(grid, axis)
    for (let n = 0; n < particleCount; n++) {
      position[0] = arrays.px[n]
      position[1] = arrays.py[n]
      position[2] = arrays.pz[n]
      locate(lattice, position, place)
      visit(axis, n, column, lattice, place)
    }
  }
}
