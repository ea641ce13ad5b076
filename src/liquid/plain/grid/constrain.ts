/** Removes flow into walls from velocities in solids and on closed sides, after they were extrapolated there. Liquid can flow away from
 *  separating walls where it does not press or hang on them, and from sticking walls nowhere: 0 ≤ p + a ⟂ u·n ≥ 0 holds for particles too, which would
 *  otherwise leave walls that are closed in the pressure problem. */
import { type Axis, faceShape } from '../../../grid/grid.js'
import { DRY } from '../../../pressure/problem.js'
import type { Side } from '../../../pressure/walls.js'
import type { LiquidWall } from '../../loops.js'
import { NO_VELOCITY, SLIVER } from '../../shared-constants.js'
import { f32 } from '../arithmetic.js'
import type { PlainState } from '../state.js'
import { cornerSum, faceCorners, facePosition, ownerOfNearest, wallOf, wallVelocity } from './nodal-solids.js'
import { byAxis, forFaces, lowestNode, nodeStrides, OUTSIDE, sideOfFace } from './walk.js'

/** Faces deeper in a solid than this, in cells, are out of reach of particles. */
export const MAX_DEPTH = 1.5

interface Face {
  readonly axis: Axis
  readonly place: readonly [number, number, number]
  readonly index: number
  readonly below: number
  readonly above: number
}

/** No face may read the new velocity of another, so they are written when all are known. With solids they are f32. */
export function constrain(state: PlainState): void {
  const { grid, arrays } = state
  const { u, open, layer } = byAxis(state)
  const changes: { values: Float64Array; index: number; value: number }[] = []
  forFaces(grid, (axis, index, below, above, i, j, k) => {
    if (open[axis][index] > f32(SLIVER) || layer[axis][index] === NO_VELOCITY) return
    const sum = cornerSum(arrays.solid, faceCorners(grid, axis, lowestNode(grid, i, j, k)))
    if (sum < -4 * MAX_DEPTH) return
    const face: Face = { axis, place: [i, j, k], index, below, above }
    const side = sideOfFace(state, axis, below, above) ?? 'open'
    let value = u[axis][index]
    // Closed by a solid, not by the side alone.
    if (side === 'open' || sum <= 0) value = alongSolid(state, face, value)
    if (side !== 'open') value = alongSide(state, face, value, side)
    changes.push({ values: u[axis], index, value })
  })
  for (const { values, index, value } of changes) values[index] = state.hasSolids ? f32(value) : value
}

/** New velocity along its axis of a face in a solid. Vectors are in the order of axes from that of the face on. */
function alongSolid(state: PlainState, face: Face, own: number): number {
  const { grid } = state
  const { axis, place } = face
  const normal = normalAt(state, face)
  if (!normal) return own
  const nodes = faceCorners(grid, axis, lowestNode(grid, ...place))
  const wall = wallOf(state, ownerOfNearest(state, nodes))
  const x = facePosition(grid, axis, ...place)
  const [s, t] = [((axis + 1) % 3) as Axis, ((axis + 2) % 3) as Axis]
  const moving = wallVelocity(wall, axis, x)
  const around = (other: Axis) => {
    const mean = meanAround(state, face, other)
    return mean === undefined ? 0 : mean - wallVelocity(wall, other, x)
  }
  const relative = [own - moving, around(s), around(t)]
  const away = dot(relative, normal)
  const along = relative[0] - away * normal[0]
  // Flow into the wall stops whether or not the liquid presses on it.
  if (away < 0 || mayNotLeave(state, face, wall)) return moving + along + 0
  return moving + along + away * normal[0]
}

function mayNotLeave(state: PlainState, face: Face, { walls }: Pick<LiquidWall, 'walls'>): boolean {
  return walls === 'sticking' || isPressed(state, face)
}

/** Allowed part of a velocity on a closed side. */
function alongSide(state: PlainState, face: Face, value: number, side: Exclude<Side, 'open'>): number {
  const isLower = face.below === OUTSIDE
  const isInto = isLower ? value < 0 : value > 0
  if (isInto || mayNotLeave(state, face, { walls: side })) return 0
  return isLower ? Math.max(value, 0) : Math.min(value, 0)
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/** Direction in which the distance from solids grows, from differences of distances at nodes; undefined if it is constant. */
function normalAt({ grid, arrays: { solid } }: PlainState, { axis, place, below, above }: Face): number[] | undefined {
  const node = lowestNode(grid, ...place)
  const step = nodeStrides(grid)[axis]
  const sumAt = (lowest: number) => cornerSum(solid, faceCorners(grid, axis, lowest))
  const rise = f32(sumAt(above === OUTSIDE ? node : node + step) - sumAt(below === OUTSIDE ? node : node - step))
  const [a, b, c, d] = faceCorners(grid, axis, node).map(corner => solid[corner])
  // Four times the slopes.
  const slopes = [
    below === OUTSIDE || above === OUTSIDE ? rise : 0.5 * rise,
    2 * f32(f32(f32(b + d) - a) - c),
    2 * f32(f32(f32(c + d) - a) - b),
  ]
  const length = Math.sqrt(dot(slopes, slopes))
  return length > 0 ? slopes.map(slope => slope / length) : undefined
}

/** Mean of the known faces of another axis around a face: those of the cell above, then of the cell below. */
function meanAround(state: PlainState, { axis, place, below, above }: Face, other: Axis): number | undefined {
  const { u, layer } = byAxis(state)
  const [fx, fy] = faceShape(state.grid, other)
  const strides = [1, fx, fx * fy]
  const first = place[0] + fx * (place[1] + fy * place[2])
  let sum = 0
  let count = 0
  for (const lower of [above === OUTSIDE ? [] : [first], below === OUTSIDE ? [] : [first - strides[axis]]].flat()) {
    for (const at of [lower, lower + strides[other]]) {
      if (layer[other][at] === NO_VELOCITY) continue
      sum += u[other][at]
      count++
    }
  }
  return count === 0 ? undefined : sum / count
}

/** Whether liquid presses on the wall, or hangs on it: by the cells on both sides of the face or, deeper in a solid, by the cells around. */
function isPressed({ grid, arrays: { kind, pressure, adhesion } }: PlainState, { axis, place, below, above }: Face): boolean {
  const [nx, ny] = grid.shape
  const isWet = (cell: number) => cell !== OUTSIDE && kind[cell] !== DRY
  const presses = (cell: number) => isWet(cell) && pressure[cell] + adhesion[cell] > 0
  if (isWet(above) || isWet(below)) return presses(above) || presses(below)
  const first = place.map((n, other) => Math.max(0, n - (other === axis ? 2 : 1)))
  const last = place.map((n, other) => Math.min(grid.shape[other] - 1, n + 1))
  for (let k = first[2]; k <= last[2]; k++)
    for (let j = first[1]; j <= last[1]; j++)
      for (let i = first[0]; i <= last[0]; i++) if (presses(i + nx * (j + ny * k))) return true
  return false
}
