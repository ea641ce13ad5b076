/** From a grid problem to a matrix. */
import { checkGridProblem } from '../pressure/check-problem.js'
import type { PressureProblem } from '../pressure/problem.js'
import { createBuffers } from './buffers.js'
import { type CompactProblem, compact } from './matrix.js'

/** A grid problem as a matrix, for methods that know nothing of grids; `cells` leads back to the grid. */
export function toSparseProblem(problem: PressureProblem): CompactProblem {
  checkGridProblem(problem, 'toSparseProblem: the problem')
  const { problem: rows, cells } = compact(problem, createBuffers())
  const entries = rows.rowStart[rows.rows]
  const { adhesion } = problem
  const strength = adhesion && { adhesion: Float64Array.from(cells, cell => adhesion[cell]) }
  const filled = { columns: rows.columns.slice(0, entries), values: rows.values.slice(0, entries) }
  return { problem: { ...rows, ...filled, ...strength }, cells }
}
