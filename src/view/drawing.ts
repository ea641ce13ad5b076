/** Draws a liquid into an element of a page: on its own canvas that fills the element, with the renderer that the browser supports. */
import { checkChoice, checkObject, refuse, untilDisposed } from '../checks.js'
import { InputError } from '../input-error.js'
import { checkFrame, checkParts, type Frame, type FrameParts } from '../liquid/frame.js'
import { LIQUID_COLOURS, type LiquidColours } from '../scene/liquid-colours.js'
import type { Vector } from '../scene/setting.js'
import { createLegendElement } from './stage/fields/legend.js'
import type { Ray } from './stage/picking.js'
import { STAGE_VIEWS, type StageView } from './stage/scenery.js'
import { drawsInSoftware } from './stage/screen/webgl.js'
import { createPaintedStage, createStage, type Stage } from './stage/stage.js'

/** The renderer in use. The CPU painter paints water only; other views are drawn by WebGL, if available. */
export type RendererName = 'webgl' | 'processor'

export interface DrawingOptions {
  readonly dims: 2 | 3
  readonly dark?: boolean
  /** Of the liquid; those of water if absent. */
  readonly colours?: LiquidColours
  readonly view?: StageView
  /** WebGL if absent, but the CPU where there is no GPU. */
  readonly drawnBy?: RendererName
  /** A message for the user: something cannot be drawn as it should be. Empty when that is over. */
  readonly onNotice?: (sentence: string) => void
  /** The user moved the camera. */
  readonly onCamera?: () => void
}

export interface Drawing {
  readonly drawnBy: RendererName
  /** The visible canvas; another view may use another one. */
  readonly canvas: HTMLCanvasElement
  /** How it is seen: views, slices, camera, colours. Changes are seen with the next `render`. */
  readonly stage: Stage
  /** Drawn soon; by the CPU at once, unless pictures come faster than a screen shows them. */
  show(frame: Frame): void
  /** Whether drawing keeps all cores busy for a while: a simulation on the same cores is faster if it begins the next frame
   *  after this one is shown. */
  readonly takesCores: boolean
  /** What frames must hold besides the surface. */
  needs(): FrameParts
  /** Draws soon; repeated calls before that have no effect. */
  render(): void
  /** Immediately, for callers that read the canvas in the same task. */
  renderNow(): void
  /** Whether pointers and the wheel move the camera. */
  controls: boolean
  /** The place at a pixel of the page, counted from the upper left corner of the canvas, in metres: in 3D on the plane through `through`
   *  that faces the camera, or through the middle of the domain. */
  toScene(x: number, y: number, through?: Vector): Vector
  toPixels(place: Vector): [x: number, y: number]
  /** From the eye through a pixel; its direction has length 1. */
  ray(x: number, y: number): Ray
  /** View and camera as plain data, for links. Accepts any value, and ignores unknown keys. */
  look: unknown
  /** PNG of the current picture. */
  picture(): Promise<Blob>
  dispose(): void
}

/** Milliseconds between pictures below which a screen does not show all of them. */
const SCREEN_TURN = 12

/** Above this pixel ratio, more pixels are not worth their cost. */
const MAX_PIXELS_PER_POINT = 2

/** Throws an InputError unless it is an element of a page, of this window or another. */
export function checkElement(element: HTMLElement, what: string): void {
  if (typeof element !== 'object' || element === null || element.nodeType !== 1) refuse(what, 'an element of the page', element)
}

