/** Loops over the cells and faces of a grid, and the numbers of neighbours. */
import { AXES, type Axis, cellStrides, faceShape, type Grid, nodeShape } from '../../../grid/grid.js'
import type { Side } from '../../../pressure/walls.js'
import type { PlainState } from '../state.js'

/** In place of a cell beyond a side of the grid. */
export const OUTSIDE = -1

/** Cell (i, j, k), x first. */
export function forCells({ shape: [nx, ny, nz] }: Grid, visit: (cell: number, i: number, j: number, k: number) => void): void {
  for (let k = 0, cell = 0; k < nz; k++) for (let j = 0; j < ny; j++) for (let i = 0; i < nx; i++, cell++) visit(cell, i, j, k)
}

/** `below` and `above` are the cells on both sides of a face, or OUTSIDE; (i, j, k) is its place among the faces of its axis. */
export type FaceVisitor = (axis: Axis, face: number, below: number, above: number, i: number, j: number, k: number) => void

/** All faces that liquid can flow through: nothing moves through the z-faces of a 2D grid. */
export function forFaces(grid: Grid, visit: FaceVisitor): void {
  for (const axis of flowAxes(grid)) forFacesOf(grid, axis, visit)
}

export function forFacesOf(grid: Grid, axis: Axis, visit: FaceVisitor): void {
  const [nx, ny] = grid.shape
  const [fx, fy, fz] = faceShape(grid, axis)
  const stride = cellStrides(grid)[axis]
  const last = grid.shape[axis]
  for (let k = 0, face = 0; k < fz; k++) {
    for (let j = 0; j < fy; j++) {
      for (let i = 0; i < fx; i++, face++) {
        const position = axis === 0 ? i : axis === 1 ? j : k
        const above = i + nx * (j + ny * k)
        visit(axis, face, position > 0 ? above - stride : OUTSIDE, position < last ? above : OUTSIDE, i, j, k)
      }
    }
  }
}

/** Axes along which liquid moves. */
export function flowAxes({ dims }: Grid): readonly Axis[] {
  return AXES.slice(0, dims)
}

/** Arrays on faces, x, y, z. */
export function byAxis({ arrays }: PlainState) {
  return {
    u: [arrays.ux, arrays.uy, arrays.uz],
    before: [arrays.beforeX, arrays.beforeY, arrays.beforeZ],
    start: [arrays.startX, arrays.startY, arrays.startZ],
    open: [arrays.openX, arrays.openY, arrays.openZ],
    layer: [arrays.layerX, arrays.layerY, arrays.layerZ],
    pair: [arrays.pairX, arrays.pairY, arrays.pairZ],
  } as const
}

/** The side of the grid that a face between these cells is on; undefined inside the grid. */
export function sideOfFace({ sides }: PlainState, axis: Axis, below: number, above: number): Side | undefined {
  return below === OUTSIDE ? sides[axis][0] : above === OUTSIDE ? sides[axis][1] : undefined
}

/** The cells behind the open faces of a cell, OUTSIDE for each that is on a side of the grid; −x first, then +x, −y, … */
export function openNeighbours(state: PlainState, cell: number): number[] {
  const { grid } = state
  const { open } = byAxis(state)
  const [nx, ny] = grid.shape
  const row = Math.floor(cell / nx)
  const k = Math.floor(row / ny)
  const places = [cell - nx * row, row - ny * k, k]
  const strides = cellStrides(grid)
  // One more x-face than cells in each row before, one more row of y-faces in each plane before.
  const lowerFaces = [cell + row, cell + nx * k, cell]
  const found: number[] = []
  for (const axis of flowAxes(grid)) {
    const stride = strides[axis]
    if (open[axis][lowerFaces[axis]] !== 0) found.push(places[axis] === 0 ? OUTSIDE : cell - stride)
    if (open[axis][lowerFaces[axis] + stride] !== 0) found.push(places[axis] === grid.shape[axis] - 1 ? OUTSIDE : cell + stride)
  }
  return found
}

/** Distance in the array of nodes between neighbours along each axis. */
export function nodeStrides(grid: Grid): readonly [number, number, number] {
  const [mx, my] = nodeShape(grid)
  return [1, mx, mx * my]
}

/** The node at the lower corner of cell (i, j, k), and of the faces at that place. */
export function lowestNode(grid: Grid, i: number, j: number, k: number): number {
  const [mx, my] = nodeShape(grid)
  return i + mx * (j + my * k)
}

/** Sums have the same bits on any number of threads, because they are added up in groups of slabs that depend on the grid alone: planes of
 *  constant k in 3D, rows of constant j in 2D. */
const MIN_GROUP_SLABS = 4
const MAX_GROUPS = 64

/** Rows of cells along x per group; the last may have fewer. */
export function rowsOfGroup({ dims, shape: [, ny, nz] }: Grid): number {
  const [slabs, slabRows] = dims === 3 ? [nz, ny] : [ny, 1]
  return slabRows * Math.max(MIN_GROUP_SLABS, Math.ceil(slabs / MAX_GROUPS))
}

/** Sum over all rows of cells along x. `add` returns its first argument plus a row. */
export function sumOverRows(grid: Grid, add: (sum: number, j: number, k: number) => number): number {
  const [, ny, nz] = grid.shape
  const groupRows = rowsOfGroup(grid)
  let total = 0
  for (let first = 0; first < ny * nz; first += groupRows) {
    let sum = 0
    for (let row = first; row < Math.min(ny * nz, first + groupRows); row++) sum = add(sum, row % ny, Math.floor(row / ny))
    total += sum
  }
  return total
}
