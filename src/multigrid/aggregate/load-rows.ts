/** The rows of a grid problem as the finest level of a hierarchy in plain arrays: numbered by colour, red ones first. */
import { cellStrides, type Grid } from '../../grid/grid.js'
import { CONTACT, type SparseProblem } from '../../pressure/problem.js'
import type { Buffers } from '../../sparse/buffers.js'
import type { PocketRows } from '../levels.js'
import type { Graph } from './hierarchy.js'

/** Row sums up to this share of the diagonal are rounding, not air. */
const ROW_ROUNDING = 1e-14

export interface ColouredRows extends Graph {
  /** Row of the problem for every row here: red ones first, each colour in the order of the problem. */
  readonly rowOf: Int32Array
  readonly b: Float64Array
  /** 1 at contacts. */
  readonly contact: Uint8Array
  /** In the numbering used here. */
  readonly pockets: PocketRows
}

/** `cells`: grid cell of every row. `pockets` are given by rows of the problem. */
export function colourRows(
  problem: SparseProblem,
  grid: Grid,
  cells: Int32Array,
  pockets: PocketRows,
  buffers: Buffers,
): ColouredRows {
  const { rows } = problem
  const rowOf = buffers.i32('coloured.rowOf', rows)
  const reds = sortByColour(grid, cells, rowOf, buffers.u8('coloured.black', rows))
  const numberOf = buffers.i32('coloured.numberOf', rows)
  for (let at = 0; at < rows; at++) numberOf[rowOf[at]] = at
  const cell = buffers.i32('coloured.cell', rows)
  const b = buffers.f64('coloured.b', rows)
  const contact = buffers.u8('coloured.contact', rows)
  for (let at = 0; at < rows; at++) {
    cell[at] = cells[rowOf[at]]
    b[at] = problem.b[rowOf[at]]
    contact[at] = problem.kind[rowOf[at]] === CONTACT ? 1 : 0
  }
  const renumbered = (list: readonly Int32Array[], name: string) =>
    list.map((pocket, n) => {
      const numbers = buffers.i32(`coloured.${name}${n}`, pocket.length)
      for (let at = 0; at < pocket.length; at++) numbers[at] = numberOf[pocket[at]]
      return numbers
    })
  return {
    shape: grid.shape,
    cell,
    reds,
    ...renumberGraph(problem, rowOf, numberOf, buffers),
    rowOf,
    b,
    contact,
    pockets: { singular: renumbered(pockets.singular, 'singular'), expanding: renumbered(pockets.expanding, 'expanding') },
  }
}

/** Fills `rowOf`; returns how many rows are red. */
function sortByColour(grid: Grid, cells: Int32Array, rowOf: Int32Array, black: Uint8Array): number {
  const [, sy, sz] = cellStrides(grid)
  const [nx, ny] = grid.shape
  for (let row = 0; row < cells.length; row++) {
    const cell = cells[row]
    black[row] = ((cell % nx) + (Math.floor(cell / sy) % ny) + Math.floor(cell / sz)) & 1
  }
  let at = 0
  for (let row = 0; row < cells.length; row++) if (!black[row]) rowOf[at++] = row
  const reds = at
  for (let row = 0; row < cells.length; row++) if (black[row]) rowOf[at++] = row
  return reds
}

function renumberGraph(problem: SparseProblem, rowOf: Int32Array, numberOf: Int32Array, buffers: Buffers) {
  const { rows, rowStart: start, columns, values, diagonalAt } = problem
  const links = start[rows] - rows
  const rowStart = buffers.i32('coloured.rowStart', rows + 1)
  const column = buffers.i32('coloured.column', links)
  const weight = buffers.f64('coloured.weight', links)
  const dirichlet = buffers.f64('coloured.dirichlet', rows)
  rowStart[0] = 0
  for (let at = 0, entry = 0; at < rows; at++) {
    const row = rowOf[at]
    const diagonal = values[diagonalAt[row]]
    let held = diagonal
    for (let a = start[row]; a < start[row + 1]; a++) {
      if (a === diagonalAt[row]) continue
      column[entry] = numberOf[columns[a]]
      weight[entry++] = -values[a]
      held += values[a]
    }
    rowStart[at + 1] = entry
    dirichlet[at] = held > ROW_ROUNDING * diagonal ? held : 0
  }
  return { rowStart, column, weight, dirichlet }
}
