/** The pressure problem as plain data, in its two shapes: on a grid, and as a sparse matrix without geometry. */
import { checkNumber, checkNumbers, checkObject, checkText, checkWhole, listOf, objectWith, refuse } from '../checks.js'
import { AXES, cellPosition, checkGrid, type Grid } from '../grid/grid.js'
import { InputError } from '../input-error.js'
import { CONTACT, DRY, LIQUID } from './cell-kinds.js'

export { CONTACT, DRY, LIQUID }

/** Find p with (A p + b)ᵢ = 0 in LIQUID cells and 0 ≤ pᵢ + aᵢ ⊥ (A p + b)ᵢ ≥ 0 in CONTACT cells.
 *  A is a symmetric M-matrix on the 5/7-point stencil; b is the divergence before projection and A p + b the one after, in 1/s. */
export interface PressureProblem {
  readonly grid: Grid
  /** DRY, LIQUID or CONTACT of every cell. */
  readonly kind: Uint8Array
  readonly diagonal: Float64Array
  /** A between a cell and its upper neighbour per axis, ≤ 0; z is 0 in 2D. */
  readonly links: readonly [Float64Array, Float64Array, Float64Array]
  readonly b: Float64Array
  /** a, Pa: suction that the walls of contacts withstand before liquid lets go of them; 0 if absent. Ignored in other cells. */
  readonly adhesion?: Float64Array
  /** Relative rounding unit of the coefficients; that of f64 unless they came from f32. Decides when a row sum counts as 0. */
  readonly rounding?: number
}

/** The same problem on any symmetric M-matrix: compressed rows, columns ascending, diagonal stored, every row an unknown. */
export interface SparseProblem {
  readonly rows: number
  readonly rowStart: Int32Array
  readonly columns: Int32Array
  readonly values: Float64Array
  /** Position of the diagonal of each row in `values`. */
  readonly diagonalAt: Int32Array
  readonly b: Float64Array
  /** LIQUID or CONTACT of every row. */
  readonly kind: Uint8Array
  readonly adhesion?: Float64Array
  readonly rounding?: number
}

export type Problem = PressureProblem | SparseProblem

export const F64_ROUNDING = 2 ** -53
export const F32_ROUNDING = 2 ** -24

/** Throws an InputError for a value that is not a problem. */
export function isGridProblem(problem: Problem): problem is PressureProblem {
  if (typeof problem !== 'object' || problem === null) refuse('The problem', A_PROBLEM, problem)
  return 'grid' in problem
}

const A_PROBLEM = 'an object with a grid and its arrays, or with the rows of a matrix'

/** Throws an InputError that names the first array of a wrong type or length. Reads no values, so its cost is negligible beside a solve. */
export function checkProblemShape(problem: Problem, where = 'The problem', names: ArrayNames = FIELD_NAMES): void {
  checkText(where, 'The name of the problem')
  checkObject(problem, where, A_PROBLEM)
  if (problem.rounding !== undefined) checkNumber(problem.rounding, `${where}: rounding`, 0, 1)
  if (names !== FIELD_NAMES) checkNames(names)
  const check = (array: unknown, name: string, type: typeof Float64Array | typeof Uint8Array, length: number, unit: string) =>
    checkNumbers(array, `${where}: array "${name}"`, type, length, unit)
  if (isGridProblem(problem)) {
    const { grid, kind, diagonal, links, b } = problem
    checkGrid(grid, `${where}: its grid`)
    check(kind, 'kind', Uint8Array, grid.cells, 'cell')
    check(diagonal, names.diagonal, Float64Array, grid.cells, 'cell')
    check(b, names.b, Float64Array, grid.cells, 'cell')
    if (!Array.isArray(links) || links.length !== 3) refuse(`${where}: links`, 'a list of three arrays, one per axis', links)
    for (const axis of AXES) check(links[axis], names.links[axis], Float64Array, grid.cells, 'cell')
    if (problem.adhesion !== undefined) check(problem.adhesion, 'adhesion', Float64Array, grid.cells, 'cell')
    return
  }
  if (!('rows' in problem)) refuse(where, A_PROBLEM, problem)
  const { rows, rowStart, columns, values, diagonalAt, b, kind } = problem
  checkWhole(rows, `${where}: rows`, 0, 2 ** 31 - 2)
  checkNumbers(rowStart, `${where}: array "rowStart"`, Int32Array, rows + 1, 'row and one more')
  checkNumbers(diagonalAt, `${where}: array "diagonalAt"`, Int32Array, rows, 'row')
  checkNumbers(columns, `${where}: array "columns"`, Int32Array)
  checkNumbers(values, `${where}: array "values"`, Float64Array)
  check(b, 'b', Float64Array, rows, 'row')
  check(kind, 'kind', Uint8Array, rows, 'row')
  if (problem.adhesion !== undefined) check(problem.adhesion, 'adhesion', Float64Array, rows, 'row')
  const entries = rowStart[rows]
  if (rowStart[0] !== 0 || entries > columns.length || entries > values.length)
    throw new InputError(
      `${where}: rowStart goes from ${rowStart[0]} to ${entries}, for ${columns.length} columns and ${values.length} values.`,
    )
}

