/** From faces to particles: how particles get their velocity from the grid, after the pressure has changed it. */
import type { Axis } from '../../../grid/grid.js'
import { f32 } from '../arithmetic.js'
import { gridChange, gridVelocity } from '../grid/velocities.js'
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

/** FLIP adds the change of the grid to the velocity of a particle, PIC replaces it by that of the grid: u + flipRatio (u_p + Δu − u)
 *  (Zhu and Bridson 2005). Seeds have no velocity of their own yet. */
export function updateFlip(state: PlainState, flipRatio: number): void {
  const { particleCount, seedCount } = state
  const [velocities, changes] = [gridVelocity(state), gridChange(state)]
  forParticles(state, (axis, n, column, lattice, place) => {
    const velocity = interpolate(velocities[axis], lattice, place)
    const byFlip = f32(column[n] + interpolate(changes[axis], lattice, place))
    const ratio = n < particleCount - seedCount ? f32(flipRatio) : 0
    column[n] = velocity + f32(ratio * f32(byFlip - velocity))
  })
}

/** APIC: the velocity of the grid and its gradient, which on a staggered grid is Σ_i ∇w_ip u_i for each component (Jiang et al. 2015). */
export function updateAffine(state: PlainState): void {
  const { affine } = state.arrays
  const capacity = capacityOf(state)
  const perMetre = f32(1 / state.grid.spacing)
  const velocities = gridVelocity(state)
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
