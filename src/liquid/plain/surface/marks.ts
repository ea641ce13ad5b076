/** Finds the cells near the surface of a liquid, from the particles of cells and the liquid that the grid carries. */
import { cellStrides } from '../../../grid/grid.js'
import { CENTRE_SOLID, MIN_DEEP } from '../../shared-constants.js'
import { f32 } from '../arithmetic.js'
import { flowAxes, forCells } from '../grid/walk.js'
import type { PlainState } from '../state.js'

/** Liquid fills the cell: it is occupied, or empty by chance among occupied ones. */
const FILLED = 1
/** At least half as many particles as in a full cell: the surface is not in the lower half of the cell. */
const WELL_FILLED = 2
/** Three quarters of the particles that there is room for, at least: if liquid is off a wall in this cell, then by less than from the centre on.
 *  Solid cells are full, too. */
const FULL_CELL = 4
/** The centre is in a solid. */
const SOLID_CELL = 8
/** Filled or solid. */
const NO_AIR = 128

export interface CellMarks {
  /** 1 in cells that hold particles or deep liquid. */
  readonly occupied: Uint8Array
  /** FILLED, WELL_FILLED, FULL_CELL, SOLID_CELL and NO_AIR of every cell. */
  readonly filled: Uint8Array
}

/** Whether a cell outside solids is full of liquid carried by the grid. */
function isCarried({ arrays: { carried, touch } }: PlainState, cell: number): boolean {
  return carried[cell] >= MIN_DEEP && !(touch[cell] & CENTRE_SOLID)
}

export function markCells(state: PlainState, particlesPerCell: number): CellMarks {
  const { grid, arrays } = state
  const { cellStart, touch, openCell } = arrays
  const strides = cellStrides(grid)
  const many = Math.trunc(Math.max(1, 0.5 * particlesPerCell))
  const occupied = new Uint8Array(grid.cells)
  for (let cell = 0; cell < grid.cells; cell++)
    occupied[cell] = cellStart[cell + 1] > cellStart[cell] || isCarried(state, cell) ? 1 : 0
  /** Whether all neighbours along axes inside the grid are occupied. */
  const isSurrounded = (cell: number, place: readonly number[]) =>
    flowAxes(grid).every(axis => {
      const isLower = place[axis] === 0 || occupied[cell - strides[axis]] === 1
      return isLower && (place[axis] === grid.shape[axis] - 1 || occupied[cell + strides[axis]] === 1)
    })
  const filled = new Uint8Array(grid.cells)
  forCells(grid, (cell, i, j, k) => {
    const isInside = isSurrounded(cell, [i, j, k])
    const isSolid = (touch[cell] & CENTRE_SOLID) !== 0
    if (isSolid) filled[cell] = NO_AIR | SOLID_CELL | FULL_CELL
    if (!occupied[cell] && !isInside) return
    const count = cellStart[cell + 1] - cellStart[cell]
    const isWell = isInside || count >= many || isCarried(state, cell)
    const isFull = count >= f32(f32(0.75 * particlesPerCell) * openCell[cell]) || isCarried(state, cell)
    filled[cell] |= NO_AIR | FILLED | (isWell ? WELL_FILLED : 0) | (isFull ? FULL_CELL : 0)
  })
  return { occupied, filled }
}

/** Whether any of the cells around a cell holds particles or deep liquid. */
export function isInReach({ grid }: PlainState, { occupied }: CellMarks, place: readonly number[]): boolean {
  return !areAllAround(grid.shape, place, cell => occupied[cell] === 0)
}

/** Whether a cell is so deep in the liquid that the surface is out of reach: it is carried; or there is no air around, and liquid goes on in
 *  every direction along an axis. It does if the neighbour is well filled, or two are filled. Behind walls and sides liquid goes on as in a
 *  mirror, if the cell in front is full; so it does in solids, if all cells around are full. */
export function isDeep(state: PlainState, { filled }: CellMarks, cell: number, place: readonly number[]): boolean {
  if (isCarried(state, cell)) return true
  const { grid } = state
  const { shape } = grid
  const strides = cellStrides(grid)
  const has = (at: number, mark: number) => (filled[at] & mark) !== 0
  if (!has(cell, FILLED | SOLID_CELL)) return false
  const goesOn = (step: number, cellsThere: number) => {
    if (cellsThere === 0) return has(cell, FULL_CELL)
    const next = cell + step
    if (has(cell, SOLID_CELL) || has(next, SOLID_CELL)) return has(cell, FULL_CELL) && has(next, FULL_CELL)
    return has(next, FILLED) && (has(next, WELL_FILLED) || (cellsThere > 1 && has(next + step, FILLED)))
  }
  for (const axis of flowAxes(grid)) {
    const below = place[axis]
    const above = shape[axis] - 1 - place[axis]
    if (!goesOn(-strides[axis], below) || !goesOn(strides[axis], above)) return false
  }
  return areAllAround(shape, place, other => has(other, has(cell, SOLID_CELL) ? FULL_CELL : NO_AIR))
}

/** Tests a cell and all cells around it inside the grid, diagonals included. */
function areAllAround([nx, ny, nz]: readonly number[], [i, j, k]: readonly number[], test: (cell: number) => boolean): boolean {
  for (let c = Math.max(0, k - 1); c <= Math.min(nz - 1, k + 1); c++)
    for (let b = Math.max(0, j - 1); b <= Math.min(ny - 1, j + 1); b++)
      for (let a = Math.max(0, i - 1); a <= Math.min(nx - 1, i + 1); a++) if (!test(a + nx * (b + ny * c))) return false
  return true
}
