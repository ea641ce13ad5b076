/** The shape of a source or drain where it is at a time. Lengths are in cells, velocities in m/s. */
import type { ScalarFunction } from '../../grid/field.js'
import { cellPosition, type Grid } from '../../grid/grid.js'
import type { Exchanger, RigidPath, Vector } from '../../scene/setting.js'
import { SEED_REACH } from '../particles/seed.js'

export interface PlacedShape {
  /** Signed distance at a position of the grid. */
  readonly phi: ScalarFunction
  /** From a position of the grid to its own frame, and back. */
  readonly toOwn: (x: number, y: number, z: number) => Vector
  readonly toGrid: (x: number, y: number, z: number) => Vector
  /** Turns a vector of its own frame into the grid's. */
  readonly turn: (vector: Vector) => Vector
  /** Velocity of its own frame at a position of the grid. */
  readonly frameVelocity: (x: number, y: number, z: number) => Vector
}

/** Lower and upper corner; lower above upper: nothing. */
export type CellBox = readonly [Vector, Vector]

const NO_MOTION: Vector = [0, 0, 0]

/** The distance of a shape in its own frame, in cells. A 2D shape is in the plane z = 0, wherever in its layer of cells it is sampled. */
export function inCells(grid: Grid, phi: ScalarFunction): ScalarFunction {
  const h = grid.spacing
  const depth = grid.dims === 2 ? 0 : h
  return (x, y, z) => phi(x * h, y * h, z * depth) / h
}

/** `phi`: in its own frame, in cells. */
function placeShape(grid: Grid, phi: ScalarFunction, path: RigidPath | undefined, time: number): PlacedShape {
  if (!path) {
    const same = (x: number, y: number, z: number): Vector => [x, y, z]
    return { phi, toOwn: same, toGrid: same, turn: vector => vector, frameVelocity: () => NO_MOTION }
  }
  const h = grid.spacing
  const { R, shift } = path.poseAt(time)
  const { linear, angular } = path.motionAt(time)
  const [sx, sy, sz] = shift.map(length => length / h)
  const flat = grid.dims === 2 ? 0 : h
  const toOwn = (gx: number, gy: number, gz: number): Vector => {
    const [x, y, z] = [gx - sx, gy - sy, gz - sz]
    return [R[0] * x + R[3] * y + R[6] * z, R[1] * x + R[4] * y + R[7] * z, R[2] * x + R[5] * y + R[8] * z]
  }
  const turn = ([x, y, z]: Vector): Vector => [
    R[0] * x + R[1] * y + R[2] * z,
    R[3] * x + R[4] * y + R[5] * z,
    R[6] * x + R[7] * y + R[8] * z,
  ]
  return {
    phi: (x, y, z) => phi(...toOwn(x, y, z)),
    toOwn,
    toGrid(x, y, z) {
      const turned = turn([x, y, z])
      return [turned[0] + sx, turned[1] + sy, turned[2] + sz]
    },
    turn,
    frameVelocity(gx, gy, gz) {
      const [x, y, z] = [gx * h, gy * h, gz * flat]
      return [
        linear[0] + angular[1] * z - angular[2] * y,
        linear[1] + angular[2] * x - angular[0] * z,
        linear[2] + angular[0] * y - angular[1] * x,
      ]
    },
  }
}

export interface Reached {
  readonly cell: number
  /** Whether the whole cell is inside the shape. */
  readonly isWhole: boolean
  /** From its centre to the surface of the shape. */
  readonly distance: number
}

/** A shape with the cells that it reaches into, and those beside. */
export interface PlacedCells {
  readonly shape: PlacedShape
  /** The part of its own frame in which it may be in the domain. */
  readonly region: CellBox
  readonly cells: readonly Reached[]
}

/** Cells: the faces of a cell whose centre is farther away are farther than half a cell. */
const BESIDE_SHAPE = 1

/** Places a shape at times. `phi` and `box` in its own frame, in cells. Computed once for a shape at rest. */
export function createPlacements(
  grid: Grid,
  { path }: Exchanger,
  phi: ScalarFunction,
  box: CellBox | undefined,
): (time: number) => PlacedCells {
  let last: { readonly time: number; readonly placement: PlacedCells } | undefined
  return time => {
    if (last && (!path || last.time === time)) return last.placement
    const shape = placeShape(grid, phi, path, time)
    const region = regionOf(grid, shape, box)
    const cells = reachedCells(grid, shape, mapBox(region, shape.toGrid), BESIDE_SHAPE)
    last = { time, placement: { shape, region, cells } }
    return last.placement
  }
}

