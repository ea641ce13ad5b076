/** A running simulation: its parts, created once, and its state, changed by substeps. Between substeps, particles carry the liquid near its
 *  surface and the grid carries deeper liquid; the surface is found from both when it is needed. */
import { InputError } from '../input-error.js'
import type { PressureProblem } from '../pressure/problem.js'
import type { SceneSetting } from '../scene/setting.js'
import type { PressureSolver, SolveResult } from '../solvers/contract/solver.js'
import { createSolver } from '../solvers/registry.js'
import { createInteraction, type Interaction } from './boundary/interaction.js'
import { createEmitter, type Emitter } from './boundary/sources.js'
import { createWalls, type LiquidWalls } from './boundary/walls.js'
import type { LiquidEngine } from './engine.js'
import { createSampledForce, type SampledForce } from './force.js'
import type { Frame, FrameParts } from './frame.js'
import type { LiquidLoops, ParticleLoops } from './loops.js'
import type { CompleteOptions } from './options.js'
import { seedLiquid } from './particles/seed-liquid.js'
import type { SubstepRecord } from './records.js'
import { type ArrayBackup, createArrayBackup, VISIBLE_ARRAYS } from './saving/array-backup.js'
import {
  captureFrame,
  restoreDeep,
  restoreParticles,
  restorePressures,
  saveDeep,
  saveParticles,
  saveSteps,
} from './saving/capture.js'
import type { ExchangeState, SimulationState } from './saving/state.js'
import { createStopwatch, type Stopwatch } from './stopwatch.js'
import { showBodies } from './surface/initial-surface.js'
import { pictureSurface } from './surface/picture-surface.js'

export interface LiquidRun {
  readonly setting: SceneSetting
  readonly options: CompleteOptions
  readonly liquid: LiquidLoops
  readonly particles: ParticleLoops
  readonly interaction: Interaction
  readonly walls: LiquidWalls
  readonly emitter: Emitter
  /** The caller's, if there is one. */
  readonly force?: SampledForce
  readonly solver: PressureSolver
  readonly watch: Stopwatch
  /** Backup of the arrays that callers can read, during a volume correction. */
  readonly visible: ArrayBackup
  /** Backup of `b` during the solve of a substep. */
  readonly rightSide: ArrayBackup
  readonly state: RunState
  /** Whether particles are in the order of cells, and `phi` is their surface. */
  isSorted: boolean
  /** Number of particles that would fill deep liquid; known only where particles can leave. */
  hidden: number
  /** The problem of the last substep, if a volume correction has overwritten it in the arrays. */
  problemBefore?: PressureProblem
  /** During a frame. */
  control?: Control
  /** An error thrown by the monitor, deferred to the end of the substep. */
  thrown?: { readonly error: unknown }
}

/** Everything that changes from substep to substep, except for arrays. */
export interface RunState {
  time: number
  frame: number
  /** Substeps since the start. */
  substep: number
  /** Length of the last three substeps, s; 0 if there was none. */
  lastStep: number
  earlierStep: number
  earliestStep: number
  /** m³, or m² in 2D. */
  expectedVolume: number
  /** Particles from sources, into drains and open sides, and from deep liquid, since the run was created. */
  added: number
  removed: number
  exchanged: number
  /** 1 in cells of sealed liquid at the start of the frame or at an exchange since then; absent without such cells. */
  sealed?: Uint8Array
  /** Of sources and drains; replaced by every exchange. */
  exchange: ExchangeState
  /** Whether the arrays hold the problem of a volume correction instead of the last substep's. */
  isCorrected: boolean
  unfinished?: UnfinishedFrame
}

/** Results so far of a frame in progress. */
export interface UnfinishedFrame {
  /** Counts at its start. */
  readonly before: Readonly<Pick<RunState, 'added' | 'removed' | 'exchanged'>>
  readonly substeps: readonly SubstepRecord[]
  /** Whether particles were moved apart after the last substep. */
  readonly isSeparated: boolean
  /** At the end of the last substep. */
  readonly speed?: { readonly largest: number }
  readonly corrections: number
  /** Iterations of all corrections. */
  readonly correctionIterations: number
  readonly lastCorrection?: SolveResult
}

/** Interrupts a frame. */
export interface Control {
  /** Passed on to the solver. */
  readonly signal?: AbortSignal
  /** Throws if the frame is aborted; called between stages. */
  check(): Promise<void>
  /** Throws if the frame is aborted; called during a solve. */
  checkNow(): void
}

