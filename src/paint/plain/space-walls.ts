/** Walls of solids along a ray. From outside solids are milky; seen from inside, as the near wall of a container is, they are glass with
 *  a rim. */
import { BEYOND_AWAY, BEYOND_WALL_STEP, NEAR_WALL } from '../rendering-constants.js'
import { type SpaceColours, TO_SUN } from '../space-colours.js'
import { add, dot, length, mix, reflect, scale, type Vector } from '../vector.js'
import type { SpaceLevels } from './space-levels.js'
import { sky, smooth, softWhite } from './space-light.js'

/** A ray: places are eye + way · direction. Its way is measured along the axis of the camera, so that directions are not of length 1. */
export interface PixelRay {
  readonly eye: Vector
  readonly direction: Vector
}

export interface Wall {
  readonly way: number
  /** Out of the solid. */
  readonly normal: Vector
  readonly light: Vector
  /** Share of what is behind that the wall hides. */
  readonly cover: number
}

/** Rays that go along a wall come in and out of it between the points of the level set, by less than this many cells. */
const FLAT_SLOPE = 0.05
/** Iterations after which any distance from a wall is near enough. */
const MAX_TURNS = 4
const MAX_WALLS = 16

export const placeOn = ({ eye, direction }: PixelRay, way: number): Vector => add(eye, scale(direction, way))

/** All walls between two ways, the nearest first. */
export function wallsAlong(levels: SpaceLevels, colours: SpaceColours, ray: PixelRay, from: number, to: number): Wall[] {
  const along = (way: number) => levels.solidAt(placeOn(ray, way))
  const perCell = 1 / length(ray.direction)
  const walls: Wall[] = []
  let [way, value, beyond] = [from, along(from), BEYOND_WALL_STEP]
  // The last place on this side of the next wall.
  let before = { way, value }
  while (way < to && walls.length < MAX_WALLS) {
    const last = Math.abs(value)
    const next = Math.min(way + (last + beyond) * perCell, to)
    if (!(next > way)) break
    way = next
    value = along(way)
    beyond = Math.abs(value) > last ? BEYOND_AWAY : BEYOND_WALL_STEP
    const isCrossed = value < 0 !== before.value < 0
    if (isCrossed && Math.abs(value) <= FLAT_SLOPE) continue
    if (isCrossed) walls.push(wallAt(levels, colours, ray, crossing(along, before, { way, value }), value < 0))
    before = { way, value }
  }
  return walls
}

interface Sample {
  readonly way: number
  readonly value: number
}

/** Where a function is 0 between two ways of different sign: false position, in which an end that stays counts half. */
function crossing(along: (way: number) => number, from: Sample, to: Sample): number {
  let [a, b] = [from, to]
  const guess = () => a.way + (b.way - a.way) * (a.value / (a.value - b.value))
  let way = guess()
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const value = along(way)
    if (Math.abs(value) < NEAR_WALL) break
    if (value < 0 === a.value < 0) {
      a = { way, value }
      b = { ...b, value: 0.5 * b.value }
    } else {
      b = { way, value }
      a = { ...a, value: 0.5 * a.value }
    }
    way = guess()
  }
  return way
}

function wallAt(levels: SpaceLevels, colours: SpaceColours, ray: PixelRay, way: number, isFront: boolean): Wall {
  const look = scale(ray.direction, 1 / length(ray.direction))
  const normal = levels.outOfSolid(placeOn(ray, way))
  const grazing = (1 - Math.min(Math.abs(dot(normal, look)), 1)) ** 3
  const above = sky(colours, reflect(look, normal))
  if (isFront) {
    const lit = 0.62 + 0.38 * Math.max(dot(normal, TO_SUN), 0) + 0.1 * normal[1]
    const light = mix(scale(colours.solid, lit), above, 0.04 + 0.4 * grazing)
    return { way, normal, light: softWhite(light), cover: 0.42 + 0.3 * grazing }
  }
  const shine = smooth(0.8, 1.6, above[1])
  const light = mix(colours.solidRim, above, 0.35 + 0.5 * shine)
  return { way, normal, light: softWhite(light), cover: 0.035 + 0.55 * grazing + 0.1 * shine }
}
