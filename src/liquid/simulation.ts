/** The liquid and its step. Particles carry the liquid near its surface from substep to substep, the grid what is deeper; that is all of its
 *  state, and the surface is made from it afresh. FLIP after Zhu and Bridson 2005 or APIC after Jiang and others 2015, walls after Chentanez and Müller 2011. The same input
 *  gives the same bits for any number of threads, and so does a simulation that goes on from a saved state. */
import { createCompiledLiquid } from '../engine/compiled-liquid.js'
import { createCompiledParticles } from '../engine/compiled-particles.js'
import { canShare, hardwareThreads } from '../engine/host.js'
import { type Machine, startMachine } from '../engine/kernels.js'
import type { Grid } from '../grid/grid.js'
import { copyProblem, copyProblemInto, type PressureProblem } from '../pressure/problem.js'
import { random } from '../random.js'
import type { SceneSetting, Vector } from '../scene/setting.js'
import { createSolver } from '../solvers/registry.js'
import type { SolveResult } from '../solvers/solver.js'
import { captureFrame, createFieldsAside, restoreDeep, restoreParticles, saveDeep, saveParticles } from './capture.js'
import { createEmitter } from './emit.js'
import type { Frame, FrameParts } from './frame.js'
import { createHand, type Influence } from './influence.js'
import { mendVolume, missingVolume } from './mend.js'
import { type CompleteOptions, completeOptions, type SimulationOptions } from './options.js'
import { type FrameRecord, type SolveSummary, type SubstepRecord, summaryOf } from './records.js'
import { seedBodies } from './seed.js'
import { createSolidSampler, sampleNodal } from './solids.js'
import type { SimulationState } from './state.js'
import { createStopwatch } from './stopwatch.js'
import { chooseStep, decisiveSpeed, largestWallSpeed, speedsToKnow } from './time-step.js'

export interface Simulation {
  readonly grid: Grid
  /** Frames done so far; the start is frame 0. */
  readonly frame: number
  /** Seconds since the start. */
  readonly time: number
  readonly particles: number
  /** Until the next frame. `observe` is called after every substep with its number in the frame, from 1. */
  advance(observe?: (substep: number, isLast: boolean) => void): Promise<FrameRecord>
  /** From the next substep on. A simulation that is never influenced depends on its scene alone. */
  influence(change: Influence): void
  /** This moment, for files and pictures. */
  capture(keep?: FrameParts): Frame
  /** The pressure problem of the last substep, until the next one; where the volume is mended at the end of a frame, only for `observe`,
   *  unless the simulation `keepsProblem`. */
  problem(): PressureProblem
  save(): SimulationState
  /** Ends its threads. */
  dispose(): void
}

/** Of one frame. */
const MOST_MENDS = 3

/** Up to so many cells a solve runs in the memory and on the threads of the liquid, which saves it from copying; larger ones have 4 GiB of
 *  their own. */
const SHARING_CELLS = 2 ** 19

export async function createSimulation(
  setting: SceneSetting,
  given: SimulationOptions = {},
  state?: SimulationState,
): Promise<Simulation> {
  const options = completeOptions(setting.grid, given)
  const machine = await startMachine(canShare() ? (options.threads ?? hardwareThreads()) : 1)
  try {
    return createOn(machine, setting, options, state)
  } catch (error) {
    const reason = await machine.failure()
    machine.dispose()
    throw reason ?? error
  }
}

