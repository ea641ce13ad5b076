/** Inside or outside of a mesh by parity: a lattice line that meets the surface an odd number of times on its way to a node comes to the
 *  inside. Three lines meet at every node and vote, so that one that slips through a hole is outvoted. A line that meets the surface an
 *  odd number of times altogether has passed a hole and does not vote; where that leaves a tie, the winding number decides. */
import type { MeshLattice, TriangleMesh } from '../mesh.js'
import { solidAngle } from './triangle.js'

/** Share of a cell by which lines pass beside the nodes, so that none hits a vertex of a mesh with round numbers. */
const ASIDE = [1.1e-7 * Math.SQRT2, 1.3e-7 * Math.sqrt(3)] as const
/** Solid angles added up for ties at most; beyond, a tie counts as outside. */
const MAX_ANGLES = 2e8

export function voteInside(mesh: TriangleMesh, lattice: MeshLattice): Uint8Array {
  const [nx, ny, nz] = lattice.shape
  const votes = new Int8Array(nx * ny * nz)
  for (let axis = 0; axis < 3; axis++) voteAlong(mesh, lattice, axis, votes)
  const ties: number[] = []
  const inside = new Uint8Array(votes.length)
  votes.forEach((vote, node) => {
    if (vote > 0) inside[node] = 1
    else if (vote === 0) ties.push(node)
  })
  if (ties.length * mesh.triangles.length <= 3 * MAX_ANGLES)
    for (const node of ties) if (Math.abs(windingNumber(mesh, lattice, node)) > 0.5) inside[node] = 1
  return inside
}

/** Adds 1 to the votes of nodes that lines along `axis` find inside, −1 outside, nothing where the line has passed a hole. */
function voteAlong(mesh: TriangleMesh, lattice: MeshLattice, axis: number, votes: Int8Array): void {
  const { shape } = lattice
  const strides = [1, shape[0], shape[0] * shape[1]]
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3]
  const crossings = countCrossings(mesh, lattice, axis, u, v)
  const along = shape[axis]
  for (let line = 0; line < shape[u] * shape[v]; line++) {
    const first = line * (along + 1)
    let total = 0
    for (let at = 0; at <= along; at++) total ^= crossings[first + at]
    if (total === 1) continue
    const start = (line % shape[u]) * strides[u] + Math.floor(line / shape[u]) * strides[v]
    let parity = 0
    for (let at = 0; at < along; at++) {
      parity ^= crossings[first + at]
      votes[start + at * strides[axis]] += parity ? 1 : -1
    }
  }
}

/** For every line along `axis` and every node on it: the parity of crossings between the node before and this one; one place more for
 *  those after the last. */
function countCrossings(
  { positions, triangles }: TriangleMesh,
  { grid, shape, origin }: MeshLattice,
  axis: number,
  u: number,
  v: number,
): Uint8Array {
  const h = grid.spacing
  const along = shape[axis]
  const crossings = new Uint8Array(shape[u] * shape[v] * (along + 1))
  const [shiftU, shiftV] = [origin[u] + ASIDE[0] * h, origin[v] + ASIDE[1] * h]
  const range = (places: readonly number[], shift: number, count: number) => [
    Math.max(0, Math.ceil((Math.min(...places) - shift) / h)),
    Math.min(count - 1, Math.floor((Math.max(...places) - shift) / h)),
  ]
  for (let at = 0; at < triangles.length; at += 3) {
    const [a, b, c] = [triangles[at], triangles[at + 1], triangles[at + 2]]
    const of = (axis: number) => [positions[3 * a + axis], positions[3 * b + axis], positions[3 * c + axis]]
    const w = of(axis)
    const [fromU, toU] = range(of(u), shiftU, shape[u])
    const [fromV, toV] = range(of(v), shiftV, shape[v])
    for (let j = fromV; j <= toV; j++)
      for (let i = fromU; i <= toU; i++) {
        const [x, y] = [shiftU + i * h, shiftV + j * h]
        const onA = sideOfEdge(positions, b, c, u, v, x, y)
        const onB = sideOfEdge(positions, c, a, u, v, x, y)
        const onC = sideOfEdge(positions, a, b, u, v, x, y)
        if (isNegative(onA) !== isNegative(onB) || isNegative(onB) !== isNegative(onC)) continue
        const weight = onA + onB + onC
        const place = weight === 0 ? w[0] : (onA * w[0] + onB * w[1] + onC * w[2]) / weight
        const node = Math.min(along, Math.max(0, Math.ceil((place - origin[axis]) / h)))
        crossings[(i + shape[u] * j) * (along + 1) + node] ^= 1
      }
  }
  return crossings
}

/** Twice the signed area of edge and point. Both triangles at an edge get the same bits with opposite signs, −0 included, so no line
 *  passes between them. */
function sideOfEdge(positions: Float64Array, a: number, b: number, u: number, v: number, x: number, y: number): number {
  const [p, q] = a < b ? [3 * a, 3 * b] : [3 * b, 3 * a]
  const side = (positions[p + u] - x) * (positions[q + v] - y) - (positions[q + u] - x) * (positions[p + v] - y)
  const settled = side === 0 ? 0 : side
  return a < b ? settled : -settled
}

function isNegative(value: number): boolean {
  return value < 0 || Object.is(value, -0)
}

function windingNumber({ positions, triangles }: TriangleMesh, { grid, shape, origin }: MeshLattice, node: number): number {
  const h = grid.spacing
  const x = origin[0] + (node % shape[0]) * h
  const y = origin[1] + (Math.floor(node / shape[0]) % shape[1]) * h
  const z = origin[2] + Math.floor(node / (shape[0] * shape[1])) * h
  let sum = 0
  for (let at = 0; at < triangles.length; at += 3)
    sum += solidAngle(positions, 3 * triangles[at], 3 * triangles[at + 1], 3 * triangles[at + 2], x, y, z)
  return sum / (4 * Math.PI)
}
