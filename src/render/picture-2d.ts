/** Pictures of 2D frames: liquid and solids with smooth edges from their level sets, and on demand what happens in them. */
import { faceShape, nodeShape } from '../grid/grid.js'
import { InputError } from '../input-error.js'
import type { Frame, FrameFields } from '../liquid/frame.js'
import type { Picture } from '../liquid/picture.js'
import { CONTACT } from '../pressure/problem.js'
import { addCaption, addFrameCaption, addScale, type CaptionOptions, shortNumber } from './caption.js'
import { blend, type Colour, mapColour, mix } from './colour.js'
import { continuedLiquid } from './continued-liquid.js'
import { createPlane, type Plane } from './plane.js'

export interface Picture2DOptions extends CaptionOptions {
  /** Pixels per cell; without it the longer side has about 720 pixels. */
  readonly scale?: number
  /** Colours the liquid by pressure or speed. */
  readonly field?: 'pressure' | 'speed'
  /** What the darkest and the lightest colour stand for, Pa or m/s; without it 0 and the largest value of the frame. */
  readonly range?: readonly [number, number]
  /** Marks cells at walls that the liquid is letting go of. */
  readonly pinned?: boolean
  readonly particles?: boolean
  /** False leaves out what explains the colours. */
  readonly legend?: boolean
}

const LONGER_SIDE = 720
const MOST_PIXELS = 2 ** 26

const BACKGROUND: readonly [Colour, Colour] = [
  [247, 249, 251],
  [226, 233, 240],
]
const SHALLOW: Colour = [86, 180, 226]
const DEEP: Colour = [14, 66, 138]
const RIM: Colour = [206, 240, 255]
const OUTLINE: Colour = [22, 92, 160]
const SOLID: readonly [Colour, Colour] = [
  [98, 104, 118],
  [70, 75, 88],
]
const SOLID_EDGE: Colour = [176, 182, 194]
const SHADOW: Colour = [20, 32, 52]
const PINNED: Colour = [255, 122, 24]
const PINNED_INK: Colour = [196, 78, 0]
const PARTICLE: Colour = [8, 40, 92]

/** Lengths in cells: how wide the light rim below the surface is, how far shadows of solids do, how large particles are. */
const RIM_WIDTH = 0.32
const SHADOW_WIDTH = 0.9
const PARTICLE_RADIUS = 0.16
/** Slopes of level sets that are believed, at most and (as 1 over it) at least. */
const STEEPEST = 4
/** Part of the domain over which the colour of the liquid goes from shallow to deep. */
const DEPTH = 0.16

export function drawFrame2D(frame: Frame, options: Picture2DOptions = {}): Picture {
  const [nx, ny] = frame.grid.shape
  if (frame.grid.dims !== 2) throw new InputError('A 3D frame cannot be drawn flat; draw it with createPainter.')
  const { scale = Math.max(LONGER_SIDE / Math.max(nx, ny), 1e-3) } = options
  const width = Math.max(1, Math.round(nx * scale))
  const height = Math.max(1, Math.round(ny * scale))
  if (!(scale > 0 && width * height <= MOST_PIXELS))
    throw new InputError(
      `A picture cannot have ${scale} pixels per cell; take a positive number that gives at most 67 megapixels.`,
    )
  const picture: Picture = { width, height, pixels: new Uint8ClampedArray(4 * width * height) }
  const colouring = options.field ? colouringOf(frame, options.field, options.range) : undefined
  drawMatter(frame, picture, scale, colouring?.colourAt)
  if (options.particles) drawParticles(frame, picture, scale)
  if (options.pinned) drawPinned(frame, picture, scale)
  // At the bottom: what is worth seeing happens under the ceiling.
  const taken = addFrameCaption(picture, frame, options, 'bottom-left')
  if (options.legend === false) return picture
  if (colouring) addScale(picture, colouring.label, colouring.low, colouring.high, taken)
  else if (options.pinned) addCaption(picture, 'letting go', 'bottom-right', PINNED_INK)
  return picture
}

type ColourAt = (x: number, y: number) => Colour

/** Background, liquid and solids. Positions are in cells, y upwards. */
function drawMatter(frame: Frame, { width, height, pixels }: Picture, scale: number, colourAt?: ColourAt): void {
  const { grid } = frame
  const [nx, ny] = grid.shape
  const liquid = createPlane(continuedLiquid(frame), nx, ny, 0.5, 0.5)
  const [mx, my] = nodeShape(grid)
  const solid = createPlane(frame.solid, mx, my, 0, 0)
  const perCell = 1 / grid.spacing
  const depth = DEPTH * Math.max(nx, ny)
  const rim = Math.max(RIM_WIDTH, 1.5 / scale)
  for (let row = 0; row < height; row++) {
    const y = ny * (1 - (row + 0.5) / height)
    const background = mix(BACKGROUND[1], BACKGROUND[0], y / ny)
    const stone = mix(SOLID[1], SOLID[0], y / ny)
    for (let column = 0; column < width; column++) {
      const x = (nx * (column + 0.5)) / width
      const at = 4 * (column + width * row)
      blend(pixels, at, background, 1)
      const phi = liquid.at(x, y) * perCell
      const covered = coverage(liquid, x, y, phi, perCell, scale)
      if (covered > 0) {
        const water = colourAt ? colourAt(x, y) : mix(SHALLOW, DEEP, 1 - Math.exp(Math.min(phi, 0) / depth))
        const light = (colourAt ? 0 : 0.55) * Math.exp(-(((phi + 1.4 * rim) / rim) ** 2))
        const line = 0.75 * Math.exp(-((phi / (0.5 * rim)) ** 2))
        blend(pixels, at, mix(mix(water, RIM, light), OUTLINE, line), covered)
      }
      const distance = solid.at(x, y) * perCell
      const stony = coverage(solid, x, y, distance, perCell, scale)
      if (distance > 0 && distance < 6 * SHADOW_WIDTH) blend(pixels, at, SHADOW, 0.3 * Math.exp(-distance / SHADOW_WIDTH))
      if (stony > 0) blend(pixels, at, mix(stone, SOLID_EDGE, 0.8 * Math.exp(-((distance / rim) ** 2))), stony)
    }
  }
}

