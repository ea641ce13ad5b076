/** Distances, slopes and owners of solids from their signed distance at nodes, in cells, < 0 inside. All in f32; the order of sums is part of
 *  the definition. */
import { type Axis, cellPosition, type Grid } from '../../../grid/grid.js'
import type { LiquidArrays } from '../../arrays.js'
import type { LiquidWall } from '../../loops.js'
import { f32 } from '../arithmetic.js'
import type { PlainState } from '../state.js'
import { lowestNode, nodeStrides } from './walk.js'

/** Distance at the centre of a cell, the mean of its eight nodes, of which `node` is the lowest. */
export function centreDistance(solid: Float32Array, [mx, my]: readonly number[], node: number): number {
  return f32(0.125 * f32(quad(solid, mx, node) + quad(solid, mx, node + mx * my)))
}

/** Sum over two nodes along x and two along y. */
function quad(solid: Float32Array, mx: number, node: number): number {
  return f32(f32(solid[node] + solid[node + 1]) + f32(solid[node + mx] + solid[node + mx + 1]))
}

/** Four times the gradient of the distance at the centre of a cell: differences of sums over opposite faces. */
export function centreSlopes(solid: Float32Array, [mx, my]: readonly number[], node: number): [number, number, number] {
  const at = (corner: number) => solid[node + (corner & 1) + mx * ((corner >> 1) & 1) + mx * my * (corner >> 2)]
  const four = (a: number, b: number, c: number, d: number) => f32(f32(at(a) + at(b)) + f32(at(c) + at(d)))
  return [
    f32(four(1, 3, 5, 7) - four(0, 2, 4, 6)),
    f32(four(2, 6, 3, 7) - four(0, 4, 1, 5)),
    f32(four(4, 5, 6, 7) - four(0, 1, 2, 3)),
  ]
}

/** Nodes at the corners of a face, the lowest being `node`: in the order (0, 0), (1, 0), (0, 1), (1, 1) along the next two axes. */
export function faceCorners(grid: Grid, axis: Axis, node: number): [number, number, number, number] {
  const strides = nodeStrides(grid)
  const s = strides[(axis + 1) % 3]
  const t = strides[(axis + 2) % 3]
  return [node, node + s, node + t, node + s + t]
}

/** Four times the mean distance at the corners of a face. */
export function cornerSum(solid: Float32Array, [a, b, c, d]: readonly [number, number, number, number]): number {
  return f32(f32(f32(solid[a] + solid[b]) + solid[c]) + solid[d])
}

interface Owned {
  readonly arrays: Pick<LiquidArrays, 'solid' | 'owner'>
}

/** Owner of the node that is deepest in a solid or nearest to one; the lower number of two. */
export function ownerOfNearest({ arrays: { solid, owner } }: Owned, nodes: readonly number[]): number {
  let nearest = nodes[0]
  for (const node of nodes) {
    const isAsNear = solid[node] === solid[nearest]
    if (solid[node] < solid[nearest] || (isAsNear && owner[node] < owner[nearest])) nearest = node
  }
  return owner[nearest]
}

/** Nodes of a cell, x first. */
export function cellNodes(grid: Grid, cell: number): number[] {
  const [, mx, plane] = nodeStrides(grid)
  const node = lowestNode(grid, ...cellPosition(grid, cell))
  return [0, 1, mx, mx + 1, plane, plane + 1, plane + mx, plane + mx + 1].map(step => node + step)
}

const AT_REST: LiquidWall = { walls: 'separating', linear: [0, 0, 0], angular: [0, 0, 0] }

export function wallOf({ walls }: PlainState, owner: number): LiquidWall {
  return walls[owner] ?? AT_REST
}

/** The centre of face (i, j, k) of an axis, in metres; z is 0 in 2D. */
export function facePosition({ dims, spacing: h }: Grid, axis: Axis, i: number, j: number, k: number): [number, number, number] {
  const half = (other: Axis) => (other === axis ? 0 : 0.5)
  return [(i + half(0)) * h, (j + half(1)) * h, dims === 2 ? 0 : (k + half(2)) * h]
}

/** Velocity of a wall along an axis, u = linear + angular × x, m/s. */
export function wallVelocity({ linear, angular }: LiquidWall, axis: number, x: readonly number[]): number {
  const s = (axis + 1) % 3
  const t = (axis + 2) % 3
  return linear[axis] + (angular[s] * x[t] - angular[t] * x[s])
}
