/** Open fractions of faces and cells from a solid level set (φ < 0 inside, at nodes). */
import { AXES, faceShape, type Grid, nodeShape } from './grid.js'
import { MIN_OPEN_FRACTION, ON_SURFACE } from './small-openings.js'
import { createFaceField, type FaceField } from './staggered.js'

/** Nodal distances with those at the surface set to exactly 0, so that every later test of sign agrees. */
export function snapToSurface(grid: Grid, solid: Float64Array): Float64Array {
  const near = ON_SURFACE * grid.spacing
  return solid.map(phi => (Math.abs(phi) <= near ? 0 : phi))
}

/** Fraction of every face that the solid leaves open, in [0, 1]; linear interpolation on the face's triangles. */
export function openFaceFractions(grid: Grid, snappedSolid: Float64Array): FaceField {
  const open = createFaceField(grid)
  const [mx, my] = nodeShape(grid)
  const nodeStep = [1, mx, mx * my]
  for (const axis of AXES) {
    const [fx, fy, fz] = faceShape(grid, axis)
    const s = nodeStep[(axis + 1) % 3]
    const t = nodeStep[(axis + 2) % 3]
    for (let k = 0, face = 0; k < fz; k++) {
      for (let j = 0; j < fy; j++) {
        for (let i = 0; i < fx; i++, face++) {
          open[axis][face] = openFaceFraction(snappedSolid, i + mx * (j + my * k), s, t)
        }
      }
    }
  }
  return open
}

/** The same of one face: `node` is its lowest corner, `s` and `t` are steps to the next corners. */
export function openFaceFraction(phi: ArrayLike<number>, node: number, s: number, t: number): number {
  const fraction = openQuad(phi[node], phi[node + s], phi[node + s + t], phi[node + t])
  return fraction < MIN_OPEN_FRACTION ? 0 : fraction
}

/** Fraction of every cell's volume that the solid leaves open. */
export function openCellFractions(grid: Grid, snappedSolid: Float64Array): Float64Array {
  const [nx, ny, nz] = grid.shape
  const [mx, my] = nodeShape(grid)
  const fractions = new Float64Array(grid.cells)
  const corner = new Float64Array(8)
  for (let k = 0, cell = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, cell++) {
        for (let q = 0; q < 8; q++) corner[q] = snappedSolid[i + (q & 1) + mx * (j + ((q >> 1) & 1) + my * (k + (q >> 2)))]
        fractions[cell] = openCube(corner)
      }
    }
  }
  return fractions
}

/** Calls `visit` with every cell and the smallest of its eight nodal values. */
export function smallestNodeOfCells(grid: Grid, nodal: Float64Array, visit: (cell: number, smallest: number) => void): void {
  const [nx, ny, nz] = grid.shape
  const [mx, my] = nodeShape(grid)
  for (let k = 0, cell = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, cell++) {
        const node = i + mx * (j + my * k)
        let smallest = Infinity
        for (let q = 0; q < 8; q++) smallest = Math.min(smallest, nodal[node + (q & 1) + mx * (((q >> 1) & 1) + my * (q >> 2))])
        visit(cell, smallest)
      }
    }
  }
}

/** Mean over both ways of cutting the quadrilateral into triangles, so that mirrored input gives mirrored output. */
function openQuad(a: number, b: number, c: number, d: number): number {
  if (a > 0 && b > 0 && c > 0 && d > 0) return 1
  if (a <= 0 && b <= 0 && c <= 0 && d <= 0) return 0
  return 0.25 * (openTriangle(a, b, c) + openTriangle(a, c, d) + openTriangle(a, b, d) + openTriangle(b, c, d))
}

/** Share of a triangle where the linear interpolant of its corner values is positive. */
function openTriangle(a: number, b: number, c: number): number {
  const positive = (a > 0 ? 1 : 0) + (b > 0 ? 1 : 0) + (c > 0 ? 1 : 0)
  if (positive === 3) return 1
  if (positive === 0) return 0
  const lonePositive = positive === 1
  // The corner whose sign differs from the other two cuts off a small triangle.
  const [u, s, t] = a > 0 === lonePositive ? [a, b, c] : b > 0 === lonePositive ? [b, c, a] : [c, a, b]
  const corner = (u / (u - s)) * (u / (u - t))
  return lonePositive ? corner : 1 - corner
}

/** The two mirrored decompositions of a cube into five tetrahedra (corner q has bits x, y, z); the first has the inner one. */
const FIVE_TETRAHEDRA = [
  [0, 3, 5, 6],
  [1, 0, 3, 5],
  [2, 0, 3, 6],
  [4, 0, 5, 6],
  [7, 3, 5, 6],
]

function openCube(corner: Float64Array): number {
  let open = 0
  for (const [p, q, r, s] of FIVE_TETRAHEDRA) {
    const share = p === 0 ? 1 / 3 : 1 / 6
    for (const mirror of [0, 1])
      open += 0.5 * share * openTetrahedron([corner[p ^ mirror], corner[q ^ mirror], corner[r ^ mirror], corner[s ^ mirror]])
  }
  return open
}

/** Share of a tetrahedron where the linear interpolant of its corner values is positive. */
function openTetrahedron(values: number[]): number {
  const open = values.filter(value => value > 0)
  const closed = values.filter(value => value <= 0)
  if (closed.length === 0) return 1
  if (open.length === 0) return 0
  if (open.length === 1) return cornerShare(open[0], closed)
  if (closed.length === 1) return 1 - cornerShare(closed[0], open)
  // Two and two: the open part is a wedge; cut it into three tetrahedra by its edge crossings.
  const [a, b] = open
  const [c, d] = closed
  const ac = a / (a - c)
  const ad = a / (a - d)
  const bc = b / (b - c)
  const bd = b / (b - d)
  return ac * ad + ac * bd * (1 - ad) + bc * bd * (1 - ac)
}

function cornerShare(lone: number, others: number[]): number {
  return others.reduce((share, other) => (share * lone) / (lone - other), 1)
}
