/** Sealed pockets: connected liquid without air. There A is singular (its null space is the constant), the sum of A p + b over
 *  the pocket equals the sum of b whatever p is, and so b alone decides whether the pocket can be satisfied. */
import { refuse } from '../checks.js'
import { CONTACT, checkProblemShape, F64_ROUNDING, isGridProblem, LIQUID, type Problem, type SparseProblem } from './problem.js'

export interface Pocket {
  readonly rows: Int32Array
  readonly contacts: number
  /** Σ b over the rows, 1/s: > 0 if the walls recede, < 0 if they squeeze, 0 up to rounding if they are at rest. */
  readonly excess: number
  /** What no pressure can take from any row if it is spread evenly, 1/s: Σ b over the number of rows. */
  readonly mean: number
}

/** - balanced: Σ b = 0, so no contact can be pinned; solvable up to a shift.
 *  - expanding: Σ b > 0 and some contact can let go to make room.
 *  - infeasible: nothing can absorb Σ b. */
export type PocketNature = 'balanced' | 'expanding' | 'infeasible'

/** Row sums this small, relative to the diagonal, are 0: a few roundings of a seven-term sum. */
export const ROUNDINGS_OF_A_ROW_SUM = 64

/** All connected components whose rows sum to 0. O(non-zeros). `factors`: by what rows have been multiplied, where they have. */
export function findPockets(problem: SparseProblem, factors?: Float64Array): Pocket[] {
  checkProblemShape(problem, 'findPockets: the problem')
  if (isGridProblem(problem)) refuse('findPockets: the problem', 'a matrix, not a problem on a grid', problem)
  return collectPockets(problem, new Uint8Array(problem.rows), new Int32Array(problem.rows), factors)
}

/** The same for solvers, with arrays of theirs, one entry per row: `seen` is scratch, and the rows of the pockets are parts of `queue`. */
export function collectPockets(problem: SparseProblem, seen: Uint8Array, queue: Int32Array, factors?: Float64Array): Pocket[] {
  const { rows, rowStart, columns } = problem
  const pockets: Pocket[] = []
  seen.fill(0)
  let begin = 0
  for (let seed = 0; seed < rows; seed++) {
    if (seen[seed]) continue
    let sealed = true
    let end = begin
    queue[end++] = seed
    seen[seed] = 1
    for (let head = begin; head < end; head++) {
      const row = queue[head]
      if (sealed) sealed = sumsToZero(problem, row)
      for (let at = rowStart[row]; at < rowStart[row + 1]; at++) {
        const neighbour = columns[at]
        if (seen[neighbour]) continue
        seen[neighbour] = 1
        queue[end++] = neighbour
      }
    }
    if (!sealed) continue
    pockets.push(describe(problem, queue.subarray(begin, end).sort(), factors))
    begin = end
  }
  return pockets
}

/** An expanding pocket needs this share of the tolerance as its excess a row: less is as well spread over all rows, which spares it a contact
 *  that must stay pinned. */
const EXPANDING_FROM = 0.5
/** Excess that is spread over all rows leaves the rest of the tolerance to the solve; with less than the hundredth part of it nothing is won. */
const SPREAD_TO = 0.99

/** `tolerance` is the residual the solve aims at: an excess that is below it when it is spread over all rows does no harm. */
export function judgePocket(pocket: Pocket, tolerance: number, separating: boolean): PocketNature {
  if (pocket.mean > EXPANDING_FROM * tolerance && separating && pocket.contacts > 0) return 'expanding'
  return Math.abs(pocket.mean) <= SPREAD_TO * tolerance ? 'balanced' : 'infeasible'
}

export interface SortedPockets {
  /** Balanced and infeasible ones: A is singular there, and its null space the constant. */
  readonly singular: readonly Pocket[]
  readonly expanding: readonly Pocket[]
  /** Those of the singular ones that nothing can satisfy. */
  readonly infeasible: readonly Pocket[]
  /** Largest mean of b in a pocket that has a solution, 1/s. */
  readonly spread: number
}

