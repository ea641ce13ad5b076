/** Drains remove the liquid in their shapes: all of it, or as much as their flow rate says. */
import type { Grid } from '../../grid/grid.js'
import { random } from '../../random.js'
import type { Drain } from '../../scene/setting.js'
import { REMOVED } from '../loops.js'
import { SEED_REACH } from '../particles/seed.js'
import type { ExchangeArrays } from './filling.js'
import { createPlacements, inCells, largestMove, ownBox, type PlacedCells } from './placed-shape.js'
import { activePart } from './source-lattice.js'

export interface PreparedDrain {
  readonly drain: Drain
  readonly placeAt: (time: number) => PlacedCells
  readonly number: number
}

export function prepareDrain(grid: Grid, drain: Drain, number: number): PreparedDrain {
  const phi = inCells(grid, drain.phi)
  return { drain, placeAt: createPlacements(grid, drain, phi, ownBox(grid, drain, phi)), number }
}

/** Particles in a shape, in the order of cells. */
function particlesInside({ px, py, pz, cellStart }: ExchangeArrays, { shape, cells }: PlacedCells): number[] {
  const found: number[] = []
  for (const { cell, isWhole, distance } of cells) {
    if (distance > SEED_REACH) continue
    for (let n = cellStart[cell]; n < cellStart[cell + 1]; n++)
      if (px[n] !== REMOVED && (isWhole || shape.phi(px[n], py[n], pz[n]) < 0)) found.push(n)
  }
  return found
}

export interface DrainMoment {
  readonly time: number
  /** Of the last exchange; absent: there was none. */
  readonly last: number | undefined
  /** Particles: the share of one that the flow rate has not removed yet. */
  readonly owed: number
  readonly seed: number
  readonly substep: number
  /** Particles that make up a unit of volume, 1/m³ (1/m² in 2D). */
  readonly density: number
}

/** The particles to remove, and what is owed then. What is not there to be removed is not owed later. */
export function drained(arrays: ExchangeArrays, prepared: PreparedDrain, moment: DrainMoment): Drained {
  const { drain, placeAt, number } = prepared
  const { time, last, seed, substep } = moment
  const part = activePart(drain, time, last)
  if (!part) return { removed: [], owed: 0 }
  if (drain.flowRate === undefined) {
    const isActive = time < drain.until
    return { removed: isActive ? particlesPassed(arrays, prepared, time, time - part.span) : [], owed: 0 }
  }
  const inside = particlesInside(arrays, placeAt(time))
  const wanted = moment.owed + drain.flowRate * part.span * moment.density
  const count = Math.floor(wanted)
  if (count >= inside.length) return { removed: inside, owed: 0 }
  // Spread evenly over the shape, because particles are in the order of cells.
  const start = random(seed, number, substep)
  const removed = Array.from({ length: count }, (_, n) => inside[Math.floor(((n + start) * inside.length) / count)])
  return { removed, owed: wanted - count }
}

interface Drained {
  readonly removed: readonly number[]
  readonly owed: number
}

/** Places between two times at which a moving drain is looked at: no cell is passed over, unless it moves farther than so many cells. */
const MAX_STOPS = 64

/** Particles where a drain is and, if it moves, where it has been since a time. */
function particlesPassed(
  arrays: ExchangeArrays,
  { drain: { path }, placeAt }: PreparedDrain,
  time: number,
  since: number,
): readonly number[] {
  const here = placeAt(time)
  if (!path) return particlesInside(arrays, here)
  const stops = Math.min(MAX_STOPS, Math.ceil(largestMove(placeAt(since), here)))
  const found = new Set(particlesInside(arrays, here))
  for (let n = 1; n < stops; n++)
    for (const particle of particlesInside(arrays, placeAt(since + (n / stops) * (time - since)))) found.add(particle)
  return [...found]
}
