/** Faults of a mesh and their places, to repair it in a modeller: in the coordinates of the file. */
import { checkNumber, checkText, listOf, objectWith } from '../../checks.js'
import { counted as some } from '../../counted.js'
import { checkMesh, meshBounds, type TriangleMesh } from '../mesh.js'
import { checkMeshes, meshesOf } from '../prepare.js'
import type { Scene, SceneInput } from '../schema.js'
import { validateScene } from '../validate.js'
import { areaNormal } from './triangle.js'

export type MeshPlace = readonly [number, number, number]

export interface MeshReport {
  readonly name: string
  readonly triangles: number
  readonly vertices: number
  /** Lower and upper corner. */
  readonly bounds: readonly [MeshPlace, MeshPlace]
  /** Every edge has two triangles. */
  readonly isClosed: boolean
  /** Edges with one triangle, gathered into the holes they surround. */
  readonly holes: readonly { readonly edges: number; readonly at: MeshPlace }[]
  /** Edges with more than two triangles. */
  readonly crowdedEdges: Findings
  /** Edges whose two triangles are seen from different sides. */
  readonly flippedEdges: Findings
  /** All triangles are seen from inside. */
  readonly isInsideOut: boolean
  /** Without area, or using a vertex twice. */
  readonly degenerateTriangles: number
  /** Triangles whose solid is thinner than a cell behind them. */
  readonly thin: Findings & { readonly thinnest?: number }
  /** One message each; empty for a mesh without faults. */
  readonly warnings: readonly string[]
}

export interface Findings {
  readonly count: number
  /** Some of them. */
  readonly at: readonly MeshPlace[]
}

const MAX_PLACES = 5
const MAX_RAYS = 20_000

/** Of all meshes of a scene, each at the coarsest spacing at which the scene uses it. `meshes` by the names that the scene gives them. */
export async function inspectMeshes(
  scene: Scene | SceneInput,
  meshes: ReadonlyMap<string, TriangleMesh> = new Map(),
): Promise<MeshReport[]> {
  checkMeshes(meshes)
  const reports: MeshReport[] = []
  for (const [name, spacings] of meshesOf(validateScene(scene, 'The scene', (scene as Scene | undefined)?.solver))) {
    const mesh = meshes.get(name)
    if (mesh) reports.push(await inspectMesh(mesh, Math.max(...spacings), name))
  }
  return reports
}

/** The faults in reports, one message each. */
export function meshWarnings(reports: readonly MeshReport[]): string[] {
  listOf(objectWith({ name: checkText, warnings: listOf(checkText) }))(reports, 'meshWarnings: the reports')
  return reports.flatMap(({ name, warnings }) => warnings.map(warning => `The mesh ${name}: ${warning}`))
}

/** `spacing`: edge of a cell in the units of the mesh. */
export async function inspectMesh(mesh: TriangleMesh, spacing: number, name: string): Promise<MeshReport> {
  checkMesh(mesh, 'inspectMesh: the mesh')
  checkNumber(spacing, 'inspectMesh: the spacing', Number.MIN_VALUE)
  checkText(name, 'inspectMesh: the name')
  const { positions, triangles } = mesh
  const edges = collectEdges(triangles)
  const middle = (key: number): MeshPlace => middleOf(positions, Math.floor(key / EDGE_KEY), key % EDGE_KEY)
  const found = (keys: readonly number[]): Findings => ({ count: keys.length, at: keys.slice(0, MAX_PLACES).map(middle) })
  const select = (test: (forward: number, backward: number) => boolean) =>
    [...edges].filter(([, [forward, backward]]) => test(forward, backward)).map(([key]) => key)
  const open = select((forward, backward) => forward + backward === 1)
  const flipped = select((forward, backward) => forward + backward === 2 && forward !== 1)
  const [low, high] = meshBounds(mesh)
  const isInsideOut = open.length === 0 && flipped.length === 0 && signedVolume(mesh) < 0
  const report = {
    name,
    triangles: triangles.length / 3,
    vertices: positions.length / 3,
    bounds: [toPlace(low), toPlace(high)] as const,
    isClosed: open.length === 0,
    holes: gatherHoles(positions, open),
    crowdedEdges: found(select((forward, backward) => forward + backward > 2)),
    flippedEdges: found(flipped),
    isInsideOut,
    degenerateTriangles: mesh.collapsed + countSlivers(mesh),
    thin: await findThinParts(mesh, spacing, isInsideOut),
  }
  return { ...report, warnings: warn(report) }
}

/** Both vertices of an edge in one number. */
const EDGE_KEY = 2 ** 26

/** How many triangles run along an edge from its lower vertex to its higher one, and back. */
function collectEdges(triangles: Uint32Array): Map<number, [number, number]> {
  const edges = new Map<number, [number, number]>()
  for (let at = 0; at < triangles.length; at += 3)
    for (let side = 0; side < 3; side++) {
      const [a, b] = [triangles[at + side], triangles[at + ((side + 1) % 3)]]
      const key = Math.min(a, b) * EDGE_KEY + Math.max(a, b)
      let counts = edges.get(key)
      if (!counts) {
        counts = [0, 0]
        edges.set(key, counts)
      }
      counts[a < b ? 0 : 1]++
    }
  return edges
}

