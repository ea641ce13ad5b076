/** The hierarchy of the default solver: blocks of 2×2×2 cells become one coarse unknown per connected part, joined by scaled
 *  sums of the links between them, so every level stays a weighted graph in two colours. No Galerkin product, no geometry.
 *
 *  Splitting by connected parts keeps the two sides of a thin wall apart, which one unknown per coarse cell cannot. The scale of
 *  a coarse link is that of resistances in series: from the centre of one block through the faces between them to the centre of
 *  the other. In open liquid that is exactly ½, which piecewise-constant transfers need; at a doorway it is nearly 1, because
 *  there the door is the resistance and not the rooms. */
import type { Buffers } from '../../sparse/buffers.js'
import { DENSE_ROWS } from '../levels.js'
import { type AggregateLevel, createGatherer, finishRow } from './values.js'

/** At least the share that open liquid has: below it corrections would overshoot. */
const MIN_LINK_SHARE = 0.5

/** The finest level as a graph; its arrays are used, not copied. */
export type Graph = Pick<AggregateLevel, 'shape' | 'cell' | 'reds' | 'rowStart' | 'column' | 'weight' | 'dirichlet'>

type Shape = AggregateLevel['shape']

/** All levels, in arrays of `buffers`. Ends where a level is small enough to be solved densely, or where nothing is linked any more. */
export function buildHierarchy(graph: Graph, buffers: Buffers, denseRows = DENSE_ROWS): AggregateLevel[] {
  const levels = [finestLevel(graph, buffers)]
  for (;;) {
    const fine = levels[levels.length - 1]
    if (fine.rows <= denseRows || Math.max(...fine.shape) === 1) return levels
    const coarse = coarsen(fine, buffers, `level${levels.length}`)
    if (coarse.rows === 0) return levels
    levels.push(coarse)
  }
}

function finestLevel(graph: Graph, buffers: Buffers): AggregateLevel {
  const level: AggregateLevel = {
    ...graph,
    baseWeight: graph.weight,
    baseDirichlet: graph.dirichlet,
    linkShare: new Float64Array(0),
    childStart: new Int32Array(1),
    children: new Int32Array(0),
    ...rowValues(graph.cell.length, buffers, 'level0'),
  }
  for (let row = 0; row < level.rows; row++) finishRow(level, row)
  return level
}

function rowValues(rows: number, buffers: Buffers, name: string) {
  return {
    rows,
    pinned: buffers.u8(`${name}.pinned`, rows).fill(0),
    diagonal: buffers.f64(`${name}.diagonal`, rows),
    inverse: buffers.f64(`${name}.inverse`, rows),
    parent: buffers.i32(`${name}.parent`, rows).fill(-1),
  }
}

/** Builds the next level from a fine one on which nothing is pinned, and fills in the parents of the fine rows. */
function coarsen(fine: AggregateLevel, buffers: Buffers, name: string): AggregateLevel {
  const shape = fine.shape.map(n => Math.ceil(n / 2)) as [number, number, number]
  const parts = findParts(fine, shape, buffers, name)
  const rows = parts.cell.length
  const { rowStart, column } = linkParts(fine, parts.childStart, parts.children, buffers, name)
  const perLink = (what: string) => buffers.f64(`${name}.${what}`, column.length)
  const perRow = (what: string) => buffers.f64(`${name}.${what}`, rows)
  const level: AggregateLevel = {
    shape,
    ...parts,
    rowStart,
    column,
    weight: perLink('weight'),
    baseWeight: perLink('baseWeight'),
    linkShare: perLink('linkShare').fill(1),
    dirichlet: perRow('dirichlet'),
    baseDirichlet: perRow('baseDirichlet'),
    ...rowValues(rows, buffers, name),
  }
  const gather = createGatherer(fine, level, buffers)
  for (let row = 0; row < rows; row++) gather(row)
  shareLinks(fine, level, buffers)
  level.baseWeight.set(level.weight)
  level.baseDirichlet.set(level.dirichlet)
  for (let row = 0; row < rows; row++) finishRow(level, row)
  return level
}

/** Connected parts of every block, red blocks first, each in the order of its cell; gives the fine rows their parents. Rows
 *  without links are left out: their own level solves them exactly. */
function findParts(fine: AggregateLevel, shape: Shape, buffers: Buffers, name: string) {
  const { blockOf, first, next } = sortIntoBlocks(fine, shape, buffers)
  const { parent, rowStart, column } = fine
  const children = buffers.i32(`${name}.children`, fine.rows)
  const childStart = buffers.i32('coarsen.childStart', fine.rows + 1)
  const cell = buffers.i32('coarsen.cell', fine.rows)
  let rows = 0
  let reds = 0
  let end = 0
  childStart[0] = 0
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
  return {
    reds,
    cell: copyOf(cell.subarray(0, rows), buffers, `${name}.cell`),
    childStart: copyOf(childStart.subarray(0, rows + 1), buffers, `${name}.childStart`),
    children: children.subarray(0, end),
  }
}

/** Lists are built in scratch memory of their maximum size, then copied to memory of their actual size. */
function copyOf(list: Int32Array, buffers: Buffers, name: string): Int32Array {
  const copy = buffers.i32(name, list.length)
  copy.set(list)
  return copy
}

/** The rows of every block as a list, ascending: `first[block]`, then `next[row]` until −1. */
function sortIntoBlocks({ rows, cell, shape: [nx, ny] }: AggregateLevel, [mx, my, mz]: Shape, buffers: Buffers) {
  const blockOf = buffers.i32('coarsen.blockOf', rows)
  const next = buffers.i32('coarsen.next', rows)
  const first = buffers.i32('coarsen.first', mx * my * mz).fill(-1)
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

function parity([nx, ny]: Shape, cell: number): number {
  return ((cell % nx) + (Math.floor(cell / nx) % ny) + Math.floor(cell / (nx * ny))) & 1
}

/** Pairs of linked parts. */
function linkParts(fine: AggregateLevel, childStart: Int32Array, children: Int32Array, buffers: Buffers, name: string) {
  const rows = childStart.length - 1
  const rowStart = buffers.i32(`${name}.rowStart`, rows + 1)
  // No more links between parts than between their children.
  const column = buffers.i32('coarsen.column', fine.column.length)
  const mark = buffers.i32('coarsen.mark', rows).fill(-1)
  let end = 0
  rowStart[0] = 0
  for (let row = 0; row < rows; row++) {
    const from = end
    for (let c = childStart[row]; c < childStart[row + 1]; c++) {
      const child = children[c]
      for (let at = fine.rowStart[child]; at < fine.rowStart[child + 1]; at++) {
        const other = fine.parent[fine.column[at]]
        if (other === row || other < 0 || mark[other] >= from) continue
        mark[other] = end
        column[end++] = other
      }
    }
    rowStart[row + 1] = end
  }
  return { rowStart, column: copyOf(column.subarray(0, end), buffers, `${name}.column`) }
}

/** Resistances in series: half of one block, the faces between, half of the other. */
function shareLinks(fine: AggregateLevel, coarse: AggregateLevel, buffers: Buffers): void {
  const inside = insideLinks(fine, coarse, buffers)
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
function insideLinks(fine: AggregateLevel, coarse: AggregateLevel, buffers: Buffers): Float64Array {
  const inside = buffers.f64('coarsen.inside', 3 * coarse.rows).fill(0)
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

function axisBetween(shape: Shape, cell: number, other: number): number {
  const distance = Math.abs(cell - other)
  if (distance === 1 && shape[0] > 1) return 0
  return distance === shape[0] && shape[1] > 1 ? 1 : 2
}
