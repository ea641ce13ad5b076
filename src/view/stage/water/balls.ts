/** The surface of liquid as balls, one for every particle near the surface or a wall. They are moved inwards until they only
 *  touch it, so that the balls together end where the level sets do, however uneven the particles. At walls far below the
 *  surface, where particles are sparse, balls are added, or the wall would look dry. */
import { Box3, type BufferGeometry } from 'three'
import type { Frame } from '../../../liquid/frame.js'
import { createPointBuffer } from '../objects/point-buffer.js'
import { DEEP_DISTANCE, type DeepCells } from './deep-cells.js'
import { between, findBehind, findNodalSlope, findSlope, type ScalarLattice } from './slopes.js'

/** Cells. */
export const BALL_RADIUS = 0.62
/** Largest move away from one side, cells. */
const MAX_MOVE = 0.6

/** Balls along each axis in cells at walls with few particles. */
const BARE = 2
/** Smallest distance from a solid, cells, so that none of these balls is inside it. From there to DEEP_DISTANCE it is as far as from
 *  one ball to the next. */
const AWAY = 0.2

export interface WaterBalls {
  /** With attributes "position" of the middle, m, and "outward": the normal of the surface or wall that is touched, of length
   *  1, or shorter if the ball is visible from behind as well. */
  readonly geometry: BufferGeometry
  /** All balls are in it. */
  readonly bounds: Box3
  update(frame: Frame, cells: DeepCells): void
}

export function createWaterBalls(): WaterBalls {
  const buffer = createPointBuffer({ position: { size: 3 }, outward: { size: 4, isByte: true } })
  const bare = new Float32Array(3 * BARE ** 3)
  const bounds = new Box3()
  return {
    geometry: buffer.geometry,
    bounds,
    update(frame, cells) {
      const { position } = frame.particles!
      const { isDeep, bareCells, runs } = cells
      const into = buffer.begin(position.length / 3 + bareCells.length * BARE ** 3)
      const add = createBallMaker(frame, cells, into.position as Float32Array, into.outward as Int8Array)
      let count = 0
      for (let run = 0; run < runs.count; run++)
        if (isDeep[runs.cell[run]] === 0)
          count = add(count, runs.cell[run], position, runs.start[run], runs.start[run + 1], false)
      for (const cell of bareCells) {
        placeEvenly(frame, cell, bare)
        count = add(count, cell, bare, 0, BARE ** 3, true)
      }
      buffer.end(count)
      findBounds(into.position as Float32Array, count, bounds)
      bounds.expandByScalar(BALL_RADIUS * frame.grid.spacing)
    },
  }
}

function findBounds(position: Float32Array, count: number, { min, max }: Box3): void {
  min.setScalar(Infinity)
  max.setScalar(-Infinity)
  for (let at = 0; at < 3 * count; at += 3) {
    const x = position[at]
    const y = position[at + 1]
    const z = position[at + 2]
    if (x < min.x) min.x = x
    if (x > max.x) max.x = x
    if (y < min.y) min.y = y
    if (y > max.y) max.y = y
    if (z < min.z) min.z = z
    if (z > max.z) max.z = z
  }
}

/** Evenly spaced positions in a cell, relative to its corner, in cells. */
const EVENLY = Float64Array.from(
  { length: 3 * BARE ** 3 },
  (_, at) => ((Math.floor(at / 3 / BARE ** (at % 3)) % BARE) + 0.5) / BARE,
)

function placeEvenly({ grid }: Frame, cell: number, into: Float32Array): void {
  const nx = grid.shape[0]
  const ny = grid.shape[1]
  const row = Math.floor(cell / nx)
  const i = cell - nx * row
  const k = Math.floor(row / ny)
  const j = row - ny * k
  for (let at = 0; at < EVENLY.length; at += 3) {
    into[at] = grid.spacing * (i + EVENLY[at])
    into[at + 1] = grid.spacing * (j + EVENLY[at + 1])
    into[at + 2] = grid.spacing * (k + EVENLY[at + 2])
  }
}

/** Adds the balls of points of a cell, from number `first` on and before `end`, that are not too deep, after the first
 *  `count`, and returns the new count. */
