/** A canvas on which frames are seen, in 2D and in 3D, with a camera that is moved by hand. Nothing is drawn but by `render` and `picture`. */
import { Raycaster, Vector2, Vector3 } from 'three'
import { checkChoice, checkObject, refuse, untilDisposed } from '../../checks.js'
import { InputError } from '../../input-error.js'
import type { Frame, FrameParts } from '../../liquid/frame.js'
import type { Ball } from '../../paint/view.js'
import type { Vector } from '../../scene/setting.js'
import type { Legend } from './fields/legend.js'
import type { Slice } from './objects/slice-object.js'
import type { Quality } from './quality.js'
import type { Scenery, StageView } from './scenery.js'
import { createPaintedScreen, type PaintedScreenOptions } from './screen/painted.js'
import { createWebglScreen } from './screen/webgl.js'
import type { Screen } from './screen.js'
import { type CameraPlace, createStageCamera, type StageCamera } from './stage-camera.js'

export interface StageOptions {
  /** Of the frames to come; a frame of the other kind changes the stage. */
  readonly dims: 2 | 3
  readonly dark?: boolean
  readonly view?: StageView
  /** `auto`, the default, follows what the machine can do. */
  readonly quality?: Quality | 'auto'
}

export interface Ray {
  readonly origin: Vector
  /** Of length 1. */
  readonly direction: Vector
}

export interface Stage {
  /** On which pictures are seen; another one after `render` of another view, where the processor paints some of them. */
  readonly canvas: HTMLCanvasElement
  /** Its arrays must stay as they are until the next frame is shown. */
  show(frame: Frame): void
  view: StageView
  /** Where fields are cut in 3D. */
  slice: Slice
  dark: boolean
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
  /** A ball that is moved by hand, null for none. */
  setObstacle(ball: Ball | null): void
  /** The camera was moved by hand, or quality has changed: time to render. */
  onChange: (() => void) | undefined
  /** Between the two nothing can be drawn. */
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
  return untilDisposed(raiseStage(createWebglScreen(canvas), options), 'the stage')
}

/** Painted by the processor, for machines without a graphics card. The canvas fills an element of the page, so that another one can be put
 *  behind it. */
export function createPaintedStage(canvas: HTMLCanvasElement, options: StageOptions & PaintedScreenOptions): Stage {
  return raiseStage(createPaintedScreen(canvas, options), options)
}

