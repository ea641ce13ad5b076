/** A grid problem brought into the memory of a machine: only its unknowns, in runs along x. */
import { InputError } from '../input-error.js'
import { DRY, F64_ROUNDING, LIQUID, type PressureProblem } from '../pressure/problem.js'
import type { Machine } from './kernels.js'

/** Unknowns of a problem in the order of the grid. */
export interface LoadedProblem {
  readonly unknowns: number
  /** Of the matrix. */
  readonly nonZeros: number
  /** Address of the input, for the kernels. */
  readonly input: number
  /** Largest natural residual of p = 0, 1/s; NaN if any is not a number. */
  readonly ofZero: number
  /** Contacts that lift off at p = 0. */
  readonly lifted: number
  /** Is any given pressure other than 0? */
  readonly started: boolean
  /** First cell and length of every run. */
  readonly runs: Int32Array
}

/** Row sums this small, relative to the diagonal, are 0: a few roundings of a seven-term sum. */
const ROUNDINGS_OF_A_ROW_SUM = 64

// Words of the input, as laid out in assembly/input.ts.
const ROUNDING = 24
const SCALE = 32
const POINTERS = 40
const NAMES = ['lineRuns', 'runs', 'kind', 'diagonal', 'east', 'north', 'up', 'b', 'p', 'bases', 'segment'] as const
const SPECIAL = POINTERS + 4 * 15
const POCKETS = POINTERS + 4 * 16

export type InputField = (typeof NAMES)[number]

export function inputField({ memory }: Machine, input: number, name: InputField): number {
  return new Uint32Array(memory.buffer, input + POINTERS, NAMES.length)[NAMES.indexOf(name)]
}

/** What coefficients were divided by; known after the kernels' `scan`. */
export function inputScale({ memory }: Machine, input: number): number {
  return new Float64Array(memory.buffer, input + SCALE, 1)[0]
}

export function pocketCount({ memory }: Machine, input: number): number {
  return new Int32Array(memory.buffer, input + POCKETS, 1)[0]
}

/** The lowest bit of every byte of a word, and the highest. */
const LOW_BITS = 0x01010101
const HIGH_BITS = 0x80808080

export interface FoundRuns {
  /** First cell and length of each. */
  readonly runs: Int32Array
  readonly unknowns: number
}

/** `machine`: in whose memory the problem may lie. */
export function findRuns(problem: PressureProblem, machine?: Machine): FoundRuns {
  // Memory that is not shared would take arrays away from their owners if it grew for the list.
  return machine?.shared && isWithin(machine, problem.kind) ? findRunsWithin(machine, problem) : findRunsOutside(problem)
}

function findRunsWithin({ kernels, memory }: Machine, { grid, kind }: PressureProblem): FoundRuns {
  const [nx, ny, nz] = grid.shape
  const used = kernels.mark()
  const list = kernels.allocate(8 * Math.ceil(nx / 2) * ny * nz)
  const count = kernels.listRuns(kind.byteOffset, nx, ny * nz, list)
  const runs = new Int32Array(memory.buffer, list, 2 * count).slice()
  kernels.release(used)
  let unknowns = 0
  for (let run = 0; run < runs.length; run += 2) unknowns += runs[run + 1]
  return { runs, unknowns }
}

function findRunsOutside({ grid, kind }: PressureProblem): FoundRuns {
  const [nx] = grid.shape
  // Several cells at a time where the array allows: most of a grid is dry, and most runs are long. As a number eight bytes are 0 only if
  // all of them are.
  const aligned = kind.byteOffset % 8 === 0
  const eights = aligned ? new Float64Array(kind.buffer, kind.byteOffset, kind.length >> 3) : new Float64Array(0)
  const fours = aligned ? new Int32Array(kind.buffer, kind.byteOffset, kind.length >> 2) : new Int32Array(0)
  let runs = new Int32Array(4096)
  let count = 0
  let unknowns = 0
  let end = nx
  for (let cell = 0; cell < grid.cells; ) {
    if (kind[cell] === DRY) {
      if ((cell & 7) === 0) {
        let at = cell >> 3
        while (at < eights.length && eights[at] === 0) at++
        if (at << 3 > cell) {
          cell = at << 3
          continue
        }
      }
      cell++
      continue
    }
    const start = cell
    while (end <= cell) end += nx
    while (cell < end && kind[cell] !== DRY) {
      cell++
      while ((cell & 3) === 0 && cell + 4 <= end && cell + 4 <= fours.length << 2 && !hasZero(fours[cell >> 2])) cell += 4
    }
    if (2 * count + 2 > runs.length) {
      const longer = new Int32Array(2 * runs.length)
      longer.set(runs)
      runs = longer
    }
    runs[2 * count] = start
    runs[2 * count + 1] = cell - start
    unknowns += cell - start
    count++
  }
  return { runs: runs.subarray(0, 2 * count), unknowns }
}

/** Is any byte of a word 0? */
function hasZero(word: number): boolean {
  return ((word - LOW_BITS) & ~word & HIGH_BITS) !== 0
}

/** Bytes that a problem takes up while it is being loaded, and those of a solve, at most. Measured on all kinds of problems: the
 *  finest level with its vectors, twice that for rows with coefficients of their own, and a seventh of it for all coarser levels. */
const LOADED_BYTES = 64
const SOLVE_BYTES = 130
const SPECIAL_BYTES = 210
const MEMORY = 2 ** 32 - 2 ** 24

