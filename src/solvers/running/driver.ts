/** Runs an iteration on a subject and keeps the solver contract for it: history, monitor, cancelling, limits, honest convergence. */
import { counted } from '../../counted.js'
import type { Pocket } from '../../pressure/pockets.js'
import {
  DEFAULT_MAX_ITERATIONS,
  DEFAULT_TOLERANCE,
  type SolveOptions,
  type SolveResult,
  type Status,
} from '../contract/solver.js'
import { createLog, type Log } from './log.js'
import { createProgressWatch } from './progress-watch.js'
import type { Ending, Judgement, Prepared, Subject, Verdict } from './subject.js'

/** If a solve can be interrupted, the event loop gets a turn this often, in ms. */
export const TURN_EVERY = 20

/** An unfinished iterate may exceed the starting residual in the largest row and still be the better answer; up to this factor. */
const RUN_AWAY = 100

/** Recomputations in a row without progress after which rounding is the limit. */
const MAX_RECOMPUTATIONS = 4

/** `cellOf` turns indices of infeasible pockets into those of the problem given. */
export async function drive(
  subject: Subject,
  options: SolveOptions,
  clock: () => number,
  cellOf: (index: number) => number,
): Promise<SolveResult> {
  const tolerance = (options.tolerance ?? DEFAULT_TOLERANCE) * (options.relative ? subject.atZero.residual : 1)
  const log = createLog(subject, clock, cellOf, options.monitor)
  const settled = resultOfStart(subject, tolerance, log)
  if (settled) return settled
  return iterate(subject, subject.prepare(tolerance), tolerance, log, options, clock)
}

/** The result if no iteration is needed, or none is possible. */
function resultOfStart(subject: Subject, tolerance: number, { finish }: Log): SolveResult | undefined {
  const { atStart, atZero } = subject
  if (!Number.isFinite(atZero.residual))
    return finish({ status: 'not-finite', message: `b or A is not finite in row ${atZero.at}.` }, atZero)
  if (!Number.isFinite(atStart.residual))
    return finish({ status: 'not-finite', message: `The initial guess is not finite near row ${atStart.at}.` }, atStart)
  if (atStart.residual <= tolerance) {
    // Contact pressures slightly below 0 are within the tolerance, but must not be returned.
    const start = subject.restoreStart()
    if (start.residual <= tolerance)
      return finish({ status: 'converged', message: 'The initial guess already meets the tolerance.' }, start)
  }
  if (atZero.residual <= tolerance) {
    // Free fall: nothing is pressed hard enough to need pressure.
    subject.reset()
    return finish({ status: 'converged', message: 'No pressure is needed.' }, atZero)
  }
  return undefined
}

async function iterate(
  subject: Subject,
  prepared: Prepared,
  tolerance: number,
  log: Log,
  { maxIterations = DEFAULT_MAX_ITERATIONS, signal }: SolveOptions,
  clock: () => number,
): Promise<SolveResult> {
  const { target } = prepared
  const iterator = prepared.iterate(log.progress)
  const findProblem = createProgressWatch(subject)
  const done = async (status: Status, message: string, judged?: Judgement) => {
    await iterator.return({ status, message })
    return judge(subject, prepared, tolerance, log, { status, message }, judged)
  }
  let verdict: Verdict = 'continue'
  let best = Infinity
  let fruitless = 0
  let lastTurn = clock()
  for (;;) {
    if (signal?.aborted) return done('cancelled', 'Cancelled by the caller.')
    if (log.iteration() >= maxIterations)
      return done('iteration-limit', `Not converged after ${counted(maxIterations, 'iteration')}.`)
    const pending = iterator.next(verdict)
    const next = pending instanceof Promise ? await pending : pending
    log.endSetup()
    if (next.done) return judge(subject, prepared, tolerance, log, next.value)
    log.record(next.value)
    verdict = 'continue'
    const { residual } = next.value
    const problem = findProblem(residual, log.iteration())
    if (problem) return done(problem.status, problem.message)
    if (residual <= target) {
      let actual = prepared.clampAndMeasure()
      if (actual <= target) {
        const judged = prepared.present()
        if (judged.feasible <= tolerance) return done('converged', 'Converged.', judged)
        actual = judged.feasible
      }
      fruitless = actual < 0.5 * best ? 0 : fruitless + 1
      best = Math.min(best, actual)
      if (fruitless > MAX_RECOMPUTATIONS)
        return done('stagnated', `Rounding keeps the residual at ${actual.toExponential(1)} 1/s.`)
      verdict = 'recompute'
    }
    if (signal && clock() - lastTurn > TURN_EVERY / 1000) {
      await new Promise(resolve => setTimeout(resolve, 0))
      lastTurn = clock()
    }
  }
}

/** The status follows from the independent measurement, not from the method. */
function judge(
  subject: Subject,
  prepared: Prepared,
  tolerance: number,
  { finish }: Log,
  ending: Ending,
  judged = prepared.present(),
): SolveResult {
  if (!(judged.residual <= RUN_AWAY * subject.atStart.residual) && !(judged.feasible <= tolerance))
    return finish(ending, subject.restoreStart())
  if (ending.status === 'cancelled' || ending.status === 'failed') return finish(ending, judged)
  if (judged.residual <= tolerance) return finish({ status: 'converged', message: 'Converged.' }, judged)
  const { infeasible } = prepared
  if (infeasible.length > 0 && judged.feasible <= tolerance)
    return finish({ status: 'infeasible', message: describeInfeasible(infeasible, subject.noun) }, judged, infeasible)
  return finish(ending, judged)
}

function describeInfeasible(infeasible: readonly Pocket[], noun: string): string {
  const count = infeasible.reduce((sum, pocket) => sum + pocket.rows.length, 0)
  const worst = infeasible.reduce((a, b) => (Math.abs(a.excess) > Math.abs(b.excess) ? a : b))
  const verb = worst.excess < 0 ? 'squeezed' : 'pulled apart'
  return `${count} ${noun} in ${counted(infeasible.length, 'sealed pocket')} without air are ${verb}, which no pressure can satisfy; the rest is solved.`
}

/** The only place in the solver rooms that reads a clock. Seconds since it was started. */
export function startClock(): () => number {
  const start = performance.now()
  return () => (performance.now() - start) / 1000
}
