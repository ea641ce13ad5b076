/** What a liquid has in total, from the sums over it: momentum, energy, volume. */
import type { Grid } from '../../grid/grid.js'
import type { Vector } from '../../scene/setting.js'
import type { ParticleLoops } from '../loops.js'
import type { LiquidTotals } from '../records.js'

export interface MeasuredLiquid {
  readonly grid: Grid
  /** kg/m³. */
  readonly density: number
  /** Particles of a full cell. */
  readonly perCell: number
  /** m/s². */
  readonly gravity: Vector
  /** Length of the last substep, s. */
  readonly lastStep: number
}

/** All of the middle of the last substep, which velocities of particles are of. Their positions are of its end, half of it further on.
 *  Particles must be sorted. */
export function measureLiquid(particles: ParticleLoops, measured: MeasuredLiquid): LiquidTotals {
  const { grid, density, perCell, gravity, lastStep } = measured
  const { count, position, velocity, angular, energy, noise, thin } = particles.measure(perCell)
  const { spacing, dims, shape } = grid
  const volume = spacing ** dims / perCell
  const mass = density * volume
  const scaled = ([x, y, z]: Vector, factor: number): Vector => [factor * x, factor * y, factor * z]
  // From the corner of the domain; in 2D, gravity along z is 0.
  const height = (axis: number) => spacing * (position[axis] + 0.5 * shape[axis] * count) - 0.5 * lastStep * velocity[axis]
  const fallen = gravity.reduce((sum, part, axis) => (axis < dims ? sum + part * height(axis) : sum), 0)
  return {
    momentum: scaled(velocity, mass),
    angularMomentum: scaled(angular, mass * spacing),
    energy: { kinetic: mass * energy, noise: mass * noise, potential: 0 - mass * fallen },
    particleVolume: volume * count,
    thinVolume: volume * thin,
  }
}
