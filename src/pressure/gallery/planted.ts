/** Random symmetric M-matrices whose answer is chosen first: b = w − A p for a pressure p and a remaining divergence w that
 *  satisfy all conditions strictly. Units as in a liquid: links around dt/(ρ dx²), pressures around ρ g dx. */
import { cellPosition, cellStrides, createGrid } from '../../grid/grid.js'
import { random } from '../../random.js'
import type { Draft, GalleryProblem, Known, Resolved } from '../gallery.js'
import { CONTACT, DRY, LIQUID, type SparseProblem } from '../problem.js'
import { GRAVITY } from './scene.js'

export const planted: readonly Draft[] = [
  {
    name: 'random-grid',
    about: 'A random matrix on a grid, with links over four orders of magnitude and a known answer; seeded.',
    dims: [2, 3],
    defaultSize: 24,
    minSize: 3,
    create: randomGrid,
  },
  {
    name: 'random-graph',
    about: 'A random matrix without geometry, as many rows as a grid has cells, with a known answer; seeded.',
    dims: [2, 3],
    defaultSize: 16,
    minSize: 3,
    create: options => randomGraph(options, () => 1),
  },
  {
    name: 'scaled-graph',
    about: 'As random-graph, rows and columns scaled at random: still an M-matrix, but not diagonally dominant; seeded.',
    dims: [2, 3],
    defaultSize: 16,
    minSize: 3,
    create: options => randomGraph(options, row => 10 ** (2 * random(options.seed, SCALE_STREAM, row) - 1)),
  },
]

/** Streams of random numbers. */
const KIND = 0
const LINK = 1
const PRESSURE = 5
const DIVERGENCE = 6
const PIN = 7
const EDGE_STREAM = 8
const AIR_STREAM = 9
const SCALE_STREAM = 10

const ABOUT = 'The answer was chosen before the right-hand side; each contact either presses or separates.'

function units({ size, dt, density, scale }: Pick<Resolved, 'size' | 'dt' | 'density' | 'scale'>) {
  const spacing = scale / size
  return { link: dt / (density * spacing ** 2), pressure: density * GRAVITY * spacing }
}

/** Log-uniform from 0.01 to 100. */
const spread = (uniform: number) => 10 ** (4 * uniform - 2)

/** A row of the answer. Pressures of contacts and divergences of pinned ones keep away from 0 by a tenth of their range;
 *  both are in proportion to their row, so that no row decides later than others. */
function plant(seed: number, id: number, kind: number, diagonal: number, unit: number) {
  if (kind === DRY) return { pinned: false, p: 0, w: 0 }
  const size = unit * (0.1 + 0.9 * random(seed, PRESSURE, id))
  const pinned = kind === CONTACT && random(seed, PIN, id) < 0.5
  if (pinned) return { pinned, p: 0, w: diagonal * unit * (0.1 + 0.9 * random(seed, DIVERGENCE, id)) }
  // Inside the liquid the pressure may be negative.
  return { pinned, p: kind === LIQUID && random(seed, PIN, id) < 0.3 ? -size : size, w: 0 }
}

function randomGrid(options: Resolved): Omit<GalleryProblem, 'name'> {
  const { seed, dims } = options
  const unit = units(options)
  const { grid, kind, diagonal, links, original } = randomGridMatrix(options)
  const strides = cellStrides(grid)
  const answers = Array.from(kind, (k, cell) => plant(seed, original(cell), k, diagonal[cell], unit.pressure))
  const pressure = Float64Array.from(answers, ({ p }) => p)
  const b = Float64Array.from(answers, ({ p, w }, cell) => w - diagonal[cell] * p)
  for (let axis = 0; axis < dims; axis++) {
    links[axis].forEach((link, cell) => {
      if (link === 0) return
      b[cell] -= link * pressure[cell + strides[axis]]
      b[cell + strides[axis]] -= link * pressure[cell]
    })
  }
  return {
    problem: { grid, kind, diagonal, links, b },
    known: answerOf(
      pressure,
      Uint8Array.from(answers, ({ pinned }) => +pinned),
    ),
  }
}

