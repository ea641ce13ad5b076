/** Changes of a scene by the editor: shapes added, cut away, moved, sized, removed. Every change is a new scene; none changes
 *  the old one, so undo only keeps old scenes. */
import { type SceneInput, type Shape, type ShapeGeometry, shapeGeometry, type TriangleMesh } from 'peel'

export const MATERIALS = ['liquid', 'solids'] as const
export type Material = (typeof MATERIALS)[number]

/** Metres, as many as the scene has dimensions. */
export type Place = readonly number[]

/** A shape of a scene: its list and index. */
export interface Part {
  readonly material: Material
  readonly at: number
}

export type Meshes = ReadonlyMap<string, TriangleMesh>

type Entry = Shape & Record<string, unknown>

export function partsOf(scene: SceneInput): Part[] {
  return MATERIALS.flatMap(material => entriesOf(scene, material).map((_, at) => ({ material, at })))
}

export function entryOf(scene: SceneInput, { material, at }: Part): Entry {
  return entriesOf(scene, material)[at]
}

export function addShape(scene: SceneInput, material: Material, shape: Shape): SceneInput {
  return withEntries(scene, material, [...entriesOf(scene, material), shape as Entry])
}

export function replaceShape(scene: SceneInput, part: Part, shape: Shape): SceneInput {
  const entries = entriesOf(scene, part.material).map((entry, at) => (at === part.at ? (shape as Entry) : entry))
  return withEntries(scene, part.material, entries)
}

export function removeShape(scene: SceneInput, part: Part): SceneInput {
  return withEntries(
    scene,
    part.material,
    entriesOf(scene, part.material).filter((_, at) => at !== part.at),
  )
}

/** No liquid, no solids, no sources, no drains. */
export function clearScene(scene: SceneInput): SceneInput {
  return { ...scene, liquid: [], solids: [], sources: [], drains: [] }
}

/** Subtracts a shape from all liquid and all solids that it touches. */
export function cutAway(scene: SceneInput, cutter: Shape): SceneInput {
  let cut = scene
  for (const material of MATERIALS) {
    const entries = entriesOf(scene, material)
    if (!entries.some(entry => overlaps(entry, cutter))) continue
    const left = entries.map(entry => (overlaps(entry, cutter) ? without(entry, cutter) : entry))
    cut = withEntries(cut, material, left)
  }
  return cut
}

/** The last shape that contains a place; solids first, because they displace liquid. */
export function partAt(scene: SceneInput, place: Place, meshes?: Meshes): Part | undefined {
  return firstAt(placedParts(scene, meshes), place)
}

/** The first part that a ray meets within the domain, as far as `reach`; like `partAt` where several are. */
export function partAlong(scene: SceneInput, from: Place, direction: Place, reach: number, meshes?: Meshes): Part | undefined {
  const steps = 400
  const [sx, sy, sz] = scene.domain.size
  const parts = placedParts(scene, meshes)
  for (let n = 0; n <= steps; n++) {
    const [x, y, z] = from.map((value, axis) => value + (direction[axis] * reach * n) / steps)
    if (x < 0 || y < 0 || z < 0 || x > sx || y > sy || z > sz) continue
    const part = firstAt(parts, [x, y, z])
    if (part) return part
  }
  return undefined
}

interface PlacedPart {
  readonly part: Part
  readonly geometry: ShapeGeometry
}

/** In the order in which they are hit: front ones first. */
function placedParts(scene: SceneInput, meshes?: Meshes): PlacedPart[] {
  return (['solids', 'liquid'] as const).flatMap(material =>
    entriesOf(scene, material)
      .map((entry, at) => ({ part: { material, at }, geometry: shapeGeometry(entry, meshes) }))
      .reverse(),
  )
}

function firstAt(parts: readonly PlacedPart[], [x, y, z = 0]: Place): Part | undefined {
  return parts.find(({ geometry }) => geometry.distance(x, y, z) < 0)?.part
}

/** Moves a shape, whatever it is made of. */
export function moveShape<S extends Shape>(shape: S, way: Place): S {
  const moved = (place: Place) => place.map((value, axis) => value + way[axis])
  if (!isPlaced(shape)) {
    if (shape.shape === 'sphere') return { ...shape, centre: moved(shape.centre) }
    if (shape.shape === 'box') return { ...shape, min: moved(shape.min), max: moved(shape.max) }
  }
  return { ...shape, translate: moved(shape.translate ?? way.map(() => 0)) }
}

export interface Extent {
  readonly centre: Place
  readonly size: Place
}

/** The box around a shape; undefined for shapes without end. */
export function extentOf(shape: Shape, dims: 2 | 3, meshes?: Meshes): Extent | undefined {
  const { low, high } = shapeGeometry(shape, meshes)
  const axes = dims === 2 ? [0, 1] : [0, 1, 2]
  if (axes.some(axis => !Number.isFinite(low[axis]) || !Number.isFinite(high[axis]))) return undefined
  return { centre: axes.map(axis => 0.5 * (low[axis] + high[axis])), size: axes.map(axis => high[axis] - low[axis]) }
}

/** How many lengths of a shape can be set: of a box all, of others one, which scales them. */
export function lengthsOf(shape: Shape, dims: 2 | 3): number {
  return shape.shape === 'box' && !isPlaced(shape) ? dims : 1
}

