/** Runs an iteration and keeps the contract for it: history, monitor, cancelling, limits, honest convergence. What is iterated on is a
 *  subject: compact rows (algebraic.ts) or the levels of an engine (on-engine.ts). */
import { checkFlag, checkFunction, checkOptions, checkSignal, checkWhole, refuse } from '../../checks.js'
import { counted } from '../../counted.js'
import { InputError } from '../../input-error.js'
import { type Pocket, withoutExcess } from '../../pressure/pockets.js'
import { checkPattern, checkProblemShape, isGridProblem, type Problem, pressureLength } from '../../pressure/problem.js'
import { type Measure, measure } from '../../pressure/residual.js'
import type { FoundRuns } from '../../pressure/unknown-runs.js'
import type { Buffers } from '../../sparse/buffers.js'
import {
  DEFAULT_MAX_ITERATIONS,
  DEFAULT_TOLERANCE,
  type IterationRecord,
  type LevelSummary,
  type SolveOptions,
  type SolveResult,
  type Status,
} from '../contract/solver.js'

/** What an iteration reports after each of its steps, as it computed it. */
export interface Step {
  readonly residual: number
  readonly pinned: number
  /** Outer iterations so far, where they differ from iterations. */
  readonly outer?: number
  /** Innermost iterations so far, where one step is not one of them. */
  readonly iteration?: number
}

/** `recompute`: the residual was better on paper than in fact; rebuild it from p before continuing. */
export type Verdict = 'continue' | 'recompute'

/** An iteration ends by itself only when it cannot continue. */
export interface Ending {
  readonly status: Status
  readonly message: string
}

/** Yields after every step. Asynchronous where it has to wait for others. */
export type Iteration = Generator<Step, Ending, Verdict> | AsyncGenerator<Step, Ending, Verdict>

export interface Progress {
  /** Counts matrix non-zeros touched. */
  readonly work: { add(nonZeros: number): void }
  /** Multigrid methods report their levels here, for the result. */
  showLevels(levels: readonly LevelSummary[]): void
}

export interface Subject {
  readonly unknowns: number
  readonly nonZeros: number
  /** What infeasible pockets consist of, for messages. */
  readonly noun: 'cells' | 'rows'
  /** What it runs on, for the result. */
  readonly engine: string
  readonly atZero: Measure
  readonly atStart: Measure
  /** Pressure 0 instead of the start. */
  forget(): void
  /** The pressure the solve was given, with contacts below 0 set to 0. */
  goBack(): Measure
  prepare(tolerance: number): Prepared
}

/** The independent measurement of a returned pressure. */
export interface Judgement extends Measure {
  /** Largest natural residual, 1/s, with the mean of b taken out of infeasible pockets: all that can be requested. */
  readonly feasible: number
}

/** A subject with its sealed pockets made harmless. */
export interface Prepared {
  /** Residual that makes the original problem meet its tolerance, 1/s. */
  readonly target: number
  readonly infeasible: readonly Pocket[]
  iterate(progress: Progress): Iteration
  /** The residual with contacts clamped at 0, by the method's own loops. If it is above the target, everything is as before. */
  clampAndMeasure(): number
  /** Returns the pressure, without negative contacts and with pockets shifted, and measures that by the yardstick. The iteration may go
   *  on afterwards if it is told to recompute its residual. */
  present(): Judgement
}

/** Where an interruption may come, the event loop gets a turn this often, in ms. */
export const TURN_EVERY = 20

/** Residuals this many times the starting one do not come back if they stay so for this many iterations. One is no sign: a contact that is
 *  let free may pull that hard before it is pinned again. */
const DIVERGED = 1e8
const DIVERGED_FOR = 3

/** An unfinished iterate may exceed the starting residual in the largest row and still be the better answer; not so far though. */
const RUN_AWAY = 100

/** Iterations without progress after which a method is held to be stuck; at least as many as there are rows, because conjugate
 *  gradients without preconditioner may take that long before the residual falls at all. */
const STUCK = 5000
/** Share by which the best residual has to fall to count as progress. */
const MIN_PROGRESS = 0.01

