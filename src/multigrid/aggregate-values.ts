/** The values of aggregated levels: sums over children, which follow the set of rows that are off. */
import type { Level } from '../engine/engine.js'

/** What pulls a coarse row towards p = 0 is a little weaker than the sum over its children, whose middles lie nearer to it. */
const DIRICHLET_SHARE = 0.7

/** A level that can be coarsened and follows the pinned set of the level it is built on. */
export interface AggregateLevel extends Level {
  /** Values when nothing is off. */
  readonly baseWeight: Float64Array
  readonly baseDirichlet: Float64Array
  /** Share of the summed child links that a coarse link gets, per entry; empty on the finest level. */
  readonly linkShare: Float64Array
  /** Children of row i: `children[childStart[i] … childStart[i + 1])`; empty on the finest level. */
  readonly childStart: Int32Array
  readonly children: Int32Array
  /** 1 where the row is off. */
  readonly off: Uint8Array
}

/** Returns a function that sums the children of a coarse row: links between free ones, and what holds them towards 0, to which
 *  a link to a row that is off belongs. */
export function createGatherer(fine: AggregateLevel, coarse: AggregateLevel): (row: number) => void {
  const slot = new Int32Array(coarse.rows).fill(-1)
  return row => {
    const { rowStart, column, weight, linkShare, childStart, children } = coarse
    for (let at = rowStart[row]; at < rowStart[row + 1]; at++) {
      slot[column[at]] = at
      weight[at] = 0
    }
    let held = 0
    let on = 0
    for (let c = childStart[row]; c < childStart[row + 1]; c++) {
      const child = children[c]
      if (fine.off[child]) continue
      on = 1
      held += fine.dirichlet[child]
      for (let at = fine.rowStart[child]; at < fine.rowStart[child + 1]; at++) {
        const neighbour = fine.column[at]
        if (fine.off[neighbour]) held += fine.weight[at]
        else if (fine.parent[neighbour] !== row) weight[slot[fine.parent[neighbour]]] += fine.weight[at]
      }
    }
    for (let at = rowStart[row]; at < rowStart[row + 1]; at++) weight[at] *= linkShare[at]
    coarse.dirichlet[row] = DIRICHLET_SHARE * held
    coarse.off[row] = on ? 0 : 1
  }
}

export function finishRow(level: AggregateLevel, row: number): void {
  const { rowStart, weight, dirichlet, diagonal, inverse, off } = level
  let sum = dirichlet[row]
  for (let at = rowStart[row]; at < rowStart[row + 1]; at++) sum += weight[at]
  diagonal[row] = sum
  inverse[row] = off[row] || !(sum > 0) ? 0 : 1 / sum
}

/** Lets coarse levels follow the set of rows that are off. */
export interface Follower {
  /** Gives level `top` the values it has when it is the finest: its own `off` counts, nothing from below. */
  restore(top: number): void
  /** The same, and all coarser levels after it. */
  followAll(top: number): void
  /** Only what depends on the given rows of level `top`, whose `off` has changed. Returns non-zeros touched. */
  follow(top: number, changed: readonly number[]): number
}

export function createFollower(levels: readonly AggregateLevel[]): Follower {
  const gatherers = levels.slice(1).map((coarse, at) => createGatherer(levels[at], coarse))
  const dirty = levels.map(level => new Uint8Array(level.rows))

  /** Coarse rows that see a changed fine row, as parent of it or of a neighbour. */
  function parentsOf(at: number, changed: readonly number[]): number[] {
    const { parent, rowStart, column } = levels[at]
    const marks = dirty[at + 1]
    const found: number[] = []
    const add = (row: number) => {
      const coarse = parent[row]
      if (coarse < 0 || marks[coarse]) return
      marks[coarse] = 1
      found.push(coarse)
    }
    for (const row of changed) {
      add(row)
      for (let entry = rowStart[row]; entry < rowStart[row + 1]; entry++) add(column[entry])
    }
    for (const row of found) marks[row] = 0
    return found
  }

  function restore(top: number): void {
    const level = levels[top]
    level.weight.set(level.baseWeight)
    level.dirichlet.set(level.baseDirichlet)
    for (let row = 0; row < level.rows; row++) finishRow(level, row)
  }

  return {
    restore,
    followAll(top) {
      restore(top)
      for (let at = top + 1; at < levels.length; at++) {
        for (let row = 0; row < levels[at].rows; row++) gatherers[at - 1](row)
        for (let row = 0; row < levels[at].rows; row++) finishRow(levels[at], row)
      }
    },
    follow(top, changed) {
      let touched = 0
      let rows = changed
      for (const row of rows) finishRow(levels[top], row)
      for (let at = top; at + 1 < levels.length && rows.length > 0; at++) {
        const parents = parentsOf(at, rows)
        for (const row of parents) gatherers[at](row)
        for (const row of parents) finishRow(levels[at + 1], row)
        touched += parents.length * 56
        rows = parents
      }
      return touched
    },
  }
}
