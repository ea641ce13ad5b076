/** How a simulation runs; everything has a default. */
import { LEAST_BAND, MOST_BAND } from '../engine/compiled-particles.js'
import type { EngineName } from '../engine/setting.js'
import type { Grid } from '../grid/grid.js'
import { InputError } from '../input-error.js'
import { DEFAULT_MAX_ITERATIONS, type IterationRecord } from '../solvers/solver.js'
import type { TimeOptions } from './time-step.js'

export interface SimulationOptions {
  readonly seed?: number
  /** kg/m³. */
  readonly density?: number
  readonly time?: Partial<TimeOptions>
  readonly particles?: Partial<ParticleOptions>
  readonly volume?: Partial<VolumeOptions>
  readonly solver?: Partial<SolverChoice>
  /** Of this simulation; as many as the machine has if absent. */
  readonly threads?: number
  /** Whether the problem of the last substep is there after the frame also where its volume was mended, which takes memory for another. */
  readonly keepsProblem?: boolean
  /** Called after every iteration of every solve, for those that take long. */
  readonly monitor?: (record: IterationRecord) => void
}

export interface ParticleOptions {
  readonly perCell: number
  readonly method: 'flip' | 'apic'
  /** 1: FLIP alone, lively and noisy; 0: PIC alone, calm and viscous. */
  readonly flipRatio: number
  /** Of the time integration along the flow. */
  readonly order: 2 | 3
  readonly jitter: number
  /** Cells below the surface in which there are particles, 3 at least; the grid carries what is deeper. 0: particles everywhere. */
  readonly band: number
}

export interface VolumeOptions {
  /** Whether frames whose volume is off by more than half a per cent are mended. */
  readonly correction: boolean
}

export interface SolverChoice {
  readonly name: string
  /** Largest natural residual, 1/s. */
  readonly tolerance: number
  readonly maxIterations: number
  readonly options?: Readonly<Record<string, unknown>>
  readonly engine?: EngineName
}

export interface CompleteOptions {
  readonly seed: number
  readonly density: number
  readonly time: TimeOptions
  readonly particles: ParticleOptions
  readonly volume: VolumeOptions
  readonly solver: SolverChoice
  readonly threads?: number
  readonly keepsProblem: boolean
  readonly monitor?: (record: IterationRecord) => void
}

export function completeOptions(grid: Grid, given: SimulationOptions): CompleteOptions {
  const band = given.particles?.band ?? 0
  if (band !== 0 && !(Number.isInteger(band) && band >= LEAST_BAND && band <= MOST_BAND))
    throw new InputError(`particles.band must be 0 or a whole number from ${LEAST_BAND} to ${MOST_BAND}, not ${band}.`)
  return {
    seed: given.seed ?? 0,
    density: given.density ?? 1000,
    time: { fps: 24, cfl: 3, minSubsteps: 1, maxSubsteps: 32, ...given.time },
    particles: {
      perCell: grid.dims === 3 ? 8 : 4,
      method: 'flip',
      flipRatio: 0.97,
      order: 3,
      jitter: 1,
      ...given.particles,
      band,
    },
    volume: { correction: true, ...given.volume },
    solver: { name: 'nas-mgpcg', tolerance: 1e-4, maxIterations: DEFAULT_MAX_ITERATIONS, ...given.solver },
    threads: given.threads,
    keepsProblem: given.keepsProblem ?? false,
    monitor: given.monitor,
  }
}
