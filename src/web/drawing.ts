/** What draws a liquid into an element of a page: a canvas of its own that fills the element, drawn in whichever way the browser can. */
import type { Frame, FrameParts } from '../liquid/frame.js'
import type { Vector } from '../scene/setting.js'
import { createFlatStage } from './flat-stage.js'

export interface Drawing {
  readonly canvas: HTMLCanvasElement
  readonly dims: 2 | 3
  /** Drawn with the next `render`. */
  show(frame: Frame): void
  /** What frames have to bring along. */
  needs(): FrameParts
  /** Soon; asking again before that changes nothing. */
  render(): void
  /** At once, for those who read the canvas in the same task. */
  renderNow(): void
  /** Whether pointers and the wheel move the camera. */
  controls: boolean
  /** The place at a pixel of the page, counted from the upper left corner of the canvas, in metres: in 3D on the plane through `through`
   *  that faces the camera, or through the middle of the domain. */
  toScene(x: number, y: number, through?: Vector): Vector
  toPixels(place: Vector): [x: number, y: number]
  /** From the eye through a pixel; its direction has length 1. */
  ray(x: number, y: number): { readonly origin: Vector; readonly direction: Vector }
  /** View and camera as plain data, for links. Takes any value, and from it what it knows. */
  look: unknown
  /** PNG of what is seen. */
  picture(): Promise<Blob>
  dispose(): void
}

/** Above this, pixels cost more than they show. */
const MOST_PIXELS_PER_POINT = 2

export function createDrawing(container: HTMLElement, dims: 2 | 3): Drawing {
  const canvas = document.createElement('canvas')
  canvas.style.cssText = 'display: block; position: absolute; inset: 0; width: 100%; height: 100%'
  container.append(canvas)
  const stage = createFlatStage(canvas)
  let asked: number | undefined

  function render(): void {
    asked ??= requestAnimationFrame(() => {
      asked = undefined
      stage.render()
    })
  }

  const observer = new ResizeObserver(() => {
    const { clientWidth, clientHeight } = container
    if (clientWidth === 0 || clientHeight === 0) return
    stage.resize(clientWidth, clientHeight, Math.min(devicePixelRatio, MOST_PIXELS_PER_POINT))
    render()
  })
  observer.observe(container)

  return {
    canvas,
    dims,
    show(frame) {
      stage.show(frame)
      render()
    },
    needs: () => stage.needs(),
    render,
    renderNow: () => stage.render(),
    get controls() {
      return stage.controls
    },
    set controls(enabled) {
      stage.controls = enabled
    },
    look: {},
    toScene: (x, y) => stage.toScene(x, y),
    toPixels: place => stage.toPixels(place),
    ray: (x, y) => stage.ray(x, y),
    picture: () => stage.picture(),
    dispose() {
      if (asked !== undefined) cancelAnimationFrame(asked)
      observer.disconnect()
      stage.dispose()
      canvas.remove()
    },
  }
}
