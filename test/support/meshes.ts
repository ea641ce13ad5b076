/** What a mesh is, measured on its triangles alone. */
import { expect } from 'vitest'
import type { SurfaceMesh } from '../../src/grid/isosurface.js'

/** Every edge lies between exactly two triangles that pass it in opposite directions, the triangles around every vertex form one fan,
 *  every vertex is used, and no triangle is without area. */
export function expectClosedManifold({ positions, normals, indices }: SurfaceMesh): void {
  const count = positions.length / 3
  const following = new Map<number, number>()
  const degree = new Uint32Array(count)
  let smallest = Number.POSITIVE_INFINITY
  for (let at = 0; at < indices.length; at += 3) {
    const corners = [indices[at], indices[at + 1], indices[at + 2]]
    for (let side = 0; side < 3; side++) {
      const [from, to, across] = [corners[side], corners[(side + 1) % 3], corners[(side + 2) % 3]]
      const edge = from * count + to
      if (following.has(edge)) expect.fail(`the edge from ${from} to ${to} belongs to two triangles in the same direction`)
      following.set(edge, across)
      degree[from]++
    }
    smallest = Math.min(smallest, twiceArea(positions, corners))
  }
  for (const edge of following.keys()) {
    const [from, to] = [Math.floor(edge / count), edge % count]
    if (!following.has(to * count + from)) expect.fail(`the edge from ${from} to ${to} has a triangle on one side only`)
  }
  const reached = new Uint32Array(count)
  const seen = new Uint8Array(count)
  for (const [edge, across] of following) {
    const [centre, first] = [Math.floor(edge / count), edge % count]
    if (seen[centre]) continue
    seen[centre] = 1
    let around = across
    reached[centre] = 1
    while (around !== first) {
      around = following.get(centre * count + around)!
      reached[centre]++
    }
  }
  expect(reached).toEqual(degree)
  expect(degree.every(value => value >= 3)).toBe(true)
  expect(smallest).toBeGreaterThan(0)
  for (let at = 0; at < normals.length; at += 3)
    expect(Math.abs(Math.hypot(normals[at], normals[at + 1], normals[at + 2]) - 1)).toBeLessThan(1e-5)
}

const point = (positions: Float32Array, vertex: number) => [0, 1, 2].map(axis => positions[3 * vertex + axis])
const cross = ([a, b, c]: number[], [x, y, z]: number[]) => [b * z - c * y, c * x - a * z, a * y - b * x]
const minus = (a: number[], b: number[]) => a.map((value, axis) => value - b[axis])
const dot = (a: number[], b: number[]) => a.reduce((sum, value, axis) => sum + value * b[axis], 0)

function twiceArea(positions: Float32Array, corners: number[]): number {
  const [a, b, c] = corners.map(corner => point(positions, corner))
  return Math.hypot(...cross(minus(b, a), minus(c, a)))
}

/** By the divergence theorem; positive where triangles are anticlockwise as seen from outside. */
export function meshVolume({ positions, indices }: SurfaceMesh): number {
  let sum = 0
  for (let at = 0; at < indices.length; at += 3) {
    const [a, b, c] = [0, 1, 2].map(corner => point(positions, indices[at + corner]))
    sum += dot(a, cross(b, c)) / 6
  }
  return sum
}

export function meshArea({ positions, indices }: SurfaceMesh): number {
  let sum = 0
  for (let at = 0; at < indices.length; at += 3) sum += twiceArea(positions, [...indices.subarray(at, at + 3)]) / 2
  return sum
}

/** Vertices − edges + triangles: 2 for every ball, 0 for every ring. */
export function eulerCharacteristic({ positions, indices }: SurfaceMesh): number {
  return positions.length / 3 - indices.length / 2 + indices.length / 3
}
