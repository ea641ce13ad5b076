/** Turns the polygons of mesh files into triangles over distinct vertices. */
import { InputError } from '../../input-error.js'
import type { TriangleMesh } from '../mesh.js'
import { clipEars, fan } from './polygon.js'

/** What a reader of one format finds. */
export interface MeshFaces {
  /** x, y, z of every vertex. */
  readonly positions: ArrayLike<number>
  /** Vertices of all faces, one face after the other. */
  readonly corners: ArrayLike<number>
  /** Corners of each face. */
  readonly sizes: ArrayLike<number>
}

/** Ends a sentence that names the file. */
export type Fail = (what: string) => never

/** Corners of one face that is not convex, and of all larger ones together: ear clipping of a face that crosses itself
 *  everywhere costs about a millisecond per corner at this size. */
const MAX_CONCAVE = 3000
const MAX_CONCAVE_TOTAL = 300_000
const SMALL = 50

/** `fail` must throw. Corners that follow an equal one are left out; faces of which fewer than three corners remain are counted as
 *  collapsed. */
export async function toTriangles(faces: MeshFaces, fail: Fail): Promise<TriangleMesh> {
  const { corners, sizes } = faces
  const { positions, vertexAt } = weldVertices(faces.positions, fail)
  const triangles: number[] = []
  const concave: number[][] = []
  let [collapsed, large] = [0, 0]
  const add = (polygon: readonly number[], places: readonly number[]) => {
    for (let at = 0; at < places.length; at += 3) {
      const [a, b, c] = [polygon[places[at]], polygon[places[at + 1]], polygon[places[at + 2]]]
      // A polygon may come by the same vertex more than once.
      if (a === b || b === c || c === a) collapsed++
      else triangles.push(a, b, c)
    }
  }
  for (let face = 0, start = 0; face < sizes.length; start += sizes[face++]) {
    const polygon: number[] = []
    for (let at = start; at < start + sizes[face]; at++) {
      const vertex = vertexAt(corners[at], face)
      if (vertex !== polygon.at(-1)) polygon.push(vertex)
    }
    while (polygon.length > 1 && polygon[0] === polygon.at(-1)) polygon.pop()
    const places = polygon.length < 3 ? [] : fan(positions, polygon)
    if (polygon.length < 3) collapsed++
    else if (places) add(polygon, places)
    else concave.push(polygon)
    if (places) continue
    large += polygon.length > SMALL ? polygon.length : 0
    if (polygon.length > MAX_CONCAVE || large > MAX_CONCAVE_TOTAL)
      fail(`has ${polygon.length} corners in face ${face + 1}, which is not convex; triangulate it before exporting`)
  }
  if (concave.length > 0) {
    // Large, and not needed by most meshes.
    const three = await import('three')
    for (const polygon of concave) add(polygon, clipEars(positions, polygon, three))
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), collapsed }
}

/** Refuses a mesh that encloses nothing, because it would vanish from the scene without a message. */
export function requireSolid(mesh: TriangleMesh, fail: Fail): void {
  const { positions, triangles, collapsed } = mesh
  if (triangles.length === 0)
    fail(collapsed > 0 ? 'has only triangles without area; export it again' : 'has no triangles; export its faces as well')
  if (!hasVolume(positions, triangles)) fail('is in one plane, so it encloses nothing; give it a thickness')
}

/** Whether a vertex is off the plane of the others by more than rounding. */
function hasVolume(positions: Float64Array, triangles: Uint32Array): boolean {
  const at = (vertex: number) => positions.subarray(3 * vertex, 3 * vertex + 3)
  const origin = at(triangles[0])
  const minus = (a: Float64Array, scale: number) => [0, 1, 2].map(axis => (a[axis] - origin[axis]) / scale)
  let reach = 0
  for (const vertex of triangles)
    for (let axis = 0; axis < 3; axis++) reach = Math.max(reach, Math.abs(positions[3 * vertex + axis] - origin[axis]))
  // Distances overflow: sampling the mesh will refuse it.
  if (!(reach < Infinity)) return true
  let normal = [0, 0, 0]
  let size = 0
  for (let corner = 0; corner < triangles.length; corner += 3) {
    const [a, b, c] = [0, 1, 2].map(side => minus(at(triangles[corner + side]), reach))
    const [u, v] = [b.map((value, axis) => value - a[axis]), c.map((value, axis) => value - a[axis])]
    const found = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    if (Math.hypot(...found) > size) {
      normal = found
      size = Math.hypot(...found)
    }
  }
  const isOff = (vertex: number) => {
    const place = minus(at(vertex), reach)
    return Math.abs(place[0] * normal[0] + place[1] * normal[1] + place[2] * normal[2]) > 1e-9 * size
  }
  return size > 0 && triangles.some(isOff)
}

/** Vertices of which no two are equal, and the number among them of a vertex of the file; NaN and infinities are refused where a face
 *  uses them. */
function weldVertices(given: ArrayLike<number>, fail: Fail) {
  const count = Math.floor(given.length / 3)
  const positions: number[] = []
  const numbers = new Map<string, number>()
  const welded = new Int32Array(count).fill(-1)
  const vertexAt = (index: number, face: number): number => {
    if (!(Number.isInteger(index) && index >= 0 && index < count))
      fail(`uses a vertex in face ${face + 1} that does not exist: the file has ${count} vertices; export it again`)
    if (welded[index] >= 0) return welded[index]
    const [x, y, z] = [given[3 * index], given[3 * index + 1], given[3 * index + 2]]
    if (!(Number.isFinite(x) && Number.isFinite(y) && Number.isFinite(z)))
      fail(`has a coordinate in vertex ${index + 1} that is not a finite number; repair the mesh and export it again`)
    const key = `${x} ${y} ${z}`
    const known = numbers.get(key)
    if (known === undefined) {
      numbers.set(key, positions.length / 3)
      // No −0, which is equal to 0.
      positions.push(x + 0, y + 0, z + 0)
    }
    welded[index] = known ?? positions.length / 3 - 1
    return welded[index]
  }
  return { positions, vertexAt }
}

/** The sentence of a mesh that cannot be used. */
export function refuseMesh(name: string): Fail {
  return what => {
    throw new InputError(`The mesh ${name} ${what}.`)
  }
}
