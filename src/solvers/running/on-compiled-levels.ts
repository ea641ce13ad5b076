/** Runs an iteration on compiled levels: the problem is copied to the memory of a machine once, and only the answer is copied back. */
import { chooseEngine, type EngineSetting, nameOf } from '../../machine/engine-choice.js'
import type { SolveMachine } from '../../machine/generated/solve.js'
import { type CompiledLevels, createCompiledLevels } from '../../multigrid/aggregate/compiled.js'
import { findRuns, loadProblem, measureRows, scanProblem, scatter } from '../../multigrid/aggregate/load-problem.js'
import { neutraliseLoaded } from '../../multigrid/aggregate/loaded-pockets.js'
import { keepsProblem, likelyBytes } from '../../multigrid/aggregate/memory-need.js'
import { targetResidual } from '../../pressure/pockets.js'
import { clampContacts, isGridProblem, type PressureProblem } from '../../pressure/problem.js'
import { type Measure, measure } from '../../pressure/residual.js'
import { createRunList, type FoundRuns } from '../../pressure/unknown-runs.js'
import { type Buffers, createBuffers } from '../../sparse/buffers.js'
import type { PressureSolver } from '../contract/solver.js'
import { checkCall, needsGrid } from './check-call.js'
import { drive, startClock } from './driver.js'
import { judgePressure } from './judge.js'
import { summarise } from './level-summary.js'
import { createMachineKeeper, type Plan } from './machine-pool.js'
import type { Ending, Prepared, Progress, Step, Subject, Verdict } from './subject.js'

export interface OnCompiledLevels {
  readonly machine: SolveMachine
  readonly separating: boolean
  /** f64 throughout instead of f32 with f64 where it matters. */
  readonly wide: boolean
  /** For arrays outside of the machine. */
  readonly scratch?: Buffers
  iterate(levels: CompiledLevels, target: number, progress: Progress): Generator<Step, Ending, Verdict>
}

/** A solver of grid problems on compiled levels; the setting must not be portable. */
export function createCompiledSolver(
  name: string,
  setting: EngineSetting,
  { separating, wide, iterate }: Omit<OnCompiledLevels, 'machine' | 'scratch'>,
): PressureSolver {
  const keeper = createMachineKeeper(setting.machine)
  const scratch = createBuffers()
  const runs = createRunList()
  return {
    name,
    separating,
    async solve(problem, pressure, options = {}) {
      checkCall(name, problem, pressure, options)
      if (!isGridProblem(problem)) throw needsGrid(name)
      // Waiting for another solve to end does not count, starting threads does.
      let clock: () => number
      let found: FoundRuns
      const plan = (): Plan => {
        clock = startClock()
        found = findRuns(problem, setting.machine, runs)
        return { engine: chooseEngine(setting, found.unknowns), bytes: likelyBytes(found.unknowns) }
      }
      return keeper.run(plan, machine => {
        const subject = createCompiledSubject(problem, pressure, found, { machine: machine!, separating, wide, scratch, iterate })
        return drive(subject, options, clock, unknown => cellOf(found.runs, unknown))
      })
    },
    dispose() {
      scratch.clear()
      keeper.dispose()
    },
  }
}

/** The cell of an unknown, by the runs that `findRuns` has found. */
export function cellOf(runs: Int32Array, unknown: number): number {
  let rest = unknown
  for (let run = 0; run < runs.length; run += 2) {
    if (rest < runs[run + 1]) return runs[run] + rest
    rest -= runs[run + 1]
  }
  return -1
}

function createCompiledSubject(
  problem: PressureProblem,
  pressure: Float64Array,
  found: FoundRuns,
  { machine, separating, wide, scratch = createBuffers(), iterate }: OnCompiledLevels,
): Subject {
  const loaded = loadProblem(machine, problem, pressure, !separating, found)
  const judge = (p: Float64Array) => measure(problem, p, !separating, found)
  const atZero: Measure = Number.isFinite(loaded.ofZero)
    ? { residual: loaded.ofZero, at: -1, gap: 0, pinned: loaded.pinnedAtZero }
    : judge(scratch.f64('zero', pressure.length).fill(0))
  const guess = loaded.started ? scratch.f64('guess', pressure.length) : undefined
  guess?.set(pressure)

  return {
    unknowns: loaded.unknowns,
    nonZeros: loaded.nonZeros,
    noun: 'cells',
    engine: nameOf({ compiled: true, threads: machine.present() }),
    atZero,
    atStart: loaded.started ? judge(pressure) : atZero,
    reset: () => pressure.fill(0),
    restoreStart() {
      if (guess) pressure.set(guess)
      else pressure.fill(0)
      if (separating) clampContacts(problem, pressure)
      return judge(pressure)
    },
    prepare,
  }

  function prepare(tolerance: number): Prepared {
    scanProblem(machine, problem, loaded)
    const pockets = neutraliseLoaded(machine, loaded, tolerance, separating, scratch)
    const levels = createCompiledLevels(machine, loaded, pockets, wide, scratch)
    const { residualScale, pressureScale } = levels
    const target = targetResidual(tolerance, pockets.spread)
    const values = () => new Float64Array(machine.memory.buffer, levels.pressure, levels.rows)
    const infeasible = pockets.infeasible.map(({ rows, mean }, pocket) => {
      const cells = scratch.i32(`infeasible${pocket}`, rows.length)
      for (let at = 0; at < rows.length; at++) cells[at] = cellOf(found.runs, rows[at])
      return { rows: cells, mean }
    })
    return {
      target,
      infeasible: pockets.infeasible,
      *iterate(progress) {
        progress.showLevels(summarise(levels.sizes, problem.grid.dims))
        const iteration = iterate(levels, target / residualScale, progress)
        for (let verdict: Verdict = 'continue'; ; ) {
          const next = iteration.next(verdict)
          if (next.done) return next.value
          verdict = yield { ...next.value, residual: next.value.residual * residualScale }
        }
      },
      clampAndMeasure: () => levels.clampAndMeasure(target / residualScale) * residualScale,
      present() {
        levels.clampAndMeasure(Infinity)
        if (pockets.singular.length > 0) {
          pockets.shift(levels.singular, values())
          levels.invalidateResidual()
        }
        scatter(machine, loaded, values(), problem.grid.shape, pressureScale, pressure)
        if (infeasible.length > 0 || !keepsProblem(loaded.unknowns))
          return judgePressure(problem, pressure, infeasible, !separating, found, scratch)
        const measured = measureRows(machine, loaded, levels.pressure, pressureScale)
        return { ...measured, feasible: measured.residual }
      },
    }
  }
}
