/** The levels of a problem in the memory of a machine: how they are built from the loaded problem, and their memory layout. */
import { LevelLayout } from '../../machine/generated/layouts.js'
import type { SolveKernels, SolveMachine } from '../../machine/generated/solve.js'
import { type RecordAt, recordAt } from '../../machine/record.js'
import type { Pocket } from '../../pressure/pockets.js'
import type { Buffers } from '../../sparse/buffers.js'
import { DENSE_ROWS, type LevelVectors, type PocketRows } from '../levels.js'
import type { LoadedProblem } from './load-problem.js'
import type { LoadedPockets } from './loaded-pockets.js'
import { keepsProblem } from './memory-need.js'

/** A level in the memory of a machine, as laid out in kernels/level.ts. */
export type LevelRecord = RecordAt<typeof LevelLayout>

/** What the operations on levels share. */
export interface Stack {
  readonly kernels: SolveKernels
  /** Results of the last call of a kernel that has more than one. */
  readonly results: () => Float64Array
  /** Addresses, and the records there. */
  readonly levels: readonly number[]
  readonly records: readonly LevelRecord[]
  readonly vectors: readonly LevelVectors<number>[]
  /** Whether the coarsest level is solved densely. */
  readonly dense: boolean
  /** Arrays of the finest level, created where they are used: they become invalid when memory grows. */
  pressure(): Float64Array
  b(): Float64Array
  r(): Float64Array | Float32Array
  readonly finest: FinestState
  /** By rows of the finest level. */
  readonly pockets: PocketRows
  /** What residuals and pressures of the levels are multiplied by to become those of the problem, 1/s and Pa. */
  readonly residualScale: number
  readonly pressureScale: number
}

export interface FinestState {
  /** x is 0 and r belongs to the pressure. */
  isExact: boolean
  /** The largest |r| over rows that are not contacts, and over free contacts, when r was last exact. */
  inLiquid: number
  atContacts: number
  /** Whether there is a pressure besides x. */
  hasPressure: boolean
  makeExact(): void
}

/** Packs the finest level of a problem that was scanned and whose pockets are neutralised, and builds the coarser ones. Restores the
 *  input, and releases the memory of it that is no longer needed. `wide`: f64 throughout instead of f32 with f64 where it matters. */
export function packLevels(
  machine: SolveMachine,
  loaded: LoadedProblem,
  loadedPockets: LoadedPockets,
  wide: boolean,
  scratch: Buffers,
): Stack {
  const { kernels, memory } = machine
  const { input, record, ofZero } = loaded
  const residualScale = ofZero > 0 ? 2 ** Math.round(Math.log2(ofZero)) : 1
  record.wide = wide ? 1 : 0
  const address = kernels.createFinest(input, residualScale)
  const rowOf = () => new Int32Array(memory.buffer, kernels.rowsOf(input), loaded.unknowns)
  const pockets = loadedPockets.any ? rowsOf(loadedPockets, rowOf(), scratch) : { singular: [], expanding: [] }
  const pressureScale = residualScale / record.scale
  loadedPockets.restore()
  kernels.releaseInput(input, keepsProblem(loaded.unknowns) ? 1 : 0)

  const levels = buildLevels(machine, address)
  const records = levels.map(level => recordAt(memory, LevelLayout, level))
  const vectors = records.map(({ f, x, r, z, Az, d, q }): LevelVectors<number> => ({ f, x, r, z, Az, d, q }))
  const last = levels.length - 1
  const dense = records[last].unknowns <= DENSE_ROWS
  if (dense) kernels.createDense(levels[last])
  if (pockets.expanding.length > 0) guard(machine, address, records[0], pockets.expanding)
  const { rows, p, b } = records[0]
  const Numbers = wide ? Float64Array : Float32Array
  return {
    kernels,
    results: () => machine.results,
    levels,
    records,
    vectors,
    dense,
    pressure: () => new Float64Array(memory.buffer, p, rows),
    b: () => new Float64Array(memory.buffer, b, rows),
    r: () => new Numbers(memory.buffer, vectors[0].r, rows),
    finest: finestState(machine, address, loaded.started),
    pockets,
    residualScale,
    pressureScale,
  }
}

function finestState(machine: SolveMachine, level: number, started: boolean): FinestState {
  const state: FinestState = {
    isExact: false,
    inLiquid: 0,
    atContacts: 0,
    hasPressure: started,
    makeExact() {
      if (state.isExact) return
      state.inLiquid = machine.kernels.exactResidual(level)
      state.atContacts = machine.results[1]
      state.isExact = true
    },
  }
  return state
}

/** Pockets by rows of the finest level instead of unknowns in the order of the grid. */
function rowsOf({ singular, expanding }: LoadedPockets, rowOf: Int32Array, scratch: Buffers): PocketRows {
  const count = (pockets: readonly Pocket[]) => pockets.reduce((sum, { rows }) => sum + rows.length, 0)
  const all = scratch.i32('pockets.finest', count(singular) + count(expanding))
  let end = 0
  const toRows = ({ rows }: Pocket) => {
    const begin = end
    for (let at = 0; at < rows.length; at++) all[end++] = rowOf[rows[at]]
    return all.subarray(begin, end)
  }
  return { singular: singular.map(toRows), expanding: expanding.map(toRows) }
}

function buildLevels({ kernels, memory }: SolveMachine, finest: number): number[] {
  const levels = [finest]
  for (;;) {
    const fine = levels[levels.length - 1]
    const { unknowns, nx, ny, nz } = recordAt(memory, LevelLayout, fine)
    if (unknowns <= DENSE_ROWS || Math.max(nx, ny, nz) === 1) break
    const coarse = kernels.createCoarser(fine)
    if (coarse === 0) break
    levels.push(coarse)
  }
  levels.forEach((level, at) => {
    kernels.createVectors(level, at === 0 ? 1 : 0)
  })
  return levels
}

/** Marks the contacts of the finest level that belong to pockets which must keep one of them pinned. */
function guard(
  { kernels, memory }: SolveMachine,
  finest: number,
  { rows: rowCount, contacts: contactRows, contactCount: count }: LevelRecord,
  expanding: readonly Int32Array[],
): void {
  const guards = kernels.allocate(4 * count)
  const free = kernels.mark()
  const labels = kernels.allocate(4 * rowCount)
  const pocketOf = new Int32Array(memory.buffer, labels, rowCount).fill(-1)
  expanding.forEach((rows, pocket) => {
    for (let at = 0; at < rows.length; at++) pocketOf[rows[at]] = pocket
  })
  const contacts = new Int32Array(memory.buffer, contactRows, count)
  const pockets = new Int32Array(memory.buffer, guards, count)
  for (let contact = 0; contact < count; contact++) pockets[contact] = pocketOf[contacts[contact]]
  kernels.release(free)
  kernels.setGuards(finest, guards, expanding.length)
}
