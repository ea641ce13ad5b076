/** The surface where a level set is 0, as triangles: closed, every edge between exactly two triangles, whatever the values. */
import { checkNumbers, checkObject, checkWhole } from '../checks.js'
import { InputError } from '../input-error.js'
import { CUBE_EDGES, CUBE_TRIANGLES } from './cube-cases.js'

export interface SurfaceMesh {
  /** x, y, z of every vertex in metres; vertices are shared. */
  readonly positions: Float32Array
  /** Unit vectors that point outwards, likewise. */
  readonly normals: Float32Array
  /** Three vertices per triangle, anticlockwise as seen from outside. */
  readonly indices: Uint32Array
}

/** Throws an InputError that names the array unless all of them fit; the vertices of triangles are checked, too. */
export function checkSurface(value: unknown, what: string): void {
  checkObject(value, what, 'a surface from surfaceMesh')
  const { positions, normals, indices } = value as SurfaceMesh
  checkNumbers(positions, `${what}.positions`, Float32Array)
  checkWhole(positions.length / 3, `${what}.positions: its length over three`, 0)
  checkNumbers(normals, `${what}.normals`, Float32Array, positions.length, 'coordinate')
  checkTriangles(indices, positions.length / 3, `${what}.indices`)
}

export function checkTriangles(indices: Uint32Array, vertices: number, what: string): void {
  checkNumbers(indices, what, Uint32Array)
  checkWhole(indices.length / 3, `${what}: its length over three`, 0)
  const wrong = indices.findIndex(vertex => vertex >= vertices)
  if (wrong >= 0) throw new InputError(`${what}: entry ${wrong} is vertex ${indices[wrong]} of ${vertices}.`)
}

/** Samples < 0 are inside. All on the border must be outside, otherwise the surface has holes there. */
export interface LevelSetSamples {
  readonly shape: readonly [number, number, number]
  /** x first, then y, then z. */
  readonly values: Float32Array
  /** Metres of the samples along each axis. */
  readonly places: readonly [Float64Array, Float64Array, Float64Array]
}

// Vertices keep this share of an edge away from its ends: where a sample is 0 they would coincide, and triangles would degenerate.
const CROSSING_MARGIN = 1e-3

/** Caches of vertex numbers: x- and y-edges of the layer below and above a slab of cubes, and the z-edges between. */
const CACHE_OF_EDGE = CUBE_EDGES.map(({ axis, from }) => (axis === 2 ? 4 : 2 * axis + (from >> 2)))

export function isosurface(samples: LevelSetSamples): SurfaceMesh {
  const [nx, ny, nz] = samples.shape
  const layer = nx * ny
  const vertices = createVertices(samples)
  let caches = Array.from({ length: 5 }, () => new Uint32Array(layer))
  let indices = new Uint32Array(1024)
  let count = 0
  vertices.addLayer(0, caches[1], caches[3])
  for (let k = 0; k + 1 < nz; k++) {
    caches = [caches[1], caches[0], caches[3], caches[2], caches[4]]
    vertices.addLayer(k + 1, caches[1], caches[3])
    vertices.addPillars(k, caches[4])
    indices = withRoom(indices, count + CUBE_TRIANGLES.most * layer)
    count = addTriangles(samples, k, caches, indices, count)
  }
  return { ...vertices.finish(), indices: indices.slice(0, count) }
}

function addTriangles(
  { shape: [nx, ny], values }: LevelSetSamples,
  k: number,
  caches: readonly Uint32Array[],
  indices: Uint32Array,
  start: number,
): number {
  const layer = nx * ny
  const cacheOf = CACHE_OF_EDGE.map(cache => caches[cache])
  const shiftOf = CUBE_EDGES.map(({ from }) => (from & 1) + nx * ((from >> 1) & 1))
  const { starts, edges } = CUBE_TRIANGLES
  let count = start
  for (let j = 0; j + 1 < ny; j++) {
    const row = k * layer + j * nx
    let column = 0
    for (let i = 0; i < nx; i++) {
      const at = row + i
      const next =
        (values[at] < 0 ? 1 : 0) |
        (values[at + nx] < 0 ? 4 : 0) |
        (values[at + layer] < 0 ? 16 : 0) |
        (values[at + layer + nx] < 0 ? 64 : 0)
      const inside = column | (next << 1)
      column = next
      if (i === 0 || inside === 0 || inside === 255) continue
      const base = j * nx + i - 1
      for (let slot = starts[inside]; slot < starts[inside + 1]; slot++) {
        const edge = edges[slot]
        indices[count++] = cacheOf[edge][base + shiftOf[edge]]
      }
    }
  }
  return count
}

