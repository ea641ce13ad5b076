/** One level of the hierarchy in plain arrays, and its values: sums over children, updated with the set of pinned rows. */
import type { Buffers } from '../../sparse/buffers.js'
import { NON_ZEROS_OF_CHILDREN } from '../levels.js'

/** What pulls a coarse row towards p = 0 is a little weaker than the sum over its children, whose middles are nearer to it. */
const DIRICHLET_SHARE = 0.7

/** A weighted graph in two colours, as described in levels.ts. Pinned rows have inverse 0. */
export interface AggregateLevel {
  /** Cells per axis of this level's grid. */
  readonly shape: readonly [number, number, number]
  readonly rows: number
  /** Rows [0, reds) are red, the others black. */
  readonly reds: number
  /** Grid cell of every row; a cell cut by a thin wall may hold several rows. */
  readonly cell: Int32Array
  readonly rowStart: Int32Array
  readonly column: Int32Array
  /** ≥ 0 per stored neighbour; 0 towards pinned rows, except on the level where they are pinned. */
  readonly weight: Float64Array
  /** dᵢ ≥ 0: what holds the row towards p = 0. */
  readonly dirichlet: Float64Array
  readonly diagonal: Float64Array
  /** 1 / diagonal, 0 on pinned rows. */
  readonly inverse: Float64Array
  /** Row of the next coarser level, −1 where this level solves the row by itself. */
  readonly parent: Int32Array
  /** 1 where the row is pinned. */
  readonly pinned: Uint8Array
  /** Values when nothing is pinned. */
  readonly baseWeight: Float64Array
  readonly baseDirichlet: Float64Array
  /** Share of the summed child links that a coarse link gets, per entry; empty on the finest level. */
  readonly linkShare: Float64Array
  /** Children of row i: `children[childStart[i] … childStart[i + 1])`; empty on the finest level. */
  readonly childStart: Int32Array
  readonly children: Int32Array
}

/** Returns a function that sums the children of a coarse row: links between free ones, and what holds them towards 0, to which
 *  a link to a pinned row belongs. */
export function createGatherer(fine: AggregateLevel, coarse: AggregateLevel, buffers: Buffers): (row: number) => void {
  const slot = buffers.i32('gather.slot', coarse.rows)
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
      if (fine.pinned[child]) continue
      on = 1
      held += fine.dirichlet[child]
      for (let at = fine.rowStart[child]; at < fine.rowStart[child + 1]; at++) {
        const neighbour = fine.column[at]
        if (fine.pinned[neighbour]) held += fine.weight[at]
        else if (fine.parent[neighbour] !== row) weight[slot[fine.parent[neighbour]]] += fine.weight[at]
      }
    }
    for (let at = rowStart[row]; at < rowStart[row + 1]; at++) weight[at] *= linkShare[at]
    coarse.dirichlet[row] = DIRICHLET_SHARE * held
    coarse.pinned[row] = on ? 0 : 1
  }
}

export function finishRow(level: AggregateLevel, row: number): void {
  const { rowStart, weight, dirichlet, diagonal, inverse, pinned } = level
  let sum = dirichlet[row]
  for (let at = rowStart[row]; at < rowStart[row + 1]; at++) sum += weight[at]
  diagonal[row] = sum
  inverse[row] = pinned[row] || !(sum > 0) ? 0 : 1 / sum
}

/** Keeps the values of coarse levels in step with the pinned rows. */
export interface CoarseUpdate {
  /** Gives level `top` the values it has when it is the finest: its own `pinned` counts, nothing from below. */
  restore(top: number): void
  /** The same, and then all coarser levels. */
  updateAll(top: number): void
  /** Only what depends on the given rows of level `top`, whose `pinned` has changed. Returns non-zeros touched. */
  update(top: number, changed: Int32Array): number
}

export function createCoarseUpdate(levels: readonly AggregateLevel[], buffers: Buffers): CoarseUpdate {
  const gatherers = levels.slice(1).map((coarse, at) => createGatherer(levels[at], coarse, buffers))
  const marks = levels.map(({ rows }, at) => buffers.u8(`update.marks${at}`, rows).fill(0))
  const lists = levels.map(({ rows }, at) => buffers.i32(`update.rows${at}`, rows))

  /** Coarse rows that depend on a changed fine row: its parent and those of its neighbours. */
  function parentsOf(at: number, changed: Int32Array): Int32Array {
    const { parent, rowStart, column } = levels[at]
    const mark = marks[at + 1]
    const found = lists[at + 1]
    let count = 0
    const add = (row: number) => {
      const coarse = parent[row]
      if (coarse < 0 || mark[coarse]) return
      mark[coarse] = 1
      found[count++] = coarse
    }
    for (const row of changed) {
      add(row)
      for (let entry = rowStart[row]; entry < rowStart[row + 1]; entry++) add(column[entry])
    }
    for (let n = 0; n < count; n++) mark[found[n]] = 0
    return found.subarray(0, count)
  }

  function restore(top: number): void {
    const level = levels[top]
    level.weight.set(level.baseWeight)
    level.dirichlet.set(level.baseDirichlet)
    for (let row = 0; row < level.rows; row++) finishRow(level, row)
  }

  return {
    restore,
    updateAll(top) {
      restore(top)
      for (let at = top + 1; at < levels.length; at++) {
        for (let row = 0; row < levels[at].rows; row++) gatherers[at - 1](row)
        for (let row = 0; row < levels[at].rows; row++) finishRow(levels[at], row)
      }
    },
    update(top, changed) {
      let touched = 0
      let rows = changed
      for (const row of rows) finishRow(levels[top], row)
      for (let at = top; at + 1 < levels.length && rows.length > 0; at++) {
        const parents = parentsOf(at, rows)
        for (const row of parents) gatherers[at](row)
        for (const row of parents) finishRow(levels[at + 1], row)
        touched += parents.length * NON_ZEROS_OF_CHILDREN
        rows = parents
      }
      return touched
    },
  }
}
