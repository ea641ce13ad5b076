/** Scalars at cell centres and at nodes, sampled from functions of position (metres, origin at the grid's lower corner). */
import { checkFunction, checkVector, refuse } from '../checks.js'
import { checkGrid, checkLattice, type Grid, nodeShape } from './grid.js'

export type ScalarFunction = (x: number, y: number, z: number) => number

/** Values at cell centres. In 2D the function is called with z = 0, the plane of the drawing. */
export function sampleCells(grid: Grid, value: ScalarFunction): Float64Array {
  checkGrid(grid, 'sampleCells: the grid')
  checkFunction(value, 'sampleCells: the function')
  return sample(grid, grid.shape, [0.5, 0.5, 0.5], value)
}

/** Values at nodes (cell corners). In 2D both layers are equal. */
export function sampleNodes(grid: Grid, value: ScalarFunction): Float64Array {
  checkGrid(grid, 'sampleNodes: the grid')
  checkFunction(value, 'sampleNodes: the function')
  return sample(grid, nodeShape(grid), [0, 0, 0], value)
}

export function sample(
  grid: Grid,
  [nx, ny, nz]: readonly [number, number, number],
  offset: readonly [number, number, number],
  value: ScalarFunction,
): Float64Array {
  const h = grid.spacing
  const values = new Float64Array(nx * ny * nz)
  let at = 0
  for (let k = 0; k < nz; k++) {
    const z = grid.dims === 2 ? 0 : (k + offset[2]) * h
    for (let j = 0; j < ny; j++) {
      const y = (j + offset[1]) * h
      for (let i = 0; i < nx; i++) values[at++] = value((i + offset[0]) * h, y, z)
    }
  }
  return values
}

/** Trilinear interpolation of `values` on points of `shape`, the first of which is at `offset` cells from the grid's corner.
 *  Positions outside the points get the value on their border. In 2D z is ignored. */
export function interpolate(
  grid: Grid,
  shape: readonly [number, number, number],
  offset: readonly [number, number, number],
  values: Float64Array,
  x: number,
  y: number,
  z: number,
): number {
  // Called for many points, so only cheap checks; other wrong input makes the sum NaN.
  if (!(grid?.spacing > 0 && shape?.length === 3 && offset?.length === 3 && values?.length === shape[0] * shape[1] * shape[2]))
    checkInterpolation(grid, shape, offset, values)
  if (typeof x !== 'number' || typeof y !== 'number' || typeof z !== 'number')
    refuse('interpolate: the position', 'three numbers', [x, y, z])
  const [nx, ny, nz] = shape
  const place = (coordinate: number, shift: number, size: number) =>
    Math.min(Math.max(coordinate / grid.spacing - shift, 0), size - 1)
  const fx = place(x, offset[0], nx)
  const fy = place(y, offset[1], ny)
  const fz = grid.dims === 2 ? 0 : place(z, offset[2], nz)
  const i = Math.min(Math.floor(fx), Math.max(0, nx - 2))
  const j = Math.min(Math.floor(fy), Math.max(0, ny - 2))
  const k = Math.min(Math.floor(fz), Math.max(0, nz - 2))
  let sum = 0
  for (let corner = 0; corner < 8; corner++) {
    const wx = corner & 1 ? fx - i : 1 - (fx - i)
    const wy = corner & 2 ? fy - j : 1 - (fy - j)
    const wz = corner & 4 ? fz - k : 1 - (fz - k)
    const weight = wx * wy * wz
    // A corner of weight 0 may be outside a grid that is one point wide.
    if (weight !== 0) sum += weight * values[i + (corner & 1) + nx * (j + ((corner >> 1) & 1) + ny * (k + (corner >> 2)))]
  }
  return sum
}

function checkInterpolation(grid: Grid, shape: readonly number[], offset: readonly number[], values: Float64Array): void {
  checkGrid(grid, 'interpolate: the grid')
  checkVector(offset, 'interpolate: the offset')
  checkLattice(shape, values, 'interpolate')
}
