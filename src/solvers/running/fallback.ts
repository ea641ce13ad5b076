/** A solver with a fallback, which continues when the first one diverges. */
import { InputError } from '../../input-error.js'
import {
  DEFAULT_MAX_ITERATIONS,
  type IterationRecord,
  type PressureSolver,
  type SolveResult,
  type Status,
} from '../contract/solver.js'

/** The statuses of an iteration that lacks precision. */
const LOST: readonly Status[] = ['diverged', 'stagnated', 'not-finite']

/** The second solver is created when it is first needed. It continues when the first one has diverged, from the pressure of that one.
 *  If there is no memory for the second one, the result of the first is returned. */
export function withSecondTry(first: PressureSolver, createSecond: () => PressureSolver, note: string): PressureSolver {
  let second: PressureSolver | undefined
  return {
    name: first.name,
    separating: first.separating,
    async solve(problem, pressure, options = {}) {
      const result = await first.solve(problem, pressure, options)
      const { maxIterations = DEFAULT_MAX_ITERATIONS, monitor } = options
      const left = maxIterations - result.iterations
      if (!LOST.includes(result.status) || left < 1) return result
      second ??= createSecond()
      const goOn = (record: IterationRecord) => continued(result, record)
      const again = await second
        .solve(problem, pressure, {
          ...options,
          maxIterations: left,
          monitor: monitor && (record => record.iteration > 0 && monitor(goOn(record))),
        })
        .catch(error => {
          if (error instanceof InputError) return undefined
          throw error
        })
      return again ? { ...joined(result, again, goOn), note } : result
    },
    dispose() {
      first.dispose()
      second?.dispose()
    },
  }
}

/** A record of the second solve, with counts that continue those of the first. */
function continued({ iterations, outer, work, seconds }: SolveResult, record: IterationRecord): IterationRecord {
  return {
    ...record,
    iteration: iterations + record.iteration,
    outer: outer + record.outer,
    work: work + record.work,
    seconds: seconds.setup + seconds.solve + record.seconds,
  }
}

function joined(first: SolveResult, second: SolveResult, goOn: (record: IterationRecord) => IterationRecord): SolveResult {
  return {
    ...second,
    iterations: first.iterations + second.iterations,
    outer: first.outer + second.outer,
    work: first.work + second.work,
    seconds: { setup: first.seconds.setup + second.seconds.setup, solve: first.seconds.solve + second.seconds.solve },
    history: [...first.history, ...second.history.slice(1).map(goOn)],
  }
}
