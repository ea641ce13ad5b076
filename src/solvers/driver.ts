/** Runs an iteration and keeps the contract for it: history, monitor, cancelling, limits, honest convergence. What is iterated on is a
 *  subject: compact rows (algebraic.ts) or the levels of an engine (on-engine.ts). */
import { InputError } from '../input-error.js'
import type { Pocket } from '../pressure/pockets.js'
import { type Problem, pressureLength } from '../pressure/problem.js'
import type { Measure } from '../pressure/residual.js'
import {
  DEFAULT_MAX_ITERATIONS,
  DEFAULT_TOLERANCE,
  type IterationRecord,
  type LevelSummary,
  type SolveOptions,
  type SolveResult,
  type Status,
} from './solver.js'

/** What an iteration tells after each of its steps, by its own reckoning. */
export interface Step {
  readonly residual: number
  readonly pinned: number
  /** Outer iterations so far, where they differ from iterations. */
  readonly outer?: number
  /** Innermost iterations so far, where one step is not one of them. */
  readonly iteration?: number
}

/** `recompute`: the residual was better on paper than in fact; rebuild it from p before going on. */
export type Verdict = 'continue' | 'recompute'

/** An iteration ends by itself only when it cannot go on. */
export interface Ending {
  readonly status: Status
  readonly message: string
}

/** Yields after every step. Asynchronous where it has to wait for others. */
export type Iteration = Generator<Step, Ending, Verdict> | AsyncGenerator<Step, Ending, Verdict>

export interface Progress {
  /** Counts matrix non-zeros touched. */
  readonly work: { add(nonZeros: number): void }
  /** Multigrid methods tell their levels here, for the result. */
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
  prepare(tolerance: number): Prepared
  /** When nothing was prepared. */
  measureUnprepared(): Measure
}

/** A subject with its sealed pockets made harmless. */
export interface Prepared {
  /** Residual that makes the original problem meet its tolerance, 1/s. */
  readonly target: number
  readonly infeasible: readonly Pocket[]
  iterate(progress: Progress): Iteration
  /** The residual with contacts clamped at 0. If it is above the target, everything is as before. */
  clampAndMeasure(): number
  /** Makes the pressure presentable: no negative contact, pockets shifted. */
  settle(): Measure
  /** The pressure the solve was given. */
  goBack(): Measure
}

/** With a signal to watch, the event loop gets a turn this often, in ms. */
const TURN = 20

/** Residuals this many times the starting one do not come back. */
const DIVERGED = 1e8

/** An unfinished iterate may exceed the starting residual in the largest row and still be the better answer; not so far though. */
const RUN_AWAY = 100

/** Iterations without progress after which a method is held to be stuck; at least as many as there are rows, because conjugate
 *  gradients without preconditioner may take that long before the residual falls at all. */
const STUCK = 5000
/** Share by which the best residual has to fall to count as progress. */
const PROGRESS = 0.01

/** Fruitless recomputations in a row after which rounding is held responsible. */
const RECOMPUTATIONS = 4

