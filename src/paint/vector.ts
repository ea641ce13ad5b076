/** Three numbers at a time: places, directions and light. */
import type { Vector } from '../scene/setting.js'

export type { Vector }

export function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

export function add(a: Vector, b: Vector): Vector {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

export function scale(a: Vector, by: number): Vector {
  return [a[0] * by, a[1] * by, a[2] * by]
}

/** Component by component. */
export function product(a: Vector, b: Vector): Vector {
  return [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

export function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

export function length(a: Vector): number {
  return Math.sqrt(dot(a, a))
}

/** `share` 0 is a, 1 is b. */
export function mix(a: Vector, b: Vector, share: number): Vector {
  return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2])]
}

/** The direction of light that is mirrored by a surface. */
export function reflect(direction: Vector, normal: Vector): Vector {
  return add(direction, scale(normal, -2 * dot(direction, normal)))
}

/** The direction of light behind a surface whose normal is against it; `ratio` is of the refractive indices before and behind. Undefined if
 *  all light is mirrored. */
export function refract(direction: Vector, normal: Vector, ratio: number): Vector | undefined {
  const along = dot(direction, normal)
  const rest = 1 - ratio * ratio * (1 - along * along)
  return rest > 0 ? add(scale(direction, ratio), scale(normal, -ratio * along - Math.sqrt(rest))) : undefined
}