/** How far a corner of the region moves at most from one placement to another. */
export function largestMove(from: PlacedCells, to: PlacedCells): number {
  let largest = 0
  forCorners(to.region, (x, y, z) => {
    const [a, b] = [from.shape.toGrid(x, y, z), to.shape.toGrid(x, y, z)]
    largest = Math.max(largest, Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]))
  })
  return largest
}

/** Cells whose centres are inside a shape or within `reach` of it. */
function reachedCells(grid: Grid, { phi }: PlacedShape, around: CellBox, reach: number): Reached[] {
  const [nx, ny] = grid.shape
  const [low, high] = cellRange(grid, around, reach)
  const cells: Reached[] = []
  for (let k = low[2]; k <= high[2]; k++)
    for (let j = low[1]; j <= high[1]; j++)
      for (let i = low[0]; i <= high[0]; i++) {
        const distance = phi(i + 0.5, j + 0.5, k + 0.5)
        if (distance < reach) cells.push({ cell: i + nx * (j + ny * k), isWhole: distance < -SEED_REACH, distance })
      }
  return cells
}

/** First and last cell per axis of the part of the domain within `margin` of a box. */
function cellRange({ shape }: Grid, [low, high]: CellBox, margin: number): CellBox {
  const first = (axis: number) => Math.max(0, Math.floor(low[axis] - margin))
  const last = (axis: number) => Math.min(shape[axis] - 1, Math.ceil(high[axis] + margin))
  return [
    [first(0), first(1), first(2)],
    [last(0), last(1), last(2)],
  ]
}

function domainBox({ shape: [nx, ny, nz] }: Grid): CellBox {
  return [NO_MOTION, [nx, ny, nz]]
}

/** The box around a shape in its own frame. Shapes at rest that do not know it are searched for in the domain, which costs a look at every cell. */
export function ownBox(grid: Grid, { bounds, path }: Exchanger, phi: ScalarFunction): CellBox | undefined {
  const h = grid.spacing
  if (bounds) {
    const [low, high] = bounds(0)
    const inZ = grid.dims === 2 ? ([0, 1] as const) : ([low[2] / h, high[2] / h] as const)
    return [
      [low[0] / h, low[1] / h, inZ[0]],
      [high[0] / h, high[1] / h, inZ[1]],
    ]
  }
  if (path) return undefined
  const positions = reachedCells(grid, placeShape(grid, phi, undefined, 0), domainBox(grid), SEED_REACH).map(({ cell }) =>
    cellPosition(grid, cell),
  )
  const extreme = (axis: number, sign: 1 | -1) =>
    positions.reduce((most, place) => sign * Math.max(sign * most, sign * place[axis]), sign * -Infinity)
  return [
    [extreme(0, -1), extreme(1, -1), extreme(2, -1)],
    [extreme(0, 1) + 1, extreme(1, 1) + 1, extreme(2, 1) + 1],
  ]
}

/** Cells beyond the domain in which liquid that went on from a source at its edge is still found, to be put back. */
const BEYOND = 4

/** The part of a box in the frame of a shape that may be in the domain, `margin` larger on all sides. Without a box: all of the domain, as seen
 *  from that frame. */
export function regionOf(grid: Grid, { toOwn }: PlacedShape, own: CellBox | undefined, margin = 0): CellBox {
  const domain = growBox(mapBox(domainBox(grid), toOwn), Math.min(margin, BEYOND))
  return own ? commonBox(growBox(own, margin), domain) : domain
}

function growBox([low, high]: CellBox, margin: number): CellBox {
  return [
    [low[0] - margin, low[1] - margin, low[2] - margin],
    [high[0] + margin, high[1] + margin, high[2] + margin],
  ]
}

/** A box around the mapped box. */
function mapBox(box: CellBox, map: (x: number, y: number, z: number) => Vector): CellBox {
  let low: Vector = [Infinity, Infinity, Infinity]
  let high: Vector = [-Infinity, -Infinity, -Infinity]
  forCorners(box, (...corner) => {
    const [x, y, z] = map(...corner)
    low = [Math.min(low[0], x), Math.min(low[1], y), Math.min(low[2], z)]
    high = [Math.max(high[0], x), Math.max(high[1], y), Math.max(high[2], z)]
  })
  return [low, high]
}

/** An empty box has none. */
function forCorners([low, high]: CellBox, visit: (x: number, y: number, z: number) => void): void {
  if (low.some((value, axis) => value > high[axis])) return
  for (const z of [low[2], high[2]]) for (const y of [low[1], high[1]]) for (const x of [low[0], high[0]]) visit(x, y, z)
}

function commonBox([a, b]: CellBox, [c, d]: CellBox): CellBox {
  return [
    [Math.max(a[0], c[0]), Math.max(a[1], c[1]), Math.max(a[2], c[2])],
    [Math.min(b[0], d[0]), Math.min(b[1], d[1]), Math.min(b[2], d[2])],
  ]
}
