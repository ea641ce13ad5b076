/** The level sets of a 2D frame between their points: in cells, by Catmull and Rom's cubic, so that contours have no corners. */
import { nodeShape } from '../../grid/grid.js'
import type { Frame } from '../../liquid/frame.js'
import { continuedLiquid } from '../continued-liquid.js'
import { liquidDepth } from '../liquid-depth.js'

export interface Sample {
  readonly value: number
  /** Along x and y, per cell. */
  readonly slope: readonly [number, number]
}

type Sampler = (x: number, y: number) => Sample

export interface FlatLevels {
  /** Signed distances, < 0 inside. Liquid is continued into solids from their walls. */
  readonly liquidAt: Sampler
  readonly solidAt: Sampler
  /** The distance to the surface of liquid, also far from it; smoothed. */
  readonly depthAt: Sampler
}

export function flatLevels(frame: Frame): FlatLevels {
  const { grid } = frame
  const [nx, ny] = grid.shape
  const farthest = nx + ny
  const solid = frame.solid.map(phi => inCells(phi / grid.spacing, farthest, farthest))
  const liquid = frame.liquid.map(phi => inCells(phi / grid.spacing, farthest, 1))
  const inUnits = { ...frame, grid: { ...grid, spacing: 1 }, liquid, solid }
  const continued = continuedLiquid(inUnits)
  const cellsAt = (values: Float32Array) => {
    const at = cubic(values, nx, ny)
    return (x: number, y: number) => at(x - 0.5, y - 0.5)
  }
  const [mx, my] = nodeShape(grid)
  return { liquidAt: cellsAt(continued), solidAt: cubic(solid, mx, my), depthAt: cellsAt(liquidDepth(inUnits.grid, continued)) }
}

/** What is not a number becomes `unknown`. */
function inCells(phi: number, farthest: number, unknown: number): number {
  return Number.isNaN(phi) ? unknown : Math.min(Math.max(phi, -farthest), farthest)
}

/** Through the points of the first layer of a lattice, the first of which is the origin; beyond the lattice as on its border. */
function cubic(values: Float32Array, nx: number, ny: number): Sampler {
  return (x, y) => {
    const across = around(x, nx)
    const up = around(y, ny)
    const result = { value: 0, slope: [0, 0] as [number, number] }
    for (let b = 0; b < 4; b++) {
      let [value, slope] = [0, 0]
      for (let a = 0; a < 4; a++) {
        const point = values[across.points[a] + nx * up.points[b]]
        value += across.weights[a] * point
        slope += across.slopes[a] * point
      }
      result.value += up.weights[b] * value
      result.slope[0] += up.weights[b] * slope
      result.slope[1] += up.slopes[b] * value
    }
    return result
  }
}

/** The four points around a place along an axis, and what they count for value and slope. */
function around(place: number, count: number) {
  const at = place > 0 ? Math.min(place, count - 1) : 0
  const base = Math.floor(at)
  const t = at - base
  return {
    points: [-1, 0, 1, 2].map(step => Math.min(Math.max(base + step, 0), count - 1)),
    weights: [t * (t * (2 - t) - 1), t * t * (3 * t - 5) + 2, t * (t * (4 - 3 * t) + 1), t * t * (t - 1)].map(half),
    slopes: [t * (4 - 3 * t) - 1, t * (9 * t - 10), t * (8 - 9 * t) + 1, t * (3 * t - 2)].map(half),
  }
}

const half = (value: number) => 0.5 * value
