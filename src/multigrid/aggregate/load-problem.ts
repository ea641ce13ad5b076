/** A grid problem brought into the memory of a machine: only its unknowns, in runs along x. */
import { InputLayout } from '../../machine/generated/layouts.js'
import type { SolveMachine } from '../../machine/generated/solve.js'
import { type RecordAt, recordAt } from '../../machine/record.js'
import { ROUNDINGS_OF_A_ROW_SUM } from '../../pressure/pockets.js'
import { F64_ROUNDING, LIQUID, type PressureProblem, refuseRow } from '../../pressure/problem.js'
import type { Measure } from '../../pressure/residual.js'
import { createRunList, type FoundRuns, findUnknowns, type RunList } from '../../pressure/unknown-runs.js'
import { checkMemory } from './memory-need.js'

export type InputRecord = RecordAt<typeof InputLayout>

/** Unknowns of a problem in the order of the grid. */
export interface LoadedProblem {
  readonly unknowns: number
  /** Of the matrix. */
  readonly nonZeros: number
  /** Address of the input, for the kernels, and the record there, as laid out in kernels/problem/input.ts. */
  readonly input: number
  readonly record: InputRecord
  /** Largest natural residual of p = 0, 1/s; NaN if any is not a number. */
  readonly ofZero: number
  /** Contacts that are pinned at p = 0. */
  readonly pinnedAtZero: number
  /** Is any given pressure other than 0? */
  readonly started: boolean
  /** First cell and length of every run. */
  readonly runs: Int32Array
}

/** Finds out what the loaded problem consists of. Throws an InputError if there is no memory to solve it. */
export function scanProblem(
  { kernels }: SolveMachine,
  problem: PressureProblem,
  { input, record, unknowns, runs }: LoadedProblem,
): void {
  kernels.scan(input)
  checkMemory(problem, unknowns, runs.length / 2, record.special)
}

/** The number of the sealed pocket that an unknown belongs to, −1 if to none, and how many there are; no labels if there are none. To be
 *  called after `scanProblem`. */
export function labelPockets(
  { kernels, memory }: SolveMachine,
  { input, record, unknowns }: LoadedProblem,
): { count: number; labels: Int32Array } {
  const count = record.pockets
  if (count > 0) kernels.labelPockets(input)
  return { count, labels: new Int32Array(memory.buffer, record.segment, count > 0 ? unknowns : 0) }
}

/** The yardstick, compiled, for values in the order of the finest rows, times `factor`. The problem must still be in memory. */
export function measureRows(machine: SolveMachine, { input }: LoadedProblem, values: number, factor: number): Measure {
  machine.kernels.gatherPressure(input, values, factor)
  const residual = machine.kernels.measureInput(input)
  const [, gap, pinned] = machine.results
  return { residual, at: -1, gap, pinned }
}

/** `machine`: in whose memory the problem may be. The runs are valid until the next search with the same list. */
export function findRuns(problem: PressureProblem, machine?: SolveMachine, list: RunList = createRunList()): FoundRuns {
  // If memory that is not shared grew for the list, its arrays would be detached.
  return machine?.shared && isWithin(machine, problem.kind) ? findRunsWithin(machine, problem, list) : findUnknowns(problem, list)
}

function findRunsWithin({ kernels, memory }: SolveMachine, { grid, kind }: PressureProblem, into: RunList): FoundRuns {
  const [nx, ny, nz] = grid.shape
  const used = kernels.mark()
  const list = kernels.allocate(8 * Math.ceil(nx / 2) * ny * nz)
  const count = kernels.listRuns(kind.byteOffset, nx, ny * nz, list)
  if (into.values.length < 2 * count) into.values = new Int32Array(2 * count)
  const runs = into.values.subarray(0, 2 * count)
  runs.set(new Int32Array(memory.buffer, list, 2 * count))
  kernels.release(used)
  let unknowns = 0
  for (let run = 0; run < runs.length; run += 2) unknowns += runs[run + 1]
  return { runs, unknowns }
}

/** With `sticking`, contacts are liquid. */
export function loadProblem(
  machine: SolveMachine,
  problem: PressureProblem,
  pressure: Float64Array,
  sticking: boolean,
  { runs, unknowns }: FoundRuns,
): LoadedProblem {
  const { kernels, memory } = machine
  const { grid, rounding = F64_ROUNDING } = problem
  const [nx, ny, nz] = grid.shape
  checkMemory(problem, unknowns, runs.length / 2, undefined)
  kernels.releaseAll()
  const input = kernels.createInput(nx, ny, nz, unknowns, runs.length / 2)
  const record = recordAt(memory, InputLayout, input)
  record.rounding = ROUNDINGS_OF_A_ROW_SUM * rounding
  fillRuns(machine, record, runs)
  if (isWithin(machine, problem.kind, problem.diagonal, problem.b, ...problem.links)) {
    const { kind, diagonal, b, links } = problem
    const [east, north, up] = links.map(({ byteOffset }) => byteOffset)
    kernels.copyProblem(input, kind.byteOffset, diagonal.byteOffset, east, north, up, b.byteOffset)
  } else fillInput(machine, record, problem, runs)
  if (sticking) new Uint8Array(memory.buffer, record.kind, unknowns).fill(LIQUID)
  const started = loadPressure(machine, input, record, pressure, runs)
  record.started = started ? 1 : 0
  const ofZero = kernels.inspect(input)
  const { nonZeros, pinnedAtZero } = record
  return { unknowns, nonZeros, pinnedAtZero, input, record, ofZero, started, runs }
}

