/** Scenery painted by the CPU, on machines without a GPU: water, by compiled loops, on a 2D canvas. Software WebGL is many
 *  times slower for the same picture; it draws the other views, on a canvas behind this one. Without any WebGL only water can
 *  be shown. */
import { type Camera, Matrix4 } from 'three'
import { InputError } from '../../../input-error.js'
import type { Frame } from '../../../liquid/frame.js'
import { canShare, hardwareThreads } from '../../../machine/host.js'
import type { Painter } from '../../../paint/painter.js'
import { LIGHT } from '../../../paint/palette.js'
import type { Ball, View } from '../../../paint/view.js'
import { createQualityChooser, type Quality } from '../quality.js'
import type { Scenery, StageView } from '../scenery.js'
import type { Screen } from '../screen.js'
import { plainCamera } from './plain-camera.js'
import { createWebglScreen } from './webgl.js'

/** Drawn pixels per pixel of the page. */
const PIXEL_RATIO: Readonly<Record<Quality, number>> = { low: 0.6, medium: 0.75, high: 1 }

/** Painting holds up whatever else the page has to answer; by the clock, so that simulations on the same cores count. */
const QUALITY = { start: 'medium', tooSlow: 24, fast: 4 } as const

export interface PaintedScreenOptions {
  /** Whether WebGL may be tried for views that are not painted. */
  readonly webgl: boolean
}

export function createPaintedScreen(canvas: HTMLCanvasElement, { webgl }: PaintedScreenOptions): Screen {
  const context = canvas.getContext('2d', { alpha: false })!
  const chooser = createQualityChooser(QUALITY)
  /** Milliseconds; 0 for a picture that could reuse nothing of the last one and predicts little about the next. */
  let took = 0
  /** Null where there can be none. */
  let behind: Screen | null | undefined = webgl ? undefined : null
  let isBehindSeen = false
  let size: readonly [number, number, number] = [1, 1, 1]

  function raiseBehind(): Screen | null {
    if (behind !== undefined) return behind
    const other = document.createElement('canvas')
    other.style.cssText = canvas.style.cssText
    try {
      behind = createWebglScreen(other)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      behind = null
      return behind
    }
    behind.onLost = () => screen.onLost?.()
    behind.onRestored = () => screen.onRestored?.()
    behind.resize(...size)
    canvas.before(other)
    return behind
  }

  /** Invisible rather than hidden: pointers still act on it. */
  function see(isBehind: boolean): void {
    isBehindSeen = isBehind
    canvas.style.opacity = isBehind ? '0' : '1'
  }

  function createScenery(dims: 2 | 3): Scenery {
    let painter: Painter | undefined
    let others: Scenery | undefined
    let shown: Frame | undefined
    let isPainted = true
    /** Not where WebAssembly is forbidden and WebGL is there. */
    let canPaint = true
    let palette = LIGHT
    let ball: Ball | null = null
    let drawn: readonly [number, number] = [1, 1]
    let isDisposed = false
    const lastPlace = new Matrix4()

    async function start(): Promise<void> {
      try {
        // Most pages never need it.
        const { createPainter } = await import('../../../paint/painter.js')
        const threads = dims === 3 && canShare() ? hardwareThreads() : 1
        const made = await createPainter({ threads, engine: 'compiled' }).catch(error => {
          if (sceneryBehind()) throw error
          return createPainter({ engine: 'plain' })
        })
        if (isDisposed) return made.dispose()
        painter = made
      } catch {
        canPaint = false
      }
    }

    function sceneryBehind(): Scenery | undefined {
      if (others) return others
      try {
        others = raiseBehind()?.createScenery(dims)
      } catch (error) {
        if (!(error instanceof InputError)) throw error
      }
      if (!others) return undefined
      others.setColours(palette)
      others.setBall(ball)
      others.setQuality('low')
      others.resize(...drawn)
      return others
    }

    /** What draws a view, unless it is painted. */
    const othersFor = (view: StageView) => (canPaint && view === 'water' ? undefined : sceneryBehind())

    /** Out of memory, for example: from the next frame on WebGL draws, if available. */
    function tryToPaint(view: View): ReturnType<Painter['paint']> | undefined {
      try {
        return painter!.paint(view)
      } catch (error) {
        canPaint = false
        if (!sceneryBehind()) throw error
        return undefined
      }
    }

    function paint(camera: Camera): void {
      if (!painter || !shown) return
      camera.updateMatrixWorld()
      const [width, height] = drawn
      const began = performance.now()
      const pixels = tryToPaint({ width, height, camera: plainCamera(camera, height), palette, ball })
      if (!pixels) return
      took = camera.matrixWorld.equals(lastPlace) ? performance.now() - began : 0
      lastPlace.copy(camera.matrixWorld)
      context.putImageData(new ImageData(pixels, width, height), 0, 0)
    }

    return {
      ready: start(),
      get legend() {
        return isPainted ? undefined : others?.legend
      },
      needs: view => othersFor(view)?.needs(view) ?? {},
      show(frame, view, slice) {
        shown = frame
        const other = othersFor(view)
        isPainted = other === undefined
        if (other) other.show(frame, view, slice)
        else painter?.show(frame)
      },
      render(camera) {
        if (isPainted) paint(camera)
        else others?.render(camera)
        see(!isPainted)
      },
      resize(width, height) {
        drawn = [width, height]
        others?.resize(width, height)
      },
      setColours(chosen) {
        palette = chosen
        others?.setColours(chosen)
      },
      setBall(given) {
        ball = given
        others?.setBall(given)
      },
      setQuality() {},
      dispose() {
        isDisposed = true
        painter?.dispose()
        others?.dispose()
      },
    }
  }

  const screen: Screen = {
    get canvas() {
      return isBehindSeen && behind ? behind.canvas : canvas
    },
    front: canvas,
    get quality() {
      return chooser.quality
    },
    get isLost() {
      return isBehindSeen && (behind?.isLost ?? false)
    },
    createScenery,
    pixelRatio: (quality, dims) => (dims === 2 ? Infinity : PIXEL_RATIO[quality]),
    resize(width, height, pixelRatio) {
      size = [width, height, pixelRatio]
      canvas.width = Math.max(1, Math.floor(width * pixelRatio))
      canvas.height = Math.max(1, Math.floor(height * pixelRatio))
      behind?.resize(width, height, pixelRatio)
    },
    judge() {
      if (!isBehindSeen && took > 0) chooser.observe(took)
    },
    onLost: undefined,
    onRestored: undefined,
    dispose() {
      behind?.dispose()
      behind?.canvas.remove()
    },
  }
  return screen
}