function createOn(machine: Machine, setting: SceneSetting, options: CompleteOptions, state?: SimulationState): Simulation {
  const { grid } = setting
  const { density, solver: choice } = options
  const liquid = createCompiledLiquid(machine, grid)
  const hand = createHand(setting, options.time)
  let sampler = createSolidSampler(grid, hand.solids)
  const lent = machine.shared && grid.cells <= SHARING_CELLS ? { machine } : {}
  const solver = createSolver(choice.name, choice.options, { engine: choice.engine, threads: options.threads, ...lent })
  const particles = createCompiledParticles(machine, liquid, options.particles.method === 'apic')
  const emitter = createEmitter(setting, options, liquid, particles)
  const { perCell, flipRatio, order, jitter, band } = options.particles
  const aside = createFieldsAside(liquid)
  const watch = createStopwatch()
  const zero: Vector = [0, 0, 0]
  const particleVolume = grid.spacing ** grid.dims / perCell
  const hasOpenSide = Object.values(setting.sides).some(pair => pair?.includes('open'))

  let time = state?.time ?? 0
  let frame = state?.frame ?? 0
  let substep = state?.substep ?? 0
  let added = 0
  let removed = 0
  let exchanged = 0
  let isSorted = false
  /** Particles that deep liquid stands for. */
  let hidden = 0
  let sealed: Uint8Array | undefined
  /** The problem of the last substep, if mending has put another into its place. */
  let kept: PressureProblem | undefined
  let isMended = false

  liquid.setSides(setting.sides)
  liquid.setWord('band', band)
  moveSolids(time)
  if (state) {
    restoreParticles(particles, state)
    restoreDeep(liquid, band, state.deep)
  } else {
    const { solid } = liquid.arrays
    const solidAt = (x: number, y: number, z: number) => sampleNodal(grid, solid, x, y, z)
    particles.append(seedBodies(grid, setting.liquid, solidAt, { ...options.particles, seed: options.seed }))
  }
  prepare()
  let expectedVolume = state?.expectedVolume ?? liquid.measureVolume()

  /** Solids as of a time. */
  function moveSolids(at: number): void {
    sampler.sample(at, { phi: liquid.arrays.solid, owner: liquid.arrays.owner })
    moveWalls(at)
    liquid.setWord('hasSolids', hand.solids.length > 0 ? 1 : 0)
    liquid.openGeometry()
  }

  function moveWalls(at: number): void {
    hand.solids.forEach((solid, index) => {
      const { walls, friction } = solid
      const moves = solid.isMoving
      liquid.setWall(index + 1, {
        walls,
        friction,
        moves,
        ...(solid.isMoving ? solid.motionAt(at) : { linear: zero, angular: zero }),
      })
    })
  }

  /** What a hand has changed since the last substep. */
  function takeInfluence(remaining: number): void {
    if (hand.begin(time, remaining)) {
      sampler = createSolidSampler(grid, hand.solids)
      moveSolids(time)
      isSorted = false
    } else if (hand.hasBall) moveWalls(time)
  }

  /** Particles in the order of cells, and their surface. */
  function prepare(): void {
    if (isSorted) return
    watch.begin('sort')
    particles.sort()
    watch.begin('surface')
    liquid.surface(perCell)
    if (band > 0 && (setting.drains.length > 0 || hasOpenSide)) hidden = liquid.hiddenParticles(perCell)
    watch.pause()
    isSorted = true
  }

  /** One substep of at most `remaining` seconds; the order of things. */
  async function step(remaining: number, done: number): Promise<SubstepRecord> {
    takeInfluence(remaining)
    prepare()
    isMended = false
    watch.begin('emit')
    const before = particles.count + hidden
    const change = emitter.emit(time, substep, sealed)
    if (change.added + change.removed > 0) {
      added += change.added
      lose(change.removed, before)
      expectedVolume += change.added * particleVolume
      isSorted = false
      prepare()
    }
    watch.begin('transfer')
    particles.toGrid()
    watch.begin('extrapolate')
    // Faces that no particle reaches though their cell is liquid.
    liquid.extrapolate(2)
    const speeds = particles.keepVelocity(speedsToKnow(options.time, grid.spacing))

    const others = Math.max(largestWallSpeed(grid, hand.solids, time), hand.stirSpeed)
    const speed = Math.max(decisiveSpeed(speeds), others)
    const [gx, gy, gz] = hand.gravity(time)
    const dt = chooseStep(options.time, grid.spacing, speed, [gx, gy, gz], remaining, done)
    liquid.addVelocity([gx * dt, gy * dt, gz * dt])
    hand.stir(liquid, dt)
    watch.begin('assemble')
    liquid.assemble(dt, density, sampler.hasMoving)
    watch.begin('solve')
    const solve = summaryOf(await solvePressure(choice.tolerance))
    watch.begin('project')
    liquid.project(dt, density)
    watch.begin('extrapolate')
    liquid.extrapolate(Math.ceil(options.time.cfl) + 2)
    liquid.constrain()
    watch.begin('transfer')
    liquid.fillPairs()
    watch.begin('solids')
    if (sampler.hasMoving) moveSolids(time + dt)
    const there = particles.count + hidden
    watch.begin('band')
    if (band > 0) exchanged += particles.keepBand(perCell, jitter, Math.floor(2 ** 32 * random(options.seed, substep)))
    particles.findExcess(perCell)
    if (band > 0) liquid.carryDeep(dt)
    watch.begin('advect')
    lose(particles.move(dt, { flipRatio, order, spreads: options.volume.correction }), there)
    isSorted = false
    time += dt
    substep++
    return { dt, solve, seconds: watch.read() }
  }

  function keepProblem(): void {
    if (options.keepsProblem && !isMended) {
      if (kept) copyProblemInto(kept, assembled())
      else kept = copyProblem(assembled())
    }
    isMended = true
  }

  function assembled(): PressureProblem {
    const { kind, diagonal, linkX, linkY, linkZ, b } = liquid.arrays
    return { grid, kind, diagonal, links: [linkX, linkY, linkZ], b }
  }

  async function solvePressure(tolerance: number): Promise<SolveResult> {
    liquid.clearPressure()
    return solver.solve(assembled(), liquid.arrays.pressure, {
      tolerance,
      maxIterations: choice.maxIterations,
      monitor: options.monitor,
    })
  }

  /** Some of `count` particles are gone, and their share of the volume with them. */
  function lose(gone: number, count: number): void {
    if (gone === 0) return
    removed += gone
    expectedVolume *= 1 - gone / count
  }

  /** At the end of a frame, so that nobody sees one whose volume is off. Where liquid is about to come off a wall, once may not do. */
  async function mend(speed: number): Promise<{ readonly volume: number; readonly solve?: SolveSummary }> {
    let last: SolveResult | undefined
    let iterations = 0
    let volume = liquid.measureVolume()
    for (let times = 0; options.volume.correction && times < MOST_MENDS; times++) {
      const missing = missingVolume(liquid, expectedVolume, speed / options.time.fps, volume)
      if (missing === 0) break
      watch.begin('mend')
      keepProblem()
      const there = particles.count + hidden
      const { result, gone } = await mendVolume(liquid, particles, aside, missing, density, solvePressure)
      lose(gone, there)
      isSorted = false
      prepare()
      volume = liquid.measureVolume()
      last = result
      iterations += result.iterations
      if (result.status !== 'converged') break
    }
    return { volume, solve: last && { ...summaryOf(last), iterations } }
  }

  async function advance(observe?: (substep: number, isLast: boolean) => void): Promise<FrameRecord> {
    const end = (frame + 1) / options.time.fps
    const substeps: SubstepRecord[] = []
    const before = { added, removed, exchanged }
    prepare()
    if (setting.sources.length > 0) sealed = liquid.sealedCells()
    while (time < end) {
      const record = await step(end - time, substeps.length)
      if (time > end - 1e-9 / options.time.fps) time = end
      substeps.push(record)
      observe?.(substeps.length, time >= end)
    }
    frame++
    prepare()
    const { largest, energy } = liquid.measureSpeed()
    const { volume, solve } = await mend(largest)
    return {
      index: frame,
      time,
      substeps,
      ...(solve && { mend: solve }),
      volume,
      expectedVolume,
      particles: particles.count,
      added: added - before.added,
      removed: removed - before.removed,
      exchanged: exchanged - before.exchanged,
      largestSpeed: largest,
      kineticEnergy: energy * density,
    }
  }

  return {
    grid,
    get frame() {
      return frame
    },
    get time() {
      return time
    },
    get particles() {
      return particles.count
    },
    async advance(observe) {
      try {
        return await advance(observe)
      } catch (error) {
        throw (await machine.failure()) ?? error
      }
    },
    influence: change => hand.change(change),
    capture(keep = {}) {
      prepare()
      return captureFrame(liquid, particles, { index: frame, time }, keep)
    },
    problem: () => (isMended && kept) || assembled(),
    save() {
      prepare()
      const deep = band > 0 ? { deep: saveDeep(liquid) } : {}
      return { time, frame, substep, expectedVolume, columns: saveParticles(particles), ...deep }
    },
    dispose() {
      solver.dispose()
      machine.dispose()
    },
  }
}
