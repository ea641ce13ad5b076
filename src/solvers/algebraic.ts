/** Runs a method on the compact rows of any problem and keeps the contract for it: history, monitor, cancelling, limits,
 *  honest convergence, pockets, warm start. A method is a generator that improves p and yields after each iteration. */
import { InputError } from '../input-error.js'
import { isGridProblem, type Problem, pressureLength, type SparseProblem } from '../pressure/problem.js'
import { type Measure, measure } from '../pressure/residual.js'
import { type Buffers, createBuffers } from '../sparse/buffers.js'
import { compact, nonZeros } from '../sparse/matrix.js'
import {
  DEFAULT_MAX_ITERATIONS,
  DEFAULT_TOLERANCE,
  type IterationRecord,
  type LevelSummary,
  type PressureSolver,
  type SolveOptions,
  type SolveResult,
  type Status,
} from './solver.js'
import { prepareSystem, type System, shiftSingular } from './system.js'

/** What a method tells after an iteration, by its own reckoning. */
export interface Step {
  readonly residual: number
  readonly pinned: number
  /** Outer iterations so far, where they differ from iterations. */
  readonly outer?: number
}

/** `recompute`: the residual was better on paper than in fact; rebuild it from p before going on. */
export type Verdict = 'continue' | 'recompute'

/** A method ends by itself only when it cannot go on. */
export interface Ending {
  readonly status: Status
  readonly message: string
}

export interface Run {
  readonly buffers: Buffers
  /** Counts matrix non-zeros touched. */
  readonly work: { add(nonZeros: number): void }
  /** Multigrid methods tell their levels here, for the result. */
  showLevels(levels: readonly LevelSummary[]): void
  /** The problem as it was handed in, for methods that use its geometry. */
  readonly source: Problem
  /** Cell of every row of a grid problem, ascending; undefined for sparse ones. */
  readonly cells: Int32Array | undefined
}

export type Method = (system: System, p: Float64Array, run: Run) => Generator<Step, Ending, Verdict>

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

/** `needsGrid`: the method uses where cells lie, so a sparse problem is refused. */
export function createAlgebraicSolver(
  name: string,
  separating: boolean,
  method: Method,
  { needsGrid = false }: { readonly needsGrid?: boolean } = {},
): PressureSolver {
  const buffers = createBuffers()
  return {
    name,
    separating,
    async solve(problem, pressure, options = {}) {
      checkCall(name, problem, pressure, options)
      if (needsGrid && !isGridProblem(problem))
        throw new InputError(
          `${name} coarsens a grid and cannot solve a matrix without one; take mprgp or another algebraic solver.`,
        )
      const clock = startClock()
      const { rows, cells } = toRows(problem, buffers)
      const p = cells ? gather(pressure, cells, buffers) : pressure
      const result = await solveRows(rows, p, { name, separating, method, buffers, clock, cells, source: problem }, options)
      if (!cells) return result
      pressure.fill(0)
      for (let row = 0; row < cells.length; row++) pressure[cells[row]] = p[row]
      return { ...result, infeasible: result.infeasible.map(row => cells[row]) }
    },
    dispose: () => buffers.clear(),
  }
}

interface Setting {
  readonly name: string
  readonly separating: boolean
  readonly method: Method
  readonly buffers: Buffers
  readonly clock: () => number
  readonly cells: Int32Array | undefined
  readonly source: Problem
}

