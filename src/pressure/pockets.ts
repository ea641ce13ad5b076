/** Sealed pockets: connected liquid without air. There A is singular (its null space is the constant), the sum of A p + b over
 *  the pocket equals the sum of b whatever p is, and so b alone decides whether the pocket can be satisfied. */
import { CONTACT, F64_ROUNDING, type SparseProblem } from './problem.js'

export interface Pocket {
  readonly rows: Int32Array
  readonly contacts: number
  /** Σ b over the rows, 1/s: > 0 when the walls draw back, < 0 when they squeeze, 0 to rounding when they stand still. */
  readonly excess: number
}

/** - balanced: Σ b = 0, so no contact can let go; solvable up to a shift.
 *  - expanding: Σ b > 0 and some contact can let go to make room.
 *  - infeasible: nothing can absorb Σ b. */
export type PocketNature = 'balanced' | 'expanding' | 'infeasible'

/** Row sums this small, relative to the diagonal, are 0: a few roundings of a seven-term sum. */
const ROUNDINGS_OF_A_ROW_SUM = 64

/** All connected components whose rows sum to 0. O(non-zeros). */
export function findPockets(problem: SparseProblem): Pocket[] {
  const { rows, rowStart, columns } = problem
  const pockets: Pocket[] = []
  const seen = new Uint8Array(rows)
  const queue = new Int32Array(rows)
  for (let seed = 0; seed < rows; seed++) {
    if (seen[seed]) continue
    let sealed = true
    let end = 0
    queue[end++] = seed
    seen[seed] = 1
    for (let head = 0; head < end; head++) {
      const row = queue[head]
      if (sealed) sealed = sumsToZero(problem, row)
      for (let at = rowStart[row]; at < rowStart[row + 1]; at++) {
        const neighbour = columns[at]
        if (seen[neighbour]) continue
        seen[neighbour] = 1
        queue[end++] = neighbour
      }
    }
    if (sealed) pockets.push(describe(problem, queue.slice(0, end).sort()))
  }
  return pockets
}

/** `tolerance` is the residual the solve aims at: an excess that spreads below half of it over all rows does no harm. */
export function judgePocket(pocket: Pocket, tolerance: number, separating: boolean): PocketNature {
  const perRow = pocket.excess / pocket.rows.length
  if (Math.abs(perRow) <= 0.5 * tolerance) return 'balanced'
  return perRow > 0 && separating && pocket.contacts > 0 ? 'expanding' : 'infeasible'
}

function sumsToZero({ rowStart, values, diagonalAt, rounding = F64_ROUNDING }: SparseProblem, row: number): boolean {
  let sum = 0
  for (let at = rowStart[row]; at < rowStart[row + 1]; at++) sum += values[at]
  return Math.abs(sum) <= ROUNDINGS_OF_A_ROW_SUM * rounding * values[diagonalAt[row]]
}

function describe({ b, kind }: SparseProblem, rows: Int32Array): Pocket {
  let excess = 0
  let contacts = 0
  for (const row of rows) {
    excess += b[row]
    if (kind[row] === CONTACT) contacts++
  }
  return { rows, contacts, excess }
}
