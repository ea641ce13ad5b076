/** The same problem on plain and on compiled levels, with a way to compare vectors: by the smallest cell of the finest level below
 *  each row. */

import { type SolveMachine, solveModule } from '../../src/machine/generated/solve.js'
import { startMachine } from '../../src/machine/machine.js'
import { type CompiledLevels, createCompiledLevels } from '../../src/multigrid/aggregate/compiled.js'
import { findRuns, loadProblem, scanProblem } from '../../src/multigrid/aggregate/load-problem.js'
import { neutraliseLoaded } from '../../src/multigrid/aggregate/loaded-pockets.js'
import { createPlainLevels } from '../../src/multigrid/aggregate/plain.js'
import type { AggregateLevel } from '../../src/multigrid/aggregate/values.js'
import type { Levels } from '../../src/multigrid/levels.js'
import { subtractMeans } from '../../src/pressure/pockets.js'
import type { PressureProblem } from '../../src/pressure/problem.js'
import { createBuffers } from '../../src/sparse/buffers.js'
import { hierarchyOf } from './levels.js'

export interface Twins {
  readonly machine: SolveMachine
  readonly compiled: CompiledLevels
  readonly plain: Levels<Float64Array>
  readonly levels: readonly AggregateLevel[]
  /** Row of the compiled level for every row of the plain one. */
  readonly rowOf: readonly Int32Array[]
  /** Values of a compiled vector in the order of the plain rows. */
  read(at: number, vector: number): Float64Array
  write(at: number, vector: number, values: Float64Array): void
  pinned(at: number): Uint8Array
  /** Values that belong to no row. */
  padding(at: number, vector: number): Float64Array
}

/** Largest link 1 and largest natural residual of p = 0 a power of two, as compiled levels scale them. */
export function normalise(problem: PressureProblem): PressureProblem {
  const link = -Math.min(...problem.links.flatMap(links => [links.reduce((a, b) => Math.min(a, b), 0)]))
  const scale = link > 0 ? link : problem.diagonal.reduce((a, b) => Math.max(a, b), 0) || 1
  const ofZero = problem.b.reduce(
    (largest, value, cell) =>
      Math.max(largest, problem.kind[cell] === 2 ? -value : problem.kind[cell] === 1 ? Math.abs(value) : 0),
    0,
  )
  const [x, y, z] = problem.links.map(links => links.map(value => value / scale))
  return {
    ...problem,
    diagonal: problem.diagonal.map(value => value / scale),
    links: [x, y, z],
    b: problem.b.map(value => value / (ofZero || 1)),
  }
}

/** The compiled levels of a problem, from `pressure` or from 0. */
export function compiledLevelsOf(
  machine: SolveMachine,
  problem: PressureProblem,
  wide: boolean,
  pressure = new Float64Array(problem.grid.cells),
): CompiledLevels {
  const scratch = createBuffers()
  const loaded = loadProblem(machine, problem, pressure, false, findRuns(problem))
  scanProblem(machine, problem, loaded)
  return createCompiledLevels(machine, loaded, neutraliseLoaded(machine, loaded, 1e-6, true, scratch), wide, scratch)
}

export async function createTwins(
  problem: PressureProblem,
  wide: boolean,
  share = true,
  pressure = new Float64Array(problem.grid.cells),
): Promise<Twins> {
  const machine = await startMachine(solveModule, 1, 0, share)
  const { memory } = machine
  const compiled = compiledLevelsOf(machine, problem, wide, pressure)
  // Solvers write vectors before they read them; tests write rows alone, not their padding.
  for (const vector of Object.values(compiled.vectors(0))) compiled.clear(0, vector)
  const { coloured, levels } = hierarchyOf(problem)
  const start = Float64Array.from(levels[0].cell, cell => pressure[cell])
  // As the start of a solve is.
  subtractMeans(coloured.pockets.singular, start)
  const plain = createPlainLevels(levels, coloured, start)

  const { records } = compiled
  const parents = (at: number) => new Int32Array(memory.buffer, records[at].parent, records[at].rows)
  const places = (at: number) => new Int32Array(memory.buffer, records[at].cell, records[at].rows)
  // Finest rows by cell: lines of the grid in both colours, as multigrid/aggregate/kernels/level.ts lays them out.
  const cellRow = rowsByCell(problem, places(0), records[0].reds)
  let rowOf: Int32Array[] = [levels[0].cell.map(cell => cellRow.get(cell)!)]
  for (let at = 1; at < levels.length; at++) {
    const above = parents(at - 1)
    const found = new Int32Array(levels[at].rows).fill(-1)
    levels[at - 1].parent.forEach((parent, row) => {
      if (parent >= 0) found[parent] = above[rowOf[at - 1][row]]
    })
    rowOf = [...rowOf, found]
  }
  const view = (at: number, vector: number) => new (wide ? Float64Array : Float32Array)(memory.buffer, vector, records[at].rows)
  return {
    machine,
    compiled,
    plain,
    levels,
    rowOf,
    read: (at, vector) => Float64Array.from(rowOf[at], row => view(at, vector)[row]),
    write(at, vector, values) {
      rowOf[at].forEach((row, mine) => {
        view(at, vector)[row] = values[mine]
      })
    },
    pinned: at => Uint8Array.from(rowOf[at], row => new Uint8Array(memory.buffer, records[at].pinned, records[at].rows)[row]),
    padding: (at, vector) => Float64Array.from(view(at, vector)).filter((_, row) => places(at)[row] < 0),
  }
}

/** The k-th row of a colour in a line belongs to the k-th cell of that colour that is an unknown; padding has no place. Droplets of one cell
 *  stand behind all others of two planes, or of two lines of a flat grid. */
function rowsByCell(problem: PressureProblem, places: Int32Array, reds: number): Map<number, number> {
  const { grid, kind } = problem
  const [nx, ny, nz] = grid.shape
  const byCell = new Map<number, number>()
  const together = nz > 1 ? 2 * ny : 2
  for (let colour = 0; colour < 2; colour++) {
    let row = colour === 0 ? 0 : reds
    for (let from = 0; from < ny * nz; from += together)
      for (const droplets of [false, true])
        for (let line = from; line < Math.min(ny * nz, from + together); line++)
          for (let i = 0; i < nx; i++) {
            const cell = line * nx + i
            if (kind[cell] === 0 || ((i + (line % ny) + Math.floor(line / ny)) & 1) !== colour) continue
            if (isDroplet(problem, cell) !== droplets) continue
            while (places[row] < 0) row++
            if (places[row] !== i) throw new Error(`row ${row} is at ${places[row]}, not at ${i}`)
            byCell.set(cell, row++)
          }
  }
  return byCell
}

function isDroplet({ grid, kind, links }: PressureProblem, cell: number): boolean {
  const [nx, ny] = grid.shape
  const i = cell % nx
  if ((i > 0 && kind[cell - 1] !== 0) || (i < nx - 1 && kind[cell + 1] !== 0)) return false
  return [1, nx, nx * ny].every((step, axis) => links[axis][cell] === 0 && !links[axis][cell - step])
}