async function solveRows(problem: SparseProblem, p: Float64Array, setting: Setting, options: SolveOptions): Promise<SolveResult> {
  const { separating, buffers, clock, cells, source } = setting
  const { maxIterations = DEFAULT_MAX_ITERATIONS, signal, monitor } = options
  const judge = (pressure: Float64Array) => measure(problem, pressure, !separating)
  const guess = buffers.f64('driver.guess', problem.rows)
  guess.set(p)
  const atStart = judge(p)
  const atZero = judge(buffers.f64('driver.zero', problem.rows).fill(0))
  const tolerance = (options.tolerance ?? DEFAULT_TOLERANCE) * (options.relative ? atZero.residual : 1)

  let touched = 0
  const perSweep = Math.max(1, nonZeros(problem))
  const history: IterationRecord[] = []
  let levels: readonly LevelSummary[] = []
  const record = (step: Step) => {
    const iteration = history.length
    const entry = { iteration, outer: iteration, ...step, work: touched / perSweep, seconds: clock() }
    history.push(entry)
    monitor?.(entry)
  }
  record({ residual: atStart.residual, pinned: atStart.pinned })

  const finish = (ending: Ending, system?: System, setup = clock()): SolveResult => {
    const final = settle(problem, p, guess, judge, system)
    const status = ending.status === 'converged' && system && system.infeasible.length > 0 ? 'infeasible' : ending.status
    const { iteration: iterations, outer, work } = history[history.length - 1]
    return {
      status,
      message: status === 'infeasible' && system ? describeInfeasible(system, cells ? 'cells' : 'rows') : ending.message,
      residual: final.residual,
      gap: final.gap,
      pinned: final.pinned,
      unknowns: problem.rows,
      iterations,
      outer,
      work,
      seconds: { setup, solve: clock() - setup },
      history,
      levels,
      infeasible:
        status === 'infeasible' && system ? concatenate(system.infeasible.map(pocket => pocket.rows)) : new Int32Array(0),
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
    p.fill(0)
    return finish({ status: 'converged', message: 'No pressure is needed.' })
  }

  const system = prepareSystem(problem, tolerance, separating, buffers)
  const add = (nonZerosTouched: number) => {
    touched += nonZerosTouched
  }
  const showLevels = (shown: readonly LevelSummary[]) => {
    levels = shown
  }
  const iterator = setting.method(system, p, { buffers, work: { add }, showLevels, source, cells })
  const checkpoint = buffers.f64('driver.checkpoint', problem.rows)
  let setup: number | undefined
  let verdict: Verdict = 'continue'
  let best = Infinity
  let fruitless = 0
  let lowest = { residual: Infinity, iteration: 0 }
  let lastTurn = clock()
  const done = (status: Status, message: string) => {
    iterator.return({ status, message })
    return finish({ status, message }, system, setup)
  }
  for (;;) {
    if (signal?.aborted) return done('cancelled', 'Cancelled by the caller.')
    if (history.length > maxIterations) return done('iteration-limit', `Not converged after ${maxIterations} iterations.`)
    const next = iterator.next(verdict)
    setup ??= clock()
    if (next.done) return finish(next.value, system, setup)
    record(next.value)
    verdict = 'continue'
    const { residual } = next.value
    if (!Number.isFinite(residual))
      return done('not-finite', 'The iteration produced a value that is not finite; the start is kept.')
    if (residual > DIVERGED * Math.max(atStart.residual, atZero.residual))
      return done('diverged', `The residual grew from ${atStart.residual.toExponential(1)} to ${residual.toExponential(1)} 1/s.`)
    const { iteration } = history[history.length - 1]
    if (residual < (1 - PROGRESS) * lowest.residual) lowest = { residual, iteration }
    if (iteration - lowest.iteration > Math.max(STUCK, problem.rows))
      return done('stagnated', `No progress below ${lowest.residual.toExponential(1)} 1/s since iteration ${lowest.iteration}.`)
    if (residual <= system.target) {
      checkpoint.set(p)
      const actual = clampAndMeasure(system, p)
      if (actual <= system.target) return done('converged', 'Converged.')
      // Another try from exactly where the method stood: clamping is for the answer, not for the iteration.
      p.set(checkpoint)
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

/** Contacts have p ≥ 0 exactly from here on. Returns the residual of the prepared system. */
function clampAndMeasure(system: System, p: Float64Array): number {
  for (const row of system.contacts) if (p[row] < 0) p[row] = 0
  return measure(system, p).residual
}

/** Makes p presentable: no negative contact, pockets shifted; the guess again if the iteration has run away from it. */
function settle(
  problem: SparseProblem,
  p: Float64Array,
  guess: Float64Array,
  judge: (p: Float64Array) => Measure,
  system: System | undefined,
): Measure {
  if (!system) return judge(p)
  for (const row of system.contacts) if (p[row] < 0) p[row] = 0
  shiftSingular(system, problem.kind, p)
  const final = judge(p)
  const atStart = judge(guess)
  if (final.residual <= RUN_AWAY * atStart.residual) return final
  p.set(guess)
  return atStart
}

function describeInfeasible(system: System, what: string): string {
  const count = system.infeasible.reduce((sum, pocket) => sum + pocket.rows.length, 0)
  const worst = system.infeasible.reduce((a, b) => (Math.abs(a.excess) > Math.abs(b.excess) ? a : b))
  const verb = worst.excess < 0 ? 'squeezed' : 'drawn apart'
  return `${count} ${what} in ${system.infeasible.length} sealed pocket(s) without air are ${verb}, which no pressure can satisfy; the rest is solved.`
}

function toRows(problem: Problem, buffers: Buffers): { rows: SparseProblem; cells: Int32Array | undefined } {
  if (!isGridProblem(problem)) return { rows: problem, cells: undefined }
  const { problem: rows, cells } = compact(problem, buffers)
  return { rows, cells }
}

function gather(pressure: Float64Array, cells: Int32Array, buffers: Buffers): Float64Array {
  const p = buffers.f64('driver.p', cells.length)
  for (let row = 0; row < cells.length; row++) p[row] = pressure[cells[row]]
  return p
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
function startClock(): () => number {
  const start = performance.now()
  return () => (performance.now() - start) / 1000
}

function checkCall(name: string, problem: Problem, pressure: Float64Array, { tolerance, maxIterations }: SolveOptions): void {
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
