/** A triangle mesh as a solid: its signed distance on a lattice of its own, about as fine as the grid of the scene. Distances next to the
 *  surface are exact (Bærentzen, Aanæs and others: every triangle visits the points around it), all others are swept from there. */
import { checkNumbers, checkObject, checkWhole } from '../checks.js'
import { interpolate } from '../grid/field.js'
import { createGrid, type Grid } from '../grid/grid.js'
import { checkTriangles } from '../grid/isosurface.js'
import { sweepDistances } from '../grid/redistance.js'
import { InputError } from '../input-error.js'
import { voteInside } from './mesh/sign.js'
import { distanceToTriangle } from './mesh/triangle.js'
import type { BuiltShape } from './shapes/kinds.js'

export interface TriangleMesh {
  /** x, y, z of every vertex; equal vertices are one. */
  readonly positions: Float64Array
  /** Three vertices each. */
  readonly triangles: Uint32Array
  /** Faces left out because they have fewer than three corners at different places. */
  readonly collapsed: number
}

/** Throws an InputError that names the array unless they fit. */
export function checkMesh(value: unknown, what: string): void {
  checkObject(value, what, 'a mesh from parseMesh')
  const { positions, triangles } = value as TriangleMesh
  checkNumbers(positions, `${what}: positions`, Float64Array)
  checkWhole(positions.length / 3, `${what}: the length of positions over three`, 0)
  checkTriangles(triangles, positions.length / 3, `${what}: triangles`)
}

export interface MeshLattice {
  /** Its cells; values live on the nodes. */
  readonly grid: Grid
  readonly shape: readonly [number, number, number]
  /** Position of the first node. */
  readonly origin: readonly [number, number, number]
}

/** Cells of the lattice around the mesh, so that the zero of φ and its gradient are known everywhere. */
const LATTICE_PADDING = 3
/** Cells from a triangle within which distances are exact: more than one, so both ends of every crossed lattice edge are. */
const EXACT_BAND = 1.1
const MAX_NODES = 40_000_000

/** `spacing` in the units of the mesh. */
export function createMeshShape(mesh: TriangleMesh, spacing: number, name: string): BuiltShape {
  const lattice = createLattice(mesh, spacing, name)
  const { grid, shape, origin } = lattice
  const distance = new Float64Array(shape[0] * shape[1] * shape[2]).fill(Infinity)
  markBand(mesh, lattice, distance)
  const fixed = Uint8Array.from(distance, d => (d < Infinity ? 1 : 0))
  sweepDistances(spacing, shape, distance, fixed)
  const inside = voteInside(mesh, lattice)
  const phi = distance.map((d, node) => (inside[node] ? -d : d))
  const offset = [origin[0] / spacing, origin[1] / spacing, origin[2] / spacing] as const
  const [low, high] = [origin, shape.map((count, axis) => origin[axis] + (count - 1) * spacing)]
  return {
    phi: (x, y, z) => {
      const border = interpolate(grid, shape, offset, phi, x, y, z)
      const beyond = Math.hypot(
        Math.max(low[0] - x, x - high[0], 0),
        Math.max(low[1] - y, y - high[1], 0),
        Math.max(low[2] - z, z - high[2], 0),
      )
      // Every point of the mesh is at least a right angle off, seen from the border: the true distance is no smaller than this.
      return beyond === 0 ? border : Math.hypot(border, beyond)
    },
    bounds: margin => {
      const more = Math.max(0, margin)
      return [
        [low[0] - more, low[1] - more, low[2] - more],
        [high[0] + more, high[1] + more, high[2] + more],
      ]
    },
  }
}

export function meshBounds({ positions, triangles }: TriangleMesh): [number[], number[]] {
  const low = [Infinity, Infinity, Infinity]
  const high = [-Infinity, -Infinity, -Infinity]
  for (const vertex of triangles)
    for (let axis = 0; axis < 3; axis++) {
      low[axis] = Math.min(low[axis], positions[3 * vertex + axis])
      high[axis] = Math.max(high[axis], positions[3 * vertex + axis])
    }
  return [low, high]
}

function createLattice(mesh: TriangleMesh, spacing: number, name: string): MeshLattice {
  const [low, high] = meshBounds(mesh)
  const cells = low.map((value, axis) => Math.ceil((high[axis] - value) / spacing) + 2 * LATTICE_PADDING)
  const nodes = cells.reduce((product, count) => product * (count + 1), 1)
  if (!(nodes <= MAX_NODES))
    throw new InputError(
      `The mesh ${name} is ${cells.map(count => count - 2 * LATTICE_PADDING).join(' × ')} cells large, too many to sample; scale it down or lower the resolution.`,
    )
  return {
    grid: createGrid(cells, spacing),
    shape: [cells[0] + 1, cells[1] + 1, cells[2] + 1],
    origin: [low[0] - LATTICE_PADDING * spacing, low[1] - LATTICE_PADDING * spacing, low[2] - LATTICE_PADDING * spacing],
  }
}

/** Exact distances at all nodes within the band. */
function markBand({ positions, triangles }: TriangleMesh, { grid, shape, origin }: MeshLattice, distance: Float64Array): void {
  const h = grid.spacing
  const [nx, ny] = shape
  const from = [0, 0, 0]
  const to = [0, 0, 0]
  for (let at = 0; at < triangles.length; at += 3) {
    const [a, b, c] = [3 * triangles[at], 3 * triangles[at + 1], 3 * triangles[at + 2]]
    for (let axis = 0; axis < 3; axis++) {
      const [p, q, r] = [positions[a + axis], positions[b + axis], positions[c + axis]]
      from[axis] = Math.max(0, Math.ceil((Math.min(p, q, r) - origin[axis]) / h - EXACT_BAND))
      to[axis] = Math.min(shape[axis] - 1, Math.floor((Math.max(p, q, r) - origin[axis]) / h + EXACT_BAND))
    }
    for (let k = from[2]; k <= to[2]; k++)
      for (let j = from[1]; j <= to[1]; j++)
        for (let i = from[0]; i <= to[0]; i++) {
          const d = distanceToTriangle(positions, a, b, c, origin[0] + i * h, origin[1] + j * h, origin[2] + k * h)
          const node = i + nx * (j + ny * k)
          if (d <= EXACT_BAND * h && d < distance[node]) distance[node] = d
        }
  }
}