export function sortPockets(pockets: readonly Pocket[], tolerance: number, separating: boolean): SortedPockets {
  const singular: Pocket[] = []
  const expanding: Pocket[] = []
  const infeasible: Pocket[] = []
  let spread = 0
  for (const pocket of pockets) {
    const nature = judgePocket(pocket, tolerance, separating)
    if (nature === 'expanding') {
      expanding.push(pocket)
      continue
    }
    singular.push(pocket)
    if (nature === 'infeasible') infeasible.push(pocket)
    else spread = Math.max(spread, Math.abs(pocket.mean))
  }
  return { singular, expanding, infeasible, spread }
}

/** In singular pockets no contact can let go, so contacts become liquid rows, and the mean of b is subtracted, so that there is a solution.
 *  `factors`: by what rows have been multiplied, where they have. */
export function neutralisePockets(
  singular: readonly Pick<Pocket, 'rows' | 'mean'>[],
  kind: Uint8Array,
  b: Float64Array,
  factors?: Float64Array,
): void {
  for (const { rows, mean } of singular)
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]
      kind[row] = LIQUID
      b[row] -= factors ? factors[row] * mean : mean
    }
}

/** Subtracts the mean over every pocket, given by its rows, from the values there: what is left is in the range of the singular matrix. */
export function subtractMeans(pockets: readonly Int32Array[], values: Float64Array | Float32Array): void {
  for (const rows of pockets) {
    let sum = 0
    for (let at = 0; at < rows.length; at++) sum += values[rows[at]]
    const mean = sum / Math.max(1, rows.length)
    for (let at = 0; at < rows.length; at++) values[rows[at]] -= mean
  }
}

/** Pressure of a singular pocket is free up to a constant: the smallest contact pressure becomes 0 (without contacts, the smallest
 *  pressure). `isContact` is asked about the `at`-th row of a pocket, for the problem as it was handed in. */
export function shiftPockets(
  pockets: readonly Int32Array[],
  isContact: (pocket: number, at: number) => boolean,
  p: Float64Array,
): void {
  pockets.forEach((rows, pocket) => {
    let smallest = Infinity
    let smallestContact = Infinity
    for (let at = 0; at < rows.length; at++) {
      const value = p[rows[at]]
      smallest = Math.min(smallest, value)
      if (isContact(pocket, at)) smallestContact = Math.min(smallestContact, value)
    }
    const shift = smallestContact < Infinity ? smallestContact : smallest
    for (let at = 0; at < rows.length; at++) p[rows[at]] -= shift
  })
}

/** The residual to aim at where up to `spread` is spread over the rows of pockets. A little below the tolerance at any rate, because methods
 *  stop on a recurrence and are then measured again. */
export function targetResidual(tolerance: number, spread: number): number {
  return Math.min(0.9 * tolerance, tolerance - spread)
}

/** The problem that is left to solve where pockets are infeasible: the mean of b is taken out of them, and no contact lets go there. `pockets`
 *  are given by the cells or rows of the problem; `kind` and `b` are overwritten and become those of the result. */
export function withoutExcess<P extends Problem>(
  problem: P,
  pockets: readonly Pick<Pocket, 'rows' | 'mean'>[],
  kind: Uint8Array,
  b: Float64Array,
): P {
  kind.set(problem.kind)
  b.set(problem.b)
  neutralisePockets(pockets, kind, b)
  return { ...problem, kind, b }
}

function sumsToZero({ rowStart, values, diagonalAt, rounding = F64_ROUNDING }: SparseProblem, row: number): boolean {
  let sum = 0
  for (let at = rowStart[row]; at < rowStart[row + 1]; at++) sum += values[at]
  return Math.abs(sum) <= ROUNDINGS_OF_A_ROW_SUM * rounding * values[diagonalAt[row]]
}

function describe({ b, kind }: SparseProblem, rows: Int32Array, factors: Float64Array | undefined): Pocket {
  let excess = 0
  let contacts = 0
  let weight = 0
  for (const row of rows) {
    excess += b[row]
    weight += factors ? factors[row] : 1
    if (kind[row] === CONTACT) contacts++
  }
  return { rows, contacts, excess, mean: excess / weight }
}
