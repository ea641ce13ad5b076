/** Initial particles are at random places in their parts of cells, so the surface that is found from them is rough by tenths of a cell, and its
 *  weight would become waves, which last. Particles near a surface are moved along its normal until they show the surface of their body.
 *  Only roughness is removed: the mean height stays, because it belongs to the number of particles. */
import { interpolate } from '../../grid/field.js'
import type { Grid } from '../../grid/grid.js'
import type { LiquidBody } from '../../scene/setting.js'
import { REACH } from '../shared-constants.js'
import type { Seeding } from './seed.js'

/** Roughness falls to about two thirds each time. */
const FIT_ROUNDS = 8
/** In cells. Where the two surfaces are farther apart the body ends at a wall, at an edge, or is thinner than what particles show. */
const MAX_ROUGHNESS = 0.4
/** Step of differences, in cells: well below the distance of particles, well above rounding. */
const SLOPE_STEP = 0.01

export interface FittedLiquid {
  readonly grid: Grid
  readonly bodies: readonly LiquidBody[]
  /** Signed distance to solids at a position, both in cells. */
  readonly solidAt: (x: number, y: number, z: number) => number
  /** Distance at cell centres to the surface of the particles in these columns. */
  readonly surfaceOf: (columns: readonly Float32Array[]) => ArrayLike<number>
}

type Place = readonly [number, number, number]

/** A particle near the surface of its body, lengths in cells. */
interface Near {
  readonly particle: number
  readonly from: Place
  readonly normal: Place
  /** The nearest point of the surface. */
  readonly foot: Place
  /** Of how much the surface moves the particle moves: less below it, so that none is pressed together. */
  readonly share: number
}

/** Moves the particles in the columns, by at most half of their distance. Without jitter, particles are where their parts are. */
export function fitSurface(liquid: FittedLiquid, columns: readonly Float32Array[], { perCell, jitter }: Seeding): void {
  if (jitter === 0) return
  const { grid, solidAt } = liquid
  const first = Float64Array.from(liquid.surfaceOf(columns))
  const near = findNear(liquid, columns).filter(({ foot }) => Math.abs(distanceAt(grid, first, foot)) < MAX_ROUGHNESS)
  if (near.length === 0) return
  const most = 0.5 * perCell ** (-1 / grid.dims)
  const moved = new Float64Array(near.length)
  for (let round = 0; round < FIT_ROUNDS; round++) {
    const surface = Float64Array.from(liquid.surfaceOf(columns))
    const above = near.map(({ foot }) => -distanceAt(grid, surface, foot))
    const mean = above.reduce((sum, height) => sum + height, 0) / near.length
    near.forEach(({ particle, from, normal, share }, n) => {
      const way = Math.max(-most, Math.min(most, moved[n] - share * (above[n] - mean)))
      const [x, y, z] = from.map((start, axis) => start + way * normal[axis])
      if (!isInside(grid, [x, y, z]) || solidAt(x, y, z) <= 0) return
      moved[n] = way
      columns[0][particle] = x
      columns[1][particle] = y
      columns[2][particle] = z
    })
  }
}

function findNear({ grid, bodies, solidAt }: FittedLiquid, [px, py, pz]: readonly Float32Array[]): Near[] {
  const h = grid.spacing
  const distance = (x: number, y: number, z: number) =>
    bodies.reduce((least, { phi }) => Math.min(least, phi(x * h, y * h, grid.dims === 2 ? 0 : z * h) / h), Infinity)
  const found: Near[] = []
  for (let particle = 0; particle < px.length; particle++) {
    const from: Place = [px[particle], py[particle], pz[particle]]
    const value = distance(...from)
    if (!(value > -REACH)) continue
    const slopes = from.map((_, axis) => {
      if (axis >= grid.dims) return 0
      const [lower, upper] = [-SLOPE_STEP, SLOPE_STEP].map(step => distance(...shifted(from, axis, step)))
      return (upper - lower) / (2 * SLOPE_STEP)
    })
    const length = Math.hypot(...slopes)
    const depth = -value / length
    // Also where it is not finite, or no distance at all.
    if (!(depth < REACH)) continue
    const normal: Place = [slopes[0] / length, slopes[1] / length, slopes[2] / length]
    const foot: Place = [from[0] + depth * normal[0], from[1] + depth * normal[1], from[2] + depth * normal[2]]
    if (isInside(grid, foot) && solidAt(...foot) > 0) found.push({ particle, from, normal, foot, share: 1 - depth / REACH })
  }
  return found
}

function shifted([x, y, z]: Place, axis: number, step: number): Place {
  return axis === 0 ? [x + step, y, z] : axis === 1 ? [x, y + step, z] : [x, y, z + step]
}

function isInside({ shape }: Grid, place: Place): boolean {
  return place.every((coordinate, axis) => coordinate > 0 && coordinate < shape[axis])
}

function distanceAt(grid: Grid, surface: Float64Array, [x, y, z]: Place): number {
  const h = grid.spacing
  return interpolate(grid, grid.shape, [0.5, 0.5, 0.5], surface, x * h, y * h, z * h)
}
