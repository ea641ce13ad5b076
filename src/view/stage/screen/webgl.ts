/** Scenery drawn by the GPU, through WebGL2. */
import { WebGLRenderer } from 'three'
import { InputError } from '../../../input-error.js'
import { createFlatScenery } from '../flat/scenery.js'
import { createQualityChooser, WATER_QUALITY } from '../quality.js'
import type { Screen } from '../screen.js'
import { createSpaceScenery } from '../space/scenery.js'
import { createGpuClock } from './gpu-clock.js'

/** Throws an InputError where there is no WebGL2. */
export function createWebglScreen(canvas: HTMLCanvasElement): Screen {
  const context = createContext(canvas)
  const renderer = new WebGLRenderer({ canvas, context })
  renderer.autoClear = false
  const clock = createGpuClock(context)
  const chooser = createQualityChooser({ start: isSoftware(context) ? 'low' : 'high', tooSlow: 34, fast: 7 })
  let isLost = false

  function lost(event: Event): void {
    event.preventDefault()
    isLost = true
    screen.onLost?.()
  }

  function restored(): void {
    isLost = false
    clock.reset()
    screen.onRestored?.()
  }

  canvas.addEventListener('webglcontextlost', lost)
  canvas.addEventListener('webglcontextrestored', restored)

  const screen: Screen = {
    canvas,
    front: canvas,
    get quality() {
      return chooser.quality
    },
    get isLost() {
      return isLost
    },
    createScenery(dims) {
      if (dims === 2) return createFlatScenery(renderer)
      requireFloatTargets(context)
      return createSpaceScenery(renderer)
    },
    // Flat pictures are cheap.
    pixelRatio: (quality, dims) => (dims === 2 ? Infinity : WATER_QUALITY[quality].pixelRatio),
    resize(width, height, pixelRatio) {
      renderer.setPixelRatio(pixelRatio)
      renderer.setSize(width, height, false)
    },
    judge: () => clock.measure(chooser.observe),
    onLost: undefined,
    onRestored: undefined,
    dispose() {
      canvas.removeEventListener('webglcontextlost', lost)
      canvas.removeEventListener('webglcontextrestored', restored)
      renderer.dispose()
      // Browsers allow few contexts at a time and would otherwise release this one late.
      renderer.forceContextLoss()
    },
  }
  return screen
}

function createContext(canvas: HTMLCanvasElement): WebGL2RenderingContext {
  const context = canvas.getContext('webgl2', { alpha: false, antialias: false, powerPreference: 'high-performance' })
  if (context && !context.isContextLost()) return context
  throw new InputError(
    'The GPU cannot draw the liquid because the browser does not provide WebGL2; enable hardware acceleration, or use a newer browser.',
  )
}

function requireFloatTargets(context: WebGL2RenderingContext): void {
  if (context.getExtension('EXT_color_buffer_float')) return
  throw new InputError(
    'The GPU cannot draw 3D liquid because it does not support float render targets; use a 2D scene or another device.',
  )
}

/** Whether WebGL is emulated by the CPU, as on machines without a GPU. */
function isSoftware(context: WebGL2RenderingContext): boolean {
  const names = context.getExtension('WEBGL_debug_renderer_info')
  const renderer = String(context.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER))
  return /swiftshader|llvmpipe|software|basic render/i.test(renderer)
}

let known: boolean | undefined

/** Whether WebGL2 is emulated in software. Tested once, because the test costs a context. */
export function drawsInSoftware(): boolean {
  known ??= askOnce()
  return known
}

function askOnce(): boolean {
  const context = document.createElement('canvas').getContext('webgl2')
  if (!context) return false
  const answer = isSoftware(context)
  context.getExtension('WEBGL_lose_context')?.loseContext()
  return answer
}
