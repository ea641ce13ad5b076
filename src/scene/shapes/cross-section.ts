/** The area that liquid flows through where it crosses a shape: the shape's shadow along the flow. */
import type { ScalarFunction } from '../../grid/field.js'
import { cross } from '../rotation.js'
import type { Vector } from '../setting.js'

/** Rays per axis across the shadow: it is exact within 0.1 % for a disc in 2D, and within 0.2 % for a ball. */
const RAYS = { 2: 2048, 3: 256 }
/** Share of the way through the shape: shorter steps along a ray would not find thinner parts that matter. */
const SHORTEST_STEP = 1e-4

/** Area (in 2D: length) of the shadow that light from `direction` casts, in the units of `phi`. Parts one behind the other count once. The
 *  shape is looked at within the box from `low` to `high`, which must be finite. */
export function crossSection(
  phi: ScalarFunction,
  [low, high]: readonly [Vector, Vector],
  direction: Vector,
  dims: 2 | 3,
): number {
  const length = Math.hypot(...direction)
  const along: Vector = [direction[0] / length, direction[1] / length, direction[2] / length]
  const [first, second] = acrossOf(along, dims)
  const corners = cornersOf(low, high, dims)
  const extent = (axis: Vector) => {
    const places = corners.map(corner => dot(corner, axis))
    return [Math.min(...places), Math.max(...places)] as const
  }
  const [near, far] = extent(along)
  const [left, right] = extent(first)
  const [bottom, top] = dims === 2 ? [0, 1] : extent(second)
  const rays = RAYS[dims]
  const rows = dims === 2 ? 1 : rays
  let hits = 0
  for (let b = 0; b < rows; b++)
    for (let a = 0; a < rays; a++) {
      const s = left + ((a + 0.5) / rays) * (right - left)
      const t = dims === 2 ? 0 : bottom + ((b + 0.5) / rows) * (top - bottom)
      const at = (axis: 0 | 1 | 2) => s * first[axis] + t * second[axis] + near * along[axis]
      if (isHit(phi, [at(0), at(1), at(2)], along, far - near)) hits++
    }
  return (hits / (rays * rows)) * (right - left) * (top - bottom)
}

function isHit(phi: ScalarFunction, [x, y, z]: Vector, along: Vector, far: number): boolean {
  for (let way = 0; way <= far; ) {
    const distance = phi(x + way * along[0], y + way * along[1], z + way * along[2])
    if (distance < 0) return true
    way += Math.max(distance, SHORTEST_STEP * far)
  }
  return false
}

/** Two directions across a direction and each other. */
function acrossOf(along: Vector, dims: 2 | 3): readonly [Vector, Vector] {
  if (dims === 2)
    return [
      [-along[1], along[0], 0],
      [0, 0, 1],
    ]
  const axis: Vector = Math.abs(along[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0]
  const [x, y, z] = cross(along, axis)
  const length = Math.hypot(x, y, z)
  const first: Vector = [x / length, y / length, z / length]
  return [first, cross(along, first)]
}

function cornersOf(low: Vector, high: Vector, dims: 2 | 3): Vector[] {
  const depths = dims === 2 ? [0] : [low[2], high[2]]
  return depths.flatMap(z => [low[1], high[1]].flatMap(y => [low[0], high[0]].map((x): Vector => [x, y, z])))
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
