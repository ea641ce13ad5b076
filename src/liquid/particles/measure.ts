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
}

/** Particles must be sorted. */
export function measureLiquid(particles: ParticleLoops, { grid, density, perCell, gravity }: MeasuredLiquid): LiquidTotals {
  const { count, position, velocity, angular, energy, noise, thin } = particles.measure(perCell)
  const { spacing, dims, shape } = grid
  const volume = spacing ** dims / perCell
  const mass = density * volume
  const scaled = ([x, y, z]: Vector, factor: number): Vector => [factor * x, factor * y, factor * z]
  // From the corner of the domain; in 2D, gravity along z is 0.
  const height = (axis: number) => spacing * (position[axis] + 0.5 * shape[axis] * count)
  const fallen = gravity.reduce((sum, part, axis) => (axis < dims ? sum + part * height(axis) : sum), 0)
  return {
    momentum: scaled(velocity, mass),
    angularMomentum: scaled(angular, mass * spacing),
    energy: { kinetic: mass * energy, noise: mass * noise, potential: 0 - mass * fallen },
    particleVolume: volume * count,
    thinVolume: volume * thin,
  }
}
