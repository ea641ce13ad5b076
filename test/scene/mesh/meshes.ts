/** Meshes for tests, as triangles and as files. */
import type { TriangleMesh } from '../../../src/scene/mesh.js'

export type Corner = readonly [number, number, number]
export type Triangle = readonly [Corner, Corner, Corner]

export function toMesh(triangles: readonly Triangle[]): TriangleMesh {
  const numbers = new Map<string, number>()
  const positions: number[] = []
  const indices: number[] = []
  let collapsed = 0
  for (const triangle of triangles) {
    const [a, b, c] = triangle.map(corner => {
      const known = numbers.get(corner.join())
      if (known === undefined) positions.push(...corner)
      numbers.set(corner.join(), known ?? positions.length / 3 - 1)
      return numbers.get(corner.join())!
    })
    if (a === b || b === c || c === a) collapsed++
    else indices.push(a, b, c)
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(indices), collapsed }
}

/** A closed surface over two angles, round in both: `at` maps [0, 1)² to space. Seen from outside if ∂u × ∂v points out. */
function closed(nu: number, nv: number, at: (u: number, v: number) => Corner): Triangle[] {
  const corner = (i: number, j: number) => at((i % nu) / nu, (j % nv) / nv)
  const triangles: Triangle[] = []
  for (let j = 0; j < nv; j++)
    for (let i = 0; i < nu; i++) {
      const [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)]
      triangles.push([a, b, c], [a, c, d])
    }
  return triangles
}

export function torusMesh(radius: number, thickness: number, nu: number, nv: number): Triangle[] {
  return closed(nu, nv, (u, v) => {
    const [a, b] = [2 * Math.PI * u, 2 * Math.PI * v]
    const across = radius + thickness * Math.cos(b)
    return [across * Math.cos(a), across * Math.sin(a), thickness * Math.sin(b)]
  })
}

/** A box along the axes, two triangles a side. */
export function boxMesh([x, y, z]: Corner, [X, Y, Z]: Corner): Triangle[] {
  const quads: Corner[][] = [
    [
      [x, y, z],
      [x, Y, z],
      [X, Y, z],
      [X, y, z],
    ],
    [
      [x, y, Z],
      [X, y, Z],
      [X, Y, Z],
      [x, Y, Z],
    ],
    [
      [x, y, z],
      [X, y, z],
      [X, y, Z],
      [x, y, Z],
    ],
    [
      [x, Y, z],
      [x, Y, Z],
      [X, Y, Z],
      [X, Y, z],
    ],
    [
      [x, y, z],
      [x, y, Z],
      [x, Y, Z],
      [x, Y, z],
    ],
    [
      [X, y, z],
      [X, Y, z],
      [X, Y, Z],
      [X, y, Z],
    ],
  ]
  return quads.flatMap(([a, b, c, d]): Triangle[] => [
    [a, b, c],
    [a, c, d],
  ])
}

export function toObj(triangles: readonly Triangle[]): Uint8Array {
  const { positions, triangles: corners } = toMesh(triangles)
  const lines: string[] = []
  for (let at = 0; at < positions.length; at += 3) lines.push(`v ${positions.slice(at, at + 3).join(' ')}`)
  for (let at = 0; at < corners.length; at += 3) lines.push(`f ${[...corners.slice(at, at + 3)].map(c => c + 1).join(' ')}`)
  return new TextEncoder().encode(lines.join('\n'))
}

export function toPly(triangles: readonly Triangle[]): Uint8Array {
  const { positions, triangles: corners } = toMesh(triangles)
  const lines = ['ply', 'format ascii 1.0', `element vertex ${positions.length / 3}`]
  lines.push('property float x', 'property float y', 'property float z')
  lines.push(`element face ${corners.length / 3}`, 'property list uchar int vertex_indices', 'end_header')
  for (let at = 0; at < positions.length; at += 3) lines.push(positions.slice(at, at + 3).join(' '))
  for (let at = 0; at < corners.length; at += 3) lines.push(`3 ${corners.slice(at, at + 3).join(' ')}`)
  return new TextEncoder().encode(`${lines.join('\n')}\n`)
}

/** Binary. */
export function toStl(triangles: readonly Triangle[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(84 + 50 * triangles.length))
  bytes.setUint32(80, triangles.length, true)
  triangles.forEach((triangle, t) => {
    triangle.flat().forEach((value, at) => {
      bytes.setFloat32(84 + 50 * t + 12 + 4 * at, value, true)
    })
  })
  return new Uint8Array(bytes.buffer)
}
