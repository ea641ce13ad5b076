/** Walls with strength: liquid lets go of a contact only where the wall would have to pull harder than its adhesion a, in Pa,
 *
 *      0 ≤ p + a ⊥ A p + b ≥ 0.
 *
 *  With p' = p + a on contacts this is the problem without adhesion for b' = b − A a, and A p' + b' = A p + b: every solver solves it as it is,
 *  and its residual is that of the given problem. a = 0 is a separating wall, a → ∞ a sticking one. */
import { cellPosition, cellStrides } from '../grid/grid.js'
import { InputError } from '../input-error.js'
import { CONTACT } from './cell-kinds.js'
import { isGridProblem, type PressureProblem, type Problem, type SparseProblem } from './problem.js'
import { MAX_ADHESION } from './walls.js'

/** Throws an InputError that names the first contact whose adhesion is no strength. */
export function checkAdhesion(problem: Problem, where: string): void {
  const { adhesion, kind } = problem
  if (!adhesion) return
  for (let at = 0; at < adhesion.length; at++) {
    if (kind[at] !== CONTACT || (adhesion[at] >= 0 && adhesion[at] <= MAX_ADHESION)) continue
    const place = isGridProblem(problem)
      ? `cell (${cellPosition(problem.grid, at).slice(0, problem.grid.dims).join(', ')})`
      : `row ${at + 1}`
    throw new InputError(
      `${where}: array "adhesion" is ${adhesion[at]} in ${place}; it must be a number from 0 to ${MAX_ADHESION} Pa.`,
    )
  }
}

/** b −= A a, with the a of contacts. `b`: that of the problem, or a copy of it. */
export function shiftRightSide(problem: Problem, b: Float64Array): void {
  if (isGridProblem(problem)) shiftCells(problem, b)
  else shiftRows(problem, b)
}

function shiftCells({ grid, kind, diagonal, links, adhesion }: PressureProblem, b: Float64Array): void {
  if (!adhesion) return
  const [x, y, z] = cellStrides(grid)
  const [east, north, up] = links
  for (let cell = 0; cell < kind.length; cell++) {
    if (kind[cell] !== CONTACT || adhesion[cell] === 0) continue
    const a = adhesion[cell]
    b[cell] -= diagonal[cell] * a
    // Links across sides of the grid are 0, so no place needs to be looked up.
    if (east[cell] !== 0) b[cell + x] -= east[cell] * a
    if (cell >= x && east[cell - x] !== 0) b[cell - x] -= east[cell - x] * a
    if (north[cell] !== 0) b[cell + y] -= north[cell] * a
    if (cell >= y && north[cell - y] !== 0) b[cell - y] -= north[cell - y] * a
    if (up[cell] !== 0) b[cell + z] -= up[cell] * a
    if (cell >= z && up[cell - z] !== 0) b[cell - z] -= up[cell - z] * a
  }
}

function shiftRows({ rows, rowStart, columns, values, kind, adhesion }: SparseProblem, b: Float64Array): void {
  if (!adhesion) return
  for (let row = 0; row < rows; row++) {
    if (kind[row] !== CONTACT || adhesion[row] === 0) continue
    // A is symmetric: its row is its column.
    for (let at = rowStart[row]; at < rowStart[row + 1]; at++) b[columns[at]] -= values[at] * adhesion[row]
  }
}

/** From p to p' = p + a on contacts, or with −1 back. */
export function shiftPressure({ kind, adhesion }: Problem, pressure: Float64Array, sign: 1 | -1): void {
  if (!adhesion) return
  for (let at = 0; at < kind.length; at++) if (kind[at] === CONTACT) pressure[at] += sign * adhesion[at]
}
