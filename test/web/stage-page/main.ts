/** A page with one stage at a time, for tests that look at its pixels. */
import { PerspectiveCamera, Scene, WebGLRenderer } from 'three'
import { createGrid } from '../../../src/grid/grid.js'
import type { Frame } from '../../../src/liquid/frame.js'
import { createPainter, type Painter } from '../../../src/paint/painter.js'
import { DARK, LIGHT } from '../../../src/paint/palette.js'
import type { Ball } from '../../../src/paint/view.js'
import { createLegendElement } from '../../../src/view/stage/fields/legend.js'
import { createParticleObject } from '../../../src/view/stage/objects/particle-object.js'
import { createSurfaceObject } from '../../../src/view/stage/objects/surface-object.js'
import { plainCamera } from '../../../src/view/stage/screen/plain-camera.js'
import { createPaintedStage, createStage, type Stage, type StageOptions } from '../../../src/view/stage/stage.js'
import { type CameraPlace, createStageCamera } from '../../../src/view/stage/stage-camera.js'
import { type KnownFrameOptions, knownFrame } from './frames.js'

export interface Pixels {
  readonly width: number
  readonly height: number
  /** Red, green, blue and opacity of every pixel, from the upper left: one character each, which is fast to hand over. */
  readonly data: string
}

/** A 2D frame as it is handed over. */
export interface PlainFrame {
  readonly shape: readonly [number, number]
  readonly spacing: number
  readonly liquid: readonly number[]
  readonly solid: readonly number[]
}

export interface Look {
  readonly width: number
  readonly height: number
  readonly dark?: boolean
  readonly ball?: Ball
  /** Times as large as where all is seen, and from the middle of the domain, m. */
  readonly zoom?: number
  readonly aside?: readonly [number, number]
}

const lab = {
  canvas: undefined as unknown as HTMLCanvasElement,
  stage: undefined as unknown as Stage,
  frame: undefined as unknown as Frame,
  happened: [] as string[],

  /** Replaces the stage before. */
  open(options: StageOptions, width = 200, height = 150, pixelRatio = 1): void {
    lab.stage?.dispose()
    lab.canvas?.remove()
    lab.canvas = document.body.appendChild(document.createElement('canvas'))
    lab.canvas.style.cssText = `width:${width}px;height:${height}px`
    lab.happened = []
    lab.stage = createStage(lab.canvas, { quality: 'low', ...options })
    lab.stage.resize(width, height, pixelRatio)
    lab.stage.onContextLost = () => lab.happened.push('lost')
    lab.stage.onContextRestored = () => lab.happened.push('restored')
    lab.stage.onChange = () => lab.happened.push('change')
  },
  /** The same, painted by the processor; `webgl` for views that are not. In an element of its own, because there may be two canvases. */
  openPainted(options: StageOptions, webgl: boolean, width = 200, height = 150): void {
    lab.stage?.dispose()
    lab.canvas?.remove()
    document.querySelector('#painted')?.remove()
    const element = document.body.appendChild(document.createElement('div'))
    element.id = 'painted'
    element.style.cssText = `position: relative; width: ${width}px; height: ${height}px`
    lab.canvas = element.appendChild(document.createElement('canvas'))
    lab.canvas.style.cssText = 'position: absolute; inset: 0; width: 100%; height: 100%'
    lab.happened = []
    lab.stage = createPaintedStage(lab.canvas, { quality: 'high', ...options, webgl })
    lab.stage.resize(width, height, 1)
    lab.stage.onContextLost = () => lab.happened.push('lost')
    lab.stage.onChange = () => lab.happened.push('change')
  },
  show(options: KnownFrameOptions): void {
    lab.frame = knownFrame(options)
    lab.stage.show(lab.frame)
  },
  /** By way of the PNG file, so that it is tested along. */
  async pixels(): Promise<Pixels> {
    const bitmap = await createImageBitmap(await lab.stage.picture())
    return pixelsOf(bitmap)
  },
  /** The same frame by WebGL and by the processor. */
  async bothWays(plain: PlainFrame, look: Look): Promise<{ drawn: Pixels; painted: Pixels }> {
    const { width, height, dark = false, ball = null } = look
    const [liquid, solid] = [Float32Array.from(plain.liquid), Float32Array.from(plain.solid)]
    const frame = { grid: createGrid(plain.shape, plain.spacing), index: 0, time: 0, liquid, solid }
    lab.open({ dims: 2, dark }, width, height)
    lab.stage.show(frame)
    lab.stage.camera = placeOf(lab.stage.camera, look)
    lab.stage.setObstacle(ball)
    const { camera } = cameraLike(lab.stage.camera, frame, width, height)
    painter ??= await createPainter()
    painter.show(frame)
    const painted = painter.paint({ width, height, camera: plainCamera(camera, height), palette: dark ? DARK : LIGHT, ball })
    return { drawn: await lab.pixels(), painted: { width, height, data: textOf(painted, width, height) } }
  },
  async loseContext(): Promise<void> {
    await contextEvent('webglcontextlost', 'loseContext')
  },
  async restoreContext(): Promise<void> {
    await contextEvent('webglcontextrestored', 'restoreContext')
  },
  /** The sentence of a legend, and how it is offered to those who do not see it. */
  legend(): { role: string | null; label: string | null; hidden: boolean; text: string | null } {
    const { element, update } = createLegendElement()
    update(lab.stage.legend)
    return {
      role: element.getAttribute('role'),
      label: element.getAttribute('aria-label'),
      hidden: element.hidden === true,
      text: element.textContent,
    }
  },
  /** Particles and surface in a scene that is not ours, one after the other: numbers of pixels that are not background. */
  ownScene(frames: readonly KnownFrameOptions[]): { particles: number[]; surface: number[] } {
    const canvas = document.createElement('canvas')
    const renderer = new WebGLRenderer({ canvas, alpha: true, preserveDrawingBuffer: true })
    renderer.setSize(100, 100, false)
    const camera = new PerspectiveCamera(40, 1, 0.1, 10)
    camera.position.set(0.5, 0.5, 2.5)
    const count = (object: { object: Parameters<Scene['add']>[0]; update(frame: Frame): void; dispose(): void }) => {
      const scene = new Scene().add(object.object)
      const counts = frames.map(options => {
        object.update(knownFrame(options))
        renderer.render(scene, camera)
        const { data } = pixelsOf(canvas)
        let drawn = 0
        for (let at = 3; at < data.length; at += 4) if (data.charCodeAt(at) > 0) drawn++
        return drawn
      })
      object.dispose()
      return counts
    }
    const counts = { particles: count(createParticleObject()), surface: count(createSurfaceObject()) }
    renderer.dispose()
    return counts
  },
  /** What is said where a page cannot draw. */
  refusal(kind: 'no WebGL2' | 'no float targets'): string {
    const canvas = document.createElement('canvas')
    if (kind === 'no WebGL2') canvas.getContext('2d')
    else canvas.getContext('webgl2')!.getExtension = () => null
    try {
      createStage(canvas, { dims: 3 })
      return ''
    } catch (error) {
      return String(error)
    }
  },
}

