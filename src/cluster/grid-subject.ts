/** A grid problem for a driver: looked through and packed by the compiled loops, solved elsewhere, and measured here before it is used. */

import type { SolveMachine } from '../machine/generated/solve.js'
import { cellsOf, copyRuns, type LoadedProblem, loadProblem } from '../multigrid/aggregate/load-problem.js'
import { type LoadedPockets, neutraliseLoaded } from '../multigrid/aggregate/loaded-pockets.js'
import { targetResidual } from '../pressure/pockets.js'
import { CONTACT, clampContacts, type PressureProblem } from '../pressure/problem.js'
import { measure } from '../pressure/residual.js'
import type { FoundRuns } from '../pressure/unknown-runs.js'
import type { SolveOptions } from '../solvers/contract/solver.js'
import { judgePressure } from '../solvers/running/judge.js'
import type { Prepared, Subject } from '../solvers/running/subject.js'
import { createBuffers } from '../sparse/buffers.js'
import { DriverFailure } from './driver-failure.js'
import { type Exchange, type Limits, solveByDriver } from './exchange.js'
import { FIRST_GUARDED, GROUNDED_CELL, type Statistics } from './frames.js'
import type { DriverLink } from './link.js'
import { createTilePacker, recordBytes, type TileTable } from './tile-packing.js'
import { cutTiles, shareTiles } from './tiles.js'

export interface GridSetting {
  readonly machine: SolveMachine
  readonly link: DriverLink
  readonly engine: string
  readonly onStatistics?: (statistics: Statistics) => void
}

export function createGridSubject(
  problem: PressureProblem,
  pressure: Float64Array,
  found: FoundRuns,
  { machine, link, engine, onStatistics }: GridSetting,
  options: SolveOptions,
): Subject {
  const scratch = createBuffers()
  const loaded = loadProblem(machine, problem, pressure, false, found)
  const guess = loaded.started ? pressure.slice() : undefined
  const atZero = measure(problem, new Float64Array(pressure.length), false, found)
  return {
    unknowns: loaded.unknowns,
    nonZeros: loaded.nonZeros,
    noun: 'cells',
    engine,
    atZero,
    atStart: loaded.started ? measure(problem, pressure, false, found) : atZero,
    reset: () => pressure.fill(0),
    restoreStart() {
      if (guess) pressure.set(guess)
      else pressure.fill(0)
      clampContacts(problem, pressure)
      return measure(problem, pressure, false, found)
    },
    prepare,
  }

  function prepare(tolerance: number): Prepared {
    machine.kernels.scan(loaded.input)
    const pockets = neutraliseLoaded(machine, loaded, tolerance, true, scratch)
    const cells = pockets.any ? cellsOf(found.runs, loaded.unknowns) : undefined
    const harmless = cells ? withoutPockets(machine, loaded, problem, cells) : problem
    const target = targetResidual(tolerance, pockets.spread)
    const infeasible = cells
      ? pockets.infeasible.map(({ rows, mean }) => ({ rows: rows.map(unknown => cells[unknown]), mean }))
      : []
    const exchange: Exchange = {
      driver: 'grid',
      nonZeros: loaded.nonZeros,
      started: loaded.started,
      onStatistics,
      ...encodeTiles(problem, pressure, machine, loaded, marksOf(pockets, loaded.unknowns)),
    }
    return {
      target,
      infeasible: pockets.infeasible,
      iterate: progress => solveByDriver(link, exchange, target, options, progress),
      clampAndMeasure() {
        const before = pressure.slice()
        clampContacts(harmless, pressure)
        const { residual } = measure(harmless, pressure, false, found)
        if (residual > target) pressure.set(before)
        return residual
      },
      present() {
        clampContacts(harmless, pressure)
        if (cells) {
          const inGrid = pockets.singular.map(({ rows }) => rows.map(unknown => cells[unknown]))
          pockets.shift(inGrid, pressure)
        }
        return judgePressure(problem, pressure, infeasible, false, found, scratch)
      },
    }
  }
}

/** The problem as the driver gets it, with its pockets made harmless. */
function withoutPockets(
  { memory }: SolveMachine,
  { record }: LoadedProblem,
  problem: PressureProblem,
  cells: Int32Array,
): PressureProblem {
  const kind = problem.kind.slice()
  const b = problem.b.slice()
  const kinds = new Uint8Array(memory.buffer, record.kind, cells.length)
  const bs = new Float64Array(memory.buffer, record.b, cells.length)
  cells.forEach((cell, unknown) => {
    kind[cell] = kinds[unknown]
    b[cell] = bs[unknown]
  })
  return { ...problem, kind, b }
}

