/** Lets every solver solve problems of walls with strength, by the shift of pressure/adhesion.ts: methods know contacts that let go at p = 0. */
import { checkAdhesion, shiftPressure, shiftRightSide } from '../../pressure/adhesion.js'
import type { Problem } from '../../pressure/problem.js'
import type { PressureSolver } from '../contract/solver.js'
import type { SolverEntry } from '../registry.js'
import { checkCall } from './check-call.js'

export function withAdhesion<Entry extends SolverEntry>(entry: Entry): Entry {
  const create: SolverEntry['create'] = (options, setting) => solveShifted(entry.create(options, setting))
  return { ...entry, create }
}

/** The same solver, for problems with and without adhesion. */
export function solveShifted<Solver extends PressureSolver>(solver: Solver): Solver {
  /** For b', from one solve to the next. */
  let spare: Float64Array | undefined
  return {
    ...solver,
    // Of a class, too.
    name: solver.name,
    separating: solver.separating,
    async solve(problem, pressure, options = {}) {
      if (problem?.adhesion === undefined) return solver.solve(problem, pressure, options)
      checkCall(solver.name, problem, pressure, options)
      checkAdhesion(problem, `${solver.name}: the problem`)
      const b = spare?.length === problem.b.length ? spare : new Float64Array(problem.b.length)
      // Another solve may begin before this one ends.
      spare = undefined
      b.set(problem.b)
      shiftRightSide(problem, b)
      shiftPressure(problem, pressure, 1)
      try {
        return await solver.solve({ ...problem, b, adhesion: undefined } as Problem, pressure, options)
      } finally {
        shiftPressure(problem, pressure, -1)
        spare = b
      }
    },
    dispose() {
      spare = undefined
      solver.dispose()
    },
  }
}
