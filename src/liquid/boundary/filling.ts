/** How much liquid the cells of a source lack: when it begins, and whenever it has no velocity. */
import type { ScalarFunction } from '../../grid/field.js'
import { cellPosition, type Grid } from '../../grid/grid.js'
import type { LiquidLoops } from '../loops.js'
import { MIN_DEEP } from '../shared-constants.js'

/** Share of its room below which a neighbourhood of cells lacks liquid. Three layers of which one is empty hold two thirds; a quarter is hardly
 *  ever missing by chance. */
const LACKING = 0.75

/** Arrays that are looked up once for all cells: a lookup costs more than its use. */
export type ExchangeArrays = ReturnType<typeof exchangeArrays>

export function exchangeArrays({ arrays }: LiquidLoops) {
  const { px, py, pz, vx, vy, vz, cellStart, openCell, solid, carried, kept, phi, kind, b, openX, openY, openZ } = arrays
  return { px, py, pz, vx, vy, vz, cellStart, openCell, solid, carried, kept, phi, kind, b, open: [openX, openY, openZ] }
}

/** Share of a cell, or of what is within half a cell of another point, that is inside a shape at this distance in cells. */
export function shareInside(distance: number): number {
  return Math.min(1, Math.max(0, 0.5 - distance))
}

/** Particles in a cell, including those that would fill deep liquid. */
export function particlesIn({ cellStart, openCell, carried }: ExchangeArrays, perCell: number, cell: number): number {
  const there = cellStart[cell + 1] - cellStart[cell]
  return carried[cell] >= MIN_DEEP ? Math.max(there, perCell * openCell[cell]) : there
}

/** Whether the part of a shape in and around a cell holds less than its room. Counted over the cells around, because how many particles a cell
 *  holds is a matter of chance. `phi` in cells, at positions of the grid. */
export function isLacking(grid: Grid, arrays: ExchangeArrays, perCell: number, phi: ScalarFunction, cell: number): boolean {
  const [nx, ny, nz] = grid.shape
  const [i, j, k] = cellPosition(grid, cell)
  let room = 0
  let held = 0
  for (let c = Math.max(0, k - 1); c <= Math.min(nz - 1, k + 1); c++)
    for (let b = Math.max(0, j - 1); b <= Math.min(ny - 1, j + 1); b++)
      for (let a = Math.max(0, i - 1); a <= Math.min(nx - 1, i + 1); a++) {
        const share = shareInside(phi(a + 0.5, b + 0.5, c + 0.5))
        if (share === 0) continue
        const other = a + nx * (b + ny * c)
        room += share * perCell * arrays.openCell[other]
        held += share * particlesIn(arrays, perCell, other)
      }
  return room === 0 ? particlesIn(arrays, perCell, cell) === 0 : held < LACKING * room
}

/** Places of a cell that are left when `there` particles are in it, spread evenly over all. */
export function missingPlaces<Place>(places: readonly Place[], there: number): Place[] {
  const missing = Math.max(0, places.length - there)
  return Array.from({ length: missing }, (_, n) => places[Math.floor(((n + 0.5) * places.length) / missing)])
}
