/** All that a simulation has to remember between two frames. */
import type { CompiledParticles, ParticleColumns } from '../engine/compiled-particles.js'
import { InputError } from '../input-error.js'

export interface SimulationState {
  readonly time: number
  readonly frame: number
  /** Substeps since the start: numbers what sources seed. */
  readonly substep: number
  /** Cells. */
  readonly expectedVolume: number
  /** In the order of cells. */
  readonly columns: ParticleColumns
}

export function saveParticles(particles: CompiledParticles): ParticleColumns {
  return particles.columns().map(column => column.slice())
}

export function restoreParticles(particles: CompiledParticles, { columns }: SimulationState): void {
  const wanted = particles.columns().length
  if (columns.length !== wanted || columns.some(column => column.length !== columns[0].length))
    throw new InputError(
      `The saved state has ${columns.length} columns of particles where ${wanted} of equal length are needed; it belongs to another method.`,
    )
  particles.append(columns)
}
