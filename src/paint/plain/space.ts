/** The definition of a picture of a 3D frame: the light along one ray per pixel, in plain TypeScript. `compiled/space.ts` paints
 *  the same with compiled loops, within the tolerance of test/paint/plain-space.test.ts. Lengths are in cells. */
import type { Frame } from '../../liquid/frame.js'
import { groundLightOf } from '../ground/ground-light.js'
import { encoded } from '../palette.js'
import { APART_DEPTH, SHARP_DEPTH } from '../rendering-constants.js'
import { spaceColours, thinCells } from '../space-colours.js'
import { add, length, mix, product, scale, type Vector } from '../vector.js'
import { type SpaceView, soundCamera } from '../view.js'
import { drawBoxEdges } from './box-edges.js'
import { smoothEdges } from './smooth-edges.js'
import { ballLight, ballShade, wayToBall } from './space-ball.js'
import { spaceLevels } from './space-levels.js'
import { backdrop, groundAt, smooth } from './space-light.js'
import { type Layer, layersAlong, type Span, spanInGrid } from './space-passage.js'
import { type PixelRay, type Wall, wallsAlong } from './space-walls.js'
import { waterLight } from './space-water.js'

/** Pixels along each axis between rays whose liquid is measured to their end; between them it is interpolated. */
const THICKNESS_STEP = 4
/** Walls are drawn once more over liquid that is farther, or as near by this many cells: liquid at a wall is as near as the wall. */
const MARCH_SLACK = 0.75

/** One pixel, before its edges are smoothed. */
interface Seen {
  readonly ray: PixelRay
  readonly span: Span | undefined
  readonly walls: readonly Wall[]
  /** Way to the ball, Infinity if there is none. */
  readonly ball: number
  /** Light of all but liquid. */
  readonly scene: Vector
}

