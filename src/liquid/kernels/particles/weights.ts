/** Position of a particle between the points of the three face arrays. Two sets of coordinates are enough: from faces (`along`, for the axis
 *  that faces are normal to) and from centres half a cell further on (`across`). Beyond the outermost points the nearest value holds. */
import { Liquid } from '../liquid'

@inline
export function sizes(liquid: Liquid): v128 {
  return f32x4.replace_lane(
    f32x4.replace_lane(f32x4.replace_lane(f32x4.splat(1), 0, <f32>liquid.nx), 1, <f32>liquid.ny),
    2,
    <f32>liquid.nz,
  )
}

/** Coordinates from faces, within the grid; 0 for NaN, which is no place in memory. */
@inline
export function along(position: v128, size: v128): v128 {
  return f32x4.pmin(f32x4.pmax(f32x4.splat(0), position), size)
}

/** Coordinates from centres, between the first and the last; 0 for NaN. */
@inline
export function across(position: v128, size: v128): v128 {
  return f32x4.pmin(f32x4.pmax(f32x4.splat(0), f32x4.sub(position, f32x4.splat(0.5))), f32x4.sub(size, f32x4.splat(1)))
}

/** Number of the lower point, so that the upper one exists where there are two. */
@inline
export function lowerAlong(coordinate: v128, size: v128): v128 {
  return f32x4.floor(f32x4.pmin(coordinate, f32x4.sub(size, f32x4.splat(1))))
}

@inline
export function lowerAcross(coordinate: v128, size: v128): v128 {
  return f32x4.floor(f32x4.pmin(coordinate, f32x4.pmax(f32x4.sub(size, f32x4.splat(2)), f32x4.splat(0))))
}

/** Converts whole numbers from 0 to 2²³: added to 2²³ they are the low bits of a float. Faster than a conversion. */
@inline
export function integers(lower: v128): v128 {
  return v128.and(f32x4.add(lower, f32x4.splat(8388608)), i32x4.splat(0x7fffff))
}
