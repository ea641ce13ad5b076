/** Draws frames on a canvas, in 2D and in 3D, with a camera that pointers move. Only `render` and `picture` draw. */
import { checkChoice, checkObject, refuse, untilDisposed } from '../../checks.js'
import type { Frame, FrameParts } from '../../liquid/frame.js'
import type { Ball } from '../../paint/view.js'
import { LIQUID_COLOURS, type LiquidColours } from '../../scene/liquid-colours.js'
import type { Vector } from '../../scene/setting.js'
import type { Legend } from './fields/legend.js'
import type { Slice } from './objects/slice-object.js'
import type { Ray } from './picking.js'
import type { Quality } from './quality.js'
import type { StageView } from './scenery.js'
import { createPaintedScreen, type PaintedScreenOptions } from './screen/painted.js'
import { createWebglScreen } from './screen/webgl.js'
import type { CameraPlace } from './stage-camera.js'
import { stageOnScreen } from './stage-on-screen.js'

export interface StageOptions {
  /** Dimension of the first frames; a frame of the other dimension rebuilds the stage. */
  readonly dims: 2 | 3
  readonly dark?: boolean
  /** Of the liquid; those of water if absent. */
  readonly colours?: LiquidColours
  readonly view?: StageView
  /** `auto`, the default, follows what the machine can do. */
  readonly quality?: Quality | 'auto'
}

export interface Stage {
  /** The canvas that is visible; it may change with `render` of another view if the CPU paints some views. */
  readonly canvas: HTMLCanvasElement
  /** Its arrays must not change until the next frame is shown. */
  show(frame: Frame): void
  view: StageView
  /** Where fields are cut in 3D. */
  slice: Slice
  dark: boolean
  colours: LiquidColours
  quality: Quality | 'auto'
  /** Where the camera is, as plain data. */
  camera: CameraPlace
  /** Whether pointers and the wheel move the camera. */
  controls: boolean
  /** Explains the colours of the view, if they mean something. */
  readonly legend: Legend | undefined
  /** What frames must hold for this view. A frame that lacks it is shown by its surface. */
  needs(): FrameParts
  render(): void
  /** Pixels of the page, and how many of the screen each has. */
  resize(width: number, height: number, pixelRatio?: number): void
  resetCamera(): void
  /** A PNG file of what is seen. */
  picture(): Promise<Blob>
  /** From the eye through a pixel; pixels of the page from the upper left corner of the canvas. */
  ray(x: number, y: number): Ray
  /** The place in the scene at a pixel, in metres: in 2D on its plane, in 3D on the plane through `through` that faces the camera; without
   *  it through the middle of the domain. */
  toScene(x: number, y: number, through?: Vector): Vector
  /** The other way: the pixel where a place is seen. */
  toPixels(place: Vector): [x: number, y: number]
  /** A ball moved by the user, null for none. */
  setObstacle(ball: Ball | null): void
  /** The user moved the camera, or quality has changed: time to render. */
  onChange: (() => void) | undefined
  /** Between this and `onContextRestored` nothing can be drawn. */
  onContextLost: (() => void) | undefined
  onContextRestored: (() => void) | undefined
  /** The canvas cannot be used again. */
  dispose(): void
}

/** Drawn by WebGL. Throws an InputError where the page cannot draw. */
export function createStage(canvas: HTMLCanvasElement, options: StageOptions): Stage {
  if (typeof canvas?.getContext !== 'function') refuse('createStage: the canvas', 'a canvas of the page', canvas)
  checkObject(options, 'createStage: the options', 'an object with dims and other options')
  checkChoice(options.dims, 'createStage: dims', [2, 3])
  checkChoice(options.colours ?? 'water', 'createStage: colours', LIQUID_COLOURS)
  return untilDisposed(stageOnScreen(createWebglScreen(canvas), options), 'the stage')
}

/** Painted by the CPU, for machines without a GPU. The canvas fills an element of the page, so that another one can be placed
 *  behind it. */
export function createPaintedStage(canvas: HTMLCanvasElement, options: StageOptions & PaintedScreenOptions): Stage {
  return stageOnScreen(createPaintedScreen(canvas, options), options)
}
