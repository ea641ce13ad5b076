/** Thickness of shapes and width of gaps, in metres, from signed distances. */
import type { ScalarFunction } from '../../grid/field.js'
import type { Grid } from '../../grid/grid.js'
import type { Bounds } from '../../scene/rotation.js'

/** Boxes that are looked at on one level; a shape that needs more is thin. */
const MAX_BOXES = 40_000

/** Diameter of the largest ball inside a shape and centred in a box, at most `enough`; 0 if there is none. A distance changes no faster than
 *  the position, so boxes are halved only where a larger ball than the largest so far may be centred. */
export function thicknessOf(phi: ScalarFunction, [low, high]: Bounds, { dims, spacing }: Grid, enough: number): number {
  const axes = [0, 1, 2].slice(0, dims)
  const half = axes.map(axis => 0.5 * (high[axis] - low[axis]))
  let centres = [low.map((x, axis) => (axis < dims ? x + half[axis] : 0))]
  let deepest = 0
  while (centres.length > 0 && centres.length <= MAX_BOXES) {
    const depths = centres.map(([x, y, z]) => -phi(x, y, z))
    deepest = depths.reduce((a, b) => Math.max(a, b), deepest)
    if (2 * deepest >= enough || Math.max(...half) < spacing / 8) break
    const reach = Math.hypot(...half)
    centres = centres.filter((_, n) => depths[n] + reach > deepest)
    for (const axis of axes) {
      half[axis] *= 0.5
      centres = centres.flatMap(at => [-1, 1].map(sign => at.with(axis, at[axis] + sign * half[axis])))
    }
  }
  return Math.min(enough, 2 * deepest)
}

/** The whole domain. */
export function boxOf({ shape, spacing, dims }: Grid): Bounds {
  return [
    [0, 0, 0],
    [shape[0] * spacing, shape[1] * spacing, dims === 2 ? 0 : shape[2] * spacing],
  ]
}

/** Signed distance to the sides of a box, < 0 inside. */
export function toSides([low, high]: Bounds, dims: number): ScalarFunction {
  const axes = [0, 1, 2].slice(0, dims)
  return (x, y, z) => {
    const at = [x, y, z]
    return axes.reduce((most, axis) => Math.max(most, low[axis] - at[axis], at[axis] - high[axis]), -Infinity)
  }
}
