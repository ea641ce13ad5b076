/** Values between the points of the grid: trilinear, in f32. Beyond the outermost points the nearest value holds. */
import { type Axis, faceShape, type Grid, nodeShape } from '../../grid/grid.js'
import { f32, mix } from './arithmetic.js'
import { flowAxes } from './grid/walk.js'

/** Cell centres, nodes, or the faces of an axis. */
export interface SampleLattice {
  /** Points along each axis. */
  readonly points: readonly [number, number, number]
  /** Cells from the corner of the grid to the first point: 0 or ½ along each axis. */
  readonly offset: readonly [number, number, number]
  /** From a point to the next along each axis, in an array; 0 along axes with a single point. */
  readonly steps: readonly [number, number, number]
}

/** Where between the points of a lattice a position is. */
export interface Place {
  /** Index of the lowest of the eight points around it. */
  at: number
  /** Fractions from there to the next point along each axis, 0 … 1. */
  readonly fraction: Float32Array
}

export const createPlace = (): Place => ({ at: 0, fraction: new Float32Array(3) })

export const centreLattice = (grid: Grid): SampleLattice => createLattice(grid.shape, [0.5, 0.5, 0.5])

export const nodeLattice = (grid: Grid): SampleLattice => createLattice(nodeShape(grid), [0, 0, 0])

export function faceLattice(grid: Grid, axis: Axis): SampleLattice {
  return createLattice(faceShape(grid, axis), [axis === 0 ? 0 : 0.5, axis === 1 ? 0 : 0.5, axis === 2 ? 0 : 0.5])
}

function createLattice(points: SampleLattice['points'], offset: SampleLattice['offset']): SampleLattice {
  const [nx, ny, nz] = points
  return { points, offset, steps: [nx > 1 ? 1 : 0, ny > 1 ? nx : 0, nz > 1 ? nx * ny : 0] }
}

/** `position`: in cells from the corner of the grid. NaN is taken for 0. */
export function locate({ points, offset, steps }: SampleLattice, position: Float32Array, place: Place): void {
  let at = 0
  for (let axis = 0; axis < 3; axis++) {
    const last = points[axis] - 1
    const beyond = f32(position[axis] - offset[axis])
    const coordinate = beyond > 0 ? Math.min(beyond, last) : 0
    const lower = Math.floor(Math.min(coordinate, Math.max(0, last - 1)))
    place.fraction[axis] = coordinate - lower
    at += lower * steps[axis]
  }
  place.at = at
}

export function interpolate(values: Float32Array, { steps }: SampleLattice, { at, fraction }: Place): number {
  const left = interpolateAcross(values, at, steps, fraction)
  return mix(left, interpolateAcross(values, at + steps[0], steps, fraction), fraction[0])
}

/** Along y and z alone. */
function interpolateAcross(values: Float32Array, at: number, steps: SampleLattice['steps'], fraction: Float32Array): number {
  const above = at + steps[2]
  const lower = mix(values[at], values[at + steps[1]], fraction[1])
  return mix(lower, mix(values[above], values[above + steps[1]], fraction[1]), fraction[2])
}

/** Returns the value; `slope` becomes its derivatives along x, y and z, per cell; 0 along axes with a single point. */
export function interpolateWithSlope(values: Float32Array, lattice: SampleLattice, place: Place, slope: Float32Array): number {
  const { at, fraction } = place
  slopeAcross(values, at, lattice.steps, fraction, LEFT)
  slopeAcross(values, at + lattice.steps[0], lattice.steps, fraction, RIGHT)
  slope[0] = RIGHT[0] - LEFT[0]
  slope[1] = mix(LEFT[1], RIGHT[1], fraction[0])
  slope[2] = mix(LEFT[2], RIGHT[2], fraction[0])
  return mix(LEFT[0], RIGHT[0], fraction[0])
}

// Scratch of `interpolateWithSlope`.
const LEFT = new Float32Array(3)
const RIGHT = new Float32Array(3)

/** Value and derivatives along y and z, between the four points across x. */
function slopeAcross(
  values: Float32Array,
  at: number,
  steps: SampleLattice['steps'],
  fraction: Float32Array,
  result: Float32Array,
): void {
  const above = at + steps[2]
  const [a, b, c, d] = [values[at], values[at + steps[1]], values[above], values[above + steps[1]]]
  const lower = mix(a, b, fraction[1])
  const upper = mix(c, d, fraction[1])
  result[0] = mix(lower, upper, fraction[2])
  result[1] = mix(f32(b - a), f32(d - c), fraction[2])
  result[2] = upper - lower
}

/** Interpolates one array of faces per axis at a position. In 2D the third component is 0. */
export type FaceSampler = (faces: readonly Float32Array[], position: Float32Array, result: Float32Array) => void

export function createFaceSampler(grid: Grid): FaceSampler {
  const lattices = flowAxes(grid).map(axis => faceLattice(grid, axis))
  const place = createPlace()
  return (faces, position, result) => {
    result[2] = 0
    for (let axis = 0; axis < lattices.length; axis++) {
      locate(lattices[axis], position, place)
      result[axis] = interpolate(faces[axis], lattices[axis], place)
    }
  }
}