/** Fruitless recomputations in a row after which rounding is held responsible. */
const RECOMPUTATIONS = 4

/** `cellOf` turns indices of infeasible pockets into those of the problem given. */
export async function drive(
  subject: Subject,
  options: SolveOptions,
  clock: () => number,
  cellOf: (index: number) => number,
): Promise<SolveResult> {
  const { maxIterations = DEFAULT_MAX_ITERATIONS, signal, monitor } = options
  const { atStart, atZero } = subject
  const tolerance = (options.tolerance ?? DEFAULT_TOLERANCE) * (options.relative ? atZero.residual : 1)

  let touched = 0
  const perSweep = Math.max(1, subject.nonZeros)
  const history: IterationRecord[] = []
  let levels: readonly LevelSummary[] = []
  const record = (step: Step) => {
    const { iteration = history.length, outer = history.length, residual, pinned } = step
    const entry = { iteration, outer, residual, pinned, work: touched / perSweep, seconds: clock() }
    history.push(entry)
    monitor?.(entry)
  }
  record({ residual: atStart.residual, pinned: atStart.pinned })

  const finish = (ending: Ending, final: Measure, setup = clock(), infeasible: readonly Pocket[] = []): SolveResult => {
    const { iteration: iterations, outer, work } = history[history.length - 1]
    return {
      ...ending,
      residual: final.residual,
      gap: final.gap,
      pinned: final.pinned,
      unknowns: subject.unknowns,
      iterations,
      outer,
      work,
      seconds: { setup, solve: clock() - setup },
      engine: subject.engine,
      history,
      levels,
      infeasible: cellsOf(infeasible, cellOf),
    }
  }

  if (!Number.isFinite(atZero.residual))
    return finish({ status: 'not-finite', message: `b or A is not finite in row ${atZero.at}.` }, atZero)
  if (!Number.isFinite(atStart.residual))
    return finish({ status: 'not-finite', message: `The initial guess is not finite near row ${atStart.at}.` }, atStart)
  if (atStart.residual <= tolerance) {
    // Contacts a little below 0 are within the tolerance, but not in an answer.
    const start = subject.goBack()
    if (start.residual <= tolerance)
      return finish({ status: 'converged', message: 'The initial guess already meets the tolerance.' }, start)
  }
  if (atZero.residual <= tolerance) {
    // Free fall: nothing touches hard enough to need pressure.
    subject.forget()
    return finish({ status: 'converged', message: 'No pressure is needed.' }, atZero)
  }

  const prepared = subject.prepare(tolerance)
  // Ends when the levels are there; without levels, with the first step, which holds the making of a preconditioner.
  let setup: number | undefined
  const iterator = prepared.iterate({
    work: {
      add(nonZeros) {
        touched += nonZeros
      },
    },
    showLevels(shown) {
      levels = shown
      setup ??= clock()
    },
  })
  let verdict: Verdict = 'continue'
  let best = Infinity
  let fruitless = 0
  let growing = 0
  let lowest = { residual: Infinity, iteration: 0 }
  let lastTurn = clock()
  /** The status follows from the independent measurement, not from the method. */
  const judge = (ending: Ending, judged = prepared.present()): SolveResult => {
    if (!(judged.residual <= RUN_AWAY * atStart.residual) && !(judged.feasible <= tolerance))
      return finish(ending, subject.goBack(), setup)
    if (ending.status === 'cancelled' || ending.status === 'failed') return finish(ending, judged, setup)
    if (judged.residual <= tolerance) return finish({ status: 'converged', message: 'Converged.' }, judged, setup)
    const { infeasible } = prepared
    if (infeasible.length > 0 && judged.feasible <= tolerance)
      return finish({ status: 'infeasible', message: describeInfeasible(infeasible, subject.noun) }, judged, setup, infeasible)
    return finish(ending, judged, setup)
  }
  const done = async (status: Status, message: string, judged?: Judgement) => {
    await iterator.return({ status, message })
    return judge({ status, message }, judged)
  }
  for (;;) {
    if (signal?.aborted) return done('cancelled', 'Cancelled by the caller.')
    if (history[history.length - 1].iteration >= maxIterations)
      return done('iteration-limit', `Not converged after ${counted(maxIterations, 'iteration')}.`)
    const pending = iterator.next(verdict)
    const next = pending instanceof Promise ? await pending : pending
    setup ??= clock()
    if (next.done) return judge(next.value)
    record(next.value)
    verdict = 'continue'
    const { residual } = next.value
    if (!Number.isFinite(residual))
      return done('not-finite', 'The iteration produced a value that is not finite; the initial guess is returned.')
    growing = residual > DIVERGED * Math.max(atStart.residual, atZero.residual) ? growing + 1 : 0
    if (growing === DIVERGED_FOR)
      return done('diverged', `The residual grew from ${atStart.residual.toExponential(1)} to ${residual.toExponential(1)} 1/s.`)
    const { iteration } = history[history.length - 1]
    if (residual < (1 - MIN_PROGRESS) * lowest.residual) lowest = { residual, iteration }
    if (iteration - lowest.iteration > Math.max(STUCK, subject.unknowns))
      return done('stagnated', `No progress below ${lowest.residual.toExponential(1)} 1/s since iteration ${lowest.iteration}.`)
    if (residual <= prepared.target) {
      let actual = prepared.clampAndMeasure()
      if (actual <= prepared.target) {
        const judged = prepared.present()
        if (judged.feasible <= tolerance) return done('converged', 'Converged.', judged)
        actual = judged.feasible
      }
      fruitless = actual < 0.5 * best ? 0 : fruitless + 1
      best = Math.min(best, actual)
      if (fruitless > RECOMPUTATIONS) return done('stagnated', `Rounding keeps the residual at ${actual.toExponential(1)} 1/s.`)
      verdict = 'recompute'
    }
    if (signal && clock() - lastTurn > TURN_EVERY / 1000) {
      await new Promise(resolve => setTimeout(resolve, 0))
      lastTurn = clock()
    }
  }
}

