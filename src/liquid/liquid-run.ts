/** A liquid that is being simulated: its parts, made once, and its state, changed by substeps. Particles carry the liquid near its surface
 *  from substep to substep, the grid carries what is deeper; the surface is made from both whenever it is needed. */
import type { PressureProblem } from '../pressure/problem.js'
import type { SceneSetting } from '../scene/setting.js'
import type { PressureSolver, SolveResult } from '../solvers/contract/solver.js'
import { createSolver } from '../solvers/registry.js'
import { type ArraysAside, createAside, SEEN } from './arrays-aside.js'
import { captureFrame, restoreDeep, restoreParticles, saveDeep, saveParticles } from './capture.js'
import { createEmitter, type Emitter } from './emit.js'
import type { LiquidEngine } from './engine.js'
import { createSampledForce, type SampledForce } from './force.js'
import type { Frame, FrameParts } from './frame.js'
import { createInteraction, type Interaction } from './interaction.js'
import type { LiquidLoops, ParticleLoops } from './loops.js'
import type { CompleteOptions } from './options.js'
import type { SubstepRecord } from './records.js'
import { seedBodies } from './seed.js'
import { sampleNodal } from './solids.js'
import type { SimulationState } from './state.js'
import { createStopwatch, type Stopwatch } from './stopwatch.js'
import { createWalls, type LiquidWalls } from './walls.js'

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
  /** Arrays of the last substep that callers see, set aside during a volume correction. */
  readonly seen: ArraysAside
  readonly state: RunState
  /** Whether particles are in the order of cells, and `phi` is their surface. */
  isSorted: boolean
  /** Particles that deep liquid would have, where that matters for the volume that leaves. */
  hidden: number
  /** The problem of the last substep, where a correction of the volume has replaced it in the arrays. */
  problemBefore?: PressureProblem
  /** While a frame is under way. */
  control?: Control
  /** An error of the monitor, until the substep in which it was thrown is done. */
  thrown?: { readonly error: unknown }
}

/** Everything that changes from substep to substep, except for arrays. */
export interface RunState {
  time: number
  frame: number
  /** Substeps since the start. */
  substep: number
  /** m³, or m² in 2D. */
  expectedVolume: number
  /** Particles from sources, into drains and open sides, and from deep liquid, since the run was created. */
  added: number
  removed: number
  exchanged: number
  /** 1 in cells that are full for good, as of the start of the frame; absent without such cells. */
  sealed?: Uint8Array
  /** Whether the arrays hold the problem of a volume correction instead of the last substep's. */
  isCorrected: boolean
  unfinished?: UnfinishedFrame
}

/** What is known so far of a frame under way. */
export interface UnfinishedFrame {
  /** Counts at its start. */
  readonly before: Readonly<Pick<RunState, 'added' | 'removed' | 'exchanged'>>
  readonly substeps: readonly SubstepRecord[]
  /** At the end of the last substep. */
  readonly speed?: { readonly largest: number; readonly energy: number }
  readonly corrections: number
  /** Iterations of all corrections. */
  readonly correctionIterations: number
  readonly lastCorrection?: SolveResult
}

/** How a frame is interrupted. */
export interface Control {
  /** Passed on to the solver. */
  readonly signal?: AbortSignal
  /** Throws when the frame is to be given up; called between stages. */
  check(): Promise<void>
  /** Throws when the frame is to be given up during a solve. */
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
  const state = { time, frame, substep, expectedVolume: 0, added: 0, removed: 0, exchanged: 0, isCorrected: false }
  const run: LiquidRun = {
    setting,
    options,
    liquid,
    particles,
    interaction,
    walls: createWalls(liquid, interaction),
    emitter: createEmitter(setting, options, liquid, particles),
    force: options.force && createSampledForce(liquid, options.force),
    solver: createSolver(name, solverOptions, solverSetting),
    watch: createStopwatch(),
    seen: createAside(liquid, SEEN),
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
  } else seedLiquid(run)
  findSurface(run)
  state.expectedVolume = saved?.expectedVolume ?? liquid.measureVolume()
  return run
}

function seedLiquid({ setting: { grid, liquid: bodies }, options, liquid, particles }: LiquidRun): void {
  const { solid } = liquid.arrays
  const solidAt = (x: number, y: number, z: number) => sampleNodal(grid, solid, x, y, z)
  particles.append(seedBodies(grid, bodies, solidAt, { ...options.particles, seed: options.seed }))
}

/** Sorts particles and finds their surface, unless that is done. */
export function findSurface(run: LiquidRun): void {
  if (run.isSorted) return
  const { liquid, particles, watch } = run
  const { perCell, band } = run.options.particles
  watch.time('sort', () => particles.sort())
  watch.time('surface', () => {
    liquid.surface(perCell)
    if (band > 0 && canLose(run.setting)) run.hidden = liquid.hiddenParticles(perCell)
  })
  run.isSorted = true
}

function canLose({ drains, sides }: SceneSetting): boolean {
  return drains.length > 0 || Object.values(sides).some(pair => pair?.includes('open'))
}

/** Accounts for `gone` of `count` particles that have left, and their share of the volume. */
export function loseParticles({ state }: LiquidRun, gone: number, count: number): void {
  if (gone === 0) return
  state.removed += gone
  state.expectedVolume *= 1 - gone / count
}

/** Particles, including those that deep liquid would have. */
export function countAll({ particles, hidden }: LiquidRun): number {
  return particles.count + hidden
}

export function captureRun(run: LiquidRun, keep: FrameParts): Frame {
  findSurface(run)
  const { frame: index, time } = run.state
  return captureFrame(run.liquid, run.particles, { index, time }, keep)
}

export function saveRun(run: LiquidRun): SimulationState {
  findSurface(run)
  const { time, frame, substep, expectedVolume } = run.state
  const deep = run.options.particles.band > 0 ? { deep: saveDeep(run.liquid) } : {}
  return { time, frame, substep, expectedVolume, columns: saveParticles(run.particles), ...deep }
}