export interface Sizing {
  readonly dims: 2 | 3
  readonly axis: number
  /** Along that axis; `least` if that is longer. */
  readonly length: number
  readonly least: number
  readonly meshes?: Meshes
}

/** About its middle; all but boxes keep their proportions. */
export function sizeShape<S extends Shape>(shape: S, { dims, axis, length, least, meshes }: Sizing): S {
  const extent = extentOf(shape, dims, meshes)
  if (!extent) return shape
  const wanted = Math.max(length, least)
  if (shape.shape === 'box' && !isPlaced(shape)) {
    const corner = (from: Place, sign: 1 | -1) =>
      from.map((value, at) => (at === axis ? extent.centre[at] + 0.5 * sign * wanted : value))
    return { ...shape, min: corner(shape.min, -1), max: corner(shape.max, 1) }
  }
  const factor = wanted / extent.size[axis]
  if (shape.shape === 'sphere' && !isPlaced(shape)) return { ...shape, radius: shape.radius * factor }
  const scaled = { ...shape, scale: (shape.scale ?? 1) * factor }
  const now = extentOf(scaled, dims, meshes)
  return now
    ? moveShape(
        scaled,
        extent.centre.map((value, at) => value - now.centre[at]),
      )
    : shape
}

/** A stroke of the brush: all points within a radius of its line. */
export function strokeShape(line: readonly Place[], radius: number): Shape {
  const points = thinOut(line, 0.25 * radius)
  const parts = points.slice(1).map((to, at): Shape => ({ shape: 'capsule', from: points[at], to, radius }))
  if (parts.length === 0) return { shape: 'sphere', centre: points[0], radius }
  return parts.length === 1 ? parts[0] : { shape: 'union', of: parts }
}

/** Fewer points, none of the omitted ones farther than `tolerance` from the line (Douglas and Peucker 1973). */
export function thinOut(line: readonly Place[], tolerance: number): readonly Place[] {
  if (line.length <= 2) return line.length === 2 && distance(line[0], line[1]) === 0 ? [line[0]] : line
  let [farthest, at] = [0, 0]
  for (let n = 1; n < line.length - 1; n++) {
    const away = distanceToSegment(line[n], line[0], line[line.length - 1])
    if (away > farthest) [farthest, at] = [away, n]
  }
  if (farthest <= tolerance) return thinOut([line[0], line[line.length - 1]], tolerance)
  return [...thinOut(line.slice(0, at + 1), tolerance).slice(0, -1), ...thinOut(line.slice(at), tolerance)]
}

/** A box from one corner to the opposite one; undefined where it would be thinner than `least`. */
export function boxBetween(a: Place, b: Place, least: number): Shape | undefined {
  if (a.some((value, axis) => Math.abs(value - b[axis]) < least)) return undefined
  return {
    shape: 'box',
    min: a.map((value, axis) => Math.min(value, b[axis])),
    max: a.map((value, axis) => Math.max(value, b[axis])),
  }
}

export function ballBetween(centre: Place, rim: Place, least: number): Shape | undefined {
  const radius = distance(centre, rim)
  return radius < 0.5 * least ? undefined : { shape: 'sphere', centre, radius }
}

function entriesOf(scene: SceneInput, material: Material): readonly Entry[] {
  return (scene[material] ?? []) as unknown as readonly Entry[]
}

function withEntries(scene: SceneInput, material: Material, entries: readonly Entry[]): SceneInput {
  return { ...scene, [material]: entries } as SceneInput
}

/** Keys that shapes within shapes do not have. */
const OWN_KEYS = ['velocity', 'spin', 'name', 'walls', 'adhesion', 'friction', 'motion']

function without(entry: Entry, cutter: Shape): Entry {
  if (entry.shape === 'difference' && !isPlaced(entry)) return { ...entry, of: [...entry.of, cutter] } as Entry
  const split = (own: boolean) => Object.fromEntries(Object.entries(entry).filter(([key]) => OWN_KEYS.includes(key) === own))
  return { ...split(true), shape: 'difference', of: [split(false) as unknown as Shape, cutter] } as Entry
}

/** Of their boxes. */
function overlaps(a: Shape, b: Shape): boolean {
  const { low: lowA, high: highA } = shapeGeometry(a)
  const { low: lowB, high: highB } = shapeGeometry(b)
  return [0, 1, 2].every(axis => lowA[axis] <= highB[axis] && lowB[axis] <= highA[axis])
}

function isPlaced(shape: Shape): boolean {
  return ['scale', 'rotate', 'pivot', 'translate'].some(key => key in shape)
}

function distance(a: Place, b: Place): number {
  return Math.hypot(...a.map((value, axis) => value - b[axis]))
}

function distanceToSegment(point: Place, from: Place, to: Place): number {
  const way = to.map((value, axis) => value - from[axis])
  const square = way.reduce((sum, value) => sum + value * value, 0)
  const along = square === 0 ? 0 : point.reduce((sum, value, axis) => sum + (value - from[axis]) * way[axis], 0) / square
  const s = Math.min(1, Math.max(0, along))
  return distance(
    point,
    from.map((value, axis) => value + s * way[axis]),
  )
}