/** The yardstick of a pressure; `infeasible`: the pockets that nothing can satisfy, by cells or rows of the problem. */
export function judgePressure(
  problem: Problem,
  pressure: Float64Array,
  infeasible: readonly Pick<Pocket, 'rows' | 'mean'>[],
  sticking: boolean,
  unknowns: FoundRuns | undefined,
  scratch: Buffers,
): Judgement {
  const measured = measure(problem, pressure, sticking, unknowns)
  if (infeasible.length === 0) return { ...measured, feasible: measured.residual }
  const kind = scratch.u8('feasible.kind', problem.kind.length)
  const feasible = withoutExcess(problem, infeasible, kind, scratch.f64('feasible.b', problem.b.length))
  return { ...measured, feasible: measure(feasible, pressure, sticking, unknowns).residual }
}

function describeInfeasible(infeasible: readonly Pocket[], noun: string): string {
  const count = infeasible.reduce((sum, pocket) => sum + pocket.rows.length, 0)
  const worst = infeasible.reduce((a, b) => (Math.abs(a.excess) > Math.abs(b.excess) ? a : b))
  const verb = worst.excess < 0 ? 'squeezed' : 'pulled apart'
  return `${count} ${noun} in ${counted(infeasible.length, 'sealed pocket')} without air are ${verb}, which no pressure can satisfy; the rest is solved.`
}

function cellsOf(pockets: readonly Pocket[], cellOf: (index: number) => number): Int32Array {
  const cells = new Int32Array(pockets.reduce((sum, { rows }) => sum + rows.length, 0))
  let count = 0
  for (const { rows } of pockets) for (let at = 0; at < rows.length; at++) cells[count++] = cellOf(rows[at])
  return cells
}

/** The only place in the solver rooms that reads a clock. Seconds since it was started. */
export function startClock(): () => number {
  const start = performance.now()
  return () => (performance.now() - start) / 1000
}

/** Every solver calls it before anything else. Matrices are also followed entry by entry, because loops would follow them anywhere. */
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

/** For methods that use where cells are. */
export function needsGrid(name: string): InputError {
  return new InputError(`${name} needs a grid and cannot solve a matrix; use mprgp or another algebraic solver.`)
}
