/** The complementarity problem of one level in plain arrays, and its set of pinned contacts, which is changed in place: a change patches
 *  pressure, residual and search direction around the contact, so that conjugate gradients continue as if the set had always been
 *  the new one. */
import type { Buffers } from '../../sparse/buffers.js'
import type { LevelVectors } from '../levels.js'
import type { AggregateLevel } from './values.js'

/** Contacts of a coarse level are the rows with a child that is one, b the sum over children. */
export interface LevelProblem {
  readonly level: AggregateLevel
  readonly contact: Uint8Array
  /** Rows that are contacts, ascending. */
  readonly contacts: Int32Array
  readonly b: Float64Array
  readonly p: Float64Array
}

/** `name`: that of the level, for its buffers. */
export function levelProblem(
  level: AggregateLevel,
  contact: Uint8Array,
  b: Float64Array,
  p: Float64Array,
  buffers: Buffers,
  name: string,
): LevelProblem {
  const contacts = buffers.i32(`${name}.contacts`, level.rows)
  let count = 0
  for (let row = 0; row < level.rows; row++) if (contact[row]) contacts[count++] = row
  return { level, contact, contacts: contacts.subarray(0, count), b, p }
}

export function coarsenProblem(
  fine: LevelProblem,
  coarse: AggregateLevel,
  p: Float64Array,
  buffers: Buffers,
  name: string,
): LevelProblem {
  const contact = buffers.u8(`${name}.contact`, coarse.rows).fill(0)
  const b = buffers.f64(`${name}.b`, coarse.rows).fill(0)
  const { parent } = fine.level
  for (let row = 0; row < fine.level.rows; row++) {
    if (parent[row] < 0) continue
    b[parent[row]] += fine.b[row]
    if (fine.contact[row]) contact[parent[row]] = 1
  }
  return levelProblem(coarse, contact, b, p, buffers, name)
}

/** (A p + b) of one row, pinned or free. */
export function divergenceAt({ level, b, p }: LevelProblem, row: number): number {
  const { rowStart, column, weight, diagonal } = level
  let sum = b[row] + diagonal[row] * p[row]
  for (let at = rowStart[row]; at < rowStart[row + 1]; at++) sum -= weight[at] * p[column[at]]
  return sum
}

/** Natural residual of p = 0. */
export function residualOfZero({ b, contact }: LevelProblem): number {
  let largest = 0
  for (let row = 0; row < b.length; row++) largest = Math.max(largest, contact[row] ? -b[row] : Math.abs(b[row]))
  return largest
}

type Direction = Pick<LevelVectors<Float64Array>, 'd' | 'q' | 'r'>

export interface PinnedSet {
  /** Pins contacts with p < 0, and those with p = 0 and A p + b > 0. */
  start(): void
  /** Natural residual and pinned contacts at the present point, given the largest |r|. */
  natural(largest: number): { residual: number; pinned: number }
  /** Frees pinned contacts whose A p + b is below −`release`, pins free ones whose scaled pressure is below −`pin` (both 1/s).
   *  Returns the rows that changed, valid until the next call. Must come after `natural`. */
  change(release: number, pin: number): Int32Array
}

/** `expanding`: pockets that must keep one contact pinned. */
export function createPinnedSet(
  problem: LevelProblem,
  direction: Direction,
  expanding: readonly Int32Array[],
  buffers: Buffers,
  name: string,
): PinnedSet {
  const { level, contacts, p } = problem
  const { pinned, diagonal } = level
  const { r } = direction
  /** A p + b at pinned contacts, a p at free ones. */
  const term = buffers.f64(`${name}.term`, level.rows)
  const changed = buffers.i32(`${name}.changed`, contacts.length)
  const guards = createGuards(problem, expanding, buffers, name)

  return {
    start() {
      for (const row of contacts) if (!(p[row] > 0 || (p[row] === 0 && !(divergenceAt(problem, row) > 0)))) pinned[row] = 1
      for (const row of contacts) if (pinned[row]) p[row] = 0
      for (const row of guards.unpinned()) {
        pinned[row] = 1
        p[row] = 0
      }
    },

    natural(largest) {
      let residual = largest
      let count = 0
      for (const row of contacts) {
        if (pinned[row]) {
          term[row] = divergenceAt(problem, row)
          if (term[row] > 0) count++
          else residual = Math.max(residual, -term[row])
        } else {
          term[row] = diagonal[row] * p[row]
          if (term[row] < -r[row]) count++
          if (term[row] < 0) residual = Math.max(residual, -term[row])
        }
      }
      return { residual, pinned: count }
    },

    change(release, pin) {
      let count = 0
      for (const row of contacts) if (!pinned[row] && term[row] < -pin) changed[count++] = row
      const newlyPinned = count
      for (const row of contacts) if (pinned[row] && term[row] < -release) changed[count++] = row
      count = guards.keepOne(changed, newlyPinned, count, term)
      for (let n = 0; n < newlyPinned; n++) pinRow(problem, direction, changed[n])
      for (let n = newlyPinned; n < count; n++) freeRow(problem, direction, changed[n])
      return changed.subarray(0, count)
    },
  }
}

