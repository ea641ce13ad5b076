/** Problems without a grid, for algebraic solvers: random graphs, scaled singular matrices, empty rows. */
import type { SparseProblem } from '../../src/pressure/problem.js'
import { CONTACT, LIQUID } from './draft.js'
import type { Draw } from './draw.js'

export interface SparseDraft {
  readonly problem: SparseProblem
  /** v > 0 with A v = 0 on rows of singular bodies, 0 elsewhere; absent where v = 1 wherever rows sum to 0. */
  readonly nullVector?: Float64Array
}

export type SparseClass = (draw: Draw, tolerance: number) => SparseDraft

interface Graph {
  readonly rows: number
  /** Conductances ≥ 0 by row and column. */
  readonly weight: Map<number, number>[]
  readonly extra: Float64Array
}

function createGraph(rows: number): Graph {
  return { rows, weight: Array.from({ length: rows }, () => new Map()), extra: new Float64Array(rows) }
}

function join(graph: Graph, a: number, b: number, value: number): void {
  if (a === b) return
  graph.weight[a].set(b, value)
  graph.weight[b].set(a, value)
}

function drawGraph(draw: Draw, rows = draw.whole(5, 120)): Graph {
  const graph = createGraph(rows)
  const reach = draw.pick([0, 1, 3])
  const value = () => draw.power(-reach, reach)
  const form = draw.pick(['tree', 'path', 'random', 'star', 'dense'])
  const order = Int32Array.from({ length: rows }, (_, row) => row)
  for (let at = rows - 1; at > 0; at--) {
    const other = draw.whole(0, at)
    ;[order[at], order[other]] = [order[other], order[at]]
  }
  for (let at = 1; at < rows; at++) {
    const parent = form === 'path' ? at - 1 : form === 'star' ? 0 : draw.whole(0, at - 1)
    join(graph, order[at], order[parent], value())
  }
  const further = form === 'random' ? rows : form === 'dense' ? (rows * rows) / 6 : 0
  for (let edge = 0; edge < further; edge++) join(graph, draw.whole(0, rows - 1), draw.whole(0, rows - 1), value())
  return graph
}

/** D (L + extra) D with D = diag(scaling); rows in `empty` store nothing, or a diagonal of 0. */
function toSparse(graph: Graph, b: Float64Array, kind: Uint8Array, scaling?: Float64Array, empty?: Uint8Array): SparseProblem {
  const { rows, weight, extra } = graph
  const rowStart = new Int32Array(rows + 1)
  const diagonalAt = new Int32Array(rows).fill(-1)
  const columns: number[] = []
  const values: number[] = []
  for (let row = 0; row < rows; row++) {
    const d = scaling?.[row] ?? 1
    let sum = extra[row]
    for (const value of weight[row].values()) sum += value
    if (empty?.[row] !== 1) {
      for (const column of [...weight[row].keys(), row].sort((x, y) => x - y)) {
        if (column === row) diagonalAt[row] = columns.length
        columns.push(column)
        const lower = scaling ? (scaling[Math.min(row, column)] ?? 1) * (scaling[Math.max(row, column)] ?? 1) : 1
        values.push(column === row ? (scaling ? d * d * sum : sum) : -(weight[row].get(column) ?? 0) * lower)
      }
    }
    rowStart[row + 1] = columns.length
  }
  return {
    rows,
    rowStart,
    columns: Int32Array.from(columns),
    values: Float64Array.from(values),
    diagonalAt,
    b,
    kind,
  }
}

function drawKinds(draw: Draw, rows: number): Uint8Array {
  const contacts = draw.pick([0, 0.3, 0.7, 1])
  return Uint8Array.from({ length: rows }, () => (draw.chance(contacts) ? CONTACT : LIQUID))
}

function drawB(draw: Draw, rows: number): Float64Array {
  const scale = draw.power(-2, 2)
  return Float64Array.from({ length: rows }, () => scale * draw.between(-1, 1))
}

/** Shifts b so that Σ v b / Σ v becomes `mean`. */
function shift(b: Float64Array, v: Float64Array, mean: number): void {
  const sum = v.reduce((total, value) => total + value, 0)
  for (let pass = 0; pass < 2; pass++) {
    const excess = v.reduce((total, value, row) => total + value * b[row], 0) / sum - mean
    for (let row = 0; row < b.length; row++) b[row] -= excess
  }
}

const drawMean = (draw: Draw, tolerance: number) =>
  draw.pick([0, draw.power(-3, 1), -draw.power(-3, 1), tolerance * draw.pick([0.7, 0.3, -0.3, -0.7]), -3 * tolerance])

export const SPARSE_CLASSES: Readonly<Record<string, SparseClass>> = {
  'sparse-regular': draw => {
    const graph = drawGraph(draw)
    const few = draw.pick([0.02, 0.3, 1])
    for (let row = 0; row < graph.rows; row++) if (row === 0 || draw.chance(few)) graph.extra[row] = draw.power(-2, 2)
    return { problem: toSparse(graph, drawB(draw, graph.rows), drawKinds(draw, graph.rows)) }
  },
  'sparse-sealed': (draw, tolerance) => {
    const graph = drawGraph(draw)
    const b = drawB(draw, graph.rows)
    shift(b, new Float64Array(graph.rows).fill(1), drawMean(draw, tolerance))
    return { problem: toSparse(graph, b, drawKinds(draw, graph.rows)) }
  },
  'sparse-scaled-singular': (draw, tolerance) => {
    const graph = drawGraph(draw)
    const reach = draw.pick([0.3, 1])
    const scaling = Float64Array.from({ length: graph.rows }, () => draw.power(-reach, reach))
    const nullVector = scaling.map(value => 1 / value)
    const b = drawB(draw, graph.rows)
    shift(b, nullVector, drawMean(draw, tolerance))
    return { problem: toSparse(graph, b, drawKinds(draw, graph.rows), scaling), nullVector }
  },
  'sparse-empty-rows': draw => {
    const graph = drawGraph(draw)
    graph.extra[draw.whole(0, graph.rows - 1)] = 1
    const empty = new Uint8Array(graph.rows)
    for (let count = draw.whole(1, 3); count > 0; count--) {
      const row = draw.whole(0, graph.rows - 1)
      for (const other of graph.weight[row].keys()) {
        graph.weight[other].delete(row)
        if (graph.weight[other].size === 0) graph.extra[other] += 1
      }
      graph.weight[row].clear()
      graph.extra[row] = 0
      // Nothing stored, or a stored 0.
      empty[row] = draw.chance(0.5) ? 1 : 2
    }
    const b = drawB(draw, graph.rows)
    empty.forEach((value, row) => {
      if (value && draw.chance(0.5)) b[row] = 0
    })
    return { problem: toSparse(graph, b, drawKinds(draw, graph.rows), undefined, empty) }
  },
}
