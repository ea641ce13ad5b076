/** Options of a simulation; all have defaults. */
import type { z } from 'zod'
import type { Grid } from '../grid/grid.js'
import { InputError } from '../input-error.js'
import type { EngineName } from '../machine/engine-choice.js'
import { simulationSchema } from '../scene/schema/simulation.js'
import type { Force } from '../scene/setting.js'
import { parseWith } from '../scene/validate.js'
import { DEFAULT_MAX_ITERATIONS, type IterationRecord } from '../solvers/contract/solver.js'
import type { TimeOptions } from './time-step.js'

export interface SimulationOptions {
  readonly seed?: number
  /** kg/m³. */
  readonly density?: number
  readonly time?: Partial<TimeOptions>
  readonly particles?: Partial<ParticleOptions>
  readonly volume?: Partial<VolumeOptions>
  readonly solver?: Partial<SolverChoice>
  /** Engine of all loops, including pressure solves. portable: plain TypeScript; wasm: compiled, one thread; threads: compiled, several
   *  threads; auto, the default: the fastest that the host allows. */
  readonly engine?: EngineName
  /** Includes the calling thread; by default the number of cores, at most 8. Any number gives the same result. */
  readonly threads?: number
  /** Whether the problem of the last substep stays available after a volume correction; needs memory for a second problem. */
  readonly keepsProblem?: boolean
  /** Called after every iteration of every solve. */
  readonly monitor?: (record: IterationRecord) => void
  /** Accelerates the liquid in addition to gravity. Not part of a saved state. */
  readonly force?: Force
}

export interface ParticleOptions {
  readonly perCell: number
  readonly method: 'flip' | 'apic'
  /** 1: FLIP alone, lively and noisy; 0: PIC alone, calm and viscous. */
  readonly flipRatio: number
  /** Order of the time integration of particles. */
  readonly order: 2 | 3
  readonly jitter: number
  /** Cells below the surface that hold particles, at least 3; the grid carries deeper liquid. 0: particles everywhere. */
  readonly band: number
}

export interface VolumeOptions {
  /** Whether frames are corrected in which particles crowd, or whose volume is off by more than three quarters of a per cent. */
  readonly correction: boolean
}

export interface SolverChoice {
  readonly name: string
  /** Largest natural residual, 1/s. */
  readonly tolerance: number
  readonly maxIterations: number
  readonly options?: Readonly<Record<string, unknown>>
}

/** With all defaults of the schema. */
export type CompleteOptions = Readonly<Omit<z.output<ReturnType<typeof simulationSchema>>, 'solver'>> & {
  readonly solver: SolverChoice
}

const schemas = { 2: simulationSchema(2), 3: simulationSchema(3) }

export function completeOptions({ dims }: Grid, given: SimulationOptions): CompleteOptions {
  refuseInSolver(given)
  const { solver, ...options } = parseWith(schemas[dims], given, 'The options of the simulation')
  const { minSubsteps, maxSubsteps } = options.time
  if (minSubsteps > maxSubsteps)
    throw new InputError(
      `The options of the simulation: time.minSubsteps, ${minSubsteps}, must not be above maxSubsteps, ${maxSubsteps}.`,
    )
  return { ...options, solver: { ...solver, maxIterations: solver.maxIterations ?? DEFAULT_MAX_ITERATIONS } }
}

/** In scenes these keys are in `solver`; in options they are beside it. */
function refuseInSolver(given: SimulationOptions | undefined): void {
  for (const key of ['engine', 'threads'] as const)
    if ((given?.solver as Record<string, unknown> | undefined)?.[key] !== undefined)
      throw new InputError(
        `The options of the simulation: solver.${key} is for scenes; use ${key} beside solver, for the whole simulation.`,
      )
}
