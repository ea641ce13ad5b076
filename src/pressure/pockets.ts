/** Sealed pockets: connected liquid without air. There A is singular (its null space is the constant), the sum of A p + b over
 *  the pocket equals the sum of b for every p, so b alone decides whether the pocket has a solution. */
import { refuse } from '../checks.js'
import { CONTACT, checkProblemShape, F64_ROUNDING, isGridProblem, LIQUID, type Problem, type SparseProblem } from './problem.js'

export interface Pocket {
  readonly rows: Int32Array
  readonly contacts: number
  /** Σ b over the rows, 1/s: > 0 if the walls recede, < 0 if they squeeze, 0 up to rounding if they are at rest. */
  readonly excess: number
  /** Mean of b over the rows, 1/s: the divergence that remains in every row for any pressure, if it is spread evenly. */
  readonly mean: number
}

/** - balanced: Σ b = 0, so no contact can be pinned; solvable up to a shift.
 *  - expanding: Σ b > 0 and some contact can be pinned to make room.
 *  - infeasible: nothing can absorb Σ b. */
export type PocketNature = 'balanced' | 'expanding' | 'infeasible'

/** Row sums this small, relative to the diagonal, are 0: a few roundings of a seven-term sum. */
export const ROUNDINGS_OF_A_ROW_SUM = 64

/** All connected components whose rows sum to 0. O(non-zeros). `factors`: factors of rows, if the problem was scaled. */
export function findPockets(problem: SparseProblem, factors?: Float64Array): Pocket[] {
  checkProblemShape(problem, 'findPockets: the problem')
  if (isGridProblem(problem)) refuse('findPockets: the problem', 'a matrix, not a problem on a grid', problem)
  return collectPockets(problem, new Uint8Array(problem.rows), new Int32Array(problem.rows), factors)
}

/** As above for solvers, which provide arrays with one entry per row: `seen` is scratch, and the rows of the pockets are views of `queue`. */
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

/** Least excess per row of an expanding pocket, as a share of the tolerance. Less is spread over all rows, so that no contact has to be
 *  pinned. */
const EXPANDING_FROM = 0.5
/** An excess that is spread over all rows leaves the rest of the tolerance to the solve, which needs at least a hundredth of it. */
const SPREAD_TO = 0.99

/** `tolerance`: target residual of the solve; a smaller excess per row does not matter. */
export function judgePocket(pocket: Pocket, tolerance: number, separating: boolean): PocketNature {
  if (pocket.mean > EXPANDING_FROM * tolerance && separating && pocket.contacts > 0) return 'expanding'
  return Math.abs(pocket.mean) <= SPREAD_TO * tolerance ? 'balanced' : 'infeasible'
}

export interface SortedPockets {
  /** Balanced and infeasible pockets: A is singular there, and its null space is the constant. */
  readonly singular: readonly Pocket[]
  readonly expanding: readonly Pocket[]
  /** Singular pockets without a solution. */
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

/** In singular pockets no contact can be pinned, so contacts become liquid rows, and the mean of b is subtracted, so that there is a solution.
 *  `factors`: factors of rows, if the problem was scaled. */
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

/** Subtracts the mean over every pocket, given by its rows, from the values there: the result is in the range of the singular matrix. */
export function subtractMeans(pockets: readonly Int32Array[], values: Float64Array | Float32Array): void {
  for (const rows of pockets) {
    let sum = 0
    for (let at = 0; at < rows.length; at++) sum += values[rows[at]]
    const mean = sum / Math.max(1, rows.length)
    for (let at = 0; at < rows.length; at++) values[rows[at]] -= mean
  }
}

/** Pressure of a singular pocket is free up to a constant: the smallest contact pressure becomes 0 (without contacts, the smallest
 *  pressure). `isContact` tells for the `at`-th row of a pocket whether it is a contact in the caller's problem. */
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

/** Target residual if up to `spread` is spread over the rows of pockets. Always a little below the tolerance, because methods stop on a
 *  recurrence and are then measured again. */
export function targetResidual(tolerance: number, spread: number): number {
  return Math.min(0.9 * tolerance, tolerance - spread)
}

/** The rest of the problem where pockets are infeasible: the mean of b is subtracted from them, and no contact is pinned there. `pockets` are
 *  given by the cells or rows of the problem; `kind` and `b` are overwritten and become those of the result. */
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
