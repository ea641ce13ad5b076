/** What a picture shows: how large it is, where a frame is seen from, in which colours. Lengths in metres. */
import { checkNumber, checkObject, checkWhole, refuse } from '../checks.js'
import { InputError } from '../input-error.js'
import type { Frame } from '../liquid/frame.js'
import { LIGHT, type Palette } from './palette.js'
import type { Vector } from './vector.js'

/** Of 3D frames. `right` and `up` are at right angles to `forward`, which has length 1, and to each other. */
export interface SpaceCamera {
  readonly eye: Vector
  /** From the eye to the middle of the picture, from there to its right border and to its upper border. */
  readonly forward: Vector
  readonly right: Vector
  readonly up: Vector
}

/** Of 2D frames, which are seen straight from the front. */
export interface FlatCamera {
  /** The lower left corner of the picture. */
  readonly origin: readonly [number, number]
  /** Side of a pixel. */
  readonly pixel: number
}

/** A ball moved by the user. */
export interface Ball {
  readonly centre: Vector
  readonly radius: number
}

/** A part of a larger picture. Pixels, from the upper left corner. */
export interface PictureWindow {
  readonly left: number
  readonly top: number
  /** Size of the larger picture, which is what the camera sees. */
  readonly width: number
  readonly height: number
}

export interface View {
  /** Pixels. */
  readonly width: number
  readonly height: number
  /** Flat for 2D frames, with an eye for 3D ones. */
  readonly camera: FlatCamera | SpaceCamera
  readonly palette: Palette
  readonly ball?: Ball | null
  /** In 3D: the part of the camera's picture to paint; all of it if absent. */
  readonly window?: PictureWindow
  /** In 3D: width of the edges of the domain in pixels; 1 if absent. */
  readonly lineWidth?: number
}

export interface FlatView extends View {
  readonly camera: FlatCamera
}

export interface SpaceView extends View {
  readonly camera: SpaceCamera
}

/** Paints frames in order, each from any number of views. */
export interface FramePainter {
  /** The arrays of the frame must stay as they are until the next one is shown. */
  show(frame: Frame): void
  /** Red, green, blue and opacity of every pixel from the upper left; good until the next call. Transparent before a frame is shown. */
  paint(view: View): Uint8ClampedArray<ArrayBuffer>
}

/** Pixels along a side, in all windows together. */
const MAX_VIEW_SIDE = 65536
/** Throws an InputError unless everything is of its type. */
export function checkView(view: View): void {
  checkObject(view, 'paint: the view')
  const { width, height, camera, palette, ball, window, lineWidth } = view
  checkWhole(width, 'paint: the width', 0, MAX_VIEW_SIDE)
  checkWhole(height, 'paint: the height', 0, MAX_VIEW_SIDE)
  checkObject(camera, 'paint: the camera')
  if ('eye' in camera)
    for (const key of ['eye', 'forward', 'right', 'up'] as const) {
      if (camera[key]?.length !== 3) refuse(`paint: camera.${key}`, 'three numbers', camera[key])
    }
  checkObject(palette, 'paint: the palette')
  for (const key of Object.keys(LIGHT) as (keyof Palette)[])
    for (const colour of [palette[key]].flat()) checkNumber(colour, `paint: palette.${key}`)
  if (lineWidth !== undefined) checkNumber(lineWidth, 'paint: lineWidth', 0)
  if (ball) checkObject(ball, 'paint: the ball')
  if (window) checkObject(window, 'paint: the window')
}

export function checkFlatView(view: View): asserts view is FlatView {
  if (!('pixel' in view.camera))
    throw new InputError('A 2D frame is painted with a flat camera (origin and pixel), not with an eye.')
}

export function checkSpaceView(view: View): asserts view is SpaceView {
  if (!('eye' in view.camera)) throw new InputError('A 3D frame is painted with a camera that has an eye, not with a flat one.')
}

const NO_DIRECTION: Vector = [NaN, NaN, NaN]

/** The same camera, or one that sees nothing if not all of its numbers are finite as f32: what is before a camera becomes pixels, and pixels are
 *  addresses. */
export function soundCamera(camera: SpaceCamera): SpaceCamera {
  const { eye, forward, right, up } = camera
  const isSound = [eye, forward, right, up].every(vector => vector.every(part => Number.isFinite(Math.fround(part))))
  return isSound ? camera : { eye: NO_DIRECTION, forward: NO_DIRECTION, right: NO_DIRECTION, up: NO_DIRECTION }
}
