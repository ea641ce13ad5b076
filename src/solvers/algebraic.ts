/** Runs a method on the compact rows of any problem. A method is a generator that improves p and yields after each iteration; the driver
 *  keeps the contract for it. */
import type { EngineSetting } from '../engine/setting.js'
import { createSparseMemory } from '../engine/sparse-memory.js'
import { DRY, isGridProblem, type Problem, type SparseProblem } from '../pressure/problem.js'
import { type Measure, measure } from '../pressure/residual.js'
import type { Buffers } from '../sparse/buffers.js'
import { compact, copyRows, nonZeros } from '../sparse/matrix.js'
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
import type { PressureSolver, SolveOptions, SolveResult } from './solver.js'
import { prepareSystem, type System, shiftSingular } from './system.js'

export type { Ending, Step, Verdict } from './driver.js'

export interface Run extends Progress {
  readonly buffers: Buffers
  /** The problem as it was handed in, for methods that use its geometry. */
  readonly source: Problem
  /** Cell of every row of a grid problem, ascending; undefined for sparse ones. */
  readonly cells: Int32Array | undefined
}

export type Method = (system: System, p: Float64Array, run: Run) => Generator<Step, Ending, Verdict>

export interface AlgebraicSetting {
  /** The method uses where cells lie, so a sparse problem is refused. */
  readonly needsGrid?: boolean
  /** Present if the method works with the loops of its buffers: which ones to take, plain TypeScript if nothing is said. */
  readonly engine?: EngineSetting
  /** Bytes of memory that the method is going to need on compiled loops, besides the matrix, b and p. */
  readonly room?: (rows: number, nonZeros: number) => number
}

export function createAlgebraicSolver(
  name: string,
  separating: boolean,
  method: Method,
  { needsGrid: gridOnly = false, engine = { engine: 'portable' }, room = () => 0 }: AlgebraicSetting = {},
): PressureSolver {
  const memory = createSparseMemory(name, engine)
  let turn: Promise<unknown> = Promise.resolve()
  async function solve(problem: Problem, pressure: Float64Array, options: SolveOptions): Promise<SolveResult> {
    checkCall(name, problem, pressure, options)
    if (gridOnly && !isGridProblem(problem)) throw needsGrid(name)
    const clock = startClock()
    const unknowns = countRows(problem)
    const most = isGridProblem(problem) ? 7 * unknowns : nonZeros(problem)
    const buffers = await memory.open(unknowns, commonRoom(problem, unknowns, most) + room(unknowns, most))
    const { rows, cells } = toRows(problem, buffers)
    const p = gather(pressure, cells, buffers)
    const subject = createRows(rows, p, { separating, method, buffers, cells, source: problem })
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
    // Calls that overlap wait for each other, because they share the memory.
    solve(problem, pressure, options = {}) {
      const result = turn.then(() => solve(problem, pressure, options))
      turn = result.catch(() => {})
      return result
    },
    dispose: () => memory.clear(),
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
}

function createRows(problem: SparseProblem, p: Float64Array, setting: Setting): Subject {
  const { separating, method, buffers, cells, source } = setting
  const judge = (pressure: Float64Array): Measure => measure(problem, pressure, !separating)
  const guess = buffers.f64('driver.guess', problem.rows)
  guess.set(p)
  return {
    unknowns: problem.rows,
    nonZeros: nonZeros(problem),
    noun: cells ? 'cells' : 'rows',
    engine: buffers.loops.engine,
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
        iterate: progress => method(system, p, { ...progress, buffers, source, cells }),
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
