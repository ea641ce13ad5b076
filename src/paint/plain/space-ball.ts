/** A ball moved by the user, in a picture of a 3D frame. Lengths in cells. */
import { type SpaceColours, TO_SUN } from '../space-colours.js'
import { add, dot, length, mix, reflect, scale, type Vector } from '../vector.js'
import type { Ball } from '../view.js'
import { sky, softWhite } from './space-light.js'
import { type PixelRay, placeOn } from './space-walls.js'

/** Infinity if the ray passes by or begins in it. */
export function wayToBall({ centre, radius }: Ball, { eye, direction }: PixelRay): number {
  const towards = add(centre, scale(eye, -1))
  const squared = dot(direction, direction)
  const middle = dot(towards, direction) / squared
  const off = add(towards, scale(direction, -middle))
  const half = (radius * radius - dot(off, off)) / squared
  if (!(half > 0)) return Infinity
  const way = middle - Math.sqrt(half)
  return way > 0 ? way : Infinity
}

export function ballLight(colours: SpaceColours, { centre, radius }: Ball, ray: PixelRay, way: number): Vector {
  const normal = scale(add(placeOn(ray, way), scale(centre, -1)), 1 / radius)
  const look = scale(ray.direction, 1 / length(ray.direction))
  const lit = 0.35 + 0.65 * Math.max(dot(normal, TO_SUN), 0) + 0.1 * normal[1]
  const mirrors = 0.04 + 0.5 * (1 - Math.max(-dot(normal, look), 0)) ** 5
  const orange: Vector = [0.95 * lit, 0.25 * lit, 0.07 * lit]
  return softWhite(mix(orange, sky(colours, reflect(look, normal)), mirrors))
}

/** Share of light that the shadow of the ball leaves on a place of the ground, in a domain of a height. */
export function ballShade({ centre, radius }: Ball, height: number, x: number, z: number): number {
  const wide = radius * (1.2 + centre[1] / height)
  return 1 - 0.35 * Math.exp(-2 * (((x - centre[0]) ** 2 + (z - centre[2]) ** 2) / wide ** 2))
}
