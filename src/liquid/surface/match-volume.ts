/** Keeps the volume of liquid where its level set is put onto a finer grid. Sheets and drops of about a cell are kinks of the level set, which
 *  a finer grid reads otherwise: unless it is moved there, they are up to a third too large. */
import type { Grid } from '../../grid/grid.js'
import type { Frame } from '../frame.js'
import { DEPTH_ROUNDS, THICK, THIN_DEPTH } from '../shared-constants.js'
import { borderLevel, outsideSolids } from './mesh-levels.js'

/** Places along each axis of a cell at which both level sets are compared. */
const PLACES = 4
/** Most that the surface is moved by each round, in cells. */
const MOST_SHIFT = 0.25
const MATCHING_ROUNDS = 3
/** Cells farther from the surface than this are full or empty in both. */
const NEAR_SURFACE = 2

type Levels = Pick<Frame, 'grid' | 'liquid' | 'solid'>

/** Moves the surface of `fine`, of twice as many cells along each axis, until thin liquid has as much volume as in `coarse`, around every cell.
 *  Surfaces are taken as linear between centres, as meshes have them. */
export function matchVolume(coarse: Levels, fine: Levels): void {
  const { grid } = coarse
  const near = cellsNear(grid, coarse.liquid)
  const thin = thinness(grid, coarse.liquid)
  const wanted = new Float32Array(grid.cells)
  const found = new Float32Array(grid.cells)
  const area = new Float32Array(grid.cells)
  const places = placesIn(grid.dims)
  const width = grid.spacing / PLACES
  measure(coarse, wanted)
  for (let round = 0; round < MATCHING_ROUNDS; round++) {
    measure(fine, found, area)
    moveBy(grid, fine, shifts())
  }

  /** What cells near the surface hold by a level set on this grid or on the finer one. */
  function measure({ grid: own, liquid, solid }: Levels, shares: Float32Array, falls?: Float32Array): void {
    const { shape, spacing } = own
    const open = outsideSolids(own, liquid, solid)
    const levelAt = sampler(paddedShape(shape, grid.dims), withBorder(shape, grid.dims, open, spacing))
    const perCell = grid.spacing / spacing
    const depth = grid.dims === 3 ? 1 : 0
    for (const cell of near)
      shares[cell] = measured(
        cell,
        (x, y, z) => levelAt(x * perCell + 0.5, y * perCell + 0.5, depth * (z * perCell + 0.5)),
        falls,
      )
  }

  /** The share of places in liquid, each as wide as its distance from the others; and by how much it falls per metre that the level set rises. */
  function measured(cell: number, levelAt: (x: number, y: number, z: number) => number, falls?: Float32Array): number {
    const [nx, ny] = grid.shape
    const [i, j, k] = [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny))]
    let sum = 0
    let cut = 0
    for (const [x, y, z] of places) {
      const share = 0.5 - levelAt(i + x, j + y, k + z) / width
      sum += Math.min(Math.max(share, 0), 1)
      if (share > 0 && share < 1) cut++
    }
    if (falls) falls[cell] = cut / width / places.length
    return sum / places.length
  }

  /** How far the level set is to rise, in metres, by what each cell and those around it hold too much. */
  function shifts(): Float32Array {
    const excess = around(
      grid,
      found.map((share, cell) => share - wanted[cell]),
      meanOf,
    )
    const slope = around(grid, area, meanOf)
    const most = MOST_SHIFT * grid.spacing
    return excess.map((value, cell) => {
      // Where hardly any surface is there is nothing to move.
      const shift = slope[cell] > 0.02 / grid.spacing ? value / slope[cell] : 0
      return thin[cell] * Math.min(Math.max(shift, -most), most)
    })
  }

  function cellsNear({ cells, spacing }: Grid, values: Float32Array): number[] {
    const found: number[] = []
    for (let cell = 0; cell < cells; cell++) if (Math.abs(values[cell]) < NEAR_SURFACE * spacing) found.push(cell)
    return found
  }
}

type Shape = readonly [number, number, number]

const paddedShape = ([nx, ny, nz]: Shape, dims: 2 | 3): Shape => [nx + 2, ny + 2, dims === 3 ? nz + 2 : nz]

