/** Problems without geometry as Matrix Market texts: the matrix A, the right-hand side b, which rows separate, and how strong walls are. */
import { InputError } from '../../input-error.js'
import { checkSparseProblem } from '../../pressure/check-problem.js'
import { CONTACT, LIQUID, type SparseProblem } from '../../pressure/problem.js'
import { type ArrayMatrix, type CoordinateMatrix, formatArray, formatCoordinate, parseMatrixMarket } from '../formats/mtx.js'

/** Text and the file name that errors about it mention. */
export interface MatrixText {
  readonly text: string
  readonly where: string
}

export interface SparseProblemTexts {
  readonly A: MatrixText
  readonly b: MatrixText
  /** Absent: every row separates. */
  readonly separating?: MatrixText
  /** Absent: 0. */
  readonly adhesion?: MatrixText
}

type Entries = CoordinateMatrix['entries']

export function parseSparseProblem({ A, b, separating, adhesion }: SparseProblemTexts): SparseProblem {
  const matrix = parseMatrixMarket(A.text, A.where)
  if (matrix.kind !== 'coordinate') throw new InputError(`${A.where}: the matrix must be in coordinate format, not array.`)
  const { rows, columns, symmetry } = matrix
  if (rows !== columns) throw new InputError(`${A.where}: the matrix has ${rows} rows and ${columns} columns; it must be square.`)
  if (rows === 0) throw new InputError(`${A.where}: the matrix has no rows, so there is nothing to solve.`)
  // Before the rows are laid out: once b has as many values, or A as many entries, the number of rows can be trusted.
  const right = parseColumn(b, rows, matrix.entries.value.length)
  const kind =
    separating === undefined ? new Uint8Array(rows).fill(CONTACT) : parseKinds(separating, rows, matrix.entries.value.length)
  const entries = symmetry === 'symmetric' ? mirror(matrix.entries) : matrix.entries
  const strength = adhesion && { adhesion: parseColumn(adhesion, rows, matrix.entries.value.length) }
  const problem: SparseProblem = { rows, ...compressRows(entries, rows), b: right, kind, ...strength }
  checkSparseProblem(problem, A.where)
  return problem
}

/** A is written as its lower triangle. */
export function formatSparseProblem(problem: SparseProblem): { A: string; b: string; separating: string; adhesion?: string } {
  checkSparseProblem(problem)
  const { rows, b, kind, adhesion } = problem
  const separating = Float64Array.from(kind, value => (value === CONTACT ? 1 : 0))
  return {
    A: formatCoordinate({ rows, columns: rows, entries: lowerTriangle(problem), symmetry: 'symmetric' }),
    b: formatArray({ rows, columns: 1, values: b }),
    separating: formatArray({ rows, columns: 1, values: separating }, 'integer'),
    ...(adhesion && { adhesion: formatArray({ rows, columns: 1, values: adhesion }) }),
  }
}

/** In array format, or in coordinate format with zeros where nothing is given, as SciPy writes sparse columns. */
function parseColumn({ text, where }: MatrixText, rows: number, entries: number): Float64Array {
  const matrix: ArrayMatrix | CoordinateMatrix = parseMatrixMarket(text, where)
  if (matrix.rows !== rows || matrix.columns !== 1)
    throw new InputError(
      `${where}: the ${matrix.kind === 'array' ? 'array' : 'matrix'} is ${matrix.rows} × ${matrix.columns}, but the matrix A needs ${rows} × 1.`,
    )
  if (matrix.kind === 'array') return matrix.values
  // Every row of A needs a diagonal.
  if (entries < rows)
    throw new InputError(`${where}: the matrix A has ${rows} rows and ${entries} entries, so one of its rows is empty.`)
  const values = new Float64Array(rows)
  matrix.entries.row.forEach((row, at) => {
    values[row] = matrix.entries.value[at]
  })
  return values
}

function parseKinds(separating: MatrixText, rows: number, entries: number): Uint8Array {
  const values = parseColumn(separating, rows, entries)
  const wrong = values.findIndex(value => value !== 0 && value !== 1)
  if (wrong >= 0) throw new InputError(`${separating.where}: row ${wrong + 1} is ${values[wrong]}; only 0 and 1 are allowed.`)
  return Uint8Array.from(values, value => (value === 1 ? CONTACT : LIQUID))
}

function mirror({ row, column, value }: Entries): Entries {
  let below = 0
  for (let at = 0; at < row.length; at++) if (row[at] !== column[at]) below++
  const mirrored = {
    row: new Int32Array(row.length + below),
    column: new Int32Array(row.length + below),
    value: new Float64Array(row.length + below),
  }
  mirrored.row.set(row)
  mirrored.column.set(column)
  mirrored.value.set(value)
  for (let from = 0, to = row.length; from < row.length; from++) {
    if (row[from] === column[from]) continue
    mirrored.row[to] = column[from]
    mirrored.column[to] = row[from]
    mirrored.value[to++] = value[from]
  }
  return mirrored
}

function compressRows(entries: Entries, rows: number): Pick<SparseProblem, 'rowStart' | 'columns' | 'values' | 'diagonalAt'> {
  const { row, column, value } = entries
  // A stored zero off the diagonal links nothing; on the diagonal it is kept for the check to complain about.
  let count = 0
  const kept = new Int32Array(row.length)
  for (let at = 0; at < row.length; at++) if (value[at] !== 0 || row[at] === column[at]) kept[count++] = at
  // Ordering by column and then, stably, by row leaves the columns of each row ascending.
  const order = orderBy(row, rows, orderBy(column, rows, kept.subarray(0, count)))
  const rowStart = new Int32Array(rows + 1)
  const diagonalAt = new Int32Array(rows).fill(-1)
  const columns = new Int32Array(order.length)
  const values = new Float64Array(order.length)
  for (let to = 0; to < order.length; to++) {
    const at = order[to]
    columns[to] = column[at]
    values[to] = value[at]
    rowStart[row[at] + 1] = to + 1
    if (row[at] === column[at]) diagonalAt[row[at]] = to
  }
  for (let r = 0; r < rows; r++) rowStart[r + 1] = Math.max(rowStart[r + 1], rowStart[r])
  return { rowStart, columns, values, diagonalAt }
}

/** `order` rearranged so that `keys` ascend, by a stable counting sort. */
function orderBy(keys: Int32Array, keyCount: number, order: Int32Array): Int32Array {
  const next = new Int32Array(keyCount + 1)
  for (const at of order) next[keys[at] + 1]++
  for (let key = 0; key < keyCount; key++) next[key + 1] += next[key]
  const sorted = new Int32Array(order.length)
  for (const at of order) sorted[next[keys[at]]++] = at
  return sorted
}

function lowerTriangle({ rows, rowStart, columns, values, diagonalAt }: SparseProblem): Entries {
  let count = 0
  for (let row = 0; row < rows; row++) count += diagonalAt[row] + 1 - rowStart[row]
  const lower = { row: new Int32Array(count), column: new Int32Array(count), value: new Float64Array(count) }
  for (let row = 0, to = 0; row < rows; row++) {
    for (let at = rowStart[row]; at <= diagonalAt[row]; at++, to++) {
      lower.row[to] = row
      lower.column[to] = columns[at]
      lower.value[to] = values[at]
    }
  }
  return lower
}
