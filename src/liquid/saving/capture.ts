/** Copies between the arrays of the loops and frames or saved states, which own theirs. */
import { InputError } from '../../input-error.js'
import type { Frame, FrameFields, FrameParticles, FrameParts } from '../frame.js'
import type { LiquidLoops, ParticleColumns, ParticleLoops } from '../loops.js'
import type { DeepState, SimulationState, StepsState } from './state.js'

/** `surface` becomes part of the frame. */
export function captureFrame(
  liquid: LiquidLoops,
  particles: ParticleLoops,
  surface: Float32Array,
  moment: { readonly index: number; readonly time: number },
  keep: FrameParts,
): Frame {
  const { grid, arrays } = liquid
  return {
    grid,
    ...moment,
    liquid: surface,
    solid: inMetres(arrays.solid, grid.spacing),
    ...(keep.particles && { particles: captureParticles(liquid, particles) }),
    ...(keep.fields && { fields: captureFields(liquid) }),
  }
}

/** A loop, because a function called for each value takes ten times as long. */
function inMetres(cells: Float32Array, spacing: number): Float32Array {
  const metres = new Float32Array(cells.length)
  for (let n = 0; n < cells.length; n++) metres[n] = cells[n] * spacing
  return metres
}

function captureParticles({ grid }: LiquidLoops, particles: ParticleLoops): FrameParticles {
  const [px, py, pz, vx, vy, vz] = particles.columns()
  const position = new Float32Array(3 * px.length)
  const velocity = new Float32Array(3 * px.length)
  const h = grid.spacing
  const depth = grid.dims === 2 ? 0 : h
  for (let n = 0, at = 0; n < px.length; n++, at += 3) {
    position[at] = px[n] * h
    position[at + 1] = py[n] * h
    position[at + 2] = pz[n] * depth
    velocity[at] = vx[n]
    velocity[at + 1] = vy[n]
    velocity[at + 2] = vz[n]
  }
  return { position, velocity }
}

function captureFields({ arrays }: LiquidLoops): FrameFields {
  return {
    pressure: Float32Array.from(arrays.pressure),
    kind: arrays.kind.slice(),
    velocity: [Float32Array.from(arrays.ux), Float32Array.from(arrays.uy), Float32Array.from(arrays.uz)],
  }
}

export function saveParticles(particles: ParticleLoops): ParticleColumns {
  return particles.columns().map(column => column.slice())
}

export function restoreParticles(particles: ParticleLoops, { columns }: SimulationState): void {
  const wanted = particles.columns().length
  if (columns.length !== wanted || columns.some(column => column.length !== columns[0].length))
    throw new InputError(
      `The saved state has ${columns.length} columns of particles but needs ${wanted} of equal length; it was saved with another particles.method.`,
    )
  if (!columns.every(areFinite))
    throw new InputError('The saved state has particles whose position or velocity is no finite number.')
  particles.append(columns)
}

/** A loop, because a function called for each value takes ten times as long. */
function areFinite(values: Float32Array): boolean {
  for (let n = 0; n < values.length; n++) if (!Number.isFinite(values[n])) return false
  return true
}

export function saveDeep({ arrays: { carried, beforeX, beforeY, beforeZ } }: LiquidLoops): DeepState {
  return { carried: carried.slice(), velocity: [beforeX.slice(), beforeY.slice(), beforeZ.slice()] }
}

export function restoreDeep(
  { arrays: { carried, beforeX, beforeY, beforeZ } }: LiquidLoops,
  band: number,
  deep: DeepState | undefined,
): void {
  if (!deep) return
  if (band === 0)
    throw new InputError(
      'The saved state has liquid without particles below its surface; use the particles.band it was saved with.',
    )
  const places = [carried, beforeX, beforeY, beforeZ]
  const saved = [deep.carried, ...deep.velocity]
  if (saved.some((values, n) => values.length !== places[n].length))
    throw new InputError('The saved state has deep liquid on another number of cells; it was saved on another grid.')
  if (!deep.velocity.every(areFinite)) throw new InputError('The saved state has deep liquid whose velocity is no finite number.')
  places.forEach((place, n) => {
    place.set(saved[n])
  })
}

export function saveSteps({ arrays }: LiquidLoops, { lastStep, earlierStep, earliestStep }: StepLengths): StepsState | undefined {
  if (lastStep === 0) return undefined
  const { kickPressure, lastPressure, earlierPressure, earliestPressure } = arrays
  return {
    lengths: [lastStep, earlierStep, earliestStep],
    pressures: [Float32Array.from(kickPressure), lastPressure.slice(), earlierPressure.slice(), earliestPressure.slice()],
  }
}

interface StepLengths {
  readonly lastStep: number
  readonly earlierStep: number
  readonly earliestStep: number
}

export function restorePressures({ arrays }: LiquidLoops, steps: StepsState | undefined): void {
  if (!steps) return
  const places = [arrays.kickPressure, arrays.lastPressure, arrays.earlierPressure, arrays.earliestPressure]
  if (steps.pressures.length !== places.length || steps.pressures.some(values => values.length !== arrays.lastPressure.length))
    throw new InputError('The saved state has pressures on another number of cells; it was saved on another grid.')
  if (!steps.pressures.every(areFinite)) throw new InputError('The saved state has a pressure that is no finite number.')
  places.forEach((place, n) => {
    place.set(steps.pressures[n])
  })
}
