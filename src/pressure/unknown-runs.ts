/** The unknowns of a grid problem as runs of neighbouring cells along x, for all loops that visit unknowns only. */
import { DRY, type PressureProblem } from './problem.js'

/** All unknowns, in the order of the grid. */
export interface FoundRuns {
  /** First cell and length of every run; a run ends with its line of cells. */
  readonly runs: Int32Array
  readonly unknowns: number
}

/** The lowest bit of every byte of a word, and the highest. */
const LOW_BITS = 0x01010101
const HIGH_BITS = 0x80808080

/** Storage for runs that is reused by every search; the previous runs are overwritten. */
export interface RunList {
  values: Int32Array
}

export function createRunList(): RunList {
  return { values: new Int32Array(4096) }
}

/** The runs are valid until the next search with the same list. */
export function findUnknowns({ grid, kind }: PressureProblem, list: RunList = createRunList()): FoundRuns {
  const [nx] = grid.shape
  // Several cells at a time where the array allows: most of a grid is dry, and most runs are long. As a number eight bytes are 0 only if
  // all of them are.
  const aligned = kind.byteOffset % 8 === 0
  const eights = aligned ? new Float64Array(kind.buffer, kind.byteOffset, kind.length >> 3) : new Float64Array(0)
  const fours = aligned ? new Int32Array(kind.buffer, kind.byteOffset, kind.length >> 2) : new Int32Array(0)
  let runs = list.values
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
      list.values = new Int32Array(2 * runs.length)
      list.values.set(runs)
      runs = list.values
    }
    runs[2 * count] = start
    runs[2 * count + 1] = cell - start
    unknowns += cell - start
    count++
  }
  return { runs: runs.subarray(0, 2 * count), unknowns }
}

/** Whether any byte of a word is 0. */
function hasZero(word: number): boolean {
  return ((word - LOW_BITS) & ~word & HIGH_BITS) !== 0
}