/** Are arrays in the memory of the machine? Arrays of a buffer that has been replaced by growth are not. */
function isWithin({ memory }: SolveMachine, ...arrays: readonly ArrayBufferView[]): boolean {
  return arrays.every(({ buffer }) => buffer === memory.buffer)
}

function fillInput({ memory }: SolveMachine, record: InputRecord, problem: PressureProblem, runs: Int32Array): void {
  const { buffer } = memory
  const { unknowns } = record
  const kind = new Uint8Array(buffer, record.kind, unknowns)
  const [diagonal, east, north, up, b] = (['diagonal', 'east', 'north', 'up', 'b'] as const).map(
    name => new Float64Array(buffer, record[name], unknowns),
  )
  const { kind: kinds, diagonal: diagonals, b: bs, links } = problem
  const [easts, norths, ups] = links
  for (let run = 0, at = 0; run < runs.length; run += 2) {
    for (let cell = runs[run], end = cell + runs[run + 1]; cell < end; cell++, at++) {
      if (diagonals[cell] <= 0) throw refuseRow(problem, cell)
      kind[at] = kinds[cell]
      diagonal[at] = diagonals[cell]
      east[at] = easts[cell]
      north[at] = norths[cell]
      up[at] = ups[cell]
      b[at] = bs[cell]
    }
  }
}

/** Copies the pressure to the input if any of it is not 0; returns whether it is. */
function loadPressure(
  machine: SolveMachine,
  input: number,
  { p, unknowns }: InputRecord,
  pressure: Float64Array,
  runs: Int32Array,
): boolean {
  if (isWithin(machine, pressure)) return machine.kernels.copyPressure(input, pressure.byteOffset) !== 0
  const started = isStarted(runs, pressure)
  if (started) copyRuns(runs, pressure, new Float64Array(machine.memory.buffer, p, unknowns))
  return started
}

function isStarted(runs: Int32Array, pressure: Float64Array): boolean {
  for (let run = 0; run < runs.length; run += 2)
    for (let cell = runs[run], end = cell + runs[run + 1]; cell < end; cell++) if (pressure[cell] !== 0) return true
  return false
}

/** The cells of all unknowns. */
export function cellsOf(runs: Int32Array, unknowns: number): Int32Array {
  const cells = new Int32Array(unknowns)
  for (let run = 0, at = 0; run < runs.length; run += 2)
    for (let cell = runs[run], end = cell + runs[run + 1]; cell < end; cell++) cells[at++] = cell
  return cells
}

export function copyRuns(runs: Int32Array, from: Float64Array, to: Float64Array): void {
  for (let run = 0, at = 0; run < runs.length; run += 2)
    for (let cell = runs[run], end = cell + runs[run + 1]; cell < end; cell++, at++) to[at] = from[cell]
}

function fillRuns({ memory }: SolveMachine, record: InputRecord, runs: Int32Array): void {
  const { nx, ny, nz, runCount: count } = record
  const lines = ny * nz
  const lineRuns = new Uint32Array(memory.buffer, record.lineRuns, lines + 1)
  const list = new Uint32Array(memory.buffer, record.runs, 2 * count + 2)
  let line = 0
  let unknown = 0
  for (let run = 0; run < count; run++) {
    const cell = runs[2 * run]
    for (; line * nx <= cell; line++) lineRuns[line] = run
    list[2 * run] = cell - (line - 1) * nx
    list[2 * run + 1] = unknown
    unknown += runs[2 * run + 1]
  }
  for (; line <= lines; line++) lineRuns[line] = count
  list[2 * count] = 0
  list[2 * count + 1] = unknown
}

/** Writes values in the order of the finest rows to their cells, times `factor`. */
export function scatter(
  machine: SolveMachine,
  { input, record, runs }: LoadedProblem,
  values: Float64Array,
  shape: readonly number[],
  factor: number,
  into: Float64Array,
): void {
  if (isWithin(machine, values, into)) {
    machine.kernels.scatterPressure(input, values.byteOffset, factor, into.byteOffset)
    return
  }
  const [nx, ny] = shape
  const bases = new Uint32Array(machine.memory.buffer, record.bases, runs.length)
  into.fill(0)
  for (let run = 0; run < runs.length; run += 2) {
    const cell = runs[run]
    const line = Math.floor(cell / nx)
    const parity = ((cell % nx) + (line % ny) + Math.floor(line / ny)) & 1
    const first = bases[run + parity]
    const second = bases[run + 1 - parity]
    for (let n = 0, length = runs[run + 1]; n < length; n++) into[cell + n] = factor * values[(n & 1 ? second : first) + (n >> 1)]
  }
}
