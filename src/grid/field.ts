/** Scalars at cell centres and at nodes, sampled from functions of position (metres, origin at the grid's lower corner). */
import { type Grid, nodeShape } from './grid.js'

export type ScalarFunction = (x: number, y: number, z: number) => number

/** Values at cell centres. In 2D the function sees z = 0, the plane of the drawing. */
export function sampleCells(grid: Grid, value: ScalarFunction): Float64Array {
  return sample(grid, grid.shape, [0.5, 0.5, 0.5], value)
}

/** Values at nodes (cell corners). In 2D both layers are equal. */
export function sampleNodes(grid: Grid, value: ScalarFunction): Float64Array {
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
