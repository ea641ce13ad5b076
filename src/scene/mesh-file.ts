/** Triangles from the bytes of OBJ, PLY and STL files. The last two go through the loaders of three.js, which are imported when the first
 *  such mesh is read, since most scenes have none; its loader of OBJ files prints a line for every line that it does not know. */
import { InputError } from '../input-error.js'
import type { TriangleMesh } from './mesh.js'

/** What remains of a geometry of three.js. */
interface Geometry {
  getAttribute(name: string): { readonly count: number; getComponent(at: number, component: number): number } | undefined
  getIndex(): { readonly count: number; getX(at: number): number } | null
}

/** `name` names the file in messages, and its ending tells the format. */
export async function parseMesh(bytes: Uint8Array, name: string): Promise<TriangleMesh> {
  if (bytes.length === 0) throw new InputError(`The mesh ${name} is an empty file.`)
  const mesh = weld(await parseGeometries(bytes, name))
  if (mesh.triangles.length === 0)
    throw new InputError(`The mesh ${name} has no triangles${mesh.notFinite ? ' with finite coordinates' : ''}.`)
  return mesh
}

/** Makes equal vertices one. Triangles that use a coordinate that is no finite number, or a vertex twice, are left out and counted. */
export function weld(geometries: readonly Geometry[]): TriangleMesh {
  const numbers = new Map<string, number>()
  const positions: number[] = []
  const triangles: number[] = []
  let [notFinite, collapsed] = [0, 0]
  for (const geometry of geometries) {
    const position = geometry.getAttribute('position')
    if (!position) continue
    const index = geometry.getIndex()
    const vertexAt = (at: number) => {
      const [x, y, z] = [0, 1, 2].map(component => position.getComponent(at, component))
      if (!Number.isFinite(x) || !Number.isFinite(y) || !Number.isFinite(z)) return -1
      const key = `${x} ${y} ${z}`
      let vertex = numbers.get(key)
      if (vertex === undefined) {
        vertex = positions.length / 3
        numbers.set(key, vertex)
        positions.push(x, y, z)
      }
      return vertex
    }
    const corners = index ? index.count : position.count
    for (let at = 0; at + 2 < corners; at += 3) {
      const [a, b, c] = [0, 1, 2].map(corner => vertexAt(index ? index.getX(at + corner) : at + corner))
      if (a < 0 || b < 0 || c < 0) notFinite++
      else if (a === b || b === c || c === a) collapsed++
      else triangles.push(a, b, c)
    }
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), notFinite, collapsed }
}

async function parseGeometries(bytes: Uint8Array, name: string): Promise<Geometry[]> {
  const format = /\.(obj|ply|stl)$/i.exec(name)?.[1].toLowerCase()
  if (format === undefined) throw new InputError(`The mesh ${name} has an unknown format; give an .obj, .ply or .stl file.`)
  // A copy, because the loaders want a buffer of their own.
  const buffer = bytes.slice().buffer
  try {
    if (format === 'ply') return [new (await import('three/addons/loaders/PLYLoader.js')).PLYLoader().parse(buffer)]
    if (format === 'stl') return [new (await import('three/addons/loaders/STLLoader.js')).STLLoader().parse(buffer)]
    return [parseObj(new TextDecoder().decode(bytes))]
  } catch (error) {
    throw new InputError(`The mesh ${name} cannot be read as ${format.toUpperCase()}: ${(error as Error).message}.`)
  }
}

/** Vertices and faces, the latter cut into fans; all else (normals, materials, groups, curves) is of no use here. */
function parseObj(text: string): Geometry {
  const positions: number[] = []
  const corners: number[] = []
  for (const line of text.replace(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    const [kind, ...words] = line.trim().split(/\s+/)
    if (kind === 'v') positions.push(...[0, 1, 2].map(at => Number(words[at] ?? Number.NaN)))
    if (kind !== 'f') continue
    // Numbers from 1, or from the last vertex so far backwards; a wrong one finds no coordinates, and its triangle is left out.
    const face = words.map(word => Number.parseInt(word, 10)).map(at => (at < 0 ? positions.length / 3 + at : at - 1))
    for (let at = 2; at < face.length; at++) corners.push(face[0], face[at - 1], face[at])
  }
  return {
    getAttribute: () => ({ count: positions.length / 3, getComponent: (at, component) => positions[3 * at + component] }),
    getIndex: () => ({ count: corners.length, getX: at => corners[at] }),
  }
}