export function paintSpace(frame: Frame, view: SpaceView): Uint8ClampedArray<ArrayBuffer> {
  const { width, height, palette } = view
  const camera = soundCamera(view.camera)
  const { spacing, shape } = frame.grid
  const whole = view.window ?? { left: 0, top: 0, width, height }
  const levels = spaceLevels(frame)
  const colours = spaceColours(palette, shape)
  const [red, green, blue] = colours.absorbed
  const lightAt = groundLightOf(frame, [red, green, blue])
  const mostThin = thinCells(shape)
  const eye = scale(camera.eye, 1 / spacing)
  const ball = view.ball ? { centre: scale(view.ball.centre, 1 / spacing), radius: view.ball.radius / spacing } : undefined
  const pixelWidth = (2 * length(camera.right)) / whole.width

  const rayThrough = (column: number, row: number): PixelRay => {
    const right = (2 * (column + whole.left) + 1) / whole.width - 1
    const up = 1 - (2 * (row + whole.top) + 1) / whole.height
    return { eye, direction: add(camera.forward, add(scale(camera.right, right), scale(camera.up, up))) }
  }

  /** Backdrop or ground in its light, from a place in a direction of length 1, which light comes from that many cells before the eye. */
  function studio(place: Vector, direction: Vector, before: number): Vector {
    if (!(direction[1] < -1e-4 && place[1] >= 0)) return backdrop(colours, direction)
    const way = -place[1] / direction[1]
    const [x, z] = [place[0] + way * direction[0], place[2] + way * direction[2]]
    const ground = groundAt(colours, shape, x, z, (before + way) * pixelWidth)
    return product(ground, scale(lightAt(x, z), ball ? ballShade(ball, shape[1], x, z) : 1))
  }

  function seenThrough(column: number, row: number): Seen {
    const ray = rayThrough(column, row)
    const span = spanInGrid(shape, ray)
    const walls = span && levels.hasSolid ? wallsAlong(levels, colours, ray, span.from, span.to) : []
    const away = ball ? wayToBall(ball, ray) : Infinity
    const start =
      ball && away < Infinity
        ? ballLight(colours, ball, ray, away)
        : studio(eye, scale(ray.direction, 1 / length(ray.direction)), 0)
    const scene = behind(
      walls.filter(({ way }) => way < away),
      start,
    )
    return { ray, span, walls, ball: away, scene }
  }

  const seen = Array.from({ length: width * height }, (_, pixel) => seenThrough(pixel % width, Math.floor(pixel / width)))
  const through = ({ ray, span, walls }: Seen, end: number) =>
    span && levels.hasLiquid ? layersAlong(levels, ray, span, walls, end) : []

  const thicknessAt = interpolated(width, height, pixel => allOf(through(seen[pixel], Infinity)))
  /** 1 where liquid is deep all around a pixel, up to where rays first leave it. */
  const deepAt = interpolated(width, height, pixel => {
    const [first] = through(seen[pixel], Infinity)
    return first && (first.exit === undefined || first.cells > mostThin) ? 1 : 0
  })

  function liquidOver(pixel: number, layers: readonly Layer[]): Vector {
    const { ray, walls, ball, scene } = seen[pixel]
    const [first, second] = layers
    // Thin liquid is measured for every pixel, so that drops and edges are as sharp as pixels are; less of it before deep liquid.
    const reach = deepAt(pixel) === 1 ? SHARP_DEPTH : mostThin
    const all = ball < Infinity ? allOf(layers) : Math.max(Math.min(first.cells, reach), thicknessAt(pixel))
    const isThick = ball < Infinity || first.exit === undefined || first.cells > reach
    const thin = isThick ? 0 : 1 - smooth(0.5 * mostThin, mostThin, first.cells)
    const straight = (place: Vector, direction: Vector) =>
      behind(walls, studio(place, direction, first.exit! * length(ray.direction)))
    const lightOf = (layer: Layer, thick: number, thin: number, beyond: (place: Vector, direction: Vector) => Vector) =>
      waterLight(levels, colours, {
        ray,
        span: seen[pixel].span!,
        layer,
        thick,
        thin,
        straight: scene,
        bent: normal => bentScene(pixel, layer.way, thick, normal),
        beyond,
        studio: straight,
      })
    if (!(thin > 0 && second && all > first.cells + APART_DEPTH)) return lightOf(first, all, thin, straight)
    // More liquid is seen through thin liquid.
    const next = lightOf(second, Math.max(Math.min(second.cells, mostThin), all - first.cells), 0, straight)
    return lightOf(first, all + thin * (first.cells - all), thin, () => next)
  }

  /** The scene where a ray that is bent by a surface comes from, or straight behind it if that is before the liquid. */
  function bentScene(pixel: number, way: number, thick: number, normal: Vector): Vector {
    const shift = (Math.min(thick, 0.35 * shape[0]) * 0.175) / way
    const aside = (axis: Vector) => (normal[0] * axis[0] + normal[1] * axis[1] + normal[2] * axis[2]) / length(axis) ** 2
    const x = clamp((pixel % width) - aside(camera.right) * shift * whole.width, width - 1)
    const y = clamp(Math.floor(pixel / width) + aside(camera.up) * shift * whole.height, height - 1)
    const [i, j] = [Math.min(Math.floor(x), Math.max(width - 2, 0)), Math.min(Math.floor(y), Math.max(height - 2, 0))]
    const at = i + width * j
    if (seen[at].ball < way) return seen[pixel].scene
    const [next, line] = [width > 1 ? 1 : 0, height > 1 ? width : 0]
    const lower = mix(seen[at].scene, seen[at + next].scene, x - i)
    return mix(lower, mix(seen[at + line].scene, seen[at + line + next].scene, x - i), y - j)
  }

  const picture = new Uint8ClampedArray(4 * width * height)
  /** Way to liquid, 0 where there is none. */
  const depths = new Float32Array(width * height)
  for (let pixel = 0; pixel < seen.length; pixel++) {
    const layers = through(seen[pixel], seen[pixel].ball)
    let colour = onScreen(layers.length > 0 ? liquidOver(pixel, layers) : seen[pixel].scene)
    if (layers.length > 0) {
      depths[pixel] = layers[0].way
      const before = seen[pixel].walls.filter(({ way }) => way < layers[0].way + MARCH_SLACK)
      colour = before.reduceRight((below, wall) => mix(below, onScreen(wall.light), wall.cover), colour)
    }
    picture.set([...colour, 255], 4 * pixel)
  }
  const pixels = smoothEdges(picture, width, height)
  drawBoxEdges(pixels, view, shape, eye, colours.edge, (pixel, away) => {
    const isHidden = depths[pixel] > 0 && away >= depths[pixel] + MARCH_SLACK
    return !isHidden && away <= seen[pixel].ball
  })
  return pixels
}

/** Light seen through walls. */
const behind = (walls: readonly Wall[], light: Vector): Vector =>
  walls.reduceRight((light, wall) => mix(light, wall.light, wall.cover), light)

const allOf = (layers: readonly Layer[]) => layers.reduce((sum, { cells }) => sum + cells, 0)

const clamp = (value: number, most: number) => Math.min(Math.max(value, 0), most)

/** Bytes for the screen, not rounded. */
const onScreen = (light: Vector): Vector => [255 * encoded(light[0]), 255 * encoded(light[1]), 255 * encoded(light[2])]

/** A value of pixels that is worked out for some of them, and linear between those. */
function interpolated(width: number, height: number, measure: (pixel: number) => number): (pixel: number) => number {
  const columns = Math.floor(width / THICKNESS_STEP) + 2
  const rows = Math.floor(height / THICKNESS_STEP) + 2
  const values = Float64Array.from({ length: columns * rows }, (_, at) => {
    const column = Math.min((at % columns) * THICKNESS_STEP, width - 1)
    const row = Math.min(Math.floor(at / columns) * THICKNESS_STEP, height - 1)
    return measure(column + width * row)
  })
  return pixel => {
    const [x, y] = [(pixel % width) / THICKNESS_STEP, Math.floor(pixel / width) / THICKNESS_STEP]
    const at = Math.floor(x) + columns * Math.floor(y)
    const row = (from: number) => values[from] + (x % 1) * (values[from + 1] - values[from])
    return row(at) + (y % 1) * (row(at + columns) - row(at))
  }
}
