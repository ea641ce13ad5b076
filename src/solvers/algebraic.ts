/** Runs a method on the compact rows of any problem. A method is a generator that improves p and yields after each iteration; the driver
 *  keeps the contract for it. */
import type { Machine } from '../engine/kernels.js'
import { chooseEngine, type EngineSetting, nameOf } from '../engine/setting.js'
import { createSparseMemory } from '../engine/sparse-memory.js'
import { DRY, isGridProblem, type Problem, type SparseProblem } from '../pressure/problem.js'
import { type Measure, measure } from '../pressure/residual.js'
import type { Buffers } from '../sparse/buffers.js'
import { compact, copyRows, nonZeros } from '../sparse/matrix.js'
import { checkCall, drive, type Iteration, needsGrid, type Prepared, type Progress, type Subject, startClock } from './driver.js'
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
  const keeper = createMachineKeeper()
  async function solve(
    problem: Problem,
    pressure: Float64Array,
    options: SolveOptions,
    clock: () => number,
    machine: Machine | undefined,
  ): Promise<SolveResult> {
    const unknowns = countRows(problem)
    const most = isGridProblem(problem) ? 7 * unknowns : nonZeros(problem)
    const buffers = await memory.open(unknowns, room ? commonRoom(problem, unknowns, most) + room(unknowns, most) : 0)
    const { rows, cells } = toRows(problem, buffers)
    const p = gather(pressure, cells, buffers)
    const subject = createRows(rows, p, { separating, method, buffers, cells, source: problem, machine })
    const result = await drive(subject, options, clock, row => (cells ? cells[row] : row))
    if (cells) {
      pressure.fill(0)
      for (let row = 0; row < cells.length; row++) pressure[cells[row]] = p[row]
    } else pressure.set(p)
    return result
  }
  return {
    name,
    separating,
    async solve(problem, pressure, options = {}) {
      checkCall(name, problem, pressure, options)
      if (gridOnly && !isGridProblem(problem)) throw needsGrid(name)
      let clock = startClock()
      const choose = () => {
        // Waiting for another solve to end does not count, starting threads does.
        clock = startClock()
        return engine && !room ? chooseEngine(engine, countRows(problem)) : ({ compiled: false } as const)
      }
      return keeper.run(choose, machine => solve(problem, pressure, options, clock, machine))
    },
    dispose() {
      memory.clear()
      keeper.dispose()
    },
  }
}

function countRows(problem: Problem): number {
  if (!isGridProblem(problem)) return problem.rows
  const { kind } = problem
  let rows = 0
  for (let cell = 0; cell < kind.length; cell++) if (kind[cell] !== DRY) rows++
  return rows
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
    engine: machine ? nameOf({ compiled: true, threads: machine.present() }) : buffers.loops.engine,
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
  if (!isGridProblem(problem)) return { rows: copyRows(problem, buffers), cells: undefined }
  const { problem: rows, cells } = compact(problem, buffers)
  return { rows, cells }
}

function gather(pressure: Float64Array, cells: Int32Array | undefined, buffers: Buffers): Float64Array {
  const p = buffers.f64('driver.p', cells ? cells.length : pressure.length)
  if (!cells) p.set(pressure)
  else for (let row = 0; row < cells.length; row++) p[row] = pressure[cells[row]]
  return p
}
