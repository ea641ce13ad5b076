/** Pictures of frames as files and videos show them: all of the domain, with a caption, and in 2D with marks where liquid lets go. */
import { checkChoice, checkNumber, checkOptions } from '../checks.js'
import { InputError } from '../input-error.js'
import type { Frame } from '../liquid/frame.js'
import type { Picture } from '../liquid/picture.js'
import { LIQUID_COLOURS, type LiquidColours } from '../scene/liquid-colours.js'
import { averageDown } from './average-down.js'
import { type CameraOptions, fitFlat, fitSpace } from './camera.js'
import { addCaption, addFrameCaption, type CaptionOptions } from './caption.js'
import type { Painter } from './painter.js'
import { paletteOf } from './palette.js'
import { drawPinned, PINNED_INK } from './pinned-marks.js'
import { paintInWindows } from './windows.js'

export interface PictureOptions extends CaptionOptions {
  /** Pixels: both sides of a 3D picture, the longer side of a 2D one. */
  readonly size: number
  /** In 3D: rays per pixel and side; 2 gives smooth edges at four times the time. */
  readonly samples?: number
  /** In 3D. */
  readonly camera?: CameraOptions
  /** Of the liquid; those of water if absent. */
  readonly colours?: LiquidColours
  /** For a dark page. */
  readonly dark?: boolean
  /** In 2D: marks cells at walls that the liquid is letting go of; by default if the frame holds its pressure. */
  readonly pinned?: boolean
}

const MAX_SIZE = 8192
const MAX_PICTURE_SAMPLES = 8

export function drawPicture(painter: Painter, frame: Frame, options: PictureOptions): Picture {
  const { size, samples = 1 } = options
  if (!(isCount(size) && size <= MAX_SIZE))
    throw new InputError(`A picture of ${size} pixels cannot be drawn; the size is a whole number from 1 to ${MAX_SIZE}.`)
  if (!(isCount(samples) && samples <= MAX_PICTURE_SAMPLES))
    throw new InputError(`Rays per pixel and side are 1 to ${MAX_PICTURE_SAMPLES}, not ${samples}.`)
  if (options.colours !== undefined) checkChoice(options.colours, 'drawPicture: colours', LIQUID_COLOURS)
  checkCamera(options.camera)
  painter.show(frame)
  return frame.grid.dims === 2 ? drawFlat(painter, frame, options) : drawSpace(painter, frame, options)
}

function drawFlat(painter: Painter, frame: Frame, options: PictureOptions): Picture {
  const { size, pinned = frame.fields !== undefined } = options
  const palette = paletteOf(options.colours, options.dark)
  const [nx, ny] = frame.grid.shape
  const longest = Math.max(nx, ny)
  const width = Math.max(1, Math.round((size * nx) / longest))
  const height = Math.max(1, Math.round((size * ny) / longest))
  const camera = fitFlat(frame.grid, width, height)
  const picture = { width, height, pixels: painter.paint({ width, height, camera, palette }).slice() }
  if (pinned) drawPinned(picture, frame, camera)
  // At the bottom: what is worth seeing happens under the ceiling.
  addFrameCaption(picture, frame, options, 'bottom-left')
  if (pinned) addCaption(picture, 'letting go', 'bottom-right', PINNED_INK)
  return picture
}

function drawSpace(painter: Painter, frame: Frame, options: PictureOptions): Picture {
  const { size, samples = 1 } = options
  const palette = paletteOf(options.colours, options.dark)
  const camera = fitSpace(frame.grid, size, size, options.camera)
  const side = size * samples
  const painted = paintInWindows(painter, { width: side, height: side, camera, palette, lineWidth: samples })
  const picture = averageDown({ width: side, height: side, pixels: painted }, samples)
  addFrameCaption(picture, frame, options, 'top-left')
  return picture
}

function checkCamera(camera: CameraOptions | undefined): void {
  checkOptions(camera, 'drawPicture: the camera')
  const { azimuth = 0, elevation = 0, fieldOfView = 1, zoom = 1 } = camera ?? {}
  checkNumber(azimuth, 'drawPicture: camera.azimuth')
  checkNumber(elevation, 'drawPicture: camera.elevation')
  checkNumber(fieldOfView, 'drawPicture: camera.fieldOfView', 0.01, 179)
  checkNumber(zoom, 'drawPicture: camera.zoom', 0.001, 1000)
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1
}
