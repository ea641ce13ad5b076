/** Runs a method on the compact rows of any problem. A method is a generator that improves p and yields after each iteration; the driver
 *  keeps the contract for it. */

import { chooseEngine, type EngineSetting, nameOf } from '../../machine/engine-choice.js'
import type { SolveMachine } from '../../machine/generated/solve.js'
import { CONTACT, clampContacts, isGridProblem, type Problem, type SparseProblem } from '../../pressure/problem.js'
import { type Measure, measure } from '../../pressure/residual.js'
import { createRunList, type FoundRuns, findUnknowns } from '../../pressure/unknown-runs.js'
import { type Buffers, createBuffers } from '../../sparse/buffers.js'
import { createSparseMemory } from '../../sparse/compiled-memory.js'
import { compact, copyRows, divergenceLeft, nonZeros } from '../../sparse/matrix.js'
import type { PressureSolver, SolveOptions, SolveResult } from '../contract/solver.js'
import {
  checkCall,
  drive,
  type Ending,
  type Iteration,
  judgePressure,
  needsGrid,
  type Prepared,
  type Progress,
  type Step,
  type Subject,
  startClock,
  type Verdict,
} from './driver.js'
import { createMachineKeeper, type Plan } from './machine-pool.js'
import { scaleSingular } from './scaling.js'
import { prepareSystem, projectSingular, type System, shiftSingular } from './system.js'

export type { Ending, Step, Verdict } from './driver.js'

export interface Run extends Progress {
  readonly buffers: Buffers
  /** The problem as it was handed in, for methods that use its geometry. */
  readonly source: Problem
  /** Cell of every row of a grid problem, ascending; undefined for sparse ones. */
  readonly cells: Int32Array | undefined
  /** For methods with compiled loops; undefined on the portable engine. */
  readonly machine?: SolveMachine | undefined
}

export type Method = (system: System, p: Float64Array, run: Run) => Iteration

export interface MethodTraits {
  /** The method uses where cells lie, so a sparse problem is refused. */
  readonly needsGrid?: boolean
  /** What is asked of a method that has compiled loops; absent where it has none. */
  readonly engine?: EngineSetting
  /** Bytes of memory, besides the matrix, b and p, for methods that work with the loops of their buffers. Those without work on a machine. */
  readonly room?: (rows: number, nonZeros: number) => number
}

export function createAlgebraicSolver(
  name: string,
  separating: boolean,
  method: Method,
  { needsGrid: gridOnly = false, engine, room }: MethodTraits = {},
): PressureSolver {
  const memory = createSparseMemory(name, room && engine ? engine : { engine: 'portable' })
  const scratch = createBuffers()
  const runs = createRunList()
  const keeper = createMachineKeeper()
  async function solve(
    problem: Problem,
    pressure: Float64Array,
    options: SolveOptions,
    { clock, found }: Begun,
    machine: SolveMachine | undefined,
  ): Promise<SolveResult> {
    const unknowns = countRows(problem, found)
    const most = isGridProblem(problem) ? 7 * unknowns : nonZeros(problem)
    const buffers = await memory.open(unknowns, room ? commonRoom(problem, unknowns, most) + room(unknowns, most) : 0)
    const { rows, cells } = toRows(problem, buffers)
    // What uses the geometry uses the coefficients, too.
    const scaled = gridOnly ? undefined : scaleSingular(rows, scratch)
    const p = gather(pressure, cells, scaled?.factors, buffers)
    const subject = createRows(scaled?.problem ?? rows, p, {
      factors: scaled?.factors,
      separating,
      method,
      buffers,
      scratch,
      cells,
      source: problem,
      found,
      pressure,
      machine,
    })
    return drive(subject, options, clock, row => (cells ? cells[row] : row))
  }
  return {
    name,
    separating,
    async solve(problem, pressure, options = {}) {
      checkCall(name, problem, pressure, options)
      if (gridOnly && !isGridProblem(problem)) throw needsGrid(name)
      // Waiting for another solve to end does not count, starting threads does.
      let begun: Begun
      const plan = (): Plan => {
        begun = { clock: startClock(), found: isGridProblem(problem) ? findUnknowns(problem, runs) : undefined }
        return { engine: engine && !room ? chooseEngine(engine, countRows(problem, begun.found)) : { compiled: false } }
      }
      return keeper.run(plan, machine => solve(problem, pressure, options, begun, machine))
    },
    dispose() {
      memory.clear()
      scratch.clear()
      keeper.dispose()
    },
  }
}

/** A solve whose turn it is. */
interface Begun {
  readonly clock: () => number
  /** The unknowns of a grid problem. */
  readonly found: FoundRuns | undefined
}

function countRows(problem: Problem, found: FoundRuns | undefined): number {
  return isGridProblem(problem) ? found!.unknowns : problem.rows
}

/** Bytes of what this file and the system keep, with room to spare for rounding up. */
function commonRoom(problem: Problem, rows: number, entries: number): number {
  const cells = isGridProblem(problem) ? 4 * problem.grid.cells : 0
  return cells + 12 * entries + 72 * rows + 2 ** 16
}

