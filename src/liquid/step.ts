/** A substep of a liquid. FLIP after Zhu and Bridson 2005 or APIC after Jiang and others 2015, walls after Chentanez and Müller 2011. The same
 *  input gives the same bits for any number of threads, also when continued from a saved state.
 *
 *  Second order in time with one solve (velocity Verlet): positions are of the start of the substep, velocities half a substep older. The solve
 *  completes the last substep, so that velocities and pressure are of the same time as positions; a kick by half of this substep follows, with
 *  a pressure predicted from that of the solve (plain/grid/kick.ts), and particles move along the velocity of the middle of the substep
 *  (plain/grid/path.ts). */
import { checkVector } from '../checks.js'
import { random } from '../random.js'
import type { Vector } from '../scene/setting.js'
import { exchangeLiquid } from './boundary/exchange.js'
import { wallForces } from './boundary/wall-forces.js'
import { fillPaths } from './fill-paths.js'
import { countAll, findSurface, type LiquidRun, recordLoss } from './liquid-run.js'
import { solveSubstep } from './pressure-solve.js'
import { type SubstepRecord, summaryOf } from './records.js'
import type { StepStage } from './stopwatch.js'
import { createSubstep, type Substep } from './substep.js'
import { cellsCrossed, chooseStep, decisiveSpeed, isOverlong, keptShare, largestWallSpeed, speedsToKnow } from './time-step.js'

/** What is done in a substep, in this order, and the stage that its time counts towards. */
const SUBSTEP: readonly (readonly [(run: LiquidRun, step: Substep) => void | Promise<void>, StepStage])[] = [
  [interact, 'solids'],
  [findSurface, 'surface'],
  [particlesToGrid, 'transfer'],
  [fillGaps, 'extrapolate'],
  [chooseLength, 'extrapolate'],
  [beginMoving, 'solve'],
  [addForces, 'extrapolate'],
  [assemble, 'assemble'],
  [solve, 'solve'],
  [project, 'project'],
  [kick, 'project'],
  [measureForces, 'project'],
  [extrapolate, 'extrapolate'],
  [findPaths, 'extrapolate'],
  [keepBand, 'band'],
  [moveSolids, 'solids'],
  [carryDeep, 'band'],
  [moveParticles, 'advect'],
  [exchangeLiquid, 'emit'],
]

/** Runs one substep of a frame that ends at time `end`, after `done` others. */
export async function runSubstep(run: LiquidRun, end: number, done: number): Promise<SubstepRecord> {
  const step = createSubstep(end, done)
  for (const [work, stage] of SUBSTEP) {
    await run.watch.time(stage, () => work(run, step))
    await run.control?.check()
  }
  const { dt, travel } = step
  const limited = isOverlong(run.options.time, travel) ? { limited: 'maxSubsteps' as const } : {}
  return { dt, travel, ...limited, forces: step.forces!, solve: step.solved!, seconds: run.watch.read() }
}

function interact(run: LiquidRun, { end }: Substep): void {
  const { time } = run.state
  if (run.walls.applyInteraction(time, end - time)) run.isSorted = false
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
  const wallSpeed = largestWallSpeed(grid, interaction.solids, time, step.end)
  const liquidSpeed = Math.max(decisiveSpeed(speeds), interaction.stirSpeed)
  const speed = Math.max(liquidSpeed, wallSpeed)
  step.gravity = interaction.gravity(time)
  checkVector(step.gravity, `The gravity at ${time} s`)
  const acceleration = run.force ? run.force.sample(time, step.gravity) : Math.hypot(...step.gravity)
  step.dt = chooseStep(options.time, grid.spacing, speed, acceleration, step.end - time, step.done)
  step.half = 0.5 * (run.state.lastStep || step.dt)
  step.isMoving = run.state.lastStep === 0 && liquidSpeed > 0
  // At the start of a simulation no pressure is an impact.
  step.allowance = run.state.lastStep === 0 ? Number.MAX_VALUE : options.density * acceleration * grid.spacing
  step.travel = {
    liquid: cellsCrossed(grid.spacing, liquidSpeed, acceleration, step.dt),
    walls: cellsCrossed(grid.spacing, wallSpeed, 0, step.dt),
  }
  // Without the rounding of many substeps: at the end of a frame solids are where they are for a simulation that starts there.
  const next = time + step.dt
  step.next = next > step.end - 1e-9 / options.time.fps ? step.end : next
}

/** Liquid that moves from the start on has a pressure that keeps it on curved paths, and no solve before to know it from. A solve of its own makes
 *  the velocity free of divergence, at once; the substep's solve then is that of the velocity half a substep later on the way, which
 *  gives the pressure of the first kick. */
async function beginMoving(run: LiquidRun, step: Substep): Promise<void> {
  if (!step.isMoving) return
  const { liquid, interaction } = run
  interaction.stir(liquid, step.dt)
  assemble(run, step)
  await solve(run, step)
  liquid.project(step.half, run.options.density)
  liquid.keepStart()
  liquid.extrapolate(layersOfPaths(run))
  liquid.constrain()
  liquid.fillChanges(0)
  liquid.findPath(step.dt, step.allowance)
}