export function createDrawing(container: HTMLElement, options: DrawingOptions): Drawing {
  checkElement(container, 'createDrawing: the container')
  checkObject(options, 'createDrawing: the options', 'an object with dims and other options')
  checkChoice(options.dims, 'createDrawing: dims', [2, 3])
  checkChoice(options.colours ?? 'water', 'createDrawing: colours', LIQUID_COLOURS)
  const { onNotice, onCamera } = options
  const { front, stage, drawnBy, excuse } = raiseStage(container, options)
  const legend = createLegendElement()
  container.append(legend.element)
  if (excuse) onNotice?.(`${excuse} Until then the CPU draws, and water is the only view.`)
  let asked: number | undefined
  let takesCores = false
  let painted = -Infinity

  function renderNow(): void {
    if (asked !== undefined) cancelAnimationFrame(asked)
    asked = undefined
    stage.render()
    legend.update(stage.legend)
    painted = performance.now()
  }

  function render(): void {
    asked ??= requestAnimationFrame(renderNow)
  }

  stage.onChange = () => {
    render()
    onCamera?.()
  }
  stage.onContextLost = () => onNotice?.('The GPU context was lost; it should return in a moment. If not, reload the page.')
  stage.onContextRestored = () => {
    onNotice?.('')
    render()
  }

  const observer = new ResizeObserver(() => {
    const { clientWidth, clientHeight } = container
    if (clientWidth === 0 || clientHeight === 0) return
    stage.resize(clientWidth, clientHeight, Math.min(devicePixelRatio, MAX_PIXELS_PER_POINT))
    render()
  })
  observer.observe(container)

  const drawing: Drawing = {
    drawnBy,
    get canvas() {
      return stage.canvas
    },
    stage,
    show(frame) {
      takesCores = drawnBy === 'processor' && frame.grid.dims === 3
      stage.show(frame)
      if (drawnBy === 'processor' && performance.now() - painted > SCREEN_TURN) renderNow()
      else render()
    },
    get takesCores() {
      return takesCores
    },
    needs: () => stage.needs(),
    render,
    renderNow,
    get controls() {
      return stage.controls
    },
    set controls(enabled) {
      stage.controls = enabled
    },
    get look() {
      return lookOf(stage)
    },
    set look(given) {
      takeLook(stage, given)
      render()
    },
    toScene: (x, y, through) => stage.toScene(x, y, through),
    toPixels: place => stage.toPixels(place),
    ray: (x, y) => stage.ray(x, y),
    async picture() {
      return stage.picture()
    },
    dispose() {
      if (asked !== undefined) cancelAnimationFrame(asked)
      observer.disconnect()
      stage.dispose()
      front.remove()
      legend.element.remove()
    },
  }
  return untilDisposed(drawing, 'the drawing')
}

/** Whether a frame lacks something of what is needed. */
export function lacks(frame: Frame, parts: FrameParts): boolean {
  checkFrame(frame, 'lacks: the frame')
  checkParts(parts, 'lacks: parts')
  const { particles, fields } = parts
  return Boolean((particles && !frame.particles) || (fields && !frame.fields))
}

interface Raised {
  readonly front: HTMLCanvasElement
  readonly stage: Stage
  readonly drawnBy: RendererName
  /** Why the requested renderer is not used. */
  readonly excuse?: string
}

/** A canvas that has had one kind of context cannot have another, so a new one is created. */
function raiseStage(container: HTMLElement, { drawnBy: wanted, ...options }: DrawingOptions): Raised {
  const front = addCanvas(container)
  const drawnBy = wanted ?? (drawsInSoftware() ? 'processor' : 'webgl')
  if (drawnBy === 'processor') return { front, stage: createPaintedStage(front, { ...options, webgl: true }), drawnBy }
  try {
    return { front, stage: createStage(front, options), drawnBy }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    front.remove()
    const plain = addCanvas(container)
    const stage = createPaintedStage(plain, { ...options, webgl: false })
    return { front: plain, stage, drawnBy: 'processor', excuse: error.message }
  }
}

function addCanvas(container: HTMLElement): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.style.cssText = 'display: block; position: absolute; inset: 0; width: 100%; height: 100%'
  container.append(canvas)
  return canvas
}

interface Look {
  readonly view: StageView
  readonly slice: Stage['slice']
  readonly camera: Stage['camera']
}

const lookOf = ({ view, slice, camera }: Stage): Look => ({ view, slice, camera })

function takeLook(stage: Stage, given: unknown): void {
  if (typeof given !== 'object' || given === null) return
  const { view, slice, camera } = given as { readonly [K in keyof Look]?: unknown }
  if (STAGE_VIEWS.includes(view as StageView)) stage.view = view as StageView
  if (isSlice(slice)) stage.slice = slice
  if (isCamera(camera)) stage.camera = camera
}

function isSlice(value: unknown): value is Stage['slice'] {
  const { axis, position } = (value ?? {}) as Partial<Record<keyof Stage['slice'], unknown>>
  return [0, 1, 2].includes(axis as number) && typeof position === 'number' && position >= 0 && position <= 1
}

function isCamera(value: unknown): value is Stage['camera'] {
  const { eye, target, zoom } = (value ?? {}) as Partial<Record<keyof Stage['camera'], unknown>>
  const isPlace = (place: unknown) => Array.isArray(place) && place.length === 3 && place.every(Number.isFinite)
  return isPlace(eye) && isPlace(target) && Number.isFinite(zoom) && (zoom as number) > 0
}
