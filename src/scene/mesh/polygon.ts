/** Polygons cut into triangles. The border of the triangles is the border of the polygon, corner by corner, whatever its shape, so a surface
 *  that is closed as polygons is closed as triangles. */
import type { ShapeUtils, Vector2 } from 'three'

/** What three.js brings for polygons that are not convex. */
export type Earcut = { readonly ShapeUtils: typeof ShapeUtils; readonly Vector2: typeof Vector2 }
type Flat = readonly (readonly [number, number])[]

/** Triangles as places in `corners`, all around the first corner, or undefined where one of them would be outside the polygon. */
export function fan(positions: ArrayLike<number>, corners: readonly number[]): number[] | undefined {
  if (corners.length > 3) {
    const flat = flatten(positions, corners)
    for (let at = 2; at < flat.length; at++) if (!(twiceArea(flat[0], flat[at - 1], flat[at]) > 0)) return undefined
  }
  return plainFan(corners.length)
}

/** Triangles as places in `corners` of a polygon of any shape, by ear clipping. A polygon that crosses itself has no inside that could be
 *  filled, and is cut into a fan. */
export function clipEars(positions: ArrayLike<number>, corners: readonly number[], { ShapeUtils, Vector2 }: Earcut): number[] {
  const count = corners.length
  const contour = flatten(positions, corners).map(([x, y]) => new Vector2(x, y))
  const found = ShapeUtils.triangulateShape(contour, []) as number[][]
  // All have the same orientation, but not always that of the polygon.
  const isTurned = found.some(([a, b, c]) => isStep(b, a, count) || isStep(c, b, count) || isStep(a, c, count))
  const clipped = found.flatMap(([a, b, c]) => (isTurned ? [a, c, b] : [a, b, c]))
  const whole = addStraightCorners(clipped, count)
  return hasBorder(whole, count) ? whole : plainFan(count)
}

function plainFan(count: number): number[] {
  const triangles: number[] = []
  for (let at = 2; at < count; at++) triangles.push(0, at - 1, at)
  return triangles
}

/** Seen along the axis that is nearest to its normal, counter-clockwise. */
function flatten(positions: ArrayLike<number>, corners: readonly number[]): Flat {
  const normal = [0, 0, 0]
  const first = 3 * corners[0]
  // Newell: right for polygons that are concave or not quite plane. From the first corner, so that nothing cancels far from the origin.
  for (let at = 1; at + 1 < corners.length; at++) {
    const [p, q] = [3 * corners[at], 3 * corners[at + 1]]
    for (let axis = 0; axis < 3; axis++) {
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3]
      const along = (place: number, direction: number) => positions[place + direction] - positions[first + direction]
      normal[axis] += along(p, u) * along(q, v) - along(q, u) * along(p, v)
    }
  }
  const size = normal.map(Math.abs)
  const axis = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2
  const [u, v] = normal[axis] < 0 ? [(axis + 2) % 3, (axis + 1) % 3] : [(axis + 1) % 3, (axis + 2) % 3]
  return corners.map(corner => [positions[3 * corner + u], positions[3 * corner + v]])
}

function twiceArea(a: readonly [number, number], b: readonly [number, number], c: readonly [number, number]): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
}

const isStep = (from: number, to: number, count: number) => (from + 1) % count === to

/** Ear clipping leaves out corners that are on a straight line between others. The neighbour of the polygon has them, so the triangle at
 *  that line is divided there. */
function addStraightCorners(triangles: readonly number[], count: number): number[] {
  const used = new Set(triangles)
  if (used.size === count || used.size < 3) return [...triangles]
  const divided: number[] = []
  const pending = [...triangles]
  while (pending.length > 0) {
    const [c, b, a] = [pending.pop()!, pending.pop()!, pending.pop()!]
    const sides = [
      [a, b, c],
      [b, c, a],
      [c, a, b],
    ]
    const side = sides.find(([from, to]) => !isStep(from, to, count) && leftOut(from, to, count, used))
    if (!side) {
      divided.push(a, b, c)
      continue
    }
    const [from, to, across] = side
    const next = (from + 1) % count
    divided.push(from, next, across)
    pending.push(next, to, across)
  }
  return divided
}

/** Whether all corners between the two were left out. */
function leftOut(from: number, to: number, count: number, used: ReadonlySet<number>): boolean {
  for (let at = (from + 1) % count; at !== to; at = (at + 1) % count) if (used.has(at)) return false
  return true
}

/** Whether every side of the polygon belongs to one triangle, and every other side to two that pass it in opposite directions. */
function hasBorder(triangles: readonly number[], count: number): boolean {
  if (triangles.length !== 3 * (count - 2)) return false
  const sides = new Set<number>()
  for (let at = 0; at < triangles.length; at++) {
    const to = at % 3 === 2 ? at - 2 : at + 1
    sides.add(triangles[at] * count + triangles[to])
  }
  if (sides.size !== triangles.length) return false
  for (const side of sides) {
    const [from, to] = [Math.floor(side / count), side % count]
    if (isStep(from, to, count) === sides.has(to * count + from)) return false
  }
  return true
}
