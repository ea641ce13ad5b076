/** A mesh file that is dropped on the page: read, checked, and placed in the middle of the domain. */
import { InputError, inspectMesh, type MeshShape, parseMesh, type SceneInput, shapeGeometry, type TriangleMesh } from 'peel'

/** Initial size of a mesh, as a share of the domain. */
const SHARE = 0.5
const MAX_MESH_BYTES = 50_000_000

export interface PlacedMesh {
  readonly shape: MeshShape
  readonly mesh: TriangleMesh
  /** One sentence each: what it is, then what is wrong with it. */
  readonly report: readonly string[]
}

/** Limit of what a page can handle. */
export async function readMesh(bytes: Uint8Array, name: string): Promise<TriangleMesh> {
  if (bytes.length > MAX_MESH_BYTES)
    throw new InputError(`The mesh ${name} has ${Math.round(bytes.length / 1e6)} MB; use one below ${MAX_MESH_BYTES / 1e6} MB.`)
  return parseMesh(bytes, name)
}

/** `resolution`: cells along the longest side, as the page will simulate it. */
export async function placeMesh(bytes: Uint8Array, name: string, scene: SceneInput, resolution: number): Promise<PlacedMesh> {
  const { size } = scene.domain
  if (size.length === 2)
    throw new InputError(`The mesh ${name} needs a 3D scene, and this one is 2D; choose a 3D scene and drop it there.`)
  const mesh = await readMesh(bytes, name)
  const shape = fitMesh(mesh, name, size)
  const spacing = Math.max(...size) / resolution
  const found = await inspectMesh(mesh, spacing / shape.scale, name)
  const about = `${name}: ${found.triangles} triangles, ${found.isClosed ? 'closed' : 'not closed'}.`
  return { shape, mesh, report: [about, ...found.warnings] }
}

/** In the middle, with `SHARE` of the room that the domain has along the tightest axis. */
export function fitMesh(mesh: TriangleMesh, name: string, size: readonly number[]) {
  const { low, high } = shapeGeometry({ mesh: name }, new Map([[name, mesh]]))
  const lengths = [0, 1, 2].map(axis => high[axis] - low[axis])
  if (!(Math.max(...lengths) > 0)) throw new InputError(`The mesh ${name} is a single point; use one with a volume.`)
  const scale = SHARE * Math.min(...lengths.map((length, axis) => size[axis] / length))
  const pivot = [0, 1, 2].map(axis => 0.5 * (low[axis] + high[axis]))
  return { mesh: name, scale, pivot, translate: pivot.map((middle, axis) => 0.5 * size[axis] - middle) }
}

/** A name that no mesh of the scene has yet. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  const [, stem, ending] = /^(.*?)(\.[^.]*)?$/.exec(name)!
  for (let number = 2; ; number++) {
    const free = taken.has(name) ? `${stem}-${number}${ending ?? ''}` : name
    if (!taken.has(free)) return free
  }
}