export function createLiquidRun(
  { liquid, particles, solverSetting }: LiquidEngine,
  setting: SceneSetting,
  options: CompleteOptions,
  saved?: SimulationState,
): LiquidRun {
  const { time = 0, frame = 0, substep = 0 } = saved ?? {}
  const { name, options: solverOptions } = options.solver
  const interaction = createInteraction(setting, options.time)
  const [lastStep, earlierStep, earliestStep] = saved?.steps?.lengths ?? [0, 0, 0]
  const state = {
    time,
    frame,
    substep,
    lastStep,
    earlierStep,
    earliestStep,
    expectedVolume: 0,
    added: 0,
    removed: 0,
    exchanged: 0,
    exchange: exchangeOf(setting, saved),
    isCorrected: false,
  }
  const run: LiquidRun = {
    setting,
    options,
    liquid,
    particles,
    interaction,
    walls: createWalls(liquid, setting, interaction),
    emitter: createEmitter(setting, options, liquid, particles),
    force: options.force && createSampledForce(liquid, options.force),
    solver: createSolver(name, solverOptions, solverSetting),
    watch: createStopwatch(),
    visible: createArrayBackup(liquid, VISIBLE_ARRAYS),
    rightSide: createArrayBackup(liquid, ['b']),
    state,
    isSorted: false,
    hidden: 0,
  }
  liquid.setSides(setting.sides)
  liquid.bandWidth = options.particles.band
  run.walls.move(time)
  if (saved) {
    restoreParticles(particles, saved)
    restoreDeep(liquid, options.particles.band, saved.deep)
    restorePressures(liquid, saved.steps)
  } else seedLiquid(setting, liquid, particles, options)
  findSurface(run)
  state.expectedVolume = saved?.expectedVolume ?? liquid.measureVolume()
  return run
}

function exchangeOf({ drains }: SceneSetting, saved: SimulationState | undefined): ExchangeState {
  const { exchange } = saved ?? {}
  if (exchange && exchange.owed.length !== drains.length)
    throw new InputError(
      `The saved state has ${exchange.owed.length} drains but the scene has ${drains.length}; use the scene it was saved with.`,
    )
  return exchange ?? { owed: drains.map(() => 0) }
}

/** Sorts particles and finds their surface, unless both are up to date. */
export function findSurface(run: LiquidRun): void {
  if (run.isSorted) return
  const { liquid, particles, watch } = run
  const { perCell, band } = run.options.particles
  run.emitter.keepParticles(run.state.time)
  watch.time('sort', () => particles.sort())
  watch.time('surface', () => {
    liquid.surface(perCell)
    if (band > 0 && canLoseParticles(run.setting)) run.hidden = liquid.hiddenParticles(perCell)
  })
  run.isSorted = true
}

function canLoseParticles({ drains, sides }: SceneSetting): boolean {
  return drains.length > 0 || Object.values(sides).some(pair => pair?.includes('open'))
}

/** Subtracts `gone` of `count` particles, and their share of the expected volume. */
export function recordLoss({ state }: LiquidRun, gone: number, count: number): void {
  if (gone === 0) return
  state.removed += gone
  state.expectedVolume *= 1 - gone / count
}

/** Particles, including those that would fill deep liquid. */
export function countAll({ particles, hidden }: LiquidRun): number {
  return particles.count + hidden
}

export function captureRun(run: LiquidRun, keep: FrameParts): Frame {
  findSurface(run)
  const { frame: index, time, substep } = run.state
  const surface = pictureSurface(run.liquid)
  if (substep === 0) showBodies(run.setting.grid, run.setting.liquid, surface)
  return captureFrame(run.liquid, run.particles, surface, { index, time }, keep)
}

export function saveRun(run: LiquidRun): SimulationState {
  findSurface(run)
  const { time, frame, substep, expectedVolume } = run.state
  const steps = saveSteps(run.liquid, run.state)
  const deep = run.options.particles.band > 0 ? { deep: saveDeep(run.liquid) } : {}
  const { exchange } = run.state
  const exchanged = exchange.time === undefined ? {} : { exchange }
  const columns = saveParticles(run.particles)
  return { time, frame, substep, expectedVolume, columns, ...(steps && { steps }), ...deep, ...exchanged }
}