/** Open edges that hang together are the rim of one hole, whose place is their middle; largest first. */
function gatherHoles(positions: Float64Array, open: readonly number[]): { edges: number; at: MeshPlace }[] {
  const parent = new Map<number, number>()
  const find = (vertex: number): number => {
    let root = vertex
    while (parent.get(root) !== undefined && parent.get(root) !== root) root = parent.get(root)!
    parent.set(vertex, root)
    return root
  }
  for (const key of open) parent.set(find(Math.floor(key / EDGE_KEY)), find(key % EDGE_KEY))
  const holes = new Map<number, { edges: number; sum: [number, number, number] }>()
  for (const key of open) {
    const root = find(key % EDGE_KEY)
    const hole = holes.get(root) ?? { edges: 0, sum: [0, 0, 0] }
    const place = middleOf(positions, Math.floor(key / EDGE_KEY), key % EDGE_KEY)
    hole.edges++
    for (let axis = 0; axis < 3; axis++) hole.sum[axis] += place[axis]
    holes.set(root, hole)
  }
  return [...holes.values()]
    .map(({ edges, sum }) => ({ edges, at: toPlace(sum.map(value => value / edges)) }))
    .sort((a, b) => b.edges - a.edges)
}

function signedVolume({ positions, triangles }: TriangleMesh): number {
  let volume = 0
  for (let at = 0; at < triangles.length; at += 3) {
    const a = 3 * triangles[at]
    const normal = areaNormal(positions, a, 3 * triangles[at + 1], 3 * triangles[at + 2])
    volume += (positions[a] * normal[0] + positions[a + 1] * normal[1] + positions[a + 2] * normal[2]) / 6
  }
  return volume
}

/** Triangles whose area is nothing beside the square of their longest edge. */
function countSlivers({ positions, triangles }: TriangleMesh): number {
  let slivers = 0
  for (let at = 0; at < triangles.length; at += 3) {
    const corners = [3 * triangles[at], 3 * triangles[at + 1], 3 * triangles[at + 2]]
    const area = Math.hypot(...areaNormal(positions, corners[0], corners[1], corners[2]))
    const edge = (a: number, b: number) =>
      Math.hypot(positions[a] - positions[b], positions[a + 1] - positions[b + 1], positions[a + 2] - positions[b + 2])
    const longest = Math.max(edge(corners[0], corners[1]), edge(corners[1], corners[2]), edge(corners[2], corners[0]))
    if (area <= 1e-10 * longest * longest) slivers++
  }
  return slivers
}

/** Looks from the middle of triangles straight into the solid: what is less than a cell away is the other side of something thin. */
async function findThinParts(mesh: TriangleMesh, spacing: number, isInsideOut: boolean): Promise<MeshReport['thin']> {
  const { BufferAttribute, BufferGeometry, DoubleSide, Ray, Vector3 } = await import('three')
  const { MeshBVH } = await import('three-mesh-bvh')
  const { positions, triangles } = mesh
  const geometry = new BufferGeometry()
  geometry.setAttribute('position', new BufferAttribute(positions, 3))
  geometry.setIndex(new BufferAttribute(triangles.slice(), 1))
  const tree = new MeshBVH(geometry, { indirect: true })
  const places: MeshPlace[] = []
  let [count, thinnest] = [0, Infinity]
  const step = 3 * Math.ceil(triangles.length / 3 / MAX_RAYS)
  for (let at = 0; at < triangles.length; at += step) {
    const corners = [3 * triangles[at], 3 * triangles[at + 1], 3 * triangles[at + 2]]
    const normal = new Vector3(...areaNormal(positions, corners[0], corners[1], corners[2]))
    if (!(normal.length() > 0)) continue
    normal.normalize().multiplyScalar(isInsideOut ? 1 : -1)
    const middle = [0, 1, 2].map(axis => corners.reduce((sum, corner) => sum + positions[corner + axis], 0) / 3)
    // A little behind the triangle, so that it does not meet itself.
    const start = new Vector3(...toPlace(middle)).addScaledVector(normal, 1e-4 * spacing)
    const hit = tree.raycastFirst(new Ray(start, normal), DoubleSide, 0, spacing)
    if (!hit) continue
    count++
    thinnest = Math.min(thinnest, hit.distance)
    const isApart = places.every(place => Math.hypot(...place.map((value, axis) => value - middle[axis])) > 4 * spacing)
    if (isApart && places.length < MAX_PLACES) places.push(toPlace(middle))
  }
  return count === 0 ? { count, at: places } : { count, at: places, thinnest }
}

function warn(report: Omit<MeshReport, 'warnings'>): string[] {
  const { holes, crowdedEdges, flippedEdges, degenerateTriangles, thin } = report
  const warnings: string[] = []
  if (holes.length > 0)
    warnings.push(
      `It is not closed: ${some(holes.length, 'hole')}, near ${list(holes.map(({ at }) => at))}; inside and outside are estimated by a vote of rays.`,
    )
  if (crowdedEdges.count > 0)
    warnings.push(`More than two triangles meet at ${some(crowdedEdges.count, 'edge')}, near ${list(crowdedEdges.at)}.`)
  if (flippedEdges.count > 0)
    warnings.push(
      `Triangles on both sides of ${some(flippedEdges.count, 'edge')} have opposite orientations, near ${list(flippedEdges.at)}.`,
    )
  if (degenerateTriangles > 0) warnings.push(`${some(degenerateTriangles, 'triangle')} without area.`)
  if (thin.count > 0)
    warnings.push(
      `It is thinner than a cell near ${list(thin.at)}: liquid leaks through there; raise the resolution or thicken it.`,
    )
  return warnings
}

const list = (places: readonly MeshPlace[]) =>
  places
    .slice(0, MAX_PLACES)
    .map(place => `(${place.map(value => Number(value.toPrecision(4))).join(', ')})`)
    .join(', ')

function middleOf(positions: Float64Array, a: number, b: number): MeshPlace {
  const at = (axis: number) => 0.5 * (positions[3 * a + axis] + positions[3 * b + axis])
  return [at(0), at(1), at(2)]
}

function toPlace([x, y, z]: readonly number[]): MeshPlace {
  return [x, y, z]
}
