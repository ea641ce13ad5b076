/** Runs a method on the compact rows of any problem. A method is a generator that improves p and yields after each iteration; the driver
 *  keeps the contract for it. */
import type { Machine } from '../engine/kernels.js'
import { chooseEngine, type EngineSetting, nameOf } from '../engine/setting.js'
import { DRY, isGridProblem, type Problem, type SparseProblem } from '../pressure/problem.js'
import { type Measure, measure } from '../pressure/residual.js'
import { type Buffers, createBuffers } from '../sparse/buffers.js'
import { compact, nonZeros } from '../sparse/matrix.js'
import {
  checkCall,
  drive,
  type Ending,
  needsGrid,
  type Prepared,
  type Progress,
  type Step,
  type Subject,
  startClock,
  type Verdict,
} from './driver.js'
import { createMachineKeeper } from './machine-keeper.js'
import type { PressureSolver, SolveOptions, SolveResult } from './solver.js'
import { prepareSystem, type System, shiftSingular } from './system.js'

export type { Ending, Step, Verdict } from './driver.js'

export interface Run extends Progress {
  readonly buffers: Buffers
  /** The problem as it was handed in, for methods that use its geometry. */
  readonly source: Problem
  /** Cell of every row of a grid problem, ascending; undefined for sparse ones. */
  readonly cells: Int32Array | undefined
  /** For methods with compiled loops; undefined on the portable engine. */
  readonly machine?: Machine | undefined
}

export type Method = (system: System, p: Float64Array, run: Run) => Generator<Step, Ending, Verdict>

export interface MethodTraits {
  /** The method uses where cells lie, so a sparse problem is refused. */
  readonly needsGrid?: boolean
  /** What is asked of a method that has compiled loops; absent where it has none. */
  readonly engine?: EngineSetting
}

export function createAlgebraicSolver(
  name: string,
  separating: boolean,
  method: Method,
  { needsGrid: gridOnly = false, engine }: MethodTraits = {},
): PressureSolver {
  const buffers = createBuffers()
  const keeper = createMachineKeeper()
  async function solve(
    problem: Problem,
    pressure: Float64Array,
    options: SolveOptions,
    clock: () => number,
    machine: Machine | undefined,
  ): Promise<SolveResult> {
    const { rows, cells } = toRows(problem, buffers)
    const p = cells ? gather(pressure, cells, buffers) : pressure
    const subject = createRows(rows, p, { separating, method, buffers, cells, source: problem, machine })
    const result = await drive(subject, options, clock, row => (cells ? cells[row] : row))
    if (!cells) return result
    pressure.fill(0)
    for (let row = 0; row < cells.length; row++) pressure[cells[row]] = p[row]
    return result
  }
  return {
    name,
    separating,
    async solve(problem, pressure, options = {}) {
      checkCall(name, problem, pressure, options)
      if (gridOnly && !isGridProblem(problem)) throw needsGrid(name)
      let clock = startClock()
      if (!engine) return solve(problem, pressure, options, clock, undefined)
      const choose = () => {
        // Waiting for another solve to end does not count, starting threads does.
        clock = startClock()
        return chooseEngine(engine, countUnknowns(problem))
      }
      return keeper.run(choose, machine => solve(problem, pressure, options, clock, machine))
    },
    dispose() {
      buffers.clear()
      keeper.dispose()
    },
  }
}

function countUnknowns(problem: Problem): number {
  if (!isGridProblem(problem)) return problem.rows
  let count = 0
  for (let cell = 0; cell < problem.grid.cells; cell++) if (problem.kind[cell] !== DRY) count++
  return count
}

interface Setting {
  readonly separating: boolean
  readonly method: Method
  readonly buffers: Buffers
  readonly cells: Int32Array | undefined
  readonly source: Problem
  readonly machine: Machine | undefined
}

function createRows(problem: SparseProblem, p: Float64Array, setting: Setting): Subject {
  const { separating, method, buffers, cells, source, machine } = setting
  const judge = (pressure: Float64Array): Measure => measure(problem, pressure, !separating)
  const guess = buffers.f64('driver.guess', problem.rows)
  guess.set(p)
  return {
    unknowns: problem.rows,
    nonZeros: nonZeros(problem),
    noun: cells ? 'cells' : 'rows',
    engine: nameOf(machine ? { compiled: true, threads: machine.present() } : { compiled: false }),
    atZero: judge(buffers.f64('driver.zero', problem.rows).fill(0)),
    atStart: judge(p),
    forget: () => p.fill(0),
    measureUnprepared: () => judge(p),
    prepare(tolerance): Prepared {
      const system = prepareSystem(problem, tolerance, separating, buffers)
      const checkpoint = buffers.f64('driver.checkpoint', problem.rows)
      return {
        target: system.target,
        infeasible: system.infeasible,
        iterate: progress => method(system, p, { ...progress, buffers, source, cells, machine }),
        clampAndMeasure() {
          checkpoint.set(p)
          clamp(system, p)
          const { residual } = measure(system, p)
          // Another try from exactly where the method stood: clamping is for the answer, not for the iteration.
          if (residual > system.target) p.set(checkpoint)
          return residual
        },
        settle() {
          clamp(system, p)
          shiftSingular(system, problem.kind, p)
          return judge(p)
        },
        goBack() {
          p.set(guess)
          return judge(p)
        },
      }
    },
  }
}

/** Contacts have p ≥ 0 exactly from here on. */
function clamp(system: System, p: Float64Array): void {
  for (const row of system.contacts) if (p[row] < 0) p[row] = 0
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
