/** The set of pinned contacts during a solve: looked over after every iteration, changed in place. A change patches pressure,
 *  residual and search direction around the contact, so that conjugate gradients go on as if the set had always been so. */
import type { ConjugateVectors } from '../engine/engine.js'
import type { Step } from './algebraic.js'
import { divergenceAt, type LevelProblem } from './nas-levels.js'

export interface PinnedSet {
  /** Natural residual and pinned contacts at the present point, given the largest |r|, and the entries touched to see them. */
  look(largestR: number): Step & { readonly touched: number }
  /** Frees pinned contacts that are pressed by more than `release`, pins free ones that pull by more than `pin` (both 1/s).
   *  Returns the rows that changed. Must follow `look`. */
  update(release: number, pin: number): readonly number[]
}

/** `expanding`: pockets that must keep one contact pinned. */
export function createPinnedSet(problem: LevelProblem, vectors: ConjugateVectors, expanding: readonly Int32Array[]): PinnedSet {
  const { level, contact, contacts, p } = problem
  const { off, diagonal, rowStart } = level
  const { r } = vectors
  /** A p + b at pinned contacts, a p at free ones. */
  const term = new Float64Array(level.rows)
  const pocketOf = new Map<number, number>()
  expanding.forEach((rows, pocket) => {
    for (const row of rows) if (contact[row]) pocketOf.set(row, pocket)
  })

  return {
    look(largestR) {
      let residual = largestR
      let pinned = 0
      // A free contact needs its own p, r and diagonal, and its term again in `update`; a pinned one has to look at its neighbours.
      let touched = 4 * contacts.length
      for (const row of contacts) {
        if (off[row]) {
          term[row] = divergenceAt(problem, row)
          touched += rowStart[row + 1] - rowStart[row]
          if (term[row] > 0) pinned++
          else residual = Math.max(residual, -term[row])
        } else {
          term[row] = diagonal[row] * p[row]
          if (term[row] < -r[row]) pinned++
          if (term[row] < 0) residual = Math.max(residual, -term[row])
        }
      }
      return { residual, pinned, touched }
    },

    update(release, pin) {
      const freed: number[] = []
      const caught: number[] = []
      for (const row of contacts) {
        if (off[row] ? term[row] < -release : term[row] < -pin) (off[row] ? freed : caught).push(row)
      }
      const kept = keepOnePinned(freed, caught, pocketOf, off, term, expanding)
      for (const row of caught) pinRow(problem, vectors, row)
      for (const row of kept) freeRow(problem, vectors, row)
      return [...caught, ...kept]
    },
  }
}

/** What may be freed: the last pinned contact of an expanding pocket, the one that presses least, must stay. */
function keepOnePinned(
  freed: readonly number[],
  caught: readonly number[],
  pocketOf: ReadonlyMap<number, number>,
  off: Uint8Array,
  term: Float64Array,
  expanding: readonly Int32Array[],
): readonly number[] {
  if (expanding.length === 0) return freed
  const remaining = expanding.map(rows => rows.reduce((count, row) => count + (pocketOf.has(row) && off[row] ? 1 : 0), 0))
  for (const row of caught) if (pocketOf.has(row)) remaining[pocketOf.get(row)!]++
  const leaving = expanding.map((_, pocket) => freed.filter(row => pocketOf.get(row) === pocket))
  return freed.filter(row => {
    const pocket = pocketOf.get(row)
    if (pocket === undefined || remaining[pocket] > leaving[pocket].length) return true
    return row !== leaving[pocket].reduce((a, b) => (term[b] > term[a] ? b : a))
  })
}

function pinRow({ level, p }: LevelProblem, { d, q, r }: ConjugateVectors, row: number): void {
  const { rowStart, column, weight, off } = level
  for (let at = rowStart[row]; at < rowStart[row + 1]; at++) {
    const neighbour = column[at]
    if (off[neighbour]) continue
    r[neighbour] -= weight[at] * p[row]
    q[neighbour] += weight[at] * d[row]
  }
  p[row] = d[row] = r[row] = q[row] = 0
  off[row] = 1
}

function freeRow(problem: LevelProblem, { d, q, r }: ConjugateVectors, row: number): void {
  const { rowStart, column, weight, off } = problem.level
  off[row] = 0
  r[row] = -divergenceAt(problem, row)
  q[row] = 0
  for (let at = rowStart[row]; at < rowStart[row + 1]; at++) q[row] -= weight[at] * d[column[at]]
}
