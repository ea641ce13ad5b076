/** The volume of a liquid, by the surface that is exported and cell by cell, in cells. */
import { CUBE_EDGES, CUBE_TRIANGLES } from '../../../grid/cube-cases.js'
import { nodeShape } from '../../../grid/grid.js'
import { centreDistance } from '../grid/nodal-solids.js'
import { forCells, lowestNode, sumOverRows } from '../grid/walk.js'
import type { PlainState } from '../state.js'

/** Inside the surface that surface-mesh.ts exports: values at centres, the larger of liquid and solid, triangles between them, closed
 *  along the sides of the grid. Every cube between eight centres is around a node. The surface is closed, so its volume is the sum over all
 *  triangles of ∫ x dy dz. */
export function volumeInside(state: PlainState): number {
  const { grid } = state
  const [nx, ny, nz] = grid.shape
  const valueAt = outsideSolids(state)
  const corners = new Float32Array(8)
  const alongNodes = (j: number, k: number) => {
    let sum = 0
    for (let i = 0; i <= nx; i++) {
      for (let q = 0; q < 8; q++) corners[q] = valueAt(i - 1 + (q & 1), j - 1 + ((q >> 1) & 1), k - 1 + (q >> 2))
      sum += cubeVolume(i, corners)
    }
    return sum
  }
  return sumOverRows(grid, (before, j, k) => {
    let sum = before
    // The nodes along upper sides are counted with the last rows. A 2D grid has one layer of cubes.
    const lastJ = j === ny - 1 ? ny : j
    const lastK = grid.dims === 3 && k === nz - 1 ? nz : k
    for (let b = j; b <= lastJ; b++) for (let c = k; c <= lastK; c++) sum += alongNodes(b, c)
    return sum
  })
}

/** The exported level set at centres. One centre beyond a side it is so far outside that deep liquid ends at the side itself; along z a 2D
 *  grid is the same everywhere. */
function outsideSolids({ grid, arrays: { phi, solid } }: PlainState): (i: number, j: number, k: number) => number {
  const [nx, ny, nz] = grid.shape
  const nodes = nodeShape(grid)
  const values = new Float32Array(grid.cells)
  forCells(grid, (cell, i, j, k) => {
    values[cell] = Math.max(phi[cell], -centreDistance(solid, nodes, lowestNode(grid, i, j, k)))
  })
  const within = (n: number, size: number) => Math.min(Math.max(n, 0), size - 1)
  return (i, j, k) => {
    const [a, b, c] = [within(i, nx), within(j, ny), within(k, nz)]
    const value = values[a + nx * (b + ny * c)]
    const isOutside = a !== i || b !== j || (c !== k && grid.dims === 3)
    return isOutside ? Math.max(-value, 0.5) : value
  }
}

/** ∫ x dy dz over the triangles of the cube around node i of a row; lengths are in cells. */
function cubeVolume(i: number, corners: Float32Array): number {
  let inside = 0
  for (let q = 0; q < 8; q++) if (corners[q] < 0) inside |= 1 << q
  const { starts, edges } = CUBE_TRIANGLES
  let sum = 0
  for (let slot = starts[inside]; slot < starts[inside + 1]; slot += 3) {
    const [a, b, c] = [0, 1, 2].map(corner => crossing(corners, edges[slot + corner]))
    const meanX = (a[0] + b[0] + c[0]) / 3
    const twiceArea = (b[1] - a[1]) * (c[2] - a[2]) - (c[1] - a[1]) * (b[2] - a[2])
    sum += (i + meanX) * 0.5 * twiceArea
  }
  return sum
}

/** Point of the surface on an edge of a cube, in coordinates of the cube. */
function crossing(corners: Float32Array, edge: number): [number, number, number] {
  const { axis, from } = CUBE_EDGES[edge]
  const here = corners[from]
  const there = corners[from | (1 << axis)]
  const point: [number, number, number] = [from & 1, (from >> 1) & 1, from >> 2]
  point[axis] = here / (here - there)
  return point
}

/** Σ of the open fraction of cells times the liquid fraction estimated from the distance of the centre. Drops and sheets that are too thin for
 *  a surface count, with more than their volume. */
export function volumeOfCells({ grid, arrays: { phi, openCell } }: PlainState): number {
  const [nx, ny] = grid.shape
  return sumOverRows(grid, (before, j, k) => {
    let sum = before
    const row = nx * (j + ny * k)
    for (let cell = row; cell < row + nx; cell++)
      if (phi[cell] < 0.5) sum += openCell[cell] * (phi[cell] > -0.5 ? 0.5 - phi[cell] : 1)
    return sum
  })
}