function raiseStage(screen: Screen, options: StageOptions): Stage {
  let dims = options.dims
  let { dark = false, view = 'water', quality = 'auto' } = options
  let slice: Slice = { axis: 2, position: 0.5 }
  let ball: Ball | null = null
  let shown: Frame | undefined
  let isStale = false
  /** For the first frame, if it was given before. */
  let firstPlace: CameraPlace | undefined
  let width = 1
  let height = 1
  let pixelRatio = 1
  let scenery: Scenery
  let camera: StageCamera
  let drawn = ''
  build()

  function build(): void {
    scenery = screen.createScenery(dims)
    camera = createStageCamera(screen.front, dims, () => stage.onChange?.())
    camera.resize(width, height)
    scenery.setColours(dark)
    scenery.setBall(ball)
    drawn = ''
    void scenery.ready?.then(showAgain)
  }

  function showAgain(): void {
    isStale = true
    stage.onChange?.()
  }

  function rebuild(newDims: 2 | 3): void {
    scenery.dispose()
    camera.dispose()
    dims = newDims
    shown = undefined
    build()
  }

  const qualityNow = () => (quality === 'auto' ? screen.quality : quality)

  /** Frames and views that are replaced before they are drawn cost nothing. */
  function refresh(): void {
    if (shown && isStale) scenery.show(shown, view, slice)
    isStale = false
  }

  /** Only what differs from the last picture. */
  function applySize(): void {
    const ratio = Math.min(pixelRatio, screen.pixelRatio(qualityNow(), dims))
    const wanted = `${width} ${height} ${ratio}`
    if (wanted === drawn) return
    drawn = wanted
    screen.resize(width, height, ratio)
    scenery.resize(screen.front.width, screen.front.height)
  }

  screen.onLost = () => stage.onContextLost?.()
  screen.onRestored = () => {
    drawn = ''
    stage.onContextRestored?.()
  }

  const size = (): Vector => {
    const [nx, ny, nz] = shown?.grid.shape ?? [1, 1, 1]
    const h = shown?.grid.spacing ?? 1
    return [nx * h, ny * h, dims === 2 ? 0 : nz * h]
  }

  const onScreen = (x: number, y: number) => new Vector2((2 * x) / width - 1, 1 - (2 * y) / height)

  function castRay(x: number, y: number): Raycaster {
    camera.camera.updateMatrixWorld()
    const caster = new Raycaster()
    caster.setFromCamera(onScreen(x, y), camera.camera)
    return caster
  }

  const stage: Stage = {
    get canvas() {
      return screen.canvas
    },
    onChange: undefined,
    onContextLost: undefined,
    onContextRestored: undefined,
    get view() {
      return view
    },
    set view(name) {
      view = name
      isStale = true
    },
    get slice() {
      return slice
    },
    set slice(place) {
      slice = place
      isStale = true
    },
    get dark() {
      return dark
    },
    set dark(isDark) {
      dark = isDark
      scenery.setColours(dark)
    },
    get quality() {
      return quality
    },
    set quality(name) {
      quality = name
    },
    get camera() {
      return camera.place
    },
    set camera(place) {
      if (shown) camera.place = place
      else firstPlace = place
    },
    get controls() {
      return camera.enabled
    },
    set controls(enabled) {
      camera.enabled = enabled
    },
    get legend() {
      refresh()
      return scenery.legend
    },
    needs: () => scenery.needs(view),
    show(frame) {
      if (frame.grid.dims !== dims) rebuild(frame.grid.dims)
      const before = size()
      const isFirst = !shown
      shown = frame
      isStale = true
      if (!isFirst && size().every((side, axis) => side === before[axis])) return
      camera.fit(size())
      if (firstPlace) camera.place = firstPlace
      firstPlace = undefined
    },
    render() {
      if (screen.isLost || !shown) return
      refresh()
      applySize()
      scenery.setQuality(qualityNow())
      scenery.render(camera.camera)
      if (quality === 'auto' && dims === 3) screen.judge()
    },
    resize(newWidth, newHeight, ratio = 1) {
      width = Math.max(newWidth, 1)
      height = Math.max(newHeight, 1)
      pixelRatio = ratio
      camera.resize(width, height)
    },
    resetCamera() {
      camera.fit(size())
    },
    async picture() {
      await scenery.ready
      stage.render()
      return new Promise((resolve, reject) =>
        screen.canvas.toBlob(blob =>
          blob ? resolve(blob) : reject(new InputError('The browser returned no picture of the canvas; try again.')),
        ),
      )
    },
    ray(x, y) {
      const { origin, direction } = castRay(x, y).ray
      return { origin: origin.toArray(), direction: direction.toArray() }
    },
    toScene(x, y, through) {
      const { ray } = castRay(x, y)
      const [sx, sy, sz] = size()
      const point = dims === 2 ? new Vector3() : new Vector3(...(through ?? [sx / 2, sy / 2, sz / 2]))
      const normal = camera.camera.getWorldDirection(new Vector3())
      const way = point.sub(ray.origin).dot(normal) / ray.direction.dot(normal)
      return ray.direction.clone().multiplyScalar(way).add(ray.origin).toArray()
    },
    toPixels(place) {
      camera.camera.updateMatrixWorld()
      const { x, y } = new Vector3(...place).project(camera.camera)
      return [(0.5 + 0.5 * x) * width, (0.5 - 0.5 * y) * height]
    },
    setObstacle(given) {
      ball = given
      scenery.setBall(ball)
    },
    dispose() {
      camera.dispose()
      scenery.dispose()
      screen.dispose()
    },
  }
  return stage
}
