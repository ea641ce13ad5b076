/** Times of two loops of a solve, each alone: the sweep over the finest level, in which a solve spends most of its time, and the measurement
 *  of its residual. */
import { checkNumbers } from '../../checks.js'
import { chooseEngine, type EngineSetting, nameOf } from '../../machine/engine-choice.js'
import { solveModule } from '../../machine/generated/solve.js'
import { startMachine } from '../../machine/machine.js'
import { createCompiledLevels } from '../../multigrid/aggregate/compiled.js'
import { buildHierarchy } from '../../multigrid/aggregate/hierarchy.js'
import { findRuns, loadProblem, scanProblem } from '../../multigrid/aggregate/load-problem.js'
import { colourRows } from '../../multigrid/aggregate/load-rows.js'
import { neutraliseLoaded } from '../../multigrid/aggregate/loaded-pockets.js'
import { smooth } from '../../multigrid/aggregate/plain-loops.js'
import { checkGridProblem } from '../../pressure/check-problem.js'
import type { PressureProblem } from '../../pressure/problem.js'
import { measure } from '../../pressure/residual.js'
import { createBuffers } from '../../sparse/buffers.js'
import { compact } from '../../sparse/matrix.js'

/** One red-black sweep over the finest level. */
export interface FineSweep {
  readonly engine: string
  readonly threads: number
  readonly rows: number
  /** The fastest sweep of many. */
  readonly seconds: number
  /** Minimum memory traffic in bytes: every coefficient and vector entry it uses, once. */
  readonly bytes: number
}

const TIMED_SECONDS = 0.5
const WARM_UP = 20

/** Red-black Gauss–Seidel sweeps as the solver would do them. */
export async function measureFineSweep(problem: PressureProblem, setting: EngineSetting = {}): Promise<FineSweep> {
  checkGridProblem(problem, 'measureFineSweep: the problem')
  const choice = chooseEngine(setting, Infinity)
  if (!choice.compiled) return measurePortable(problem)
  const machine = await startMachine(solveModule, choice.threads)
  try {
    const scratch = createBuffers()
    const loaded = loadProblem(machine, problem, new Float64Array(problem.grid.cells), false, findRuns(problem))
    scanProblem(machine, problem, loaded)
    const pockets = neutraliseLoaded(machine, loaded, 1e-6, true, scratch)
    const levels = createCompiledLevels(machine, loaded, pockets, false, scratch)
    levels.loadRightSide(0)
    const { f, x } = levels.vectors(0)
    const seconds = timeFastest(() => {
      levels.smooth(0, 'red', f, x)
      levels.smooth(0, 'black', f, x)
    })
    // Per row f and x read and x written in f32, neighbours from the cache, and the coefficients of blocks that have their own.
    const bytes = levels.rows * 3 * 4 + levels.records[0].slots * 128
    return { engine: nameOf(choice), threads: choice.threads, rows: levels.sizes[0].unknowns, seconds, bytes }
  } finally {
    machine.dispose()
  }
}

/** Seconds in which the engine measures the residual of a pressure in f64, as every solve ends; the fastest of many. Caches are emptied before
 *  each, as a solve leaves them. */
export async function measureYardstick(
  problem: PressureProblem,
  pressure: Float64Array,
  setting: EngineSetting = {},
): Promise<number> {
  checkGridProblem(problem, 'measureYardstick: the problem')
  checkNumbers(pressure, 'measureYardstick: the pressure', Float64Array, problem.grid.cells, 'cell')
  const choice = chooseEngine(setting, Infinity)
  if (!choice.compiled) return timeFastest(() => void measure(problem, pressure), createEviction())
  const machine = await startMachine(solveModule, choice.threads)
  try {
    const { input } = loadProblem(machine, problem, pressure, false, findRuns(problem))
    return timeFastest(() => void machine.kernels.measureInput(input), createEviction())
  } finally {
    machine.dispose()
  }
}

function measurePortable(problem: PressureProblem): FineSweep {
  const buffers = createBuffers()
  const { problem: rows, cells } = compact(problem, buffers)
  const coloured = colourRows(rows, problem.grid, cells, { singular: [], expanding: [] }, buffers)
  const [level] = buildHierarchy(coloured, buffers)
  const x = new Float64Array(level.rows)
  const seconds = timeFastest(() => {
    smooth(level, 'red', coloured.b, x)
    smooth(level, 'black', coloured.b, x)
  })
  // Per row f, inverse, x read and x written, and where the row begins; per neighbour its weight and number.
  const bytes = level.rows * (4 * 8 + 4) + level.rowStart[level.rows] * (8 + 4)
  return { engine: 'portable', threads: 1, rows: level.rows, seconds, bytes }
}

/** The fastest of many. */
/** More than the caches of a core hold. */
const CACHE_BYTES = 2 ** 25

function createEviction(): () => void {
  const values = new Float64Array(CACHE_BYTES / 8)
  return () => {
    for (let at = 0; at < values.length; at++) values[at] += 1
  }
}

function timeFastest(loop: () => void, before = () => {}): number {
  const times: number[] = []
  for (
    let count = 0, began = performance.now();
    count < WARM_UP + 3 || performance.now() - began < 1000 * TIMED_SECONDS;
    count++
  ) {
    before()
    const start = performance.now()
    loop()
    if (count >= WARM_UP) times.push((performance.now() - start) / 1000)
  }
  return times.reduce((least, time) => Math.min(least, time), Infinity)
}
