/** One problem, one call. For many solves keep a solver: it keeps its memory. */

import type { EngineName } from '../engine/setting.js'
import { type Problem, pressureLength } from '../pressure/problem.js'
import { createSolver, defaultSolver } from './registry.js'
import type { SolveOptions, SolveResult } from './solver.js'

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
  { solver: name = defaultSolver(problem), set, engine, threads, guess, ...options }: SolvePressureOptions = {},
): Promise<{ pressure: Float64Array; result: SolveResult }> {
  const solver = createSolver(name, set, { engine, threads })
  const pressure = guess ? guess.slice() : new Float64Array(pressureLength(problem))
  const result = await solver.solve(problem, pressure, options)
  solver.dispose()
  return { pressure, result }
}
