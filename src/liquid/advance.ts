/** A frame: substeps until its end, then corrections of the volume, then its record. */
import { findSealed } from './boundary/exchange.js'
import { meanForces } from './boundary/wall-forces.js'
import { type Control, countAll, findSurface, type LiquidRun, recordLoss, type UnfinishedFrame } from './liquid-run.js'
import type { Excess } from './loops.js'
import { measureLiquid } from './particles/measure.js'
import { CallbackError, keepProblem, solveCorrection, throwDeferred } from './pressure-solve.js'
import { type FrameRecord, summaryOf } from './records.js'
import { runSubstep } from './step.js'
import { correctVolume, isCrowded, isNeeded, isUneven, neededChange, type VolumeChange } from './volume-correction.js'

/** Called after every substep with its number in the frame, from 1. */
export type Observe = (substep: number, isLast: boolean) => void

/** Corrections of density and volume per frame. One may not be enough where liquid is about to leave a wall, or has just hit one. */
const MAX_CORRECTIONS = 5
/** The last of them, which are for the volume: particles that are moved apart change the surface. */
const VOLUME_CORRECTIONS = 2

/** Simulates until the next frame. A CallbackError leaves the run between two substeps, or two corrections; the next call continues there. */
export async function advanceFrame(run: LiquidRun, observe: Observe | undefined, control: Control): Promise<FrameRecord> {
  run.control = control
  try {
    const end = (run.state.frame + 1) / run.options.time.fps
    beginFrame(run)
    await runSubsteps(run, end, observe)
    separate(run)
    findSurface(run)
    const volume = await correct(run)
    return finishFrame(run, volume ?? run.liquid.measureVolume())
  } finally {
    run.control = undefined
  }
}

function beginFrame(run: LiquidRun): void {
  findSurface(run)
  const { state } = run
  if (state.unfinished) return
  findSealed(run)
  const { added, removed, exchanged } = state
  state.unfinished = {
    before: { added, removed, exchanged },
    substeps: [],
    isSeparated: false,
    corrections: 0,
    correctionIterations: 0,
  }
}

async function runSubsteps(run: LiquidRun, end: number, observe: Observe | undefined): Promise<void> {
  const { state } = run
  while (state.time < end) {
    const { substeps } = state.unfinished!
    const record = await runSubstep(run, end, substeps.length)
    note(run, { substeps: [...substeps, record] })
    throwDeferred(run)
    callObserver(observe, substeps.length + 1, state.time >= end)
    await run.control?.check()
  }
}

function note({ state }: LiquidRun, change: Partial<UnfinishedFrame>): void {
  state.unfinished = { ...state.unfinished!, ...change }
}

function callObserver(observe: Observe | undefined, substep: number, isLast: boolean): void {
  try {
    observe?.(substep, isLast)
  } catch (error) {
    throw new CallbackError(error)
  }
}

/** Times a second that particles are moved apart. More often, even in every substep, is hardly better, unless they crowd. Half as often delays
 *  liquid that lets go of a ceiling by a 24th of a second. */
const SEPARATIONS = 24

/** Whether that is due at the end of this frame: as often at any frame rate, but at most once a frame. */
function isSeparationDue({ state, options }: LiquidRun): boolean {
  const due = (frame: number) => Math.floor((SEPARATIONS * frame) / options.time.fps + 1e-9)
  return due(state.frame + 1) > due(state.frame)
}

function separate(run: LiquidRun): void {
  if (run.state.unfinished!.isSeparated || !isSeparationDue(run)) return
  moveApart(run)
  note(run, { isSeparated: true })
}

function moveApart(run: LiquidRun): void {
  const { particles, options } = run
  run.watch.time('correction', () => {
    particles.sort()
    particles.separate(options.particles.perCell)
  })
  run.isSorted = false
}

/** Corrects density and volume at the end of a frame, so that every frame has the right ones. Returns the volume if it is known. */
async function correct(run: LiquidRun): Promise<number | undefined> {
  const { liquid, particles, options, state } = run
  const speed = state.unfinished!.speed ?? liquid.measureSpeed()
  note(run, { speed })
  for (;;) {
    const { corrections, correctionIterations, lastCorrection } = state.unfinished!
    if (!options.volume.correction || corrections === MAX_CORRECTIONS) return undefined
    if (lastCorrection && lastCorrection.status !== 'converged') return undefined
    const change = neededChange(liquid, state.expectedVolume)
    const isForDensity = corrections + VOLUME_CORRECTIONS < MAX_CORRECTIONS
    if (!isNeeded(change) && !isForDensity) return change.volume
    const excess = run.watch.time('correction', () => particles.findExcess(options.particles.perCell))
    // In any frame, and again: a correction doubles the room of particles at most, and an impact gathers ten times as many as there is room for.
    const isImpact = isForDensity && isCrowded(excess, options.particles.perCell)
    const isUrgent = isImpact || (corrections === 0 && isSeparationDue(run) && isUneven(excess))
    if (!isNeeded(change) && !isUrgent) return change.volume
    const result = await run.watch.time('correction', () => correctOnce(run, change, excess))
    // A flow moves clumps that are smaller than a cell, and leaves them as dense as they were.
    if (isImpact) moveApart(run)
    findSurface(run)
    note(run, {
      corrections: corrections + 1,
      correctionIterations: correctionIterations + result.iterations,
      lastCorrection: result,
    })
    throwDeferred(run)
  }
}

async function correctOnce(run: LiquidRun, change: VolumeChange, excess: Excess) {
  keepProblem(run)
  const before = countAll(run)
  const { result, gone } = await correctVolume(run, change, excess, run.options.density, tolerance =>
    solveCorrection(run, tolerance),
  )
  recordLoss(run, gone, before)
  run.isSorted = false
  return result
}

function finishFrame({ state, setting, options, particles, interaction }: LiquidRun, volume: number): FrameRecord {
  const { before, substeps, speed, lastCorrection, correctionIterations: iterations } = state.unfinished!
  state.frame++
  state.unfinished = undefined
  return {
    index: state.frame,
    time: state.time,
    substeps,
    limitedSubsteps: substeps.filter(({ limited }) => limited).length,
    travel: {
      liquid: Math.max(0, ...substeps.map(({ travel }) => travel.liquid)),
      walls: Math.max(0, ...substeps.map(({ travel }) => travel.walls)),
    },
    ...(lastCorrection && { correction: { ...summaryOf(lastCorrection), iterations } }),
    volume,
    expectedVolume: state.expectedVolume,
    particles: particles.count,
    added: state.added - before.added,
    removed: state.removed - before.removed,
    exchanged: state.exchanged - before.exchanged,
    largestSpeed: speed!.largest,
    forces: meanForces(substeps.map(({ forces }) => forces)),
    ...measureLiquid(particles, {
      grid: setting.grid,
      density: options.density,
      perCell: options.particles.perCell,
      gravity: interaction.gravity(state.time),
      lastStep: state.lastStep,
    }),
  }
}
