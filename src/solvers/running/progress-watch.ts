/** Recognises iterations that diverge, stagnate or produce values that are not finite. */
import type { Ending, Subject } from './subject.js'

/** An iteration diverges if the residual is this many times the starting one for this many iterations in a row. One iteration is no sign:
 *  a contact that is freed may pull that hard before it is pinned again. */
const DIVERGED = 1e8
const DIVERGED_FOR = 3

/** Iterations without progress after which a method is stuck; at least as many as there are rows, because conjugate gradients without
 *  preconditioner may need that many before the residual falls at all. */
const STUCK = 5000
/** Share by which the best residual has to fall to count as progress. */
const MIN_PROGRESS = 0.01

/** Returns a function that gets the residual of every iteration, 1/s, and returns why to stop, if there is a reason. */
export function createProgressWatch({
  unknowns,
  atStart,
  atZero,
}: Subject): (residual: number, iteration: number) => Ending | undefined {
  let growing = 0
  let lowest = { residual: Infinity, iteration: 0 }
  return (residual, iteration) => {
    if (!Number.isFinite(residual))
      return {
        status: 'not-finite',
        message: 'The iteration produced a value that is not finite; the initial guess is returned.',
      }
    growing = residual > DIVERGED * Math.max(atStart.residual, atZero.residual) ? growing + 1 : 0
    if (growing === DIVERGED_FOR) {
      const change = `from ${atStart.residual.toExponential(1)} to ${residual.toExponential(1)} 1/s`
      return { status: 'diverged', message: `The residual grew ${change}.` }
    }
    if (residual < (1 - MIN_PROGRESS) * lowest.residual) lowest = { residual, iteration }
    if (iteration - lowest.iteration > Math.max(STUCK, unknowns)) {
      const message = `No progress below ${lowest.residual.toExponential(1)} 1/s since iteration ${lowest.iteration}.`
      return { status: 'stagnated', message }
    }
    return undefined
  }
}
