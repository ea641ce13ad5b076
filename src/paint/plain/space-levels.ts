/** The level sets of a 3D frame as rays read them: in cells, anywhere in the grid. */
import { nodeShape } from '../../grid/grid.js'
import type { Frame } from '../../liquid/frame.js'
import { continuedLiquid } from '../continued-liquid.js'
import { MAX_LEVEL, NORMAL_REACH, UNIT_SLOPE } from '../rendering-constants.js'
import { add, length, scale, type Vector } from '../vector.js'

export interface SpaceLevels {
  readonly shape: Vector
  readonly hasLiquid: boolean
  readonly hasSolid: boolean
  /** Signed distances in cells, < 0 inside. Liquid is continued into solids from their walls. */
  readonly liquidAt: (place: Vector) => number
  readonly solidAt: (place: Vector) => number
  /** Cells to the surface of liquid where its level set is no distance, as between walls and particles: less than its value if it is flat. */
  readonly depthAt: (place: Vector) => number
  /** Out of the liquid, of length 1. */
  readonly outOfLiquid: (place: Vector) => Vector
  readonly outOfSolid: (place: Vector) => Vector
}

export function spaceLevels(frame: Frame): SpaceLevels {
  const { grid } = frame
  const solid = frame.solid.map(phi => inCells(phi, grid.spacing))
  const given = frame.liquid.map(phi => inCells(phi, grid.spacing))
  const hasSolid = solid.some(phi => phi < 0)
  const inUnits = { ...frame, grid: { ...grid, spacing: 1 }, liquid: given, solid }
  const liquid = hasSolid ? continuedLiquid(inUnits) : given
  const solidAt = between(solid, nodeShape(grid))
  const betweenCells = between(liquid, grid.shape)
  const slopes = [0, 1, 2].map(axis => between(slopesAlong(liquid, grid.shape, axis), grid.shape))
  const fromCorner = (place: Vector): Vector => [place[0] - 0.5, place[1] - 0.5, place[2] - 0.5]
  return {
    shape: grid.shape,
    hasLiquid: given.some(phi => phi < 0),
    hasSolid,
    liquidAt: place => betweenCells(fromCorner(place)),
    solidAt,
    depthAt(place) {
      const at = fromCorner(place)
      const steep = length([slopes[0](at), slopes[1](at), slopes[2](at)]) / UNIT_SLOPE
      return betweenCells(at) / Math.max(Math.min(steep, 1), 0.05)
    },
    outOfLiquid(place) {
      const at = fromCorner(place)
      return direction([slopes[0](at), slopes[1](at), slopes[2](at)])
    },
    outOfSolid(place) {
      // The corners of a tetrahedron are enough.
      const [a, b, c, d] = CUBE_CORNERS.map(corner => solidAt(add(place, scale(corner, NORMAL_REACH))))
      return direction([a + b - c - d, a - b + c - d, a - b - c + d])
    },
  }
}

const CUBE_CORNERS: readonly Vector[] = [
  [1, 1, 1],
  [1, -1, -1],
  [-1, 1, -1],
  [-1, -1, 1],
]

function inCells(phi: number, spacing: number): number {
  const cells = phi / spacing
  return cells < MAX_LEVEL ? Math.max(cells, -MAX_LEVEL) : MAX_LEVEL
}

/** Of length 1. Where a level set is flat any direction will do, but not none. */
function direction(slope: Vector): Vector {
  const steep = length(slope)
  return steep > 1e-9 ? scale(slope, 1 / steep) : [0, 1, 0]
}

/** Linear between the points of a lattice, the first of which is the origin; beyond the lattice as on its border. */
function between(values: Float32Array, shape: Vector): (place: Vector) => number {
  const [nx, ny] = shape
  const steps = [1, nx, nx * ny].map((step, axis) => (shape[axis] > 1 ? step : 0))
  return place => {
    let corner = 0
    const share = [0, 0, 0]
    for (let axis = 0; axis < 3; axis++) {
      const at = Math.min(Math.max(place[axis], 0), shape[axis] - 1)
      const lower = Math.min(Math.floor(at), Math.max(shape[axis] - 2, 0))
      corner += lower * steps[axis]
      share[axis] = at - lower
    }
    const row = (at: number) => values[at] + share[0] * (values[at + steps[0]] - values[at])
    const plane = (at: number) => row(at) + share[1] * (row(at + steps[1]) - row(at))
    return plane(corner) + share[2] * (plane(corner + steps[2]) - plane(corner))
  }
}

/** Differences over two cells along one axis, smoothed across with weights 1, 2, 1; beyond the grid values go on as on its border. */
function slopesAlong(values: Float32Array, shape: Vector, along: number): Float32Array {
  const steps = [1, shape[0], shape[0] * shape[1]]
  let from = values
  for (let axis = 0; axis < 3; axis++) {
    const to = new Float32Array(values.length)
    for (let cell = 0; cell < to.length; cell++) {
      const at = Math.floor(cell / steps[axis]) % shape[axis]
      const before = from[at > 0 ? cell - steps[axis] : cell]
      const behind = from[at < shape[axis] - 1 ? cell + steps[axis] : cell]
      to[cell] = axis === along ? behind - before : before + 2 * from[cell] + behind
    }
    from = to
  }
  return from
}
