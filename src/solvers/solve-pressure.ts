/** One problem, one call. For many solves keep a solver: it keeps its memory. */
import { type Problem, pressureLength } from '../pressure/problem.js'
import { createSolver, defaultSolver } from './registry.js'
import type { SolveOptions, SolveResult } from './solver.js'

export interface SolvePressureOptions extends SolveOptions {
  /** Name of a solver of the family; the best one for the kind of problem if absent. */
  readonly solver?: string
  /** Options of that solver. */
  readonly set?: Readonly<Record<string, unknown>>
  /** Starting pressure, left unchanged; 0 if absent. */
  readonly guess?: Float64Array
}

export async function solvePressure(
  problem: Problem,
  { solver: name = defaultSolver(problem), set, guess, ...options }: SolvePressureOptions = {},
): Promise<{ pressure: Float64Array; result: SolveResult }> {
  const solver = createSolver(name, set)
  const pressure = guess ? guess.slice() : new Float64Array(pressureLength(problem))
  const result = await solver.solve(problem, pressure, options)
  solver.dispose()
  return { pressure, result }
}
