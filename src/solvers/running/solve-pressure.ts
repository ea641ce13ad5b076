/** One problem, one call. For many solves keep a solver: it keeps its memory. */

import { checkNumbers, checkOptions } from '../../checks.js'
import type { EngineName } from '../../machine/engine-choice.js'
import { type Problem, pressureLength } from '../../pressure/problem.js'
import type { SolveOptions, SolveResult } from '../contract/solver.js'
import { createSolver, defaultSolver } from '../registry.js'

export interface SolvePressureOptions extends SolveOptions {
  /** Name of a solver of the family; the best one for the kind of problem if absent. */
  readonly solver?: string
  /** Options of that solver. */
  readonly set?: Readonly<Record<string, unknown>>
  /** What it runs on; the fastest engine if absent. */
  readonly engine?: EngineName
  readonly threads?: number
  /** Starting pressure, left unchanged; 0 if absent. */
  readonly guess?: Float64Array
}

export async function solvePressure(
  problem: Problem,
  given: SolvePressureOptions = {},
): Promise<{ pressure: Float64Array; result: SolveResult }> {
  const length = pressureLength(problem)
  checkOptions(given, 'solvePressure: the last argument')
  const { solver: name = defaultSolver(problem), set, engine, threads, guess, ...options } = given
  if (guess !== undefined) checkNumbers(guess, 'solvePressure: the guess', Float64Array, length, 'cell or row')
  const solver = createSolver(name, set, { engine, threads })
  const pressure = guess ? guess.slice() : new Float64Array(length)
  try {
    return { pressure, result: await solver.solve(problem, pressure, options) }
  } finally {
    solver.dispose()
  }
}
