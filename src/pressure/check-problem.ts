/** Checks every value of a pressure problem, for problems from files and from callers. */
import { refuse } from '../checks.js'
import { AXES, cellPosition, cellStrides } from '../grid/grid.js'
import { InputError } from '../input-error.js'
import { checkAdhesion } from './adhesion.js'
import {
  type ArrayNames,
  CONTACT,
  checkPattern,
  checkProblemShape,
  DRY,
  FIELD_NAMES,
  isGridProblem,
  LIQUID,
  type PressureProblem,
  type SparseProblem,
} from './problem.js'

/** Throws an InputError that names array and cell if the arrays are not a symmetric M-matrix pattern of finite numbers.
 *  Symmetry needs no test: a link is stored once and read from both sides. */
export function checkGridProblem(problem: PressureProblem, where = 'The problem', names: ArrayNames = FIELD_NAMES): void {
  checkProblemShape(problem, where, names)
  const { grid, kind, diagonal, links, b } = problem
  if (!grid) refuse(where, 'a problem on a grid', problem)
  const fail = (array: string, cell: number, what: string): never => {
    const position = cellPosition(grid, cell).slice(0, grid.dims).join(', ')
    throw new InputError(`${where}: array "${array}" ${what} in cell (${position}).`)
  }
  const strides = cellStrides(grid)
  for (let cell = 0; cell < grid.cells; cell++) {
    if (kind[cell] > CONTACT) fail('kind', cell, `is ${kind[cell]}, neither dry (0), liquid (1) nor contact (2),`)
    if (!Number.isFinite(diagonal[cell])) fail(names.diagonal, cell, `is ${diagonal[cell]}`)
    if (!Number.isFinite(b[cell])) fail(names.b, cell, `is ${b[cell]}`)
    if (kind[cell] !== DRY && !(diagonal[cell] > 0))
      fail(names.diagonal, cell, `is ${diagonal[cell]}, not positive, on an unknown`)
    if (diagonal[cell] < 0) fail(names.diagonal, cell, `is ${diagonal[cell]}, a negative diagonal`)
  }
  for (const axis of AXES) {
    const link = links[axis]
    const name = names.links[axis]
    for (let cell = 0; cell < grid.cells; cell++) {
      const value = link[cell]
      if (value === 0) continue
      if (!Number.isFinite(value)) fail(name, cell, `is ${value}`)
      if (value > 0) fail(name, cell, `is ${value}, a positive link (links of A must be ≤ 0)`)
      if (cellPosition(grid, cell)[axis] === grid.shape[axis] - 1) fail(name, cell, `links across the upper side of the grid`)
      if (kind[cell] === DRY || kind[cell + strides[axis]] === DRY) fail(name, cell, `links to a cell without an unknown`)
    }
  }
  checkAdhesion(problem, where)
}

/** Throws an InputError that names row and column if the matrix is not a symmetric M-matrix pattern of finite numbers,
 *  or if a row is empty, which no pressure can satisfy. */
export function checkSparseProblem(problem: SparseProblem, where = 'The problem'): void {
  checkProblemShape(problem, where)
  if (isGridProblem(problem)) refuse(where, 'a matrix, not a problem on a grid', problem)
  checkPattern(problem, where)
  checkAdhesion(problem, where)
  const { rows, rowStart, columns, values, diagonalAt, b, kind } = problem
  for (let row = 0; row < rows; row++) {
    const name = `row ${row + 1}`
    if (kind[row] !== LIQUID && kind[row] !== CONTACT)
      throw new InputError(`${where}: kind is ${kind[row]} in ${name}, neither liquid (1) nor contact (2).`)
    if (!Number.isFinite(b[row])) throw new InputError(`${where}: b is ${b[row]} in ${name}.`)
    if (rowStart[row] === rowStart[row + 1])
      throw new InputError(`${where}: ${name} of A is empty, so no pressure can change A p + b there; remove the row.`)
    const diagonal = diagonalAt[row] < 0 ? 0 : values[diagonalAt[row]]
    if (!(diagonal > 0) || !Number.isFinite(diagonal))
      throw new InputError(`${where}: the diagonal of A is ${diagonal} in ${name}; an unknown needs a positive one.`)
    for (let at = rowStart[row]; at < rowStart[row + 1]; at++) {
      const column = columns[at]
      if (column === row) continue
      const value = values[at]
      const entry = `A(${row + 1}, ${column + 1})`
      if (!Number.isFinite(value)) throw new InputError(`${where}: ${entry} is ${value}.`)
      if (value > 0) throw new InputError(`${where}: ${entry} is ${value}, a positive link (links of A must be ≤ 0).`)
      const mirrored = entryOf(problem, column, row)
      if (mirrored !== value)
        throw new InputError(`${where}: A is not symmetric: ${entry} is ${value}, A(${column + 1}, ${row + 1}) is ${mirrored}.`)
    }
  }
}

/** A(row, column), 0 where nothing is stored. Binary search in the ascending columns of the row. */
export function entryOf(problem: SparseProblem, row: number, column: number): number {
  let low = problem.rowStart[row]
  let high = problem.rowStart[row + 1] - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = problem.columns[middle]
    if (found === column) return problem.values[middle]
    if (found < column) low = middle + 1
    else high = middle - 1
  }
  return 0
}
