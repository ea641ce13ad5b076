/** The neighbour across each face of an unknown, on the finest grid and, merged, on the coarser ones. Interpolation needs no other
 *  geometry: it does not use level sets, so a wall of any thickness stays a wall. */
import { AXES, cellStrides, type Grid } from '../../grid/grid.js'
import { faceStrides } from '../../grid/staggered.js'
import { isAssembled } from '../../pressure/assemble.js'
import { DRY, type PressureProblem } from '../../pressure/problem.js'

/** Closed: a wall, or the closed side of the grid. */
export const CLOSED_FACE = -1
/** Open to p = 0: air, or a contact that is pinned. */
export const AIR = -2

/** Faces of a cell: lower and upper one of x, then of y, then of z. */
export const FACES = 6

/** Row sums above this share of the diagonal come from air; up to it they are rounding, and the cell has no way to air. */
export const AIR_SHARE = 1e-9

/** Fills `across[FACES row + face]` with the row on the other side, or CLOSED or AIR. `rowOf` is scratch, one per cell. */
export function findNeighbours(source: PressureProblem, cells: Int32Array, rowOf: Int32Array, across: Int32Array): void {
  const { grid, links } = source
  for (let row = 0; row < cells.length; row++) rowOf[cells[row]] = row
  const strides = cellStrides(grid)
  for (let row = 0; row < cells.length; row++) {
    const cell = cells[row]
    for (const axis of AXES) {
      const stride = strides[axis]
      const at = FACES * row + 2 * axis
      const below = cell - stride
      across[at] = below >= 0 && links[axis][below] !== 0 ? rowOf[below] : CLOSED_FACE
      across[at + 1] = links[axis][cell] !== 0 ? rowOf[cell + stride] : CLOSED_FACE
    }
  }
  if (isAssembled(source)) markOpenFaces(grid, source.open, cells, across)
  else markBySum(source, cells, across)
}

/** A face that is open but has no link behind it leads to air. */
function markOpenFaces(
  grid: Grid,
  open: readonly [Float64Array, Float64Array, Float64Array],
  cells: Int32Array,
  across: Int32Array,
): void {
  const [nx, ny] = grid.shape
  for (const axis of AXES) {
    if (axis === 2 && grid.dims === 2) continue
    const { row: faceRow, plane, step } = faceStrides(grid, axis)
    for (let row = 0; row < cells.length; row++) {
      const cell = cells[row]
      const i = cell % nx
      const j = Math.floor(cell / nx) % ny
      const k = Math.floor(cell / (nx * ny))
      const face = i + faceRow * (j + plane * k)
      const at = FACES * row + 2 * axis
      if (across[at] === CLOSED_FACE && open[axis][face] > 0) across[at] = AIR
      if (across[at + 1] === CLOSED_FACE && open[axis][face + step] > 0) across[at + 1] = AIR
    }
  }
}

/** Without geometry, the sum of a row shows whether it touches air, but not where: all its dry neighbours count as air, and
 *  if it has none, the sides of the grid at its cell. */
function markBySum({ grid, kind, diagonal, links }: PressureProblem, cells: Int32Array, across: Int32Array): void {
  const strides = cellStrides(grid)
  const { shape, dims } = grid
  for (let row = 0; row < cells.length; row++) {
    const cell = cells[row]
    if (!touchesAir(row, cell)) continue
    const position = [cell % shape[0], Math.floor(cell / shape[0]) % shape[1], Math.floor(cell / strides[2])]
    let found = false
    for (const wantOutside of [false, true]) {
      for (let face = 0; face < 2 * dims && !(wantOutside && found); face++) {
        const axis = face >> 1
        const outside = face & 1 ? position[axis] === shape[axis] - 1 : position[axis] === 0
        const at = FACES * row + face
        if (across[at] !== CLOSED_FACE || outside !== wantOutside) continue
        if (!outside && kind[cell + (face & 1 ? strides[axis] : -strides[axis])] !== DRY) continue
        across[at] = AIR
        if (!outside) found = true
      }
    }
  }

  function touchesAir(row: number, cell: number): boolean {
    let sum = diagonal[cell]
    for (let face = 0; face < FACES; face++) if (across[FACES * row + face] >= 0) sum += linkOf(cell, face)
    return sum > AIR_SHARE * diagonal[cell]
  }
  function linkOf(cell: number, face: number): number {
    const axis = face >> 1
    return links[axis][face & 1 ? cell : cell - strides[axis]]
  }
}

/** Pinned rows hold p = 0, so to their neighbours they are air. */
export function openPinned(free: Uint8Array, across: Int32Array): void {
  for (let at = 0; at < across.length; at++) if (across[at] >= 0 && !free[across[at]]) across[at] = AIR
}

/** Faces of the coarse unknowns: open where a face of any child on that side is. Bit `axis` of `odd`: the child is at
 *  an odd position, so whether its upper or its lower face leaves the coarse cell. */
export function mergeNeighbours(
  across: Int32Array,
  parent: Int32Array,
  odd: Uint8Array,
  axes: readonly number[],
  coarse: Int32Array,
): void {
  coarse.fill(CLOSED_FACE)
  for (let row = 0; row < parent.length; row++) {
    const to = parent[row]
    if (to < 0) continue
    for (const axis of axes) {
      const face = 2 * axis + ((odd[row] >> axis) & 1)
      const found = across[FACES * row + face]
      const at = FACES * to + face
      if (found >= 0 && coarse[at] < 0) coarse[at] = parent[found]
      else if (found === AIR && coarse[at] === CLOSED_FACE) coarse[at] = AIR
    }
  }
}
