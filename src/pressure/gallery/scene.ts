/** From analytic shapes in a unit domain to an assembled problem. */
import { type ScalarFunction, sampleCells, sampleNodes } from '../../grid/field.js'
import { AXES, createGrid, faceShape, type Grid, nodeShape } from '../../grid/grid.js'
import type { Point } from '../../grid/shapes.js'
import { createFaceField, type FaceField } from '../../grid/staggered.js'
import { type AssembledProblem, assemble } from '../assemble.js'
import type { AssembleInput } from '../assemble-input.js'
import type { Resolved } from '../gallery.js'
import type { Side, Sides } from '../walls.js'

export const GRAVITY = 9.81 // m/s²

type Vector = readonly [number, number, number]

/** Geometry in units of the domain's side, origin in its lower corner; velocities in m/s. */
export interface GalleryScene {
  /** Known inside solids too, so that the surface meets walls exactly as described. */
  readonly liquid: ScalarFunction
  readonly solids?: readonly { readonly phi: ScalarFunction; readonly velocity?: Vector }[]
  /** Which sides are open; all others are walls. */
  readonly open?: { readonly [side in 'x' | 'y' | 'z']?: readonly [lower: boolean, upper: boolean] }
  /** Velocity before gravity acts for one step; 0 if absent. */
  readonly velocity?: Vector | FaceField
}

export interface Assembled {
  readonly problem: AssembledProblem
  readonly input: AssembleInput
  readonly velocity: FaceField
}

/** A point of the domain: without z in 2D, where shapes must ignore it. */
export function at({ dims }: Resolved, x: number, y: number, z = 0.5): Point {
  return dims === 2 ? [x, y] : [x, y, z]
}

export function createUnitGrid({ dims, size }: Resolved): Grid {
  return createGrid(new Array<number>(dims).fill(size), 1 / size)
}

/** The level nearest below `height` that is 0.3 cells above a row of centres. So the surface fraction there is neither
 *  clamped nor left to rounding at any size, and a hydrostatic pressure is an exact answer of the discrete problem. */
export function levelNear(height: number, size: number): number {
  return (Math.floor(height * size - 0.8) + 0.8) / size
}

export function assembleScene(options: Resolved, scene: GalleryScene): Assembled {
  const { size, dims, dt, density, scale, mirror, walls } = options
  const unit = createUnitGrid(options)
  const grid = createGrid(new Array<number>(dims).fill(size), scale / size)
  // Sampled in unit coordinates and reflected as arrays: scaled and mirrored problems make the same decisions of sign.
  const place = (values: Float64Array, rowLength: number, factor = 1) => {
    const placed = mirror ? reflectRows(values, rowLength) : values
    return factor === 1 ? placed : placed.map(value => value * factor)
  }
  const placeFaces = (field: FaceField): FaceField => {
    const placed = AXES.map(axis => place(field[axis], faceShape(unit, axis)[0], mirror && axis === 0 ? -1 : 1))
    return [placed[0], placed[1], placed[2]]
  }
  const start = scene.velocity ?? [0, 0, 0]
  const kicked = typeof start[0] === 'number' ? constantField(unit, start as Vector) : copyField(start as FaceField)
  for (let face = 0; face < kicked[1].length; face++) kicked[1][face] -= GRAVITY * dt
  const side = (open = false): Side => (open ? 'open' : walls)
  const pair = ([lower, upper]: readonly [boolean, boolean] = [false, false]) => [side(lower), side(upper)] as const
  const { x, y, z } = scene.open ?? {}
  const sides: Sides = { x: mirror ? pair(x && [x[1], x[0]]) : pair(x), y: pair(y), z: pair(z) }
  const input: AssembleInput = {
    grid,
    velocity: placeFaces(kicked),
    liquid: place(sampleCells(unit, scene.liquid), size, scale),
    solids: (scene.solids ?? []).map(({ phi, velocity }) => ({
      phi: place(sampleNodes(unit, phi), nodeShape(unit)[0], scale),
      velocity: velocity && placeFaces(constantField(unit, velocity)),
      walls,
    })),
    sides,
    dt,
    density,
    liquidInSolids: 'as-given',
  }
  return { problem: assemble(input), input, velocity: input.velocity }
}

/** Samples a function of position in the unit domain at cell centres, mirrored as the problem is. */
export function sampleScene(options: Resolved, value: ScalarFunction): Float64Array {
  const sampled = sampleCells(createUnitGrid(options), value)
  return options.mirror ? reflectRows(sampled, options.size) : sampled
}

function constantField(grid: Grid, velocity: Vector): FaceField {
  const field = createFaceField(grid)
  for (const axis of AXES) if (axis < grid.dims) field[axis].fill(velocity[axis])
  return field
}

function copyField([x, y, z]: FaceField): FaceField {
  return [x.slice(), y.slice(), z.slice()]
}

function reflectRows(values: Float64Array, rowLength: number): Float64Array {
  const reflected = values.slice()
  for (let start = 0; start < values.length; start += rowLength) reflected.subarray(start, start + rowLength).reverse()
  return reflected
}
