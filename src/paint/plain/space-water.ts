/** The light of liquid before a scene: what is behind it is bent, absorbed (Beer and Lambert) and mixed with scattered light, and its
 *  surface mirrors the studio (Schlick's approximation of Fresnel's law). */
import {
  CONTACT_LINE,
  CONTACT_WIDTH,
  COVERING_DEPTH,
  MIRRORED_INSIDE,
  MIRRORED_STUDIO,
  REFRACTIVE_INDEX,
} from '../rendering-constants.js'
import { type SpaceColours, TO_SUN } from '../space-colours.js'
import { add, dot, length, mix, product, reflect, refract, scale, type Vector } from '../vector.js'
import type { SpaceLevels } from './space-levels.js'
import { mirroredLight, smooth, softWhite } from './space-light.js'
import type { Layer, Span } from './space-passage.js'
import { type PixelRay, placeOn } from './space-walls.js'

/** Liquid on a ray, and what is behind. */
export interface WaterPoint {
  readonly ray: PixelRay
  readonly span: Span
  readonly layer: Layer
  /** Cells of liquid that absorb. */
  readonly thick: number
  /** How much of what is behind is seen as `beyond`, from 0 to 1; the rest is `bent`. */
  readonly thin: number
  /** The scene without liquid, straight behind. */
  readonly straight: Vector
  /** The same where a ray comes from that a surface with a normal has bent. */
  readonly bent: (normal: Vector) => Vector
  /** What is seen from the far side of thin liquid in a direction of length 1. */
  readonly beyond: (place: Vector, direction: Vector) => Vector
  /** The same without liquid. */
  readonly studio: (place: Vector, direction: Vector) => Vector
}

export function waterLight(levels: SpaceLevels, colours: SpaceColours, point: WaterPoint): Vector {
  const { ray, layer, thick, straight } = point
  const place = placeOn(ray, layer.way)
  const look = scale(ray.direction, 1 / length(ray.direction))
  const normal = facing(normalAt(levels, point, place, look), look)
  const [red, green, blue, murky] = colours.absorbed.map(share => Math.exp(-share * thick))
  const passed = product(colours.surface, [red, green, blue])
  const lit = 0.42 + 0.85 * Math.min(Math.max(0.5 + 0.5 * dot(normal, TO_SUN), 0), 1)
  const body = add(
    product(behindLiquid(levels, colours, point, look, normal), passed),
    scale(colours.scattered, lit * (1 - 0.94 * murky)),
  )
  const above = mirroredLight(colours, levels.shape, place, reflect(look, normal))
  const mirrors = 0.025 + 0.975 * (1 - Math.min(-dot(look, normal), 1)) ** 4.5
  const glint = scale(colours.lamp, 0.6 * glintOf(look, normal))
  const water = softWhite(add(mix(body, above, mirrors), glint))
  // Where the surface ends on a wall, or on a side of the grid, there is a bright line.
  const isAtWall = layer.met !== 'surface' && layer.met !== 'eye'
  const line = isAtWall ? CONTACT_LINE * Math.exp(-((levels.depthAt(place) / CONTACT_WIDTH) ** 2)) : 0
  return mix(straight, mix(water, [1, 1, 1], line), smooth(0, COVERING_DEPTH, thick))
}

/** What is behind, as the surfaces of the liquid bend it. */
function behindLiquid(levels: SpaceLevels, colours: SpaceColours, point: WaterPoint, look: Vector, normal: Vector): Vector {
  const { ray, layer, thin } = point
  if (!(thin > 0)) return point.bent(normal)
  const within = refract(look, normal, 1 / REFRACTIVE_INDEX)!
  const exit = placeOn(ray, layer.exit!)
  const back = levels.outOfLiquid(exit)
  const inward = dot(within, back) > 0 ? scale(back, -1) : back
  const behind = refract(within, inward, REFRACTIVE_INDEX)
  if (behind) return mix(point.bent(normal), point.beyond(exit, behind), thin)
  // All light is mirrored, and its way through the liquid is a long one.
  const murky = scale(colours.scattered, MIRRORED_INSIDE)
  const left = product(colours.mirroredBack, point.studio(exit, reflect(within, inward)))
  return mix(point.bent(normal), mix(murky, left, MIRRORED_STUDIO), thin)
}

/** Out of the liquid where the ray has met it. */
function normalAt(levels: SpaceLevels, { span, layer: { met } }: WaterPoint, place: Vector, look: Vector): Vector {
  if (met === 'surface') return levels.outOfLiquid(place)
  if (met === 'eye') return scale(look, -1)
  if (met !== 'side') return scale(met.normal, -1)
  return [0, 1, 2].map(axis => (axis === span.axis ? (look[axis] > 0 ? -1 : 1) : 0)) as unknown as Vector
}

/** What is seen faces the eye, if only just. */
function facing(normal: Vector, look: Vector): Vector {
  const along = dot(look, normal)
  if (along <= -0.02) return normal
  const turned = add(normal, scale(look, -(along + 0.02)))
  return scale(turned, 1 / length(turned))
}

/** The lamp in the surface: a power of how directly it is mirrored to the eye. */
function glintOf(look: Vector, normal: Vector): number {
  const half = add(TO_SUN, scale(look, -1))
  return Math.max(dot(normal, half) / length(half), 0) ** 240
}