/** Random weights on all faces inside the grid: a link between two unknowns, or a connection of one to p = 0 in a dry cell. */
function randomGridMatrix({ size, dims, seed, mirror, walls, scale, dt, density }: Resolved) {
  const unit = units({ size, scale, dt, density })
  const grid = createGrid(new Array<number>(dims).fill(size), scale / size)
  const strides = cellStrides(grid)
  // Random numbers belong to the cell before mirroring.
  const original = (cell: number) => (mirror ? cell + size - 1 - 2 * (cell % size) : cell)
  // One dry cell is certain: every unknown is then joined to some p = 0 and the matrix is regular.
  const middle = strides.slice(0, dims).reduce((cell, stride) => cell + (size >> 1) * stride, 0)
  const wall = walls === 'separating' ? CONTACT : LIQUID
  const kind = new Uint8Array(grid.cells).map((_, cell) => {
    const u = random(seed, KIND, original(cell))
    return original(cell) === middle || u < 0.1 ? DRY : u < 0.5 ? wall : LIQUID
  })
  const diagonal = new Float64Array(grid.cells)
  const links = [diagonal.slice(), diagonal.slice(), diagonal.slice()] as const
  for (let axis = 0; axis < dims; axis++) {
    for (let cell = 0; cell < grid.cells; cell++) {
      if (cellPosition(grid, cell)[axis] === size - 1) continue
      const above = cell + strides[axis]
      // A face is numbered by the cell below it, which mirroring in x makes the one above.
      const face = mirror && axis === 0 ? original(above) : original(cell)
      const weight = unit.link * spread(random(seed, LINK + axis, face))
      if (kind[cell] !== DRY) diagonal[cell] += weight
      if (kind[above] !== DRY) diagonal[above] += weight
      if (kind[cell] !== DRY && kind[above] !== DRY) links[axis][cell] = -weight
    }
  }
  return { grid, kind, diagonal, links, original }
}

/** With S = diag(`scaleOf`) the scaled problem is S A S (S⁻¹ p) + S b = S w: pressures and divergences keep their signs. */
function randomGraph(options: Resolved, scaleOf: (row: number) => number): Omit<GalleryProblem, 'name'> {
  const { size, dims, seed, mirror, walls } = options
  const rows = size ** dims
  const unit = units(options)
  const place = (row: number) => (mirror ? rows - 1 - row : row)
  const scales = Float64Array.from({ length: rows }, (_, row) => scaleOf(row))
  const neighbours: Map<number, number>[] = Array.from({ length: rows }, () => new Map())
  const diagonal = new Float64Array(rows)
  const join = (row: number, other: number, uniform: number) => {
    if (row === other || neighbours[row].has(other)) return
    const weight = unit.link * spread(uniform)
    neighbours[row].set(other, -weight)
    neighbours[other].set(row, -weight)
    diagonal[row] += weight
    diagonal[other] += weight
  }
  for (let row = 0; row < rows; row++) {
    // The first edge leads to an earlier row, which makes the graph connected; two more lead anywhere.
    if (row > 0) join(row, Math.floor(row * random(seed, EDGE_STREAM, row, 0)), random(seed, LINK, row, 0))
    for (const edge of [1, 2]) join(row, Math.floor(rows * random(seed, EDGE_STREAM, row, edge)), random(seed, LINK, row, edge))
    // Some rows, and one for certain, are joined to p = 0, which makes the matrix regular.
    if (row === 0 || random(seed, AIR_STREAM, row) < 0.05) diagonal[row] += unit.link
  }
  const kindOf = (row: number) => (walls === 'separating' && random(seed, KIND, row) < 0.5 ? CONTACT : LIQUID)
  const answers = Array.from(diagonal, (a, row) => plant(seed, row, kindOf(row), a, unit.pressure))

  const b = new Float64Array(rows)
  const kind = new Uint8Array(rows)
  const pressure = new Float64Array(rows)
  const pinned = new Uint8Array(rows)
  const entries: [column: number, value: number][][] = new Array(rows)
  for (let row = 0; row < rows; row++) {
    const { p, w, pinned: lets } = answers[row]
    const s = scales[row]
    let divergence = w - diagonal[row] * p
    for (const [other, link] of neighbours[row]) divergence -= link * answers[other].p
    b[place(row)] = s * divergence
    kind[place(row)] = kindOf(row)
    pressure[place(row)] = p / s
    pinned[place(row)] = lets ? 1 : 0
    // The product of the scales comes first, so that both halves of the matrix round alike.
    const scaled = [...neighbours[row]].map(([other, link]): [number, number] => [place(other), s * scales[other] * link])
    entries[place(row)] = [...scaled, [place(row), s * s * diagonal[row]]]
  }
  return { problem: compress(entries, b, kind), known: answerOf(pressure, pinned) }
}

function compress(entries: readonly [number, number][][], b: Float64Array, kind: Uint8Array): SparseProblem {
  const rows = entries.length
  const stored = entries.reduce((sum, row) => sum + row.length, 0)
  const rowStart = new Int32Array(rows + 1)
  const columns = new Int32Array(stored)
  const values = new Float64Array(stored)
  const diagonalAt = new Int32Array(rows)
  let at = 0
  entries.forEach((entriesOfRow, row) => {
    for (const [column, value] of entriesOfRow.toSorted((a, b) => a[0] - b[0])) {
      if (column === row) diagonalAt[row] = at
      columns[at] = column
      values[at++] = value
    }
    rowStart[row + 1] = at
  })
  return { rows, rowStart, columns, values, diagonalAt, b, kind }
}

function answerOf(pressure: Float64Array, pinned: Uint8Array): Known {
  return { pressure, pinned, status: 'converged', about: ABOUT }
}
