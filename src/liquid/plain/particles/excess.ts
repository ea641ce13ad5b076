/** Where particles are too many or too few (as Kugelstadt, Longva, Thuerey and Bender 2019 measure density errors): errors of many substeps
 *  crowd them, which a flow without divergence never undoes. Particles of a cell and its neighbours, weighted 1 2 1 along every axis, are
 *  compared with the room that solids leave. Each error is divided into what may be chance and what is not. */
import type { Excess } from '../../loops.js'
import { CENTRE_SOLID, LAYER } from '../../shared-constants.js'
import { f32 } from '../arithmetic.js'
import { hasLetGo } from '../grid/contacts.js'
import { forCells, sumOverRows } from '../grid/walk.js'
import type { PlainState } from '../state.js'

/** Lower bound of the room of a cell and its neighbours, as a share of that without walls. */
const MIN_ROOM = f32(0.1)
/** A correction halves or doubles what a cell holds at most. */
const MOST = 1
const LEAST = -0.5

/** Deviation of the weighted number of particles that are placed independently of each other, as a share: √(Σ w² / perCell) with weights
 *  ¼ ½ ¼ along every axis. Particles that are kept apart stay well below it. */
export const chanceOf = (dims: number, perCell: number): number => Math.sqrt((3 / 8) ** dims / perCell)

/** Sets `excess` and `doubtful` by sorted particles and the surface, 0 outside of liquid and near liquid without particles. Returns their sums.
 *  Beside air, and beside walls that liquid separates from, too few particles mean nothing: there is a surface. */
export function findExcess(state: PlainState, perCell: number): Excess {
  const { grid, arrays } = state
  const { excess, doubtful, openCell } = arrays
  const { counts, isAir } = contentOf(state)
  const full = f32(perCell)
  const chance = f32(chanceOf(grid.dims, perCell))
  const most = grid.dims === 3 ? 64 : 32
  forCells(grid, (cell, i, j, k) => {
    excess[cell] = 0
    doubtful[cell] = 0
    if (!isMeasured(state, cell)) return
    const room = Math.max(sumAround(state, openCell, i, j, k), f32(MIN_ROOM * most))
    const share = f32(f32(sumAround(state, counts, i, j, k) / f32(full * room)) - 1)
    const error = Math.min(MOST, Math.max(share, sumAround(state, isAir, i, j, k) > 0 ? 0 : LEAST))
    const byChance = f32(chance * f32(Math.sqrt(f32(most / room))))
    const beyond = error > byChance ? f32(error - byChance) : error < -byChance ? f32(error + byChance) : 0
    excess[cell] = beyond * openCell[cell]
    doubtful[cell] = f32(error - beyond) * openCell[cell]
  })
  return {
    crowded: sumOf(state, excess, 1),
    sparse: sumOf(state, excess, -1),
    maybeCrowded: sumOf(state, doubtful, 1),
    maybeSparse: sumOf(state, doubtful, -1),
    room: sumOf(state, openCell, 1),
    fullest: counts.reduce((most, count) => Math.max(most, count), 0),
  }
}

/** Particles of every cell, and 1 in cells beside which liquid has a surface. */
function contentOf({ grid, arrays }: PlainState): { counts: Float32Array; isAir: Float32Array } {
  const { cellStart, phi, touch } = arrays
  const counts = new Float32Array(grid.cells)
  const isAir = new Float32Array(grid.cells)
  for (let cell = 0; cell < grid.cells; cell++) {
    counts[cell] = cellStart[cell + 1] - cellStart[cell]
    const isSeparated = hasLetGo(arrays, cell)
    isAir[cell] = isSeparated || (phi[cell] >= 0 && !(touch[cell] & CENTRE_SOLID)) ? 1 : 0
  }
  return { counts, isAir }
}

/** Liquid, with particles all around. */
function isMeasured({ arrays: { phi, carried }, bandWidth }: PlainState, cell: number): boolean {
  return phi[cell] < 0 && !(bandWidth > 0 && carried[cell] >= LAYER * (bandWidth - 1.5))
}

/** Σ over a cell and its neighbours within the grid, weighted 1 2 1 along every axis. */
function sumAround({ grid }: PlainState, values: Float32Array, i: number, j: number, k: number): number {
  const [nx, ny, nz] = grid.shape
  let sum = 0
  for (let c = Math.max(0, k - 1); c <= Math.min(nz - 1, k + 1); c++) {
    for (let b = Math.max(0, j - 1); b <= Math.min(ny - 1, j + 1); b++) {
      const at = i + nx * (b + ny * c)
      const beside = f32((i > 0 ? values[at - 1] : 0) + (i < nx - 1 ? values[at + 1] : 0))
      const weight = (c === k ? 2 : 1) * (b === j ? 2 : 1)
      sum = f32(sum + f32(weight * f32(beside + 2 * values[at])))
    }
  }
  return sum
}

/** Σ over liquid of the values with a sign. */
function sumOf({ grid, arrays: { phi } }: PlainState, values: Float32Array, sign: 1 | -1): number {
  const [nx, ny] = grid.shape
  return sumOverRows(grid, (before, j, k) => {
    let sum = before
    const row = nx * (j + ny * k)
    for (let cell = row; cell < row + nx; cell++) if (phi[cell] < 0 && values[cell] * sign > 0) sum += values[cell]
    return sum
  })
}
