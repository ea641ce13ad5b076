/** The compact rows of a problem as the subject of a solve. */
import { nameOf } from '../../machine/engine-choice.js'
import type { SolveMachine } from '../../machine/generated/solve.js'
import { CONTACT, clampContacts, type Problem, type SparseProblem } from '../../pressure/problem.js'
import { type Measure, measure } from '../../pressure/residual.js'
import type { FoundRuns } from '../../pressure/unknown-runs.js'
import type { Buffers } from '../../sparse/buffers.js'
import { divergenceLeft, nonZeros } from '../../sparse/matrix.js'
import { judgePressure } from './judge.js'
import type { Method } from './method.js'
import type { Ending, Prepared, Step, Subject, Verdict } from './subject.js'
import { prepareSystem, projectSingular, type System, shiftSingular } from './system.js'

export interface RowsSetting {
  readonly separating: boolean
  readonly method: Method
  readonly buffers: Buffers
  /** For arrays that no compiled loop reads. */
  readonly scratch: Buffers
  readonly cells: Int32Array | undefined
  readonly source: Problem
  readonly found: FoundRuns | undefined
  /** Of the source; answers are written to it. */
  readonly pressure: Float64Array
  readonly machine: SolveMachine | undefined
  /** What the pressure of each row was divided by. */
  readonly factors: Float64Array | undefined
}

export function createRowsSubject(problem: SparseProblem, p: Float64Array, setting: RowsSetting): Subject {
  const { separating, method, buffers, scratch, cells, source, found, pressure, machine, factors } = setting
  const judge = (): Measure => measure(source, pressure, !separating, found)
  const writePressure = () => {
    if (cells) pressure.fill(0)
    for (let row = 0; row < p.length; row++) pressure[cells ? cells[row] : row] = factors ? p[row] * factors[row] : p[row]
  }
  /** In the units of the given problem. */
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
    reset: () => pressure.fill(0),
    restoreStart() {
      p.set(guess)
      if (separating) clampContacts(problem, p)
      writePressure()
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
      // The constant of a start in a sealed pocket is arbitrary, would stay, and costs digits.
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
          // The method continues from its own iterate: clamping is for the answer, not for the iteration.
          if (residual > system.target) p.set(checkpoint)
          return residual
        },
        present() {
          clampContacts(system, p)
          shiftSingular(system, problem.kind, p)
          writePressure()
          return judgePressure(source, pressure, infeasible, !separating, found, scratch)
        },
      }
    },
  }
}

/** Replaces the residuals that the method yields for the scaled problem by those of the given one. */
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
