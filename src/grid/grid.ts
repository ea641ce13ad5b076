/** A box of cubic cells. Cells are numbered x first, then y, then z: index = i + nx (j + ny k).
 *  A 2D grid is one cell deep and its z-faces are closed, so every loop works in both dimensions. */
import { checkList, checkNumbers, checkObject, checkVector, checkWhole, refuse } from '../checks.js'
import { InputError } from '../input-error.js'
import { show } from '../printable.js'

export interface Grid {
  readonly dims: 2 | 3
  /** Cells per axis; the last entry is 1 in 2D. */
  readonly shape: readonly [number, number, number]
  /** Edge length of a cell in metres. */
  readonly spacing: number
  readonly cells: number
}

export type Axis = 0 | 1 | 2
export const AXES: readonly Axis[] = [0, 1, 2]

/** Index arithmetic is 32 bit; face and node arrays are a little larger than the cell array. */
const MAX_CELLS = 2 ** 31 - 2 ** 26

/** Throws an InputError unless it is a grid as createGrid returns it. */
export function checkGrid(grid: Grid, what = 'The grid'): void {
  checkObject(grid, what, 'a grid from createGrid')
  const { dims, shape, spacing, cells } = grid
  const isGrid =
    (dims === 2 || dims === 3) &&
    Array.isArray(shape) &&
    shape.length === 3 &&
    shape.every(side => Number.isSafeInteger(side) && side >= 1) &&
    (dims === 3 || shape[2] === 1) &&
    spacing > 0 &&
    Number.isFinite(spacing) &&
    cells === shape[0] * shape[1] * shape[2] &&
    cells <= MAX_CELLS
  if (!isGrid) throw new InputError(`${what} must be a grid from createGrid, with consistent dims, shape, spacing and cells.`)
}

/** `shape` holds two numbers for a 2D grid, three for a 3D one. */
export function createGrid(shape: readonly number[], spacing = 1): Grid {
  checkList(shape, 'The shape of a grid')
  if (shape.length !== 2 && shape.length !== 3) throw new InputError(`A grid has 2 or 3 sides, not ${shape.length}.`)
  for (const side of shape) {
    if (!Number.isSafeInteger(side) || side < 1)
      throw new InputError(`A grid side must be a whole number of cells, at least 1, not ${show(side)}.`)
  }
  if (!(typeof spacing === 'number' && spacing > 0 && Number.isFinite(spacing)))
    refuse('The cell spacing', 'a positive length in metres', spacing)
  const [nx, ny, nz = 1] = shape
  const cells = nx * ny * nz
  if (cells > MAX_CELLS)
    throw new InputError(`A grid of ${shape.join(' × ')} cells is too large: at most ${MAX_CELLS} cells can be numbered.`)
  return { dims: shape.length, shape: [nx, ny, nz], spacing, cells }
}

/** Throws an InputError unless there is one value for each point of a lattice. */
export function checkLattice(shape: readonly number[], values: Float64Array, what: string): void {
  checkVector(shape, `${what}: the shape`)
  for (const side of shape) checkWhole(side, `${what}: a side of the shape`, 1)
  checkNumbers(values, `${what}: the values`, Float64Array, shape[0] * shape[1] * shape[2], 'point')
}

/** Distance in the array of cells between neighbours along each axis. */
export function cellStrides(grid: Grid): readonly [number, number, number] {
  const [nx, ny] = grid.shape
  return [1, nx, nx * ny]
}

export function cellIndex(grid: Grid, i: number, j: number, k = 0): number {
  if (typeof i !== 'number' || typeof j !== 'number' || typeof k !== 'number' || !grid?.shape)
    refuseCell('cellIndex', grid, [i, j, k])
  return i + grid.shape[0] * (j + grid.shape[1] * k)
}

export function cellPosition(grid: Grid, cell: number): [number, number, number] {
  if (typeof cell !== 'number' || !grid?.shape) refuseCell('cellPosition', grid, cell)
  const [nx, ny] = grid.shape
  return [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny))]
}

/** The full check, after a cheap one has failed: cells are looked up one by one. */
function refuseCell(name: string, grid: Grid, cell: unknown): never {
  checkGrid(grid, `${name}: the grid`)
  refuse(`${name}: the cell`, 'given by numbers', cell)
}

/** Points per axis of the grid's nodes (cell corners). A 2D grid has two equal layers of them. */
export function nodeShape(grid: Grid): readonly [number, number, number] {
  const [nx, ny, nz] = grid.shape
  return [nx + 1, ny + 1, nz + 1]
}

/** Points per axis of the faces that are normal to `axis`. */
export function faceShape(grid: Grid, axis: Axis): readonly [number, number, number] {
  const [nx, ny, nz] = grid.shape
  return [nx + (axis === 0 ? 1 : 0), ny + (axis === 1 ? 1 : 0), nz + (axis === 2 ? 1 : 0)]
}