/** Throws an InputError if rows of a matrix point outside its arrays, which loops would follow. */
export function checkPattern({ rows, rowStart, columns, diagonalAt }: SparseProblem, where = 'The problem'): void {
  for (let row = 0; row < rows; row++) {
    const end = rowStart[row + 1]
    if (end < rowStart[row]) throw new InputError(`${where}: row ${row + 1} of A ends before it begins, by rowStart.`)
    for (let at = rowStart[row]; at < end; at++)
      if (!(columns[at] >= 0 && columns[at] < rows))
        throw new InputError(`${where}: row ${row + 1} of A has an entry in column ${columns[at] + 1} of ${rows}.`)
    const diagonal = diagonalAt[row]
    if (diagonal !== -1 && !(diagonal >= rowStart[row] && diagonal < end && columns[diagonal] === row))
      throw new InputError(`${where}: diagonalAt does not point to the diagonal of A in row ${row + 1}.`)
  }
}

/** Length of a pressure array for this problem: cells of the grid, or rows of the matrix. */
export function pressureLength(problem: Problem): number {
  checkProblemShape(problem)
  return isGridProblem(problem) ? problem.grid.cells : problem.rows
}

export function countUnknowns(problem: Problem): { unknowns: number; contacts: number } {
  let unknowns = 0
  let contacts = 0
  for (const kind of problem.kind) {
    if (kind !== DRY) unknowns++
    if (kind === CONTACT) contacts++
  }
  return { unknowns, contacts }
}

/** A copy with its own arrays, for problems whose arrays will be overwritten. */
export function copyProblem({ grid, kind, diagonal, links: [x, y, z], b, adhesion }: PressureProblem): PressureProblem {
  const copy = {
    grid,
    kind: kind.slice(),
    diagonal: diagonal.slice(),
    links: [x.slice(), y.slice(), z.slice()],
    b: b.slice(),
  } as const
  return adhesion ? { ...copy, adhesion: adhesion.slice() } : copy
}

/** Copies into the arrays of an earlier copy on the same grid: allocating arrays of this size takes longer than filling them. */
export function copyProblemInto(copy: PressureProblem, { kind, diagonal, links, b, adhesion }: PressureProblem): void {
  copy.kind.set(kind)
  copy.diagonal.set(diagonal)
  copy.links.forEach((link, axis) => {
    link.set(links[axis])
  })
  copy.b.set(b)
  if (adhesion) copy.adhesion?.set(adhesion)
}

/** Sets negative pressures of contacts to 0. For the problem as solvers see it, without adhesion. */
export function clampContacts({ kind }: Problem, pressure: Float64Array): void {
  for (let at = 0; at < kind.length; at++) if (kind[at] === CONTACT && pressure[at] < 0) pressure[at] = 0
}

/** The same problem with sticking walls: contacts are liquid rows. */
export function stickingProblem(problem: PressureProblem): PressureProblem {
  return { ...problem, kind: problem.kind.map(kind => (kind === CONTACT ? LIQUID : kind)) }
}

/** Error for a row without a positive diagonal: no pressure can change A p + b there. NaN is not refused here; it leads to a result. */
export function refuseRow(problem: Problem, at: number): InputError {
  const remedy = 'no pressure can change A p + b there; remove it'
  if (!isGridProblem(problem))
    return new InputError(`The diagonal of A is ${problem.values[problem.diagonalAt[at]] ?? 0} in row ${at + 1}: ${remedy}.`)
  const position = cellPosition(problem.grid, at).slice(0, problem.grid.dims).join(', ')
  return new InputError(`The diagonal is ${problem.diagonal[at]} in cell (${position}), which is an unknown: ${remedy} (kind 0).`)
}

/** Names of the arrays of a problem in its source, for error messages. */
export interface ArrayNames {
  readonly diagonal: string
  readonly links: readonly [string, string, string]
  readonly b: string
}

/** Checks names given by a caller. */
function checkNames(names: ArrayNames): void {
  objectWith({ diagonal: checkText, links: listOf(checkText), b: checkText })(names, 'The names of the arrays')
}

export const FIELD_NAMES: ArrayNames = { diagonal: 'diagonal', links: ['links[0]', 'links[1]', 'links[2]'], b: 'b' }
