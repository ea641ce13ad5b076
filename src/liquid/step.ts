/** A substep of a liquid. FLIP after Zhu and Bridson 2005 or APIC after Jiang and others 2015, walls after Chentanez and Müller 2011. The same
 *  input gives the same bits for any number of threads, also when continued from a saved state. */
import { checkVector } from '../checks.js'
import { random } from '../random.js'
import type { Vector } from '../scene/setting.js'
import { fillPairs } from './fill-pairs.js'
import { countAll, findSurface, type LiquidRun, recordLoss } from './liquid-run.js'
import { solvePressure } from './pressure-solve.js'
import { type SubstepRecord, summaryOf } from './records.js'
import type { StepStage } from './stopwatch.js'
import { chooseStep, decisiveSpeed, largestWallSpeed, speedsToKnow } from './time-step.js'

/** What is done in a substep, in this order, and the stage that its time counts towards. */
const SUBSTEP: readonly (readonly [(run: LiquidRun, step: Substep) => void | Promise<void>, StepStage])[] = [
  [interact, 'solids'],
  [findSurface, 'surface'],
  [emit, 'emit'],
  [particlesToGrid, 'transfer'],
  [fillGaps, 'extrapolate'],
  [chooseLength, 'extrapolate'],
  [addForces, 'extrapolate'],
  [assemble, 'assemble'],
  [solve, 'solve'],
  [project, 'project'],
  [extrapolate, 'extrapolate'],
  [constrain, 'extrapolate'],
  [gridToParticles, 'transfer'],
  [moveSolids, 'solids'],
  [keepBand, 'band'],
  [moveParticles, 'advect'],
]

/** Values that parts of a substep pass on to later ones. */
interface Substep {
  /** Time at the end of the frame, s. */
  readonly end: number
  /** Substeps of the frame that are done. */
  readonly done: number
  /** Length, s, and time at the end of the substep, s. */
  dt: number
  next: number
  /** m/s². */
  gravity: Vector
  solved?: SubstepRecord['solve']
  /** Particles before some may leave. */
  count: number
}

/** Runs one substep of a frame that ends at time `end`, after `done` others. */
export async function runSubstep(run: LiquidRun, end: number, done: number): Promise<SubstepRecord> {
  const step: Substep = { end, done, dt: 0, next: end, gravity: [0, 0, 0], count: 0 }
  for (const [work, stage] of SUBSTEP) {
    await run.watch.time(stage, () => work(run, step))
    await run.control?.check()
  }
  return { dt: step.dt, solve: step.solved!, seconds: run.watch.read() }
}

function interact(run: LiquidRun, { end }: Substep): void {
  const { time } = run.state
  if (run.walls.applyInteraction(time, end - time)) run.isSorted = false
}

function emit(run: LiquidRun): void {
  const { state, setting, options } = run
  const before = countAll(run)
  const { added, removed } = run.emitter.emit(state.time, state.substep, state.sealed)
  if (added + removed === 0) return
  const { spacing, dims } = setting.grid
  state.added += added
  recordLoss(run, removed, before)
  state.expectedVolume += added * (spacing ** dims / options.particles.perCell)
  run.isSorted = false
  findSurface(run)
}

function particlesToGrid({ particles }: LiquidRun): void {
  particles.toGrid()
}

/** Faces that no particle reaches although their cell is liquid. */
function fillGaps({ liquid }: LiquidRun): void {
  liquid.extrapolate(2)
}

function chooseLength(run: LiquidRun, step: Substep): void {
  const { options, particles, interaction } = run
  const { grid } = run.setting
  const { time } = run.state
  const speeds = particles.keepVelocity(speedsToKnow(options.time, grid.spacing))
  const others = Math.max(largestWallSpeed(grid, interaction.solids, time), interaction.stirSpeed)
  const speed = Math.max(decisiveSpeed(speeds), others)
  step.gravity = interaction.gravity(time)
  checkVector(step.gravity, `The gravity at ${time} s`)
  const acceleration = run.force ? run.force.sample(time, step.gravity) : Math.hypot(...step.gravity)
  step.dt = chooseStep(options.time, grid.spacing, speed, acceleration, step.end - time, step.done)
  // Without the rounding of many substeps: at the end of a frame solids are where they are for a simulation that starts there.
  const next = time + step.dt
  step.next = next > step.end - 1e-9 / options.time.fps ? step.end : next
}

function addForces({ liquid, interaction, force }: LiquidRun, { dt, gravity: [x, y, z] }: Substep): void {
  liquid.addVelocity([x * dt, y * dt, z * dt])
  force?.add(dt)
  interaction.stir(liquid, dt)
}

function assemble({ liquid, options, walls, state }: LiquidRun, { dt }: Substep): void {
  liquid.assemble(dt, options.density, walls.hasMoving)
  state.isCorrected = false
}

async function solve(run: LiquidRun, step: Substep): Promise<void> {
  step.solved = summaryOf(await solvePressure(run, run.options.solver.tolerance))
}

function project({ liquid, options }: LiquidRun, { dt }: Substep): void {
  liquid.project(dt, options.density)
}

/** As far as particles go within a substep. */
function extrapolate({ liquid, options }: LiquidRun): void {
  liquid.extrapolate(Math.ceil(options.time.cfl) + 2)
}

function constrain({ liquid }: LiquidRun): void {
  liquid.constrain()
}

function gridToParticles({ liquid }: LiquidRun, { dt }: Substep): void {
  fillPairs(liquid, dt)
}

function moveSolids({ walls }: LiquidRun, { next }: Substep): void {
  if (walls.hasMoving) walls.move(next)
}

/** Particles near the surface, and deep liquid on the grid. */
function keepBand(run: LiquidRun, step: Substep): void {
  const { liquid, particles, options, state } = run
  const { perCell, jitter, band } = options.particles
  step.count = countAll(run)
  if (band > 0) state.exchanged += particles.keepBand(perCell, jitter, Math.floor(2 ** 32 * random(options.seed, state.substep)))
  if (band > 0) liquid.carryDeep(step.dt)
}

function moveParticles(run: LiquidRun, { dt, next, count }: Substep): void {
  const { particles, options, state } = run
  const { flipRatio, order } = options.particles
  recordLoss(run, particles.move(dt, { flipRatio, order }), count)
  run.isSorted = false
  state.time = next
  state.substep++
}
