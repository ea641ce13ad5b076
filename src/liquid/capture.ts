/** From the memory of the loops to frames and states, and back: plain arrays of their own. */
import type { CompiledLiquid } from '../engine/compiled-liquid.js'
import type { CompiledParticles, ParticleColumns } from '../engine/compiled-particles.js'
import { InputError } from '../input-error.js'
import type { Frame, FrameFields, FrameParticles, FrameParts } from './frame.js'
import type { DeepState, SimulationState } from './state.js'

/** The surface must be that of the particles. */
export function captureFrame(
  liquid: CompiledLiquid,
  particles: CompiledParticles,
  moment: { readonly index: number; readonly time: number },
  keep: FrameParts,
): Frame {
  const { grid, arrays } = liquid
  return {
    grid,
    ...moment,
    liquid: inMetres(arrays.phi, grid.spacing),
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

function captureParticles({ grid }: CompiledLiquid, particles: CompiledParticles): FrameParticles {
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

function captureFields({ arrays }: CompiledLiquid): FrameFields {
  return {
    pressure: Float32Array.from(arrays.pressure),
    kind: arrays.kind.slice(),
    velocity: [Float32Array.from(arrays.ux), Float32Array.from(arrays.uy), Float32Array.from(arrays.uz)],
  }
}

/** All that is told of the last substep, set aside and put back; in memory that is kept, because fresh memory costs more than to copy. */
export interface FieldsAside {
  take(): void
  putBack(): void
}

export function createFieldsAside({ arrays }: CompiledLiquid): FieldsAside {
  const names = ['ux', 'uy', 'uz', 'layerX', 'layerY', 'layerZ', 'kind', 'pressure'] as const
  let kept: (Float64Array | Uint8Array)[] | undefined
  return {
    take() {
      kept ??= names.map(name => arrays[name].slice())
      for (const [n, name] of names.entries()) kept[n].set(arrays[name])
    },
    putBack() {
      for (const [n, name] of names.entries()) if (kept) arrays[name].set(kept[n])
    },
  }
}

export function saveParticles(particles: CompiledParticles): ParticleColumns {
  return particles.columns().map(column => column.slice())
}

export function restoreParticles(particles: CompiledParticles, { columns }: SimulationState): void {
  const wanted = particles.columns().length
  if (columns.length !== wanted || columns.some(column => column.length !== columns[0].length))
    throw new InputError(
      `The saved state has ${columns.length} columns of particles where ${wanted} of equal length are needed; it belongs to another method.`,
    )
  particles.append(columns)
}

export function saveDeep({ arrays: { carried, beforeX, beforeY, beforeZ } }: CompiledLiquid): DeepState {
  return { carried: carried.slice(), velocity: [beforeX.slice(), beforeY.slice(), beforeZ.slice()] }
}

export function restoreDeep(
  { arrays: { carried, beforeX, beforeY, beforeZ } }: CompiledLiquid,
  band: number,
  deep: DeepState | undefined,
): void {
  if (!deep) return
  if (band === 0)
    throw new InputError(
      'The saved state has liquid without particles below its surface; go on with the particles.band it was made with.',
    )
  const places = [carried, beforeX, beforeY, beforeZ]
  const saved = [deep.carried, ...deep.velocity]
  if (saved.some((values, n) => values.length !== places[n].length))
    throw new InputError('The saved state has deep liquid on another number of cells; it belongs to another grid.')
  places.forEach((place, n) => {
    place.set(saved[n])
  })
}
