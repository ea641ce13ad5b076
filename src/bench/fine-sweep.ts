/** How fast an engine sweeps the finest level: the loop that a solve spends most of its time in, alone. */

import type { CompiledLevels } from '../engine/compiled-levels.js'
import { findRuns } from '../engine/compiled-problem.js'
import { startMachine } from '../engine/kernels.js'
import { portableEngine } from '../engine/portable.js'
import { chooseEngine, type EngineSetting, nameOf } from '../engine/setting.js'
import { finestLevel } from '../multigrid/aggregate.js'
import type { PressureProblem } from '../pressure/problem.js'
import { colourRows } from '../solvers/nas-levels.js'
import { createEngineSubject } from '../solvers/on-engine.js'
import { prepareSystem } from '../solvers/system.js'
import { createBuffers } from '../sparse/buffers.js'
import { compact } from '../sparse/matrix.js'
import { minimum, type Sweep } from './peer-results.js'

const SECONDS = 0.5
const WARM_UP = 20

/** Red-black Gauss–Seidel sweeps as the solver would do them. */
export async function measureFineSweep(problem: PressureProblem, setting: EngineSetting = {}): Promise<Sweep> {
  const choice = chooseEngine(setting, Infinity)
  if (!choice.compiled) return measurePortable(problem)
  const machine = await startMachine(choice.threads)
  let sweep: Sweep | undefined
  try {
    const subject = createEngineSubject(problem, new Float64Array(problem.grid.cells), findRuns(problem), {
      machine,
      separating: true,
      wide: false,
      // biome-ignore lint/correctness/useYield: it measures instead of iterating
      *iterate(levels) {
        sweep = { engine: nameOf(choice), threads: choice.threads, ...measureCompiled(levels) }
        return { status: 'cancelled', message: '' }
      },
    })
    subject
      .prepare(1e-6)
      .iterate({ work: { add: () => {} }, showLevels: () => {} })
      .next()
  } finally {
    machine.dispose()
  }
  return sweep!
}

/** Per row f and x read and x written in f32, neighbours from the cache, and the coefficients of blocks that have their own. */
function measureCompiled(levels: CompiledLevels) {
  levels.takeRightSide(0)
  const { f, x } = levels.vectors(0)
  const seconds = timeSweeps(() => {
    levels.smooth(0, 'red', f, x)
    levels.smooth(0, 'black', f, x)
  })
  return { rows: levels.sizes[0].unknowns, seconds, bytes: levels.rows * 3 * 4 + levels.slots[0] * 128 }
}

function measurePortable(problem: PressureProblem): Sweep {
  const buffers = createBuffers()
  const { problem: rows, cells } = compact(problem, buffers)
  const system = prepareSystem(rows, 1e-6, true, buffers)
  const ignore = { work: { add: () => {} }, showLevels: () => {} }
  const coloured = colourRows(system, { ...ignore, buffers, source: problem, cells })
  const level = finestLevel(coloured)
  const x = new Float64Array(level.rows)
  const seconds = timeSweeps(() => {
    portableEngine.smooth(level, 'red', coloured.b, x)
    portableEngine.smooth(level, 'black', coloured.b, x)
  })
  // Per row f, inverse, x read and x written, and where the row begins; per neighbour its weight and number.
  const bytes = level.rows * (4 * 8 + 4) + level.rowStart[level.rows] * (8 + 4)
  return { engine: portableEngine.name, threads: 1, rows: level.rows, seconds, bytes }
}

/** The fastest of many. */
function timeSweeps(sweep: () => void): number {
  const times: number[] = []
  for (let count = 0, began = performance.now(); count < WARM_UP + 3 || performance.now() - began < 1000 * SECONDS; count++) {
    const start = performance.now()
    sweep()
    if (count >= WARM_UP) times.push((performance.now() - start) / 1000)
  }
  return minimum(times)
}