/** What unknowns of pockets without air are for the driver. */
function marksOf({ any, singular, expanding }: LoadedPockets, unknowns: number): ((kinds: Uint8Array) => Uint8Array) | undefined {
  if (!any) return undefined
  const most = GROUNDED_CELL - FIRST_GUARDED
  return kinds => {
    if (expanding.length > most)
      throw new DriverFailure(
        'refused',
        `The driver supports ${most} expanding sealed pockets, and the problem has ${expanding.length}.`,
      )
    const marks = new Uint8Array(unknowns)
    for (const { rows } of singular) marks[rows[0]] = GROUNDED_CELL
    expanding.forEach(({ rows }, pocket) => {
      for (const row of rows) if (kinds[row] === CONTACT) marks[row] = FIRST_GUARDED + pocket
    })
    return marks
  }
}

function encodeTiles(
  { grid }: PressureProblem,
  pressure: Float64Array,
  machine: SolveMachine,
  { input, record, runs, unknowns: count }: LoadedProblem,
  marksOfKinds: ((kinds: Uint8Array) => Uint8Array) | undefined,
): Pick<Exchange, 'encode' | 'takePressure'> {
  const { kernels, memory } = machine
  const unknowns = () => new Float64Array(memory.buffer, record.p, count)
  const free = kernels.mark()
  let table: TileTable | undefined
  return {
    encode(limits, ranks, warm) {
      kernels.release(free)
      if (warm) copyRuns(runs, pressure, unknowns())
      table = cutTiles(grid.shape, runs, ranks)
      const kinds = new Uint8Array(memory.buffer, record.kind, count)
      const packer = createTilePacker(machine, input, table, warm, marksOfKinds?.(kinds))
      const head = encodeHead(grid.shape, table, shareTiles(table.cells, ranks), limits, warm)
      const records = table.cells.reduce((sum, cells) => sum + recordBytes(cells, warm), 0)
      return {
        length: head.length + records,
        values: table.cells.reduce((sum, cells) => sum + cells, 0),
        parts: (function* () {
          yield head
          yield* packer.batches()
        })(),
      }
    },
    takePressure(values) {
      unpack(grid.shape, table!, values, pressure)
    },
  }
}

function encodeHead(shape: readonly number[], table: TileTable, starts: Int32Array, limits: Limits, warm: boolean): Uint8Array {
  const bytes = new Uint8Array(48 + 8 * Math.ceil((table.bytes.length + 4 * starts.length) / 8))
  const words = new DataView(bytes.buffer)
  ;[...shape, table.size, table.count, warm ? 1 : 0].forEach((value, at) => {
    words.setInt32(4 * at, value, true)
  })
  words.setFloat64(24, limits.tolerance, true)
  words.setFloat64(32, limits.innerTolerance, true)
  words.setInt32(40, limits.maxOuter, true)
  words.setInt32(44, limits.maxInner, true)
  bytes.set(table.bytes, 48)
  starts.forEach((tile, rank) => {
    words.setInt32(48 + table.bytes.length + 4 * rank, tile, true)
  })
  return bytes
}

/** Values come as the records went: tile after tile, of each the box of its unknowns, 0 where there is none. */
function unpack(shape: readonly number[], { size, count, bytes }: TileTable, values: Float64Array, into: Float64Array): void {
  const [nx, ny] = shape
  const across = [Math.ceil(nx / size), Math.ceil(ny / size)]
  const numbers = new DataView(bytes.buffer)
  into.fill(0)
  for (let tile = 0, at = 0; tile < count; tile++) {
    const id = numbers.getInt32(12 * tile, true)
    const corner = [id % across[0], Math.floor(id / across[0]) % across[1], Math.floor(id / across[0] / across[1])]
    const [x, y, z, toX, toY, toZ] = bytes.subarray(12 * tile + 4, 12 * tile + 10)
    const width = toX - x + 1
    for (let k = corner[2] * size + z; k <= corner[2] * size + toZ; k++)
      for (let j = corner[1] * size + y; j <= corner[1] * size + toY; j++, at += width)
        into.set(values.subarray(at, at + width), (k * ny + j) * nx + corner[0] * size + x)
  }
}
