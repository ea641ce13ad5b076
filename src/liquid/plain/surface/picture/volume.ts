/** Makes up for the volume that smoothing has taken or given. */
import type { Grid } from '../../../../grid/grid.js'
import { MAX_SHIFT, SMOOTHED_NEAR } from '../../../shared-constants.js'
import { f32 } from '../../arithmetic.js'
import { rowsOfGroup } from '../../grid/walk.js'

/** Whether a cell is so near to the surface that it is smoothed. */
export const isNear = (distance: number) => Math.abs(distance) < SMOOTHED_NEAR

/** Shifts `surface` so that thick and thin liquid have the volume that they have in `before`, each by itself: thin liquid would else be paid for by
 *  pools, which would rise and fall with the sheets above them. What was not smoothed is not shifted. One Newton step: shifts are hundredths of a
 *  cell. */
export function keepVolume(grid: Grid, surface: Float32Array, before: Float32Array, weight: Float32Array): void {
  const [thick, thin] = [0, 1].map(part => {
    const share = (cell: number) => shares(weight[cell])[part]
    const gained = sumOf(grid, cell => share(cell) * f32(filled(surface[cell]) - filled(before[cell])))
    const area = sumOf(grid, cell => f32(share(cell) * share(cell)) * steepness(surface[cell]))
    return area > 0 ? f32(Math.max(-MAX_SHIFT, Math.min(MAX_SHIFT, gained / area))) : 0
  })
  for (let cell = 0; cell < surface.length; cell++) {
    if (!isNear(before[cell])) continue
    const [ofThick, ofThin] = shares(weight[cell])
    surface[cell] = surface[cell] + f32(f32(thick * ofThick) + f32(thin * ofThin))
  }
}

/** How much of the shifts of thick and of thin liquid a cell takes part in, by its weight. */
function shares(weight: number): readonly [number, number] {
  return [weight, f32(f32(4 * weight) * f32(1 - weight))]
}

/** Share of a cell that is liquid, by the distance of its centre: from 1 to 0 within a cell of the surface, without corners. */
function filled(distance: number): number {
  const t = Math.max(0, Math.min(1, f32(0.5 * f32(1 - distance))))
  return f32(f32(t * t) * f32(3 - f32(2 * t)))
}

/** By how much less per cell that the surface moves inwards. */
function steepness(distance: number): number {
  return Math.max(0, f32(0.75 * f32(1 - f32(distance * distance))))
}

/** Sum of f32 terms over all cells, in the order of groups of slabs, in which every second pair of four terms is added to the first. */
function sumOf(grid: Grid, term: (cell: number) => number): number {
  const groupCells = rowsOfGroup(grid) * grid.shape[0]
  let total = 0
  for (let first = 0; first < grid.cells; first += groupCells) {
    const end = Math.min(grid.cells, first + groupCells)
    const at = (cell: number) => (cell < end ? f32(term(cell)) : 0)
    let even = 0
    let odd = 0
    for (let cell = first; cell < end; cell += 4) {
      even += at(cell) + at(cell + 2)
      odd += at(cell + 1) + at(cell + 3)
    }
    total += even + odd
  }
  return total
}
