/** Boxes around shapes. */
import { type Bounds, EVERYWHERE, NOWHERE } from '../rotation.js'
import type { Numbers } from '../schema/parts.js'
import type { Vector } from '../setting.js'

/** A box around points, larger by a radius on all sides; infinite along z if the points have two coordinates. */
export function around(points: readonly Numbers[], radius: number): (margin: number) => Bounds {
  const corner = (pick: (...values: number[]) => number, sign: 1 | -1, margin: number): Vector => {
    const at = (axis: number) => pick(...points.map(point => point[axis])) + sign * (radius + margin)
    return [at(0), at(1), points[0].length === 2 ? sign * Infinity : at(2)]
  }
  return margin => [corner(Math.min, -1, margin), corner(Math.max, 1, margin)]
}

/** Bounded on one side only, and only if its plane is normal to an axis. */
export function boundHalfSpace(point: Numbers, normal: Numbers, margin: number): Bounds {
  const axis = normal.findIndex((_, at) => normal.every((other, b) => b === at || other === 0))
  if (axis < 0) return EVERYWHERE
  const corners: [[number, number, number], [number, number, number]] = [[...EVERYWHERE[0]], [...EVERYWHERE[1]]]
  if (normal[axis] > 0) corners[1][axis] = point[axis] + margin
  else corners[0][axis] = point[axis] - margin
  return corners
}

/** Around all of them; empty ones do not count. */
export function hull(all: readonly Bounds[]): Bounds {
  const filled = all.filter(([low, high]) => low.every((value, axis) => value <= high[axis]))
  return merge(filled, NOWHERE, Math.min, Math.max)
}

/** Common to all of them. */
export function common(all: readonly Bounds[]): Bounds {
  return merge(all, EVERYWHERE, Math.max, Math.min)
}

type Pick = (a: number, b: number) => number

function merge(all: readonly Bounds[], start: Bounds, lower: Pick, upper: Pick): Bounds {
  return all.reduce<Bounds>(
    ([low, high], [otherLow, otherHigh]) => [
      [lower(low[0], otherLow[0]), lower(low[1], otherLow[1]), lower(low[2], otherLow[2])],
      [upper(high[0], otherHigh[0]), upper(high[1], otherHigh[1]), upper(high[2], otherHigh[2])],
    ],
    start,
  )
}