/** Expanding pockets must keep one contact pinned. */
function createGuards({ level, contact, p }: LevelProblem, expanding: readonly Int32Array[], buffers: Buffers, name: string) {
  const { pinned } = level
  const guarded = expanding.length > 0
  /** Pocket of every row, −1 where the row is not one of its contacts. */
  const pocketOf = buffers.i32(`${name}.pocketOf`, guarded ? level.rows : 0).fill(-1)
  expanding.forEach((rows, pocket) => {
    for (const row of rows) if (contact[row]) pocketOf[row] = pocket
  })
  const remaining = buffers.i32(`${name}.remaining`, expanding.length)
  const last = buffers.i32(`${name}.last`, expanding.length)

  return {
    /** The contact with the lowest pressure of every pocket that has none pinned. */
    unpinned(): number[] {
      return expanding.flatMap(rows => {
        let lowest = -1
        for (const row of rows) {
          if (!contact[row]) continue
          if (pinned[row]) return []
          if (lowest < 0 || p[row] < p[lowest]) lowest = row
        }
        return [lowest]
      })
    },

    /** The first `newlyPinned` rows of `changed` are about to be pinned, the others to be freed. If that would free the last pinned contact
     *  of a pocket, the one with the largest A p + b is removed from the list. Returns how many rows are left. */
    keepOne(changed: Int32Array, newlyPinned: number, count: number, term: Float64Array): number {
      if (!guarded) return count
      expanding.forEach((rows, pocket) => {
        remaining[pocket] = 0
        for (const row of rows) if (pocketOf[row] === pocket && pinned[row]) remaining[pocket]++
      })
      last.fill(-1)
      for (let n = 0; n < count; n++) {
        const row = changed[n]
        const pocket = pocketOf[row]
        if (pocket < 0) continue
        remaining[pocket] += n < newlyPinned ? 1 : -1
        if (n >= newlyPinned && (last[pocket] < 0 || term[row] > term[last[pocket]])) last[pocket] = row
      }
      let kept = newlyPinned
      for (let n = newlyPinned; n < count; n++) {
        const pocket = pocketOf[changed[n]]
        if (pocket < 0 || remaining[pocket] > 0 || last[pocket] !== changed[n]) changed[kept++] = changed[n]
      }
      return kept
    },
  }
}

function pinRow({ level, p }: LevelProblem, { d, q, r }: Direction, row: number): void {
  const { rowStart, column, weight, pinned } = level
  for (let at = rowStart[row]; at < rowStart[row + 1]; at++) {
    const neighbour = column[at]
    if (pinned[neighbour]) continue
    r[neighbour] -= weight[at] * p[row]
    q[neighbour] += weight[at] * d[row]
  }
  p[row] = d[row] = r[row] = q[row] = 0
  pinned[row] = 1
}

function freeRow(problem: LevelProblem, { d, q, r }: Direction, row: number): void {
  const { rowStart, column, weight, pinned } = problem.level
  pinned[row] = 0
  r[row] = -divergenceAt(problem, row)
  q[row] = 0
  for (let at = rowStart[row]; at < rowStart[row + 1]; at++) q[row] -= weight[at] * d[column[at]]
}