/** With one more value on every side, outside liquid, as meshes have it. */
function withBorder(shape: Shape, dims: 2 | 3, values: Float32Array, spacing: number): Float32Array {
  const [mx, my, mz] = paddedShape(shape, dims)
  const [nx, ny, nz] = shape
  const first = dims === 3 ? 1 : 0
  const padded = new Float32Array(mx * my * mz)
  for (let k = 0, at = 0; k < mz; k++)
    for (let j = 0; j < my; j++)
      for (let i = 0; i < mx; i++, at++) {
        const [a, b, c] = [
          Math.min(Math.max(i - 1, 0), nx - 1),
          Math.min(Math.max(j - 1, 0), ny - 1),
          Math.min(Math.max(k - first, 0), nz - 1),
        ]
        const value = values[a + nx * (b + ny * c)]
        const isInside = a === i - 1 && b === j - 1 && c === k - first
        padded[at] = isInside ? value : borderLevel(value, spacing)
      }
  return padded
}

/** Evenly spread over a cell; in 2D in the plane of its centre. */
function placesIn(dims: 2 | 3): readonly (readonly [number, number, number])[] {
  const along = Array.from({ length: PLACES }, (_, n) => (n + 0.5) / PLACES)
  const depths = dims === 3 ? along : [0.5]
  return depths.flatMap(z => along.flatMap(y => along.map(x => [x, y, z] as const)))
}

type OfThree = (before: number, own: number, behind: number) => number

const meanOf: OfThree = (before, own, behind) => (before + own + behind) / 3
const largestOf: OfThree = (before, own, behind) => Math.max(before, own, behind)

/** Of a cell and those beside it, along one axis after the other; beyond the border values are as on it. */
function around({ dims, shape }: Grid, values: Float32Array, ofThree: OfThree): Float32Array {
  let from = values
  for (let axis = 0; axis < dims; axis++) {
    const stride = axis === 0 ? 1 : axis === 1 ? shape[0] : shape[0] * shape[1]
    const to = new Float32Array(from.length)
    for (let cell = 0; cell < to.length; cell++) {
      const place = Math.floor(cell / stride) % shape[axis]
      const before = from[place > 0 ? cell - stride : cell]
      const behind = from[place < shape[axis] - 1 ? cell + stride : cell]
      to[cell] = ofThree(before, from[cell], behind)
    }
    from = to
  }
  return from
}

/** From 1 in films and drops, which are not smoothed in pictures, to 0 where liquid is: there the finer surface is rounder than the given one, and no worse. */
function thinness(grid: Grid, liquid: Float32Array): Float32Array {
  const depth = liquid.map(value => (value < 0 ? -value / grid.spacing : 0))
  let deepest: Float32Array = depth
  for (let round = 0; round < DEPTH_ROUNDS; round++) deepest = around(grid, deepest, largestOf)
  return deepest.map(cells => {
    const share = Math.min(Math.max((cells - THIN_DEPTH) / (THICK - THIN_DEPTH), 0), 1)
    return 1 - share * share * (3 - 2 * share)
  })
}

/** Linear between the shifts of cells, so that the surface gets no steps. */
function moveBy(
  grid: Grid,
  {
    grid: {
      shape: [nx, ny, nz],
    },
    liquid,
  }: Levels,
  shift: Float32Array,
): void {
  const shiftAt = sampler(grid.shape, shift)
  for (let k = 0, cell = 0; k < nz; k++) {
    const z = grid.dims === 3 ? (k + 0.5) / 2 - 0.5 : 0
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++, cell++) liquid[cell] += shiftAt((i + 0.5) / 2 - 0.5, (j + 0.5) / 2 - 0.5, z)
  }
}

/** Linear between values, the first of which is the origin; beyond the others as on their border. */
function sampler(
  [nx, ny, nz]: readonly [number, number, number],
  values: Float32Array,
): (x: number, y: number, z: number) => number {
  return (x, y, z) => {
    const px = Math.min(Math.max(x, 0), nx - 1)
    const py = Math.min(Math.max(y, 0), ny - 1)
    const pz = Math.min(Math.max(z, 0), nz - 1)
    const i = Math.floor(px)
    const j = Math.floor(py)
    const k = Math.floor(pz)
    const right = i < nx - 1 ? 1 : 0
    const up = j < ny - 1 ? nx : 0
    const back = k < nz - 1 ? nx * ny : 0
    const at = i + nx * (j + ny * k)
    const row = (from: number) => values[from] + (px - i) * (values[from + right] - values[from])
    const plane = (from: number) => row(from) + (py - j) * (row(from + up) - row(from))
    return plane(at) + (pz - k) * (plane(at + back) - plane(at))
  }
}
