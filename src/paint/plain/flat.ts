/** The definition of a picture of a 2D frame: the colour of one pixel after the other, in plain TypeScript. `compiled/flat.ts`
 *  paints the same with compiled loops, within the tolerance of test/paint/plain-flat.test.ts. Lengths are in cells, y points up. */
import type { Frame } from '../../liquid/frame.js'
import { edgeWidth, type FlatColours, flatColours, wallShade } from '../flat-style.js'
import { LINE_PIXELS } from '../rendering-constants.js'
import { mix, scale, type Vector } from '../vector.js'
import type { FlatView } from '../view.js'
import { type FlatLevels, flatLevels, type Sample } from './flat-levels.js'

/** To the light, from above to the left, for the border of liquid and for the ball; of length 1. */
const LIGHT_DIRECTION = [-0.4472136, 0.8944272] as const
const BALL_LIGHT = [-0.5070201, 0.8619342] as const

interface Style {
  readonly colours: FlatColours
  /** Side of a pixel. */
  readonly pixel: number
  readonly edgeWidth: number
  readonly wallShade: number
  /** Cells below the surface over which liquid gets darker. */
  readonly darkening: number
}

export function paintFlat(frame: Frame, { width, height, camera, palette, ball }: FlatView): Uint8ClampedArray<ArrayBuffer> {
  const { grid } = frame
  const [nx, ny] = grid.shape
  const levels = flatLevels(frame)
  const style: Style = {
    colours: flatColours(palette),
    pixel: camera.pixel / grid.spacing,
    edgeWidth: edgeWidth(grid),
    wallShade: wallShade(grid),
    darkening: 0.17 * Math.max(nx, ny),
  }
  const { colours, pixel } = style
  const pixels = new Uint8ClampedArray(4 * width * height)
  for (let row = 0; row < height; row++) {
    const y = camera.origin[1] / grid.spacing + (height - row - 0.5) * pixel
    for (let column = 0; column < width; column++) {
      const x = camera.origin[0] / grid.spacing + (column + 0.5) * pixel
      const outside = Math.max(-x, x - nx, -y, y - ny) / pixel
      let colour = colours.margin
      if (outside < LINE_PIXELS) {
        colour = domainColour(levels, style, x, y, within(y / ny))
        if (ball)
          colour = withBall(
            colour,
            style,
            ball.radius / grid.spacing,
            x - ball.centre[0] / grid.spacing,
            y - ball.centre[1] / grid.spacing,
          )
        colour = mix(colour, colours.margin, within(outside + 0.5))
        colour = mix(colour, colours.edge, 0.8 * within(LINE_PIXELS - Math.abs(outside)))
      }
      pixels.set([...scale(colour, 255), 255], 4 * (column + width * row))
    }
  }
  return pixels
}

const within = (value: number) => (value > 0 ? Math.min(value, 1) : 0)

/** From 0 to 1 as its argument does, without corners. */
function smooth(value: number): number {
  const t = within(value)
  return t * t * (3 - 2 * t)
}

/** Pixels to where a level set is 0: its slope counts, because it is not quite a distance. */
function inPixels({ value, slope }: Sample, pixel: number): number {
  return value / Math.max(Math.hypot(...slope) * pixel, 1e-6)
}

/** `height` is a share of the domain. */
function domainColour(levels: FlatLevels, style: Style, x: number, y: number, height: number): Vector {
  const { colours, pixel } = style
  const wall = levels.solidAt(x, y)
  const stone = within(0.5 - inPixels(wall, pixel))
  const rock = mix(colours.stone[0], colours.stone[1], height)
  const edgeward = 0.85 * Math.exp(-(wall.value ** 2) / Math.max(0.12, 2 * pixel * pixel))
  const inStone = mix(rock, colours.stoneEdge, edgeward)
  if (stone === 1) return inStone
  // What is before a wall gets darker.
  const shade = 1 - 0.26 * Math.exp(-Math.max(wall.value, 0) / style.wallShade)
  return mix(scale(liquidColour(levels, style, x, y, height), shade), inStone, stone)
}

/** Air, liquid, and the surface between them. */
function liquidColour(levels: FlatLevels, style: Style, x: number, y: number, height: number): Vector {
  const { colours, pixel } = style
  const air = mix(colours.air[0], colours.air[1], height)
  const surface = inPixels(levels.liquidAt(x, y), pixel)
  if (surface >= LINE_PIXELS) return air
  const water = mix(waterColour(levels.depthAt(x, y), style, height), air, within(0.5 + surface))
  return mix(water, colours.outline, 0.7 * within(LINE_PIXELS - Math.abs(surface)))
}

/** The deeper the darker, and near the surface like a rounded edge that is lit from above to the left. */
function waterColour({ value, slope }: Sample, { colours, edgeWidth, darkening }: Style, height: number): Vector {
  const inside = Math.max(-value, 0)
  const light = Math.exp(-inside / darkening)
  const body = scale(mix(colours.deep, colours.shallow, light), 0.96 + 0.08 * height)
  const widths = inside / edgeWidth
  const lit = (slope[0] * LIGHT_DIRECTION[0] + slope[1] * LIGHT_DIRECTION[1]) / Math.max(Math.hypot(...slope), 0.5)
  const edgeward = Math.exp(-widths * widths)
  const gleaming = mix(body, colours.gleam, 0.62 * edgeward * smooth(lit))
  const shaded = mix(gleaming, scale(colours.deep, 0.72), 0.4 * edgeward * smooth(-lit))
  const streak = 0.16 * Math.exp(-4 * (widths - 2.1) ** 2)
  return mix(shaded, colours.gleam, streak * smooth((lit - 0.35) / 0.65))
}

/** `x` and `y`: from the middle of the ball. */
function withBall(colour: Vector, { colours, pixel }: Style, radius: number, x: number, y: number): Vector {
  const share = within(0.5 - (Math.hypot(x, y) - radius) / pixel)
  const lightward = (x * BALL_LIGHT[0] + y * BALL_LIGHT[1]) / radius
  const lit = Math.min(Math.max(0.75 + 0.35 * lightward, 0), 1.1)
  return mix(colour, scale(colours.ball, lit), share)
}
