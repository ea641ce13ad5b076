/** A grid problem for a driver: looked through and packed by the compiled loops, solved elsewhere, and measured here before it is used. */
import { cellsOf, copyRuns, type FoundRuns, inputField, loadProblem } from '../engine/compiled-problem.js'
import type { Machine } from '../engine/kernels.js'
import { createTilePacker, recordBytes, type TileTable } from '../engine/tile-packing.js'
import { CONTACT, type PressureProblem } from '../pressure/problem.js'
import { measure } from '../pressure/residual.js'
import type { Prepared, Subject } from '../solvers/driver.js'
import { type Harmless, makeHarmless, shiftSingular } from '../solvers/engine-pockets.js'
import type { SolveOptions } from '../solvers/solver.js'
import { DriverFailure } from './driver-failure.js'
import { type Exchange, type Limits, solveByDriver } from './exchange.js'
import { FIRST_GUARDED, GROUND, type Statistics } from './frames.js'
import type { DriverLink } from './link.js'
import { cutTiles, shareTiles } from './tiles.js'

export interface GridSetting {
  readonly machine: Machine
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
  const loaded = loadProblem(machine, problem, pressure, false, found)
  const guess = loaded.started ? pressure.slice() : undefined
  const atZero = measure(problem, new Float64Array(pressure.length))
  return {
    unknowns: loaded.unknowns,
    nonZeros: loaded.nonZeros,
    noun: 'cells',
    engine,
    atZero,
    atStart: loaded.started ? measure(problem, pressure) : atZero,
    forget: () => pressure.fill(0),
    measureUnprepared: () => measure(problem, pressure),
    prepare,
  }

  function prepare(tolerance: number): Prepared {
    machine.kernels.scan(loaded.input)
    const pockets = makeHarmless(machine, loaded, tolerance, true)
    const cells = pockets.any ? cellsOf(found.runs, loaded.unknowns) : undefined
    const harmless = cells ? withoutPockets(machine, loaded.input, problem, cells) : problem
    const target = Math.min(0.9 * tolerance, tolerance - pockets.spread)
    const clamp = () => {
      const { kind } = harmless
      for (let cell = 0; cell < kind.length; cell++) if (kind[cell] === CONTACT && pressure[cell] < 0) pressure[cell] = 0
    }
    const exchange: Exchange = {
      driver: 'grid',
      nonZeros: loaded.nonZeros,
      started: loaded.started,
      onStatistics,
      ...encodeTiles(problem, pressure, found.runs, machine, loaded.input, marksOf(pockets, loaded.unknowns)),
    }
    return {
      target,
      infeasible: pockets.infeasible,
      iterate: progress => solveByDriver(link, exchange, target, options, progress),
      clampAndMeasure() {
        const before = pressure.slice()
        clamp()
        const { residual } = measure(harmless, pressure)
        if (residual > target) pressure.set(before)
        return residual
      },
      settle() {
        clamp()
        if (cells) {
          const toCells = (rows: Int32Array) => rows.map(unknown => cells[unknown])
          shiftSingular(pockets.singular.map(toCells), pockets.contactOf, pressure)
        }
        return measure(problem, pressure)
      },
      goBack() {
        if (guess) pressure.set(guess)
        else pressure.fill(0)
        return measure(problem, pressure)
      },
    }
  }
}

/** The problem as the driver gets it, with its pockets made harmless. */
function withoutPockets(machine: Machine, input: number, problem: PressureProblem, cells: Int32Array): PressureProblem {
  const kind = problem.kind.slice()
  const b = problem.b.slice()
  const kinds = new Uint8Array(machine.memory.buffer, inputField(machine, input, 'kind'), cells.length)
  const bs = new Float64Array(machine.memory.buffer, inputField(machine, input, 'b'), cells.length)
  cells.forEach((cell, unknown) => {
    kind[cell] = kinds[unknown]
    b[cell] = bs[unknown]
  })
  return { ...problem, kind, b }
}

/** What unknowns of pockets without air are for the driver. */
function marksOf({ any, singular, expanding }: Harmless, unknowns: number): ((kinds: Uint8Array) => Uint8Array) | undefined {
  if (!any) return undefined
  const most = GROUND - FIRST_GUARDED
  return kinds => {
    if (expanding.length > most)
      throw new DriverFailure(
        'refused',
        `The driver can hold ${most} expanding pockets without air, and here are ${expanding.length}.`,
      )
    const marks = new Uint8Array(unknowns)
    for (const rows of singular) marks[rows[0]] = GROUND
    expanding.forEach(({ rows }, pocket) => {
      for (const row of rows) if (kinds[row] === CONTACT) marks[row] = FIRST_GUARDED + pocket
    })
    return marks
  }
}

function encodeTiles(
  { grid }: PressureProblem,
  pressure: Float64Array,
  runs: Int32Array,
  machine: Machine,
  input: number,
  marksOfKinds: ((kinds: Uint8Array) => Uint8Array) | undefined,
): Pick<Exchange, 'encode' | 'takePressure'> {
  const { kernels, memory } = machine
  const unknowns = () => new Float64Array(memory.buffer, inputField(machine, input, 'p'), count)
  const count = runs.reduce((sum, value, at) => sum + (at % 2 ? value : 0), 0)
  const free = kernels.mark()
  let table: TileTable | undefined
  return {
    encode(limits, ranks, warm) {
      kernels.release(free)
      if (warm) copyRuns(runs, pressure, unknowns())
      table = cutTiles(grid.shape, runs, ranks)
      const kinds = new Uint8Array(memory.buffer, inputField(machine, input, 'kind'), count)
      const packer = createTilePacker(machine, input, table, warm, marksOfKinds?.(kinds))
      const head = encodeHead(grid.shape, table, shareTiles(table.cells, ranks), limits, warm)
      const records = table.cells.reduce((sum, cells) => sum + recordBytes(cells, warm), 0)
      return {
        length: head.length + records,
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
