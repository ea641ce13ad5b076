/** The studio around liquid: a backdrop, a ground with lines, and lamps that only mirrors see. Directions have length 1, lengths are in
 *  cells, light is linear. */
import { TILE_TONE } from '../rendering-constants.js'
import { type SpaceColours, TO_SUN } from '../space-colours.js'
import { add, dot, mix, scale, type Vector } from '../vector.js'

/** Across the strip of the small lamp; of length 1. */
const STRIP: Vector = [0.9022581, -0.2506272, 0.3508781]

/** From 0 to 1 between two values, without corners. */
export function smooth(from: number, to: number, value: number): number {
  const t = Math.min(Math.max((value - from) / (to - from), 0), 1)
  return t * t * (3 - 2 * t)
}

/** Bright light does not clip but nears white. */
export function softWhite(light: Vector): Vector {
  return light.map(part => Math.min(part, 0.75) + 0.25 * (1 - Math.exp(-4 * Math.max(part - 0.75, 0)))) as unknown as Vector
}

/** What is seen in the distance. */
export function backdrop({ horizon, zenith }: SpaceColours, direction: Vector): Vector {
  return mix(horizon, zenith, smooth(-0.1, 0.9, direction[1]))
}

/** What surfaces mirror from above. */
export function sky({ horizon, mirrored, lamp }: SpaceColours, direction: Vector): Vector {
  const large = smooth(0.8, 0.93, dot(direction, TO_SUN))
  const strip = smooth(0.05, 0, Math.abs(dot(direction, STRIP) - 0.1)) * smooth(0.1, 0.35, direction[1])
  const even = mix(scale(horizon, 1.05), mirrored, smooth(0, 0.75, direction[1]))
  return add(even, scale(lamp, large + 0.35 * strip))
}

/** The ground without shadows, at a place that is seen `blur` cells wide: lines are as wide as that at least, and as much paler. */
export function groundAt(
  { horizon, ground, groundLine }: SpaceColours,
  shape: Vector,
  x: number,
  z: number,
  blur: number,
): Vector {
  const longest = Math.max(shape[0], shape[2])
  const square = 0.125 * longest
  const off = [x - 0.5 * shape[0], z - 0.5 * shape[2]]
  const away = Math.hypot(...off) / longest
  const thin = 0.014
  const width = Math.max(thin, blur / square)
  const nearest = Math.min(...off.map(way => Math.abs(way / square - Math.round(way / square))))
  const drawn = ((1 - smooth(0.5 * width, 1.2 * width, nearest)) * thin) / width
  const dark = 0.5 - 0.5 * tileSide(off[0] / square, width) * tileSide(off[1] / square, width)
  const light = mix(ground, groundLine, Math.max(drawn, TILE_TONE * dark) * (1 - smooth(0.5, 2.2, away)))
  return mix(horizon, light, 1 - smooth(0.6, 3.2, away))
}

/** 1 in every other tile along an axis, -1 between them, and even where tiles are as narrow as what a pixel sees. */
function tileSide(place: number, width: number): number {
  const off = place - 2 * Math.round(0.5 * place)
  const inside = Math.min(Math.abs(off), 1 - Math.abs(off))
  return Math.sign(off) * Math.min(inside / width, 1) * (1 - smooth(0.25, 1, width))
}

/** What a surface at a place mirrors: the sky, or the ground if it looks down. */
export function mirroredLight(colours: SpaceColours, shape: Vector, place: Vector, direction: Vector): Vector {
  const above = sky(colours, direction)
  if (direction[1] >= -0.02) return above
  const way = -place[1] / direction[1]
  const ground = groundAt(colours, shape, place[0] + way * direction[0], place[2] + way * direction[2], 0.02 * shape[0])
  const tint: Vector = [0.62 * ground[0], 0.78 * ground[1], 0.88 * ground[2]]
  return mix(above, tint, smooth(0.02, 0.2, -direction[1]))
}
