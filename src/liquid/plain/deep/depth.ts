/** Depth of cells below the surface. Particles are kept in a band below the surface; deeper liquid is advected on the grid (Ferstl, Ando,
 *  Wojtan, Westermann and Thuerey 2016, narrow band FLIP). Depths count cells to the nearest air, diagonals like straight steps. A wall is no
 *  surface, but where the liquid separates from it there will be one: so separated contacts count as air, and so do places where particles
 *  come, go or are pushed: sources, drains, open sides and solids that move. */
import { CENTRE_SOLID, LAYER, MIN_DEEP } from '../../shared-constants.js'
import { f32 } from '../arithmetic.js'
import { hasLetGo } from '../grid/contacts.js'
import { cellNodes, wallOf } from '../grid/nodal-solids.js'
import { flowAxes, forCells, sumOverRows } from '../grid/walk.js'
import type { PlainState } from '../state.js'

/** Depths beyond the band that are distinguished, so that `carried` has a slope where the band ends. */
const BELOW_BAND = 2

/** Liquid before a wall that is nearer to its surface than this, in cells, has begun to separate. As deep liquid it would fill the gap. */
const AJAR = f32(-0.4)

/** Sets `depth` by `phi`, `kind` and `pressure`, after a solve. */
export function findDepth(state: PlainState): void {
  const { depth } = state.arrays
  const deepest = LAYER * (state.bandWidth + BELOW_BAND)
  forCells(state.grid, (cell, i, j, k) => {
    depth[cell] = isShallow(state, cell, [i, j, k]) ? 0 : deepest
  })
  for (let layer = LAYER; layer < deepest; layer += LAYER)
    forCells(state.grid, (cell, i, j, k) => {
      if (depth[cell] === deepest && isBeside(state, i, j, k, layer - LAYER)) depth[cell] = layer
    })
}

/** Whether any of the cells around has this depth. */
function isBeside({ grid, arrays }: PlainState, i: number, j: number, k: number, depth: number): boolean {
  const [nx, ny, nz] = grid.shape
  for (let c = Math.max(0, k - 1); c <= Math.min(nz - 1, k + 1); c++)
    for (let b = Math.max(0, j - 1); b <= Math.min(ny - 1, j + 1); b++)
      for (let a = Math.max(0, i - 1); a <= Math.min(nx - 1, i + 1); a++)
        if (arrays.depth[a + nx * (b + ny * c)] === depth) return true
  return false
}

/** Air, or what counts as air. */
function isShallow(state: PlainState, cell: number, place: readonly number[]): boolean {
  const { arrays } = state
  if (arrays.kept[cell] || isAtOpenSide(state, place) || isAtMovingSolid(state, cell)) return true
  // A contact may have its centre in the solid that it separates from.
  if (hasLetGo(arrays, cell)) return true
  const touch = arrays.touch[cell]
  return (touch & CENTRE_SOLID) === 0 && arrays.phi[cell] >= (touch === 0 ? 0 : AJAR)
}

function isAtOpenSide({ grid, sides }: PlainState, place: readonly number[]): boolean {
  return flowAxes(grid).some(
    axis =>
      (place[axis] === 0 && sides[axis][0] === 'open') || (place[axis] === grid.shape[axis] - 1 && sides[axis][1] === 'open'),
  )
}

/** Whether a moving solid reaches into the cell. */
function isAtMovingSolid(state: PlainState, cell: number): boolean {
  const { solid, owner, openCell } = state.arrays
  if (openCell[cell] === 1) return false
  return cellNodes(state.grid, cell).some(node => solid[node] <= 0 && wallOf(state, owner[node]).moves)
}

/** Particles that would fill deep liquid in addition to those that are there; particles must be sorted. */
export function hiddenParticles({ grid, arrays }: PlainState, perCell: number): number {
  const [nx, ny] = grid.shape
  return sumOverRows(grid, (sum, j, k) => {
    let total = sum
    for (let i = 0, cell = nx * (j + ny * k); i < nx; i++, cell++) {
      if (arrays.carried[cell] < MIN_DEEP) continue
      const there = arrays.cellStart[cell + 1] - arrays.cellStart[cell]
      total += Math.max(0, f32(f32(perCell * arrays.openCell[cell]) - there))
    }
    return total
  })
}