interface Setting {
  readonly separating: boolean
  readonly method: Method
  readonly buffers: Buffers
  /** For what no compiled loop reads. */
  readonly scratch: Buffers
  readonly cells: Int32Array | undefined
  readonly source: Problem
  readonly found: FoundRuns | undefined
  /** Of the source; where answers are handed back. */
  readonly pressure: Float64Array
  readonly machine: SolveMachine | undefined
  /** What the pressure of each row was divided by. */
  readonly factors: Float64Array | undefined
}

function createRows(problem: SparseProblem, p: Float64Array, setting: Setting): Subject {
  const { separating, method, buffers, scratch, cells, source, found, pressure, machine, factors } = setting
  const judge = (): Measure => measure(source, pressure, !separating, found)
  const handBack = () => {
    if (cells) pressure.fill(0)
    for (let row = 0; row < p.length; row++) pressure[cells ? cells[row] : row] = factors ? p[row] * factors[row] : p[row]
  }
  /** In the units of the given problem, whatever it was scaled by. */
  const measureSystem = (system: System): number => {
    if (!factors) return measure(system, p).residual
    const w = scratch.f64('driver.divergence', system.rows)
    divergenceLeft(system, p, w)
    let largest = 0
    for (let row = 0; row < w.length; row++) {
      const scaled = system.values[system.diagonalAt[row]] * p[row]
      const natural = system.kind[row] === CONTACT ? Math.min(w[row], scaled) : w[row]
      largest = Math.max(largest, Math.abs(natural) / factors[row])
    }
    return largest
  }
  const guess = buffers.f64('driver.guess', problem.rows)
  guess.set(p)
  return {
    unknowns: problem.rows,
    nonZeros: nonZeros(problem),
    noun: cells ? 'cells' : 'rows',
    engine: machine ? nameOf({ compiled: true, threads: machine.present() }) : buffers.loops.engine,
    atZero: factors
      ? measure(source, scratch.f64('driver.zero', pressure.length).fill(0), !separating, found)
      : measure(problem, buffers.f64('driver.zero', problem.rows).fill(0), !separating),
    atStart: judge(),
    forget: () => pressure.fill(0),
    goBack() {
      p.set(guess)
      if (separating) clampContacts(problem, p)
      handBack()
      return judge()
    },
    prepare(tolerance): Prepared {
      const system = prepareSystem(problem, tolerance, separating, buffers, scratch, factors)
      const infeasible = system.infeasible.map(({ rows, mean }, pocket) => {
        if (!cells) return { rows, mean }
        const inGrid = scratch.i32(`driver.infeasible${pocket}`, rows.length)
        for (let at = 0; at < rows.length; at++) inGrid[at] = cells[rows[at]]
        return { rows: inGrid, mean }
      })
      // Whatever constant a start has in a sealed pocket means nothing, stays, and costs digits.
      projectSingular(system, p)
      const checkpoint = buffers.f64('driver.checkpoint', problem.rows)
      return {
        target: system.target,
        infeasible: system.infeasible,
        iterate(progress) {
          const iteration = method(system, p, { ...progress, buffers, source, cells, machine })
          return factors && !(Symbol.asyncIterator in iteration) ? unscaled(iteration, () => measureSystem(system)) : iteration
        },
        clampAndMeasure() {
          checkpoint.set(p)
          clampContacts(system, p)
          const residual = measureSystem(system)
          // Another try from exactly where the method stood: clamping is for the answer, not for the iteration.
          if (residual > system.target) p.set(checkpoint)
          return residual
        },
        present() {
          clampContacts(system, p)
          shiftSingular(system, problem.kind, p)
          handBack()
          return judgePressure(source, pressure, infeasible, !separating, found, scratch)
        },
      }
    },
  }
}

/** Residuals of a scaled problem, which the method knows, as those of the given one. */
function* unscaled(iteration: Generator<Step, Ending, Verdict>, residual: () => number): Generator<Step, Ending, Verdict> {
  try {
    for (let verdict: Verdict = 'continue'; ; ) {
      const next = iteration.next(verdict)
      if (next.done) return next.value
      verdict = yield { ...next.value, residual: residual() }
    }
  } finally {
    iteration.return({ status: 'cancelled', message: '' })
  }
}

function toRows(problem: Problem, buffers: Buffers): { rows: SparseProblem; cells: Int32Array | undefined } {
  if (!isGridProblem(problem)) return { rows: copyRows(problem, buffers), cells: undefined }
  const { problem: rows, cells } = compact(problem, buffers)
  return { rows, cells }
}

function gather(
  pressure: Float64Array,
  cells: Int32Array | undefined,
  factors: Float64Array | undefined,
  buffers: Buffers,
): Float64Array {
  const p = buffers.f64('driver.p', cells ? cells.length : pressure.length)
  if (!cells) p.set(pressure)
  else for (let row = 0; row < cells.length; row++) p[row] = pressure[cells[row]]
  if (factors) for (let row = 0; row < p.length; row++) p[row] /= factors[row]
  return p
}
