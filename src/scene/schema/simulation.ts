/** The parts of the schema that configure a simulation: shared by scene files and by callers without one. */
import { z } from 'zod'
import { ENGINES } from '../../machine/engine-choice.js'
import type { IterationRecord } from '../../solvers/contract/solver.js'
import { DEFAULT_SOLVER } from '../../solvers/registry.js'
import type { Force } from '../setting.js'
import { choice, type Dims, flag, number, object, oneOf, text, whole } from './parts.js'

/** Cells that a band of particles is wide: less and the surface would see its lower end, more and depths would not fit a byte. */
const MIN_BAND = 3
const MAX_BAND = 12
const BAND_RULE = `0 or a whole number from ${MIN_BAND} to ${MAX_BAND}`

/** Options of a simulation for callers without a scene file, with the bounds and defaults of one. */
export function simulationSchema(dims: Dims) {
  const isFunction = (value: unknown) => typeof value === 'function'
  const error = 'must be a function'
  return object({
    ...sharedKeys(dims),
    solver: object(solve(z.unknown())).prefault({}),
    engine: choice(ENGINES).default('auto'),
    threads: whole(1, 64).optional(),
    keepsProblem: flag().default(false),
    monitor: z.custom<(record: IterationRecord) => void>(isFunction, { error }).optional(),
    force: z.custom<Force>(isFunction, { error }).optional(),
  })
}

/** Keys of a scene that are options of a simulation under the same name. */
export function sharedKeys(dims: Dims) {
  return {
    density: number(1e-3, 1e5).default(1000).describe('Density of the liquid, kg/m³.'),
    time: time().prefault({}).describe('Duration and time steps.'),
    particles: particles(dims).prefault({}).describe('The particles that carry the liquid.'),
    volume: volume().prefault({}).describe('Correction of volume drift.'),
    seed: whole(0, Number.MAX_SAFE_INTEGER)
      .default(830412)
      .describe('Seed of all random numbers; the same seed gives the same run.'),
  }
}

export type SharedKey = keyof ReturnType<typeof sharedKeys>
export const SHARED_KEYS = Object.keys(sharedKeys(undefined)) as readonly SharedKey[]

function time() {
  return object({
    frames: whole(1, 1_000_000).default(120).describe('Frames to simulate after the start.'),
    fps: number(0.1, 1e5).default(24).describe('Frames per second.'),
    cfl: number(0.05, 50)
      .default(3)
      .describe('Cells that liquid may cross in one substep; the fastest thousandth may cross twice as many.'),
    minSubsteps: whole(1, 1000).default(1).describe('Smallest number of substeps per frame.'),
    maxSubsteps: whole(1, 10_000).default(32).describe('Largest number of substeps per frame, even if cfl requires more.'),
  })
}

function particles(dims: Dims) {
  return object({
    perCell: whole(1, 64)
      .default(dims === 2 ? 4 : 8)
      .describe('Initial particles per cell full of liquid; 8 in 3D and 4 in 2D by default.'),
    method: choice(['flip', 'apic']).default('flip').describe('Method of velocity transfer between particles and grid.'),
    flipRatio: number(0, 1)
      .default(0.97)
      .describe(
        'For flip: 1 is lively and noisy, 0 smooth and damped. Share of its own velocity that a particle keeps for 1/24 s.',
      ),
    order: oneOf([2, 3], '2 or 3').default(3).describe('Order of accuracy in time of particle advection.'),
    jitter: number(0, 1).default(1).describe('Random displacement of initial particles from a regular arrangement; 0: none.'),
    band: z
      .union([oneOf([0], BAND_RULE), whole(MIN_BAND, MAX_BAND, BAND_RULE)])
      .default(0)
      .describe(
        'Depth in cells of the band below the surface that has particles; the grid carries deeper liquid. 0: particles everywhere.',
      ),
  })
}

function volume() {
  return object({
    correction: flag()
      .default(true)
      .describe('Corrects frames in which particles crowd, or whose volume is off by more than 0.75 %.'),
  })
}

export const optionValue = z.union([z.number(), z.string(), z.boolean()], { error: 'must be a number, a string, true or false' })

export function solve<V extends z.ZodType>(value: V) {
  return {
    name: text(100).default(DEFAULT_SOLVER).describe('A solver listed by `peel solvers`.'),
    tolerance: number(1e-14, 1e6).default(1e-4).describe('Largest accepted natural residual, 1/s.'),
    maxIterations: whole(1, 1e6).optional().describe('Largest number of iterations; then the best pressure so far is used.'),
    options: z
      .record(z.string(), value, { error: 'must be an object' })
      .default({})
      .describe(
        'Options of the solver, listed by `peel solvers` with `--set`; options that have flags of their own are not allowed in scenes.',
      ),
  }
}

export function loops() {
  return {
    engine: choice(ENGINES)
      .default('auto')
      .describe('Engine of the whole simulation, the pressure solve included; see docs/engines.md.'),
    threads: whole(1, 64)
      .optional()
      .describe('Number of threads of the whole simulation; by default the number of cores, at most 8.'),
  }
}