type AddBalls = (count: number, cell: number, points: Float32Array, first: number, end: number, areBare: boolean) => number

function createBallMaker(
  { grid, liquid, solid }: Frame,
  { isFull }: DeepCells,
  position: Float32Array,
  outward: Int8Array,
): AddBalls {
  const [nx, ny, nz] = grid.shape
  const h = grid.spacing
  const perMetre = 1 / h
  const cells: ScalarLattice = { values: liquid, nx, ny, nz }
  const nodes: ScalarLattice = { values: solid, nx: nx + 1, ny: ny + 1, nz: nz + 1 }
  const [airSlope, solidSlope, sideSlope] = [0, 1, 2].map(() => new Float64Array(4))
  return (count, cell, points, first, end, areBare) => {
    const row = Math.floor(cell / nx)
    const i = cell - nx * row
    const k = Math.floor(row / ny)
    const j = row - ny * k
    const hasAir = isFull[cell] === 0
    // Most cells are far from solids, which one corner is enough to see.
    const hasSolid =
      perMetre * solid[i + (nx + 1) * (j + (ny + 1) * k)] < DEEP_DISTANCE + Math.sqrt(3) &&
      perMetre * findNodalSlope(nodes, i, j, k, -perMetre, solidSlope) < DEEP_DISTANCE
    const hasSide = i === 0 || j === 0 || k === 0 || i === nx - 1 || j === ny - 1 || k === nz - 1
    if (hasAir) {
      findSlope(cells, i, j, k, perMetre, airSlope)
      findBehind(cells, i, j, k, airSlope, perMetre)
    }
    if (hasSolid) findBehind(cells, i, j, k, solidSlope, perMetre)
    for (let at = 3 * first; at < 3 * end; at += 3) {
      // All in cells from here on.
      let x = points[at] * perMetre
      let y = points[at + 1] * perMetre
      let z = points[at + 2] * perMetre
      const toAir = hasAir ? -perMetre * between(cells, x - 0.5, y - 0.5, z - 0.5) : 1
      const toSolid = hasSolid ? perMetre * between(nodes, x, y, z) : 1
      const toSide = hasSide ? Math.min(x, y, z, nx - x, ny - y, nz - z) : 1
      const inside = Math.min(toAir, toSolid, toSide)
      // Balls added at sides of the domain are evenly spaced: only their first layer is visible.
      if (inside > (areBare && toSolid > DEEP_DISTANCE ? BALL_RADIUS : DEEP_DISTANCE) || (areBare && toSolid < AWAY)) continue

      let nearest = toAir === inside ? airSlope : solidSlope
      if (toSide === inside) {
        nearest = sideSlope
        nearest[0] = toSide === x ? -1 : toSide === nx - x ? 1 : 0
        nearest[1] = toSide === y ? -1 : toSide === ny - y ? 1 : 0
        nearest[2] = toSide === z ? -1 : toSide === nz - z ? 1 : 0
        findBehind(cells, i, j, k, nearest, perMetre)
      }
      if (toAir < BALL_RADIUS) {
        const move = Math.min(BALL_RADIUS - toAir, MAX_MOVE)
        x -= move * airSlope[0]
        y -= move * airSlope[1]
        z -= move * airSlope[2]
      }
      if (toSolid < BALL_RADIUS) {
        const move = Math.min(BALL_RADIUS - toSolid, MAX_MOVE)
        x -= move * solidSlope[0]
        y -= move * solidSlope[1]
        z -= move * solidSlope[2]
      }
      position[3 * count] = h * inwards(x, nx)
      position[3 * count + 1] = h * inwards(y, ny)
      position[3 * count + 2] = h * inwards(z, nz)
      outward[4 * count] = nearest[3] * nearest[0]
      outward[4 * count + 1] = nearest[3] * nearest[1]
      outward[4 * count + 2] = nearest[3] * nearest[2]
      count++
    }
    return count
  }
}

/** Away from both sides of the domain. */
function inwards(x: number, size: number): number {
  if (x < BALL_RADIUS) return x + Math.min(BALL_RADIUS - x, MAX_MOVE)
  if (size - x < BALL_RADIUS) return x - Math.min(BALL_RADIUS - size + x, MAX_MOVE)
  return x
}
