/** Runs the nested active-set iteration on the levels of a compiled engine: the problem goes into its memory once, and only the answer
 *  comes back. */
import { type CompiledLevels, createCompiledLevels, type PocketRows } from '../engine/compiled-levels.js'
import {
  cellsOf,
  checkMemory,
  type FoundRuns,
  findRuns,
  inputScale,
  likelyBytes,
  loadProblem,
  scatter,
  specialCount,
} from '../engine/compiled-problem.js'
import type { Machine } from '../engine/kernels.js'
import { chooseEngine, type EngineSetting, nameOf } from '../engine/setting.js'
import { isGridProblem, type PressureProblem } from '../pressure/problem.js'
import { joinMeasures, type Measure, measure, measureCells } from '../pressure/residual.js'
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
import { makeHarmless, shiftSingular } from './engine-pockets.js'
import { createMachineKeeper } from './machine-keeper.js'
import type { PressureSolver } from './solver.js'

export interface OnEngine {
  readonly machine: Machine
  readonly separating: boolean
  /** f64 throughout instead of f32 with f64 where it counts. */
  readonly wide: boolean
  iterate(levels: CompiledLevels, target: number, progress: Progress): Generator<Step, Ending, Verdict>
}

/** A solver of grid problems on a compiled engine; the setting must not be portable. */
export function createEngineSolver(
  name: string,
  setting: EngineSetting,
  { separating, wide, iterate }: Omit<OnEngine, 'machine'>,
): PressureSolver {
  const keeper = createMachineKeeper(setting.machine)
  return {
    name,
    separating,
    async solve(problem, pressure, options = {}) {
      checkCall(name, problem, pressure, options)
      if (!isGridProblem(problem)) throw needsGrid(name)
      const clock = startClock()
      const found = findRuns(problem, setting.machine)
      return keeper.run(
        () => chooseEngine(setting, found.unknowns),
        machine => {
          const subject = createEngineSubject(problem, pressure, found, { machine: machine!, separating, wide, iterate })
          return drive(subject, options, clock, unknown => cellOf(found.runs, unknown))
        },
        likelyBytes(found.unknowns),
      )
    },
    dispose: keeper.dispose,
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

export function createEngineSubject(
  problem: PressureProblem,
  pressure: Float64Array,
  found: FoundRuns,
  setting: OnEngine,
): Subject {
  const { machine, separating } = setting
  const wide = setting.wide ? 1 : 0
  const loaded = loadProblem(machine, problem, pressure, !separating, found)
  const judge = (p: Float64Array) => measure(problem, p, !separating)
  const atZero: Measure = Number.isFinite(loaded.ofZero)
    ? { residual: loaded.ofZero, at: -1, gap: 0, pinned: loaded.lifted }
    : judge(new Float64Array(pressure.length))
  const guess = loaded.started ? pressure.slice() : undefined

  return {
    unknowns: loaded.unknowns,
    nonZeros: loaded.nonZeros,
    noun: 'cells',
    engine: nameOf({ compiled: true, threads: machine.present() }),
    atZero,
    atStart: loaded.started ? judge(pressure) : atZero,
    forget: () => pressure.fill(0),
    measureUnprepared: () => judge(pressure),
    prepare: tolerance => prepare(tolerance),
  }

  function prepare(tolerance: number): Prepared {
    const { kernels, memory } = machine
    const { input } = loaded
    kernels.scan(input)
    checkMemory(problem, loaded.unknowns, loaded.runs.length / 2, specialCount(machine, input))
    const pockets = makeHarmless(machine, loaded, tolerance, separating)
    const valueScale = loaded.ofZero > 0 ? 2 ** Math.round(Math.log2(loaded.ofZero)) : 1
    const finest = kernels.createFinest(wide, input, valueScale)
    const rowOf = pockets.any ? new Int32Array(memory.buffer, kernels.rowsOf(input), loaded.unknowns).slice() : undefined
    const scale = inputScale(machine, input)
    const toRows = (pocket: Int32Array) => pocket.map(unknown => rowOf![unknown])
    const rows: PocketRows = {
      singular: pockets.singular.map(toRows),
      expanding: pockets.expanding.map(({ rows }) => toRows(rows)),
    }
    kernels.giveBack(input)
    const levels = createCompiledLevels(machine, wide, finest, rows, loaded.started)
    const target = Math.min(0.9 * tolerance, tolerance - pockets.spread)
    const values = () => new Float64Array(memory.buffer, levels.pressure, levels.rows)
    const clampAndMeasure = (limit: number): Measure => {
      const { residual, gap, pinned } = levels.clampAndMeasure(limit / valueScale)
      return { residual: residual * valueScale, at: -1, gap: (gap * valueScale * valueScale) / scale, pinned }
    }
    /** Contacts of singular pockets, which the levels know as liquid, are measured here, and all else there. */
    function measureWithPockets(): Measure {
      const { singular, means, contactOf } = pockets
      const contacts = singular.map((pocket, n) => pocket.filter((_, at) => contactOf[n][at]))
      levels.restorePockets(
        means.map(mean => mean / valueScale),
        contacts.map(toRows),
      )
      const cells = cellsOf(loaded.runs, loaded.unknowns)
      const atContacts = contacts.map(unknowns =>
        measureCells(
          problem,
          pressure,
          unknowns.map(at => cells[at]),
          !separating,
        ),
      )
      return [clampAndMeasure(Infinity), ...atContacts].reduce(joinMeasures)
    }
    return {
      target,
      infeasible: pockets.infeasible,
      *iterate(progress) {
        const { dims } = problem.grid
        progress.showLevels(
          levels.sizes.map(({ shape, unknowns, nonZeros }) => ({ shape: shape.slice(0, dims), unknowns, nonZeros })),
        )
        const iteration = setting.iterate(levels, target / valueScale, progress)
        for (let verdict: Verdict = 'continue'; ; ) {
          const next = iteration.next(verdict)
          if (next.done) return next.value
          verdict = yield { ...next.value, residual: next.value.residual * valueScale }
        }
      },
      clampAndMeasure: () => clampAndMeasure(target).residual,
      settle() {
        const settled = clampAndMeasure(Infinity)
        if (pockets.singular.length > 0) shiftSingular(rows.singular, pockets.contactOf, values())
        scatter(machine, loaded, values(), problem.grid.shape, valueScale / scale, pressure)
        return pockets.singular.length > 0 ? measureWithPockets() : settled
      },
      goBack() {
        if (guess) pressure.set(guess)
        else pressure.fill(0)
        return judge(pressure)
      },
    }
  }
}