function createVertices({ shape: [nx, ny, nz], values, places }: LevelSetSamples) {
  const strides = [1, nx, nx * ny]
  const sizes = [nx, ny, nz]
  let positions = new Float32Array(3072)
  let normals = new Float32Array(3072)
  let count = 0
  /** Differences over two samples, or one at the border. */
  const difference = (at: number, axis: number, place: number) => {
    const upper = place + 1 < sizes[axis] ? strides[axis] : 0
    const lower = place > 0 ? strides[axis] : 0
    return (values[at + upper] - values[at - lower]) / (upper + lower > strides[axis] ? 2 : 1)
  }
  const place = [0, 0, 0]
  const add = (at: number, axis: number): number => {
    const here = values[at]
    const there = values[at + strides[axis]]
    const share = here / (here - there)
    // Written so that NaN, from infinities, becomes a margin as well.
    const t = share > CROSSING_MARGIN ? Math.min(share, 1 - CROSSING_MARGIN) : CROSSING_MARGIN
    let square = 0
    for (let other = 0; other < 3; other++) {
      const step = other === axis ? 1 : 0
      const from = places[other][place[other]]
      positions[3 * count + other] = step ? from + t * (places[other][place[other] + 1] - from) : from
      const slope = (1 - t) * difference(at, other, place[other]) + t * difference(at + strides[axis], other, place[other] + step)
      normals[3 * count + other] = slope
      square += slope * slope
    }
    const length = Math.sqrt(square)
    const isSteep = length > 0 && length < Number.POSITIVE_INFINITY
    for (let other = 0; other < 3; other++) {
      const along = other === axis ? (here < 0 ? 1 : -1) : 0
      normals[3 * count + other] = isSteep ? normals[3 * count + other] / length : along
    }
    return count++
  }
  const reserve = () => {
    positions = withRoom(positions, 3 * (count + 2 * nx * ny))
    normals = withRoom(normals, 3 * (count + 2 * nx * ny))
  }
  return {
    /** Of the x- and y-edges in layer k. */
    addLayer(k: number, alongX: Uint32Array, alongY: Uint32Array) {
      reserve()
      place[2] = k
      for (let j = 0, slot = 0, at = k * nx * ny; j < ny; j++) {
        place[1] = j
        for (let i = 0; i < nx; i++, slot++, at++) {
          place[0] = i
          const isInside = values[at] < 0
          if (i + 1 < nx && values[at + 1] < 0 !== isInside) alongX[slot] = add(at, 0)
          if (j + 1 < ny && values[at + nx] < 0 !== isInside) alongY[slot] = add(at, 1)
        }
      }
    },
    /** Of the z-edges from layer k to the next. */
    addPillars(k: number, alongZ: Uint32Array) {
      reserve()
      place[2] = k
      for (let j = 0, slot = 0, at = k * nx * ny; j < ny; j++) {
        place[1] = j
        for (let i = 0; i < nx; i++, slot++, at++) {
          place[0] = i
          if (values[at] < 0 !== values[at + nx * ny] < 0) alongZ[slot] = add(at, 2)
        }
      }
    },
    finish: () => ({ positions: positions.slice(0, 3 * count), normals: normals.slice(0, 3 * count) }),
  }
}

/** The same array where it is long enough, else a longer one with its values. */
function withRoom<T extends Float32Array | Uint32Array>(array: T, length: number): T {
  if (array.length >= length) return array
  const longer = new (array.constructor as new (length: number) => T)(Math.max(length, 2 * array.length))
  longer.set(array)
  return longer
}