/** `cellOf` turns indices of infeasible pockets into those of the problem handed in. */
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

  const finish = (ending: Ending, prepared?: Prepared, setup = clock()): SolveResult => {
    let final = prepared ? prepared.settle() : subject.measureUnprepared()
    if (prepared && !(final.residual <= RUN_AWAY * atStart.residual)) final = prepared.goBack()
    const infeasible = ending.status === 'converged' && prepared && prepared.infeasible.length > 0 ? prepared.infeasible : []
    const { iteration: iterations, outer, work } = history[history.length - 1]
    return {
      status: infeasible.length > 0 ? 'infeasible' : ending.status,
      message: infeasible.length > 0 ? describeInfeasible(infeasible, subject.noun) : ending.message,
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
      infeasible: concatenate(infeasible.map(pocket => pocket.rows)).map(cellOf),
    }
  }

  if (!Number.isFinite(atZero.residual))
    return finish({ status: 'not-finite', message: `b or A is not finite in row ${atZero.at}.` })
  if (!Number.isFinite(atStart.residual))
    return finish({ status: 'not-finite', message: `The starting pressure is not finite near row ${atStart.at}.` })
  if (atStart.residual <= tolerance)
    return finish({ status: 'converged', message: 'The starting pressure already meets the tolerance.' })
  if (atZero.residual <= tolerance) {
    // Free fall: nothing touches hard enough to need pressure.
    subject.forget()
    return finish({ status: 'converged', message: 'No pressure is needed.' })
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
  let lowest = { residual: Infinity, iteration: 0 }
  let lastTurn = clock()
  const done = async (status: Status, message: string) => {
    await iterator.return({ status, message })
    return finish({ status, message }, prepared, setup)
  }
  for (;;) {
    if (signal?.aborted) return done('cancelled', 'Cancelled by the caller.')
    if (history[history.length - 1].iteration >= maxIterations)
      return done('iteration-limit', `Not converged after ${maxIterations} iterations.`)
    const pending = iterator.next(verdict)
    const next = pending instanceof Promise ? await pending : pending
    setup ??= clock()
    if (next.done) return finish(next.value, prepared, setup)
    record(next.value)
    verdict = 'continue'
    const { residual } = next.value
    if (!Number.isFinite(residual))
      return done('not-finite', 'The iteration produced a value that is not finite; the start is kept.')
    if (residual > DIVERGED * Math.max(atStart.residual, atZero.residual))
      return done('diverged', `The residual grew from ${atStart.residual.toExponential(1)} to ${residual.toExponential(1)} 1/s.`)
    const { iteration } = history[history.length - 1]
    if (residual < (1 - PROGRESS) * lowest.residual) lowest = { residual, iteration }
    if (iteration - lowest.iteration > Math.max(STUCK, subject.unknowns))
      return done('stagnated', `No progress below ${lowest.residual.toExponential(1)} 1/s since iteration ${lowest.iteration}.`)
    if (residual <= prepared.target) {
      const actual = prepared.clampAndMeasure()
      if (actual <= prepared.target) return done('converged', 'Converged.')
      fruitless = actual < 0.5 * best ? 0 : fruitless + 1
      best = Math.min(best, actual)
      if (fruitless > RECOMPUTATIONS) return done('stagnated', `Rounding keeps the residual at ${actual.toExponential(1)} 1/s.`)
      verdict = 'recompute'
    }
    if (signal && clock() - lastTurn > TURN / 1000) {
      await new Promise(resolve => setTimeout(resolve, 0))
      lastTurn = clock()
    }
  }
}

function describeInfeasible(infeasible: readonly Pocket[], noun: string): string {
  const count = infeasible.reduce((sum, pocket) => sum + pocket.rows.length, 0)
  const worst = infeasible.reduce((a, b) => (Math.abs(a.excess) > Math.abs(b.excess) ? a : b))
  const verb = worst.excess < 0 ? 'squeezed' : 'drawn apart'
  return `${count} ${noun} in ${infeasible.length} sealed pocket(s) without air are ${verb}, which no pressure can satisfy; the rest is solved.`
}

function concatenate(parts: readonly Int32Array[]): Int32Array {
  const whole = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** The one place in the solver rooms that reads a clock. Seconds since it was started. */
export function startClock(): () => number {
  const start = performance.now()
  return () => (performance.now() - start) / 1000
}

export function checkCall(
  name: string,
  problem: Problem,
  pressure: Float64Array,
  { tolerance, maxIterations }: SolveOptions,
): void {
  const expected = pressureLength(problem)
  if (!(pressure instanceof Float64Array) || pressure.length !== expected)
    throw new InputError(
      `${name}: the pressure must be a Float64Array of ${expected} values, one per cell or row of the problem.`,
    )
  if (tolerance !== undefined && !(tolerance > 0 && tolerance < Infinity))
    throw new InputError(`${name}: the tolerance must be a positive number, not ${tolerance}.`)
  if (maxIterations !== undefined && !(Number.isInteger(maxIterations) && maxIterations >= 1))
    throw new InputError(`${name}: maxIterations must be a whole number from 1, not ${maxIterations}.`)
}

/** For methods that use where cells lie. */
export function needsGrid(name: string): InputError {
  return new InputError(`${name} coarsens a grid and cannot solve a matrix without one; take mprgp or another algebraic solver.`)
}