/** What a problem is going to need if it is none of the worst. */
export function likelyBytes(unknowns: number): number {
  return Math.min(MEMORY, (SOLVE_BYTES + SPECIAL_BYTES / 2) * unknowns + 2 ** 20)
}

/** Throws an InputError before anything is allocated that would not fit. `special`: unknowns that are not open liquid, if known yet. */
export function checkMemory(problem: PressureProblem, unknowns: number, runs: number, special: number | undefined): void {
  const loaded = LOADED_BYTES * unknowns + 40 * runs
  const needed = special === undefined ? loaded : SOLVE_BYTES * unknowns + SPECIAL_BYTES * special + 60 * runs
  if (needed <= MEMORY) return
  const shrink = (MEMORY / Math.max(needed, SOLVE_BYTES * unknowns)) ** (1 / problem.grid.dims)
  const fits = problem.grid.shape.slice(0, problem.grid.dims).map(n => Math.max(1, Math.floor(n * shrink)))
  throw new InputError(
    `The compiled engine addresses 4 GiB, and ${unknowns} unknowns need about ${(needed / 2 ** 30).toFixed(1)}; a grid of ${fits.join(' × ')} cells like this one fits, or take the engine «portable».`,
  )
}

/** Unknowns that are not open liquid; known after the kernels' `scan`. */
export function specialCount({ memory }: Machine, input: number): number {
  return new Int32Array(memory.buffer, input + SPECIAL, 1)[0]
}

/** With `sticking`, contacts are liquid. */
export function loadProblem(
  machine: Machine,
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
  new Float64Array(memory.buffer, input + ROUNDING, 1)[0] = ROUNDINGS_OF_A_ROW_SUM * rounding
  listRuns(machine, input, runs, nx, ny * nz)
  if (isWithin(machine, problem.kind, problem.diagonal, problem.b, ...problem.links)) {
    const { kind, diagonal, b, links } = problem
    const [east, north, up] = links.map(({ byteOffset }) => byteOffset)
    kernels.takeProblem(input, kind.byteOffset, diagonal.byteOffset, east, north, up, b.byteOffset)
  } else fillInput(machine, input, problem, runs, unknowns)
  if (sticking) new Uint8Array(memory.buffer, inputField(machine, input, 'kind'), unknowns).fill(LIQUID)
  const started = takePressure(machine, input, pressure, runs, unknowns)
  const words = new Int32Array(memory.buffer, input + POCKETS + 4, 3)
  words[2] = started ? 1 : 0
  const ofZero = kernels.inspect(input)
  const [nonZeros, lifted] = words
  return { unknowns, nonZeros, lifted, input, ofZero, started, runs }
}

/** Do arrays lie in the memory of the machine? Those of before it, or any other, has grown are taken for others. */
function isWithin({ memory }: Machine, ...arrays: readonly ArrayBufferView[]): boolean {
  return arrays.every(({ buffer }) => buffer === memory.buffer)
}

function fillInput(machine: Machine, input: number, problem: PressureProblem, runs: Int32Array, unknowns: number): void {
  const { buffer } = machine.memory
  const kind = new Uint8Array(buffer, inputField(machine, input, 'kind'), unknowns)
  const [diagonal, east, north, up, b] = (['diagonal', 'east', 'north', 'up', 'b'] as const).map(
    name => new Float64Array(buffer, inputField(machine, input, name), unknowns),
  )
  const { kind: kinds, diagonal: diagonals, b: bs, links } = problem
  const [easts, norths, ups] = links
  for (let run = 0, at = 0; run < runs.length; run += 2) {
    for (let cell = runs[run], end = cell + runs[run + 1]; cell < end; cell++, at++) {
      kind[at] = kinds[cell]
      diagonal[at] = diagonals[cell]
      east[at] = easts[cell]
      north[at] = norths[cell]
      up[at] = ups[cell]
      b[at] = bs[cell]
    }
  }
}

/** Takes the pressure over if any of it is other than 0; tells whether it is. */
function takePressure(machine: Machine, input: number, pressure: Float64Array, runs: Int32Array, unknowns: number): boolean {
  if (isWithin(machine, pressure)) return machine.kernels.takePressure(input, pressure.byteOffset) !== 0
  const started = isStarted(runs, pressure)
  if (started) copyRuns(runs, pressure, new Float64Array(machine.memory.buffer, inputField(machine, input, 'p'), unknowns))
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

function listRuns(machine: Machine, input: number, runs: Int32Array, nx: number, lines: number): void {
  const { memory } = machine
  const count = runs.length / 2
  const lineRuns = new Uint32Array(memory.buffer, inputField(machine, input, 'lineRuns'), lines + 1)
  const list = new Uint32Array(memory.buffer, inputField(machine, input, 'runs'), 2 * count + 2)
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

/** Writes values that stand in the order of the finest rows to their cells, times `factor`. */
export function scatter(
  machine: Machine,
  { input, runs }: LoadedProblem,
  values: Float64Array,
  shape: readonly number[],
  factor: number,
  into: Float64Array,
): void {
  if (isWithin(machine, values, into)) {
    machine.kernels.spreadPressure(input, values.byteOffset, factor, into.byteOffset)
    return
  }
  const [nx, ny] = shape
  const bases = new Uint32Array(machine.memory.buffer, inputField(machine, input, 'bases'), runs.length)
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
