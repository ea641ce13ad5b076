/** Runs a method on the compact rows of any problem; the driver keeps the contract for it. */
import { chooseEngine, type EngineSetting } from '../../machine/engine-choice.js'
import type { SolveMachine } from '../../machine/generated/solve.js'
import { isGridProblem, type Problem, type SparseProblem } from '../../pressure/problem.js'
import { createRunList, type FoundRuns, findUnknowns } from '../../pressure/unknown-runs.js'
import { type Buffers, createBuffers } from '../../sparse/buffers.js'
import { createSparseMemory } from '../../sparse/compiled-memory.js'
import { compact, copyRows, nonZeros } from '../../sparse/matrix.js'
import type { PressureSolver, SolveOptions, SolveResult } from '../contract/solver.js'
import { checkCall, needsGrid } from './check-call.js'
import { drive, startClock } from './driver.js'
import { createMachineKeeper, type Plan } from './machine-pool.js'
import type { Method } from './method.js'
import { createRowsSubject } from './rows-subject.js'
import { scaleSingular } from './scaling.js'

export type { Method, Run } from './method.js'
export type { Ending, Step, Verdict } from './subject.js'

export interface MethodTraits {
  /** The method uses the places of cells, so a sparse problem is refused. */
  readonly needsGrid?: boolean
  /** For methods with compiled loops. */
  readonly engine?: EngineSetting
  /** Bytes of memory, besides the matrix, b and p, for methods that use the loops of their buffers. Absent: the method runs on a machine. */
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
    // Methods that use the geometry use the coefficients, too.
    const scaled = gridOnly ? undefined : scaleSingular(rows, scratch)
    const p = gather(pressure, cells, scaled?.factors, buffers)
    const subject = createRowsSubject(scaled?.problem ?? rows, p, {
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

/** State of a solve that has left the queue. */
interface Begun {
  readonly clock: () => number
  /** The unknowns of a grid problem. */
  readonly found: FoundRuns | undefined
}

function countRows(problem: Problem, found: FoundRuns | undefined): number {
  return isGridProblem(problem) ? found!.unknowns : problem.rows
}

/** Bytes of the arrays of this file and of the system, rounded up generously. */
function commonRoom(problem: Problem, rows: number, entries: number): number {
  const cells = isGridProblem(problem) ? 4 * problem.grid.cells : 0
  return cells + 12 * entries + 72 * rows + 2 ** 16
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
