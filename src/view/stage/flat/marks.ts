/** What may be visible in each cell of a 2D frame. Most of a picture is far from surfaces and walls, where shaders need not
 *  look for them. */
import type { Grid } from '../../../grid/grid.js'
import { MARK_AIR, MARK_DEEP, MARK_SHALLOW, MARK_SOLID } from '../../../paint/flat-marks.js'
import { edgeWidth, wallShade } from '../../../paint/flat-style.js'

export const MARKS = { air: MARK_AIR, deep: MARK_DEEP, shallow: MARK_SHALLOW, solid: MARK_SOLID } as const
const LIQUID_MARKS = MARKS.deep | MARKS.shallow
/** Where there is a surface, and where there is a wall or one is near enough to darken what is before it. */
const SURFACE = MARKS.air | MARKS.shallow
export const EVERYTHING = SURFACE | MARKS.solid

/** Cells from a surface and from a wall within which a picture may have an edge; the level set of deep liquid says only that
 *  it is at least a cell deep. */
export const EDGE_REACH = { surface: 0.95, wall: 1.5 } as const

/** After so many widths of the border of liquid nothing is left of it. */
export const EDGE_WIDTHS = 4

/** After so many lengths of the shade before walls less than half a step of a colour is left. */
const WALL_SHADES = 5

export interface FlatFields {
  readonly grid: Grid
  /** Per cell. */
  readonly liquid: Float32Array
  /** Per corner of cells. */
  readonly solid: Float32Array
  /** Per cell: as deep as it looks. */
  readonly depth?: Float32Array
}

/** Marks cells of frame after frame in the same memory: bits of MARKS, true of all places in a cell if values between points are interpolated
 *  linearly. The result is valid until the next call. */
export function createMarker(): (fields: FlatFields) => Uint8Array {
  let marks = new Uint8Array(0)
  let cellBits = new Uint8Array(0)
  let nodeBits = new Uint8Array(0)

  return function markCells({ grid, liquid, solid, depth }) {
    if (marks.length !== grid.cells) [marks, cellBits] = [new Uint8Array(grid.cells), new Uint8Array(grid.cells)]
    if (nodeBits.length !== solid.length) nodeBits = new Uint8Array(solid.length)
    const [nx, ny] = grid.shape
    const h = grid.spacing
    const surface = EDGE_REACH.surface * h
    const deepest = -EDGE_WIDTHS * edgeWidth(grid) * h
    for (let cell = 0; cell < cellBits.length; cell++) {
      const value = liquid[cell]
      const isDeep = depth !== undefined && depth[cell] < deepest
      cellBits[cell] = (value > -surface ? MARKS.air : 0) | (value < surface ? (isDeep ? MARKS.deep : MARKS.shallow) : 0)
    }
    const rock = -EDGE_REACH.wall * h
    const shade = Math.max(EDGE_REACH.wall, WALL_SHADES * wallShade(grid)) * h
    for (let node = 0; node < nodeBits.length; node++)
      nodeBits[node] = (solid[node] > rock ? NOT_SOLID : 0) | (solid[node] < shade ? MARKS.solid : 0)
    for (let j = 0, cell = 0; j < ny; j++) {
      const first = j > 0 ? -nx : 0
      const last = j < ny - 1 ? nx : 0
      for (let i = 0; i < nx; i++, cell++) {
        const left = i > 0 ? -1 : 0
        const right = i < nx - 1 ? 1 : 0
        let around = 0
        for (let at = cell + first; at <= cell + last; at += nx)
          around |= cellBits[at + left] | cellBits[at] | cellBits[at + right]
        const node = i + (nx + 1) * j
        const corners = nodeBits[node] | nodeBits[node + 1] | nodeBits[node + nx + 1] | nodeBits[node + nx + 2]
        marks[cell] = corners & NOT_SOLID ? around | (corners & MARKS.solid) : MARKS.solid
      }
    }
    return marks
  }
}

const NOT_SOLID = 16

/** One of the few marks that pictures have shaders for: air, deep or shallow liquid, a surface, solid, or everything. */
function simplified(marks: number): number {
  if (marks & MARKS.solid) return marks === MARKS.solid ? MARKS.solid : EVERYTHING
  if (marks & MARKS.air) return marks & LIQUID_MARKS ? SURFACE : MARKS.air
  return marks & MARKS.shallow ? MARKS.shallow : MARKS.deep
}

/** Cells along each side of a tile: there are fewer triangles than cells. */
const TILE = 2

/** Rectangles of tiles with the same mark, four numbers each: left, bottom, right, top, in cells. Those at the sides of the domain reach one
 *  cell beyond. Tiles of air are in none. */
export function listRectangles(grid: Grid, marks: Uint8Array): ReadonlyMap<number, readonly number[]> {
  const [nx, ny] = grid.shape
  const columns = Math.ceil(nx / TILE)
  const found = new Map<number, number[]>()
  /** Of the row of tiles below: where the rectangle that ends there begins in its list, by its left tile. */
  let below = new Int32Array(columns).fill(-1)
  let now = new Int32Array(columns)
  let rowBelow = new Uint8Array(columns)
  let row = new Uint8Array(columns)
  for (let bottom = 0; bottom < ny; bottom += TILE) {
    markTiles(grid, marks, bottom, row)
    now.fill(-1)
    for (let from = 0, to = 0; from < columns; from = to) {
      const mark = row[from]
      for (to = from + 1; to < columns && row[to] === mark; ) to++
      if (mark === MARKS.air) continue
      const list = found.get(mark) ?? []
      found.set(mark, list)
      const right = to === columns ? nx + 1 : to * TILE
      const top = bottom + TILE >= ny ? ny + 1 : bottom + TILE
      const at = below[from]
      if (at >= 0 && rowBelow[from] === mark && list[at + 2] === right) {
        list[at + 3] = top
        now[from] = at
      } else {
        now[from] = list.length
        list.push(from === 0 ? -1 : from * TILE, bottom === 0 ? -1 : bottom, right, top)
      }
    }
    ;[below, now, rowBelow, row] = [now, below, row, rowBelow]
  }
  return found
}

/** Everything that may be visible in a row of tiles. */
function markTiles({ shape: [nx, ny] }: Grid, marks: Uint8Array, bottom: number, row: Uint8Array): void {
  row.fill(0)
  for (let j = bottom; j < Math.min(bottom + TILE, ny); j++)
    for (let i = 0; i < nx; i++) row[Math.floor(i / TILE)] |= marks[i + nx * j]
  for (let tile = 0; tile < row.length; tile++) row[tile] = simplified(row[tile])
}
