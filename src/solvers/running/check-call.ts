/** Checks of the arguments that every solver makes before it starts. */
import { checkFlag, checkFunction, checkOptions, checkSignal, checkWhole, refuse } from '../../checks.js'
import { InputError } from '../../input-error.js'
import { checkPattern, checkProblemShape, isGridProblem, type Problem, pressureLength } from '../../pressure/problem.js'
import type { SolveOptions } from '../contract/solver.js'

/** Matrices are checked entry by entry, because compiled loops use their indices without a check. */
export function checkCall(name: string, problem: Problem, pressure: Float64Array, options: SolveOptions): void {
  const where = `${name}: the problem`
  checkProblemShape(problem, where)
  if (!isGridProblem(problem)) checkPattern(problem, where)
  checkOptions(options, `${name}: the last argument`)
  const { tolerance, maxIterations, relative, monitor, signal } = options
  const expected = pressureLength(problem)
  if (!(pressure instanceof Float64Array) || pressure.length !== expected)
    throw new InputError(
      `${name}: the pressure must be a Float64Array of ${expected} values, one per cell or row of the problem.`,
    )
  if (tolerance !== undefined && !(typeof tolerance === 'number' && tolerance > 0 && tolerance < Infinity))
    refuse(`${name}: the tolerance`, 'a positive number', tolerance)
  if (maxIterations !== undefined) checkWhole(maxIterations, `${name}: maxIterations`, 1)
  if (relative !== undefined) checkFlag(relative, `${name}: relative`)
  if (monitor !== undefined) checkFunction(monitor, `${name}: the monitor`)
  checkSignal(signal, `${name}: the signal`)
}

/** For methods that use the places of cells. */
export function needsGrid(name: string): InputError {
  return new InputError(`${name} needs a grid and cannot solve a matrix; use mprgp or another algebraic solver.`)
}
