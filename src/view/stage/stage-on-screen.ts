/** A stage on any screen: keeps what is shown, and draws only what differs from the last picture. */
import { Vector2 } from 'three'
import { InputError } from '../../input-error.js'
import type { Frame } from '../../liquid/frame.js'
import { paletteOf } from '../../paint/palette.js'
import type { Ball } from '../../paint/view.js'
import type { Vector } from '../../scene/setting.js'
import type { Slice } from './objects/slice-object.js'
import { pointFacing, projected, rayThrough } from './picking.js'
import type { Scenery } from './scenery.js'
import type { Screen } from './screen.js'
import type { Stage, StageOptions } from './stage.js'
import { type CameraPlace, createStageCamera, type StageCamera } from './stage-camera.js'

export function stageOnScreen(screen: Screen, options: StageOptions): Stage {
  let dims = options.dims
  let { dark = false, colours = 'water', view = 'water', quality = 'auto' } = options
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
    scenery.setColours(paletteOf(colours, dark))
    scenery.setBall(ball)
    drawn = ''
    void scenery.ready?.then(showAgain)
  }

  function showAgain(): void {
    isStale = true
    stage.onChange?.()
  }

  /** The light on the ground of a frame is part of its colours. */
  function recolour(): void {
    scenery.setColours(paletteOf(colours, dark))
    isStale = true
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

  /** From pixels of the page to the square from -1 to 1 that the camera sees. */
  const toClip = (x: number, y: number) => new Vector2((2 * x) / width - 1, 1 - (2 * y) / height)

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
      recolour()
    },
    get colours() {
      return colours
    },
    set colours(name) {
      colours = name
      recolour()
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
      const { origin, direction } = rayThrough(camera.camera, toClip(x, y))
      return { origin: origin.toArray(), direction: direction.toArray() }
    },
    toScene(x, y, through) {
      const [sx, sy, sz] = size()
      const point: Vector = dims === 2 ? [0, 0, 0] : (through ?? [sx / 2, sy / 2, sz / 2])
      return pointFacing(camera.camera, toClip(x, y), point)
    },
    toPixels(place) {
      const [x, y] = projected(camera.camera, place)
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
