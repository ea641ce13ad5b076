/** The hierarchy of the default solver: blocks of 2×2×2 cells become one coarse unknown per connected part, joined by scaled
 *  sums of the links between them, so every level stays a weighted graph in two colours. No Galerkin product, no geometry.
 *
 *  Splitting by connected parts keeps the two sides of a thin wall apart, which one unknown per coarse cell cannot. The scale of
 *  a coarse link is that of resistances in series: from the middle of one block through the faces between them to the middle of
 *  the other. In open liquid that is exactly ½, which piecewise-constant transfers need; at a doorway it is nearly 1, because
 *  there the door is the resistance and not the rooms. */
import type { Level } from '../engine/engine.js'
import { type AggregateLevel, createGatherer, finishRow } from './aggregate-values.js'

/** At least the share that open liquid has: below it corrections would overshoot. */
const MIN_LINK_SHARE = 0.5

export interface GraphInput {
  readonly shape: readonly [number, number, number]
  readonly cell: Int32Array
  readonly reds: number
  readonly rowStart: Int32Array
  readonly column: Int32Array
  readonly weight: Float64Array
  readonly dirichlet: Float64Array
}

export function finestLevel(graph: GraphInput): AggregateLevel {
  const rows = graph.cell.length
  const level: AggregateLevel = {
    ...graph,
    rows,
    weight: graph.weight,
    baseWeight: graph.weight,
    baseDirichlet: graph.dirichlet,
    linkShare: new Float64Array(0),
    childStart: new Int32Array(1),
    children: new Int32Array(0),
    off: new Uint8Array(rows),
    diagonal: new Float64Array(rows),
    inverse: new Float64Array(rows),
    parent: new Int32Array(rows).fill(-1),
  }
  for (let row = 0; row < rows; row++) finishRow(level, row)
  return level
}

/** Stops where the level is small enough to be solved densely, or where nothing is linked any more. */
export function buildHierarchy(finest: AggregateLevel, denseRows: number): AggregateLevel[] {
  const levels = [finest]
  for (;;) {
    const fine = levels[levels.length - 1]
    if (fine.rows <= denseRows || Math.max(...fine.shape) === 1) return levels
    const coarse = coarsen(fine)
    if (coarse.rows === 0) return levels
    levels.push(coarse)
  }
}

/** Builds the next level from a fine one on which nothing is off, and fills in the parents of the fine rows. */
function coarsen(fine: AggregateLevel): AggregateLevel {
  const shape = fine.shape.map(n => Math.ceil(n / 2)) as [number, number, number]
  const { cell, reds, childStart, children } = findParts(fine, shape)
  const rows = cell.length
  const { rowStart, column } = linkParts(fine, childStart, children)
  const level: AggregateLevel = {
    shape,
    rows,
    reds,
    cell,
    rowStart,
    column,
    weight: new Float64Array(column.length),
    baseWeight: new Float64Array(column.length),
    linkShare: new Float64Array(column.length).fill(1),
    dirichlet: new Float64Array(rows),
    baseDirichlet: new Float64Array(rows),
    diagonal: new Float64Array(rows),
    inverse: new Float64Array(rows),
    parent: new Int32Array(rows).fill(-1),
    childStart,
    children,
    off: new Uint8Array(rows),
  }
  const gather = createGatherer(fine, level)
  for (let row = 0; row < rows; row++) gather(row)
  shareLinks(fine, level)
  level.baseWeight.set(level.weight)
  level.baseDirichlet.set(level.dirichlet)
  for (let row = 0; row < rows; row++) finishRow(level, row)
  return level
}

/** Connected parts of every block, red blocks first, each in the order of its cell; tells the fine rows their parents. Rows
 *  without links stay behind: their own level solves them exactly. */
function findParts(fine: AggregateLevel, shape: readonly [number, number, number]) {
  const { blockOf, first, next } = sortIntoBlocks(fine, shape)
  const { parent, rowStart, column } = fine
  const children = new Int32Array(fine.rows)
  const childStart = new Int32Array(fine.rows + 1)
  const cell = new Int32Array(fine.rows)
  let rows = 0
  let reds = 0
  let end = 0
  for (const colour of [0, 1]) {
    for (let block = 0; block < first.length; block++) {
      if (first[block] < 0 || parity(shape, block) !== colour) continue
      for (let seed = first[block]; seed >= 0; seed = next[seed]) {
        if (parent[seed] >= 0 || rowStart[seed] === rowStart[seed + 1]) continue
        const begin = end
        children[end++] = seed
        parent[seed] = rows
        for (let head = begin; head < end; head++) {
          const row = children[head]
          for (let at = rowStart[row]; at < rowStart[row + 1]; at++) {
            const neighbour = column[at]
            if (parent[neighbour] >= 0 || blockOf[neighbour] !== block) continue
            parent[neighbour] = rows
            children[end++] = neighbour
          }
        }
        children.subarray(begin, end).sort()
        cell[rows] = block
        childStart[++rows] = end
      }
    }
    if (colour === 0) reds = rows
  }
  return { cell: cell.slice(0, rows), reds, childStart: childStart.slice(0, rows + 1), children: children.slice(0, end) }
}

