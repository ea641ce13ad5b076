/** How fast an engine sweeps the finest level: the loop that a solve spends most of its time in, alone. */
import type { Level } from '../engine/engine.js'
import { portableEngine } from '../engine/portable.js'
import { finestLevel } from '../multigrid/aggregate.js'
import type { PressureProblem } from '../pressure/problem.js'
import { colourRows } from '../solvers/nas-levels.js'
import { prepareSystem } from '../solvers/system.js'
import { createBuffers } from '../sparse/buffers.js'
import { compact } from '../sparse/matrix.js'
import { minimum, type Sweep } from './peer-results.js'

const SECONDS = 0.5
const WARM_UP = 3

/** Options of a solver, of which only these two matter here. */
export interface SweepOptions {
  readonly engine?: string
  readonly threads?: number
}

/** Red-black Gauss–Seidel sweeps as the solver would do them; undefined for an engine or threads that there are not. */
export function measureFineSweep(problem: PressureProblem, options: SweepOptions = {}): Sweep | undefined {
  const { engine = portableEngine.name, threads = 1 } = options
  if (engine !== portableEngine.name || threads !== 1) return undefined
  const buffers = createBuffers()
  const { problem: rows, cells } = compact(problem, buffers)
  const system = prepareSystem(rows, 1e-6, true, buffers)
  const ignore = { work: { add: () => {} }, showLevels: () => {} }
  const coloured = colourRows(system, { ...ignore, buffers, source: problem, cells })
  const level = finestLevel(coloured)
  const f = coloured.b
  const x = new Float64Array(level.rows)
  const times: number[] = []
  for (let sweep = 0, began = performance.now(); sweep < WARM_UP + 3 || performance.now() - began < 1000 * SECONDS; sweep++) {
    const start = performance.now()
    portableEngine.smooth(level, 'red', f, x)
    portableEngine.smooth(level, 'black', f, x)
    if (sweep >= WARM_UP) times.push((performance.now() - start) / 1000)
  }
  return { engine, threads, rows: level.rows, seconds: minimum(times), bytes: bytesOfSweep(level) }
}

/** Per row f, inverse, x read and x written, and where the row begins; per neighbour its weight and number. */
function bytesOfSweep({ rows, rowStart }: Level): number {
  return rows * (4 * 8 + 4) + rowStart[rows] * (8 + 4)
}