function addForces({ liquid, interaction, force }: LiquidRun, { dt, half, gravity, isMoving }: Substep): void {
  liquid.addVelocity(scaled(gravity, half))
  force?.add(half)
  if (!isMoving) interaction.stir(liquid, dt)
}

const scaled = ([x, y, z]: Vector, factor: number): Vector => [x * factor, y * factor, z * factor]

function assemble({ liquid, options, walls, state, emitter }: LiquidRun, { half, dt }: Substep): void {
  if (walls.hasMoving) walls.setVelocities(state.time)
  liquid.assemble(half, options.density, walls.hasMoving)
  walls.setAdhesion()
  emitter.addFlow({ ...state, dt })
  state.isCorrected = false
}

async function solve(run: LiquidRun, step: Substep): Promise<void> {
  const solved = summaryOf(await solveSubstep(run))
  if (!step.solved || step.solved.status === 'converged') step.solved = solved
}

function project(run: LiquidRun, step: Substep): void {
  const { liquid, particles, options } = run
  if (step.isMoving) {
    // Back from the middle of the substep, to the velocities that `beginMoving` has found.
    particlesToGrid(run)
    fillGaps(run)
    particles.keepVelocity(speedsToKnow(options.time, liquid.grid.spacing))
    liquid.project(0, options.density)
    liquid.restoreStart()
  } else {
    liquid.project(step.half, options.density)
    rub(run, liquid.arrays.pressure, step.half)
  }
}

/** Friction of walls, for as long as a pressure acts. */
function rub({ walls, options, state }: LiquidRun, pressure: Float64Array, seconds: number): void {
  if (walls.areRough) walls.rub(state.time, { pressure, seconds, density: options.density })
}

/** Seconds of the kick: the first half of the substep. For liquid that starts at rest the solve was for that half. */
function kickLength({ state }: LiquidRun, { dt, isMoving }: Substep): number {
  return state.lastStep === 0 && !isMoving ? 0 : 0.5 * dt
}

function kick(run: LiquidRun, step: Substep): void {
  const { liquid, options, force, state } = run
  const { gravity, allowance } = step
  const { lastStep, earlierStep, earliestStep } = state
  const over = (length: number, before: number) => (before > 0 ? length / before : 0)
  const [ratio, earlierRatio] = [over(lastStep, earlierStep), over(earlierStep, earliestStep)]
  liquid.predictKick({ allowance, seconds: lastStep, ratio, earlierRatio })
  liquid.keepStart()
  const length = kickLength(run, step)
  if (length === 0) return
  liquid.addVelocity(scaled(gravity, length))
  force?.add(length)
  liquid.projectKick(length, options.density)
  rub(run, liquid.arrays.kickPressure, length)
}

/** By the pressures that have changed velocities, each for as long as it did: not by that which makes a flow free of divergence at the start. */
function measureForces(run: LiquidRun, step: Substep): void {
  const { liquid, walls, interaction, state } = run
  const pressed = { areas: walls.areas(), sides: walls.sides, solids: interaction.solids, time: state.time }
  step.forces = wallForces(liquid, pressed, { solve: step.isMoving ? 0 : step.half, kick: kickLength(run, step) })
}

/** As far as particles go within a substep. */
const layersOfPaths = ({ options }: LiquidRun) => Math.ceil(options.time.cfl) + 2

/** Along walls of the middle of the substep. */
function extrapolate(run: LiquidRun, { dt }: Substep): void {
  const { liquid, options, walls, state } = run
  if (walls.hasMoving) walls.setVelocities(state.time + 0.5 * dt)
  liquid.extrapolate(layersOfPaths(run))
  liquid.followChanges(options.particles.method === 'flip')
  liquid.constrain()
  liquid.addKicks()
}

/** Known velocities are those after the solve again in the end, for callers. */
function findPaths({ liquid, options }: LiquidRun, step: Substep): void {
  const { method, flipRatio } = options.particles
  step.ratio = method === 'apic' ? 0 : keptShare(flipRatio, 2 * step.half)
  liquid.fillChanges(step.ratio)
  liquid.findPath(step.dt, step.allowance)
  liquid.constrain()
  fillPaths(liquid, step.dt)
  liquid.restoreStart()
}

/** Where particles are kept and where they are too many, before solids move: room is compared with particles of the same time. */
function keepBand(run: LiquidRun, step: Substep): void {
  const { particles, options, state } = run
  const { perCell, jitter, band } = options.particles
  step.count = countAll(run)
  if (band > 0) state.exchanged += particles.keepBand(perCell, jitter, Math.floor(2 ** 32 * random(options.seed, state.substep)))
}

function moveSolids({ walls, state }: LiquidRun, { next }: Substep): void {
  if (walls.hasMoving) walls.move(next, state.time)
}

function carryDeep({ liquid, options }: LiquidRun, { dt }: Substep): void {
  if (options.particles.band > 0) liquid.carryDeep(dt)
}

function moveParticles(run: LiquidRun, { dt, next, count, ratio }: Substep): void {
  const { particles, options, state } = run
  recordLoss(run, particles.move(dt, { ratio, order: options.particles.order }), count)
  state.earliestStep = state.earlierStep
  state.earlierStep = state.lastStep
  state.lastStep = dt
  run.isSorted = false
  state.time = next
  state.substep++
}
