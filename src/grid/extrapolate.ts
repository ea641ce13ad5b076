/** Continues face values beyond where they are known, layer by layer: velocity into air, a solid's velocity into the liquid
 *  around it. Every layer reads only earlier ones, so the result does not depend on the order of faces. */
import { checkList, checkNumber, checkNumbers } from '../checks.js'
import { AXES, type Axis, checkGrid, faceShape, type Grid } from './grid.js'
import { checkFaces, type FaceField } from './staggered.js'

export type FaceMask = readonly [Uint8Array, Uint8Array, Uint8Array]

const UNKNOWN_LAYER = 255
/** Layers are numbered in bytes. */
export const MAX_LAYERS = 254

/** Changes `values` in place: faces whose `known` is 0 get the mean of the neighbours known one layer earlier. Faces further
 *  than `layers` from any known one keep their value. Faces are neighbours of faces normal to the same axis. */
export function extrapolate(grid: Grid, values: FaceField, known: FaceMask, layers: number): void {
  checkGrid(grid, 'extrapolate: the grid')
  checkFaces(grid, values, 'extrapolate: the values')
  checkList(known, 'extrapolate: known')
  for (const axis of AXES) checkNumbers(known[axis], `extrapolate: known[${axis}]`, Uint8Array, values[axis].length, 'face')
  if (layers !== Infinity) checkNumber(layers, 'extrapolate: the number of layers')
  const count = Math.min(MAX_LAYERS, Math.max(0, Math.floor(layers)))
  for (const axis of AXES) extrapolateAxis(faceShape(grid, axis), values[axis], known[axis], count)
}

function extrapolateAxis(
  shape: readonly [number, number, number],
  values: Float64Array,
  known: Uint8Array,
  layers: number,
): void {
  const layerOf = Uint8Array.from(known, flag => (flag ? 0 : UNKNOWN_LAYER))
  let frontier = neighboursToFill(shape, layerOf, layerOf.keys(), 0)
  for (let layer = 1; layer <= layers && frontier.length > 0; layer++) {
    for (const face of frontier) {
      let sum = 0
      let count = 0
      forNeighbours(shape, face, neighbour => {
        if (layerOf[neighbour] >= layer) return
        sum += values[neighbour]
        count++
      })
      values[face] = sum / count
    }
    // Marked only now: faces of one layer must not use each other.
    for (const face of frontier) layerOf[face] = layer
    frontier = neighboursToFill(shape, layerOf, frontier, layer)
  }
}

/** Unknown faces next to faces of `layer`, each once, ascending. */
function neighboursToFill(
  shape: readonly [number, number, number],
  layerOf: Uint8Array,
  candidates: Iterable<number>,
  layer: number,
): Int32Array {
  const found = new Set<number>()
  for (const face of candidates) {
    if (layerOf[face] !== layer) continue
    forNeighbours(shape, face, neighbour => {
      if (layerOf[neighbour] === UNKNOWN_LAYER) found.add(neighbour)
    })
  }
  return Int32Array.from(found).sort()
}

function forNeighbours([nx, ny, nz]: readonly [number, number, number], at: number, visit: (neighbour: number) => void): void {
  const i = at % nx
  const j = Math.floor(at / nx) % ny
  const k = Math.floor(at / (nx * ny))
  if (i > 0) visit(at - 1)
  if (i < nx - 1) visit(at + 1)
  if (j > 0) visit(at - nx)
  if (j < ny - 1) visit(at + nx)
  if (k > 0) visit(at - nx * ny)
  if (k < nz - 1) visit(at + nx * ny)
}

export function createFaceMask(grid: Grid): FaceMask {
  checkGrid(grid, 'createFaceMask: the grid')
  const create = (axis: Axis) => {
    const [nx, ny, nz] = faceShape(grid, axis)
    return new Uint8Array(nx * ny * nz)
  }
  return [create(0), create(1), create(2)]
}