/** The rows of every block as a list, ascending: `first[block]`, then `next[row]` until −1. */
function sortIntoBlocks({ rows, cell, shape: [nx, ny] }: AggregateLevel, [mx, my, mz]: readonly [number, number, number]) {
  const blockOf = new Int32Array(rows)
  const next = new Int32Array(rows)
  const first = new Int32Array(mx * my * mz).fill(-1)
  for (let row = rows - 1; row >= 0; row--) {
    const i = (cell[row] % nx) >> 1
    const j = (Math.floor(cell[row] / nx) % ny) >> 1
    const k = Math.floor(cell[row] / (nx * ny)) >> 1
    const block = i + mx * (j + my * k)
    blockOf[row] = block
    next[row] = first[block]
    first[block] = row
  }
  return { blockOf, first, next }
}

function parity([nx, ny]: readonly [number, number, number], cell: number): number {
  return ((cell % nx) + (Math.floor(cell / nx) % ny) + Math.floor(cell / (nx * ny))) & 1
}

/** Which parts touch. */
function linkParts(fine: AggregateLevel, childStart: Int32Array, children: Int32Array) {
  const rows = childStart.length - 1
  const rowStart = new Int32Array(rows + 1)
  const column: number[] = []
  const mark = new Int32Array(rows).fill(-1)
  for (let row = 0; row < rows; row++) {
    const from = column.length
    for (let c = childStart[row]; c < childStart[row + 1]; c++) {
      const child = children[c]
      for (let at = fine.rowStart[child]; at < fine.rowStart[child + 1]; at++) {
        const other = fine.parent[fine.column[at]]
        if (other === row || other < 0 || mark[other] >= from) continue
        mark[other] = column.length
        column.push(other)
      }
    }
    rowStart[row + 1] = column.length
  }
  return { rowStart, column: Int32Array.from(column) }
}

/** Resistances in series: half of one block, the faces between, half of the other. */
function shareLinks(fine: AggregateLevel, coarse: AggregateLevel): void {
  const inside = insideLinks(fine, coarse)
  const { rowStart, column, weight, linkShare, cell, shape } = coarse
  for (let row = 0; row < coarse.rows; row++) {
    for (let at = rowStart[row]; at < rowStart[row + 1]; at++) {
      const axis = axisBetween(shape, cell[row], cell[column[at]])
      const half = (part: number) => (inside[3 * part + axis] > 0 ? 0.5 / inside[3 * part + axis] : 0)
      linkShare[at] = Math.max(MIN_LINK_SHARE, 1 / (1 + weight[at] * (half(row) + half(column[at]))))
      weight[at] *= linkShare[at]
    }
  }
}

/** Sum of the links inside every part, per axis. */
function insideLinks(fine: AggregateLevel, coarse: AggregateLevel): Float64Array {
  const inside = new Float64Array(3 * coarse.rows)
  for (let row = 0; row < fine.rows; row++) {
    const part = fine.parent[row]
    if (part < 0) continue
    for (let at = fine.rowStart[row]; at < fine.rowStart[row + 1]; at++) {
      const neighbour = fine.column[at]
      if (fine.parent[neighbour] !== part) continue
      // Every link is met from both ends.
      inside[3 * part + axisBetween(fine.shape, fine.cell[row], fine.cell[neighbour])] += 0.5 * fine.weight[at]
    }
  }
  return inside
}

function axisBetween(shape: readonly [number, number, number], cell: number, other: number): number {
  const distance = Math.abs(cell - other)
  if (distance === 1 && shape[0] > 1) return 0
  return distance === shape[0] && shape[1] > 1 ? 1 : 2
}

export function summarise(levels: readonly Level[], dims: 2 | 3) {
  return levels.map(({ shape, rows, column }) => ({
    shape: shape.slice(0, dims),
    unknowns: rows,
    nonZeros: rows + column.length,
  }))
}
