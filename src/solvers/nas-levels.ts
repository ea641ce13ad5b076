/** The rows of a system as the finest level of a hierarchy, and the complementarity problem on every level of it. */
import { cellPosition } from '../grid/grid.js'
import type { GraphInput } from '../multigrid/aggregate.js'
import type { AggregateLevel } from '../multigrid/aggregate-values.js'
import { CONTACT, isGridProblem } from '../pressure/problem.js'
import type { Run } from './algebraic.js'
import type { System } from './system.js'

export interface ColouredSystem extends GraphInput {
  /** Row of the system for every row here: red ones first, each colour in the order of the system. */
  readonly rowOf: Int32Array
  readonly b: Float64Array
  readonly contact: Uint8Array
  /** Pockets in the numbering used here. */
  readonly singular: readonly Int32Array[]
  readonly expanding: readonly Int32Array[]
}

export function colourRows(system: System, run: Run): ColouredSystem {
  if (!isGridProblem(run.source) || !run.cells) throw new Error('colours need a grid')
  const { grid } = run.source
  const { rows, rowStart, columns, values, diagonalAt } = system
  const red = Uint8Array.from(run.cells, cell => 1 - (cellPosition(grid, cell).reduce((a, b) => a + b) & 1))
  const rowOf = new Int32Array(rows)
  let reds = 0
  for (let row = 0; row < rows; row++) if (red[row]) rowOf[reds++] = row
  for (let row = 0, at = reds; row < rows; row++) if (!red[row]) rowOf[at++] = row
  const numberOf = new Int32Array(rows)
  for (let at = 0; at < rows; at++) numberOf[rowOf[at]] = at

  const start = new Int32Array(rows + 1)
  const column = new Int32Array(rowStart[rows] - rows)
  const weight = new Float64Array(column.length)
  const dirichlet = new Float64Array(rows)
  for (let at = 0, entry = 0; at < rows; at++) {
    const row = rowOf[at]
    let held = values[diagonalAt[row]]
    for (let a = rowStart[row]; a < rowStart[row + 1]; a++) {
      if (a === diagonalAt[row]) continue
      column[entry] = numberOf[columns[a]]
      weight[entry++] = -values[a]
      held += values[a]
    }
    start[at + 1] = entry
    // Rounding of a row sum is not air.
    dirichlet[at] = held > 1e-14 * values[diagonalAt[row]] ? held : 0
  }
  const renumber = (pocket: Int32Array) => pocket.map(row => numberOf[row])
  return {
    shape: grid.shape,
    cell: Int32Array.from(rowOf, row => run.cells![row]),
    reds,
    rowStart: start,
    column,
    weight,
    dirichlet,
    rowOf,
    b: Float64Array.from(rowOf, row => system.b[row]),
    contact: Uint8Array.from(rowOf, row => (system.kind[row] === CONTACT ? 1 : 0)),
    singular: system.singular.map(renumber),
    expanding: system.expanding.map(({ rows: pocket }) => renumber(pocket)),
  }
}

/** The complementarity problem of one level: contacts are the coarse rows with a child that is one, b the sum over children. */
export interface LevelProblem {
  readonly level: AggregateLevel
  readonly contact: Uint8Array
  readonly contacts: Int32Array
  readonly b: Float64Array
  readonly p: Float64Array
}

export function levelProblem(level: AggregateLevel, contact: Uint8Array, b: Float64Array, p: Float64Array): LevelProblem {
  const contacts = Int32Array.from(contact.keys()).filter(row => contact[row])
  return { level, contact, contacts, b, p }
}

export function coarsenProblem(fine: LevelProblem, coarse: AggregateLevel, p: Float64Array): LevelProblem {
  const contact = new Uint8Array(coarse.rows)
  const b = new Float64Array(coarse.rows)
  const { parent } = fine.level
  for (let row = 0; row < fine.level.rows; row++) {
    if (parent[row] < 0) continue
    b[parent[row]] += fine.b[row]
    if (fine.contact[row]) contact[parent[row]] = 1
  }
  return levelProblem(coarse, contact, b, p)
}

/** (A p + b) of one row, whether it is off or not. */
export function divergenceAt({ level, b, p }: LevelProblem, row: number): number {
  const { rowStart, column, weight, diagonal } = level
  let sum = b[row] + diagonal[row] * p[row]
  for (let at = rowStart[row]; at < rowStart[row + 1]; at++) sum -= weight[at] * p[column[at]]
  return sum
}
