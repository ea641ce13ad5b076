/** Triangles from the bytes of OBJ, PLY and STL files, through the loaders of three.js. They are imported when the first mesh is read,
 *  since most scenes have none. */
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
    const { OBJLoader } = await import('three/addons/loaders/OBJLoader.js')
    const found: Geometry[] = []
    new OBJLoader().parse(new TextDecoder().decode(bytes)).traverse(object => {
      const { isMesh, geometry } = object as { isMesh?: boolean; geometry?: Geometry }
      if (isMesh && geometry) found.push(geometry)
    })
    return found
  } catch (error) {
    throw new InputError(`The mesh ${name} cannot be read as ${format.toUpperCase()}: ${(error as Error).message}.`)
  }
}
