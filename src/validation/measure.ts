/** Quantities of a frame: means over particles, the height of the surface. */
import type { Frame } from '../liquid/frame.js'
import { GRAVITY } from '../pressure/gallery/scene.js'

/** kg/m³; the default of scenes. */
export const WATER_DENSITY = 1000

/** Position in m and velocity in m/s of one particle. */
export interface Particle {
  readonly x: number
  readonly y: number
  readonly z: number
  readonly u: number
  readonly v: number
  readonly w: number
}

/** Mean over all particles, or those that `counts` accepts; NaN without any. Every particle carries the same mass. */
export function meanOf(
  { particles }: Frame,
  value: (particle: Particle) => number,
  counts?: (particle: Particle) => boolean,
): number {
  const { position, velocity } = particles!
  let sum = 0
  let count = 0
  for (let at = 0; at < position.length; at += 3) {
    const [x, y, z] = [position[at], position[at + 1], position[at + 2]]
    const particle = { x, y, z, u: velocity[at], v: velocity[at + 1], w: velocity[at + 2] }
    if (counts && !counts(particle)) continue
    sum += value(particle)
    count++
  }
  return sum / count
}

/** J/kg. */
export const kineticEnergy = (frame: Frame) => meanOf(frame, ({ u, v, w }) => (u * u + v * v + w * w) / 2)

/** Kinetic and potential, J/kg. */
export const totalEnergy = (frame: Frame) => kineticEnergy(frame) + GRAVITY * meanOf(frame, ({ y }) => y)

/** m²/s about a line through `centre`: along z in 2D, along y in 3D. */
export function angularMomentum(frame: Frame, [cx, cy, cz]: readonly number[]): number {
  return frame.grid.dims === 2
    ? meanOf(frame, ({ x, y, u, v }) => (x - cx) * v - (y - cy) * u)
    : meanOf(frame, ({ x, z, u, w }) => (z - cz) * u - (x - cx) * w)
}

/** A column of cells: the middle of it and the height of the uppermost surface in it, m. */
export interface SurfaceColumn {
  readonly x: number
  readonly z: number
  readonly height: number
}

/** Columns that have a surface; `counts` selects them by their middle. */
export function surfaceColumns({ grid, liquid }: Frame, counts: (x: number, z: number) => boolean = () => true): SurfaceColumn[] {
  const [nx, ny, nz] = grid.shape
  const h = grid.spacing
  const columns: SurfaceColumn[] = []
  for (let k = 0; k < nz; k++)
    for (let i = 0; i < nx; i++) {
      const [x, z] = [(i + 0.5) * h, (k + 0.5) * h]
      if (!counts(x, z)) continue
      for (let j = ny - 2; j >= 0; j--) {
        const lower = liquid[i + nx * (j + ny * k)]
        const upper = liquid[i + nx * (j + 1 + ny * k)]
        if (!(lower < 0 && upper >= 0)) continue
        columns.push({ x, z, height: (j + 0.5 + lower / (lower - upper)) * h })
        break
      }
    }
  return columns
}

/** Mean of a list; NaN if it is empty. */
export const meanOfList = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Mean height of the surface, m. */
export const surfaceLevel = (frame: Frame) => meanOfList(surfaceColumns(frame).map(({ height }) => height))

/** Amplitude of the standing wave cos(k x) in the surface of a tank that ends at x = 0 and at a node or crest of the wave, m. */
export function waveAmplitude(frame: Frame, k: number): number {
  const columns = surfaceColumns(frame)
  return 2 * meanOfList(columns.map(({ x, height }) => height * Math.cos(k * x)))
}