function pixelsOf(image: ImageBitmap | HTMLCanvasElement): Pixels {
  const { width, height } = image
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')!
  context.drawImage(image, 0, 0)
  return { width, height, data: textOf(context.getImageData(0, 0, width, height).data, width, height) }
}

function textOf(data: Uint8ClampedArray, width: number, height: number): string {
  const rows = Array.from({ length: height }, (_, row) =>
    String.fromCharCode(...data.subarray(4 * width * row, 4 * width * (row + 1))),
  )
  return rows.join('')
}

/** For all pictures, so that what it remembers of those before is seen. */
let painter: Painter | undefined

function placeOf({ eye, target }: CameraPlace, { zoom = 1, aside: [x, y] = [0, 0] }: Look): CameraPlace {
  return { eye: [eye[0] + x, eye[1] + y, eye[2]], target: [target[0] + x, target[1] + y, target[2]], zoom }
}

/** A camera as a stage of this size has it. */
function cameraLike(place: CameraPlace, { grid }: Frame, width: number, height: number) {
  const camera = createStageCamera(document.createElement('canvas'), 2, () => {})
  camera.resize(width, height)
  camera.fit([grid.shape[0] * grid.spacing, grid.shape[1] * grid.spacing, 0])
  camera.place = place
  camera.camera.updateMatrixWorld()
  return camera
}

function contextEvent(name: string, what: 'loseContext' | 'restoreContext'): Promise<Event> {
  const happened = new Promise<Event>(resolve => lab.canvas.addEventListener(name, resolve, { once: true }))
  // A context that is lost gives no extensions any more.
  loseContext = lab.canvas.getContext('webgl2')!.getExtension('WEBGL_lose_context') ?? loseContext
  loseContext![what]()
  return happened
}
let loseContext: WEBGL_lose_context | null = null

declare global {
  interface Window {
    lab: typeof lab
  }
}
window.lab = lab
