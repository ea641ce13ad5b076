/** The levels of a problem in the memory of a machine: how they are built from the loaded problem, and where their parts are. */
import type { SolveKernels, SolveMachine } from '../../machine/generated/solve.js'
import type { Pocket } from '../../pressure/pockets.js'
import type { Buffers } from '../../sparse/buffers.js'
import { DENSE_ROWS, type LevelVectors, type PocketRows } from '../levels.js'
import { inputScale, type LoadedProblem } from './load-problem.js'
import type { LoadedPockets } from './loaded-pockets.js'
import { keepsProblem } from './memory-need.js'

/** By number, as levelField of the kernels counts them. */
const LEVEL_FIELD = {
  nx: 0,
  ny: 1,
  nz: 2,
  unknowns: 3,
  rows: 4,
  links: 6,
  contacts: 7,
  f: 8,
  x: 9,
  r: 10,
  z: 11,
  Az: 12,
  d: 13,
  q: 14,
  p: 15,
  b: 16,
  contactRows: 17,
  sensitive: 18,
  slots: 22,
  chunks: 23,
} as const
const LEVEL_FIELDS = 24

type Field = keyof typeof LEVEL_FIELD

/** What the operations on levels share. */
export interface Stack {
  readonly kernels: SolveKernels
  readonly wide: number
  /** Addresses. */
  readonly levels: readonly number[]
  readonly vectors: readonly LevelVectors<number>[]
  /** Whether the coarsest level is solved densely. */
  readonly dense: boolean
  field(at: number, name: Field): number
  /** Arrays of the finest level, made where they are used, because memory may grow and take them away. */
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
  /** The largest |r| over rows that are no contacts, when it was last exact. */
  inLiquid: number
  /** Whether there is a pressure besides x. */
  hasPressure: boolean
  makeExact(): void
}

/** Packs the finest level of a problem that was scanned and whose pockets are neutralised, and builds the coarser ones. Restores the
 *  input, and gives back what memory of it is not needed any more. */
export function packLevels(
  machine: SolveMachine,
  loaded: LoadedProblem,
  loadedPockets: LoadedPockets,
  wide: number,
  scratch: Buffers,
): Stack {
  const { kernels, memory } = machine
  const { input, ofZero } = loaded
  const residualScale = ofZero > 0 ? 2 ** Math.round(Math.log2(ofZero)) : 1
  const address = kernels.createFinest(wide, input, residualScale)
  const rowOf = () => new Int32Array(memory.buffer, kernels.rowsOf(input), loaded.unknowns)
  const pockets = loadedPockets.any ? rowsOf(loadedPockets, rowOf(), scratch) : { singular: [], expanding: [] }
  const pressureScale = residualScale / inputScale(machine, input)
  loadedPockets.restore()
  kernels.giveBack(input, keepsProblem(loaded.unknowns) ? 1 : 0)

  const levels = buildLevels(kernels, wide, address)
  const room = kernels.allocate(4 * LEVEL_FIELDS)
  const fields = levels.map(level => {
    kernels.levelFields(level, room)
    return new Uint32Array(memory.buffer, room, LEVEL_FIELDS).slice()
  })
  const field = (at: number, name: Field) => fields[at][LEVEL_FIELD[name]]
  const vectors = levels.map((_, at): LevelVectors<number> => {
    const named = (name: Field) => field(at, name)
    return { f: named('f'), x: named('x'), r: named('r'), z: named('z'), Az: named('Az'), d: named('d'), q: named('q') }
  })
  const last = levels.length - 1
  const dense = field(last, 'unknowns') <= DENSE_ROWS
  if (dense) kernels.createCoarsest(levels[last])
  if (pockets.expanding.length > 0) guard(machine, address, pockets.expanding)
  const rows = field(0, 'rows')
  const Numbers = wide ? Float64Array : Float32Array
  return {
    kernels,
    wide,
    levels,
    vectors,
    dense,
    field,
    pressure: () => new Float64Array(memory.buffer, field(0, 'p'), rows),
    b: () => new Float64Array(memory.buffer, field(0, 'b'), rows),
    r: () => new Numbers(memory.buffer, vectors[0].r, rows),
    finest: finestState(kernels, wide, address, loaded.started),
    pockets,
    residualScale,
    pressureScale,
  }
}

function finestState(kernels: SolveKernels, wide: number, level: number, started: boolean): FinestState {
  const state: FinestState = {
    isExact: false,
    inLiquid: 0,
    hasPressure: started,
    makeExact() {
      if (state.isExact) return
      state.inLiquid = kernels.exactResidual(wide, level)
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

function buildLevels(kernels: SolveKernels, wide: number, finest: number): number[] {
  const levels = [finest]
  for (;;) {
    const fine = levels[levels.length - 1]
    const size = (name: Field) => kernels.levelField(fine, LEVEL_FIELD[name])
    if (size('unknowns') <= DENSE_ROWS || Math.max(size('nx'), size('ny'), size('nz')) === 1) break
    const coarse = kernels.createCoarser(wide, fine)
    if (coarse === 0) break
    levels.push(coarse)
  }
  levels.forEach((level, at) => {
    kernels.createVectors(wide, level, at === 0 ? 1 : 0)
  })
  return levels
}

/** Marks the contacts of the finest level that belong to pockets which must keep one of them pinned. */
function guard({ kernels, memory }: SolveMachine, finest: number, expanding: readonly Int32Array[]): void {
  const field = (name: Field) => kernels.levelField(finest, LEVEL_FIELD[name])
  const count = field('contacts')
  const guards = kernels.allocate(4 * count)
  const free = kernels.mark()
  const labels = kernels.allocate(4 * field('rows'))
  const pocketOf = new Int32Array(memory.buffer, labels, field('rows')).fill(-1)
  expanding.forEach((rows, pocket) => {
    for (let at = 0; at < rows.length; at++) pocketOf[rows[at]] = pocket
  })
  const contacts = new Int32Array(memory.buffer, field('contactRows'), count)
  const pockets = new Int32Array(memory.buffer, guards, count)
  for (let contact = 0; contact < count; contact++) pockets[contact] = pocketOf[contacts[contact]]
  kernels.release(free)
  kernels.setGuards(finest, guards, expanding.length)
}