/** Share of a pixel that lies inside, from the distance of its middle in cells, corrected by the slope of a level set that is not quite a
 *  distance. What is not a number lies outside. */
function coverage(plane: Plane, x: number, y: number, phi: number, perCell: number, scale: number): number {
  if (!(phi * scale < STEEPEST)) return 0
  if (phi * scale < -STEEPEST) return 1
  const slope = Math.min(Math.max(plane.slopeAt(x, y) * perCell, 1 / STEEPEST), STEEPEST)
  return Math.min(Math.max(0.5 - (phi * scale) / slope, 0), 1)
}

function fieldsOf(frame: Frame, what: string): FrameFields {
  if (!frame.fields) throw new InputError(`Frame ${frame.index} holds no ${what}; keep fields in the run to draw it.`)
  return frame.fields
}

function colouringOf(frame: Frame, field: 'pressure' | 'speed', range?: readonly [number, number]) {
  const { grid } = frame
  const [nx, ny] = grid.shape
  const fields = fieldsOf(frame, field)
  let valueAt: (x: number, y: number) => number
  if (field === 'pressure') valueAt = createPlane(fields.pressure, nx, ny, 0.5, 0.5).at
  else {
    const planes: Plane[] = [0, 1].map(axis => {
      const [fx, fy] = faceShape(grid, axis as 0 | 1)
      return createPlane(fields.velocity[axis], fx, fy, axis === 0 ? 0 : 0.5, axis === 1 ? 0 : 0.5)
    })
    valueAt = (x, y) => Math.hypot(planes[0].at(x, y), planes[1].at(x, y))
  }
  const [low, high] = range ?? [0, largestInLiquid(frame, valueAt)]
  const unit = field === 'pressure' ? 'Pa' : 'm/s'
  const span = high > low ? high - low : 1
  return {
    colourAt: (x: number, y: number) => mapColour((valueAt(x, y) - low) / span),
    label: field,
    low: shortNumber(low, unit),
    high: shortNumber(high, unit),
  }
}

function largestInLiquid({ grid, liquid }: Frame, valueAt: (x: number, y: number) => number): number {
  const [nx, ny] = grid.shape
  let largest = 0
  for (let j = 0; j < ny; j++)
    for (let i = 0; i < nx; i++) if (liquid[i + nx * j] < 0) largest = Math.max(largest, valueAt(i + 0.5, j + 0.5))
  return largest
}

/** Contacts at pressure 0: liquid touches the wall there and is free to leave it. */
function drawPinned(frame: Frame, picture: Picture, scale: number): void {
  const { kind, pressure } = fieldsOf(frame, 'pinned cells')
  const [nx, ny] = frame.grid.shape
  for (let cell = 0; cell < frame.grid.cells; cell++) {
    if (kind[cell] !== CONTACT || pressure[cell] !== 0) continue
    const x = (cell % nx) + 0.5
    const y = Math.floor(cell / nx) + 0.5
    drawDisc(picture, x * (picture.width / nx), (ny - y) * (picture.height / ny), Math.max(0.38 * scale, 1.5), PINNED, 0.9)
  }
}

function drawParticles(frame: Frame, picture: Picture, scale: number): void {
  const { grid, particles, index } = frame
  if (!particles) throw new InputError(`Frame ${index} holds no particles; keep particles in the run to draw them.`)
  const [nx, ny] = grid.shape
  const radius = Math.max(PARTICLE_RADIUS * scale, 0.6)
  for (let at = 0; at < particles.position.length; at += 3) {
    const x = particles.position[at] / grid.spacing
    const y = particles.position[at + 1] / grid.spacing
    drawDisc(picture, x * (picture.width / nx), (ny - y) * (picture.height / ny), radius, PARTICLE, 0.55)
  }
}

function drawDisc({ width, height, pixels }: Picture, x: number, y: number, radius: number, colour: Colour, share: number): void {
  for (let row = Math.max(0, Math.floor(y - radius - 1)); row < Math.min(height, y + radius + 1); row++) {
    for (let column = Math.max(0, Math.floor(x - radius - 1)); column < Math.min(width, x + radius + 1); column++) {
      const covered = Math.min(Math.max(radius - Math.hypot(column + 0.5 - x, row + 0.5 - y) + 0.5, 0), 1)
      if (covered > 0) blend(pixels, 4 * (column + width * row), colour, share * covered)
    }
  }
}
