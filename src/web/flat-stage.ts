/** A stage without WebGL, for browsers that lack it: 2D frames as pictures, 3D frames as the slice through their middle. There is one view
 *  of them and no camera. */
import { createGrid } from '../grid/grid.js'
import type { Frame } from '../liquid/frame.js'
import { drawFrame2D } from '../render/picture-2d.js'
import type { Vector } from '../scene/setting.js'
import type { Stage } from './stage/stage.js'

export function createFlatStage(canvas: HTMLCanvasElement): Stage {
  const context = canvas.getContext('2d')
  let shown: Frame | undefined
  /** m, of the plane that is drawn. */
  let depth = 0

  /** Pixels of the page for a metre, and where the lower left corner of the domain is. */
  function placement() {
    const ratio = canvas.clientWidth / canvas.width || 1
    const { shape, spacing } = shown?.grid ?? { shape: [1, 1], spacing: 1 }
    const scale = Math.min(canvas.width / shape[0], canvas.height / shape[1]) * ratio
    const left = (canvas.clientWidth - scale * shape[0]) / 2
    const bottom = (canvas.clientHeight + scale * shape[1]) / 2
    return { perMetre: scale / spacing, left, bottom }
  }

  function toScene(x: number, y: number): Vector {
    const { perMetre, left, bottom } = placement()
    return [(x - left) / perMetre, (bottom - y) / perMetre, depth]
  }

  function render(): void {
    if (!shown || !context || canvas.width === 0 || canvas.height === 0) return
    const { width, height, pixels } = drawFrame2D(shown, { scale: fittingScale(shown, canvas) })
    const image = new ImageData(new Uint8ClampedArray(pixels), width, height)
    context.clearRect(0, 0, canvas.width, canvas.height)
    context.putImageData(image, Math.floor((canvas.width - width) / 2), Math.floor((canvas.height - height) / 2))
  }

  const stage: Stage = {
    view: 'water',
    slice: { axis: 2, position: 0.5 },
    dark: false,
    quality: 'auto',
    camera: { eye: [0, 0, 1], target: [0, 0, 0], zoom: 1 },
    controls: false,
    legend: undefined,
    onChange: undefined,
    onContextLost: undefined,
    onContextRestored: undefined,
    needs: () => ({}),
    show(frame) {
      shown = frame.grid.dims === 3 ? middleSlice(frame) : frame
      depth = frame.grid.dims === 3 ? 0.5 * frame.grid.shape[2] * frame.grid.spacing : 0
    },
    render,
    resize(width, height, pixelRatio = 1) {
      canvas.width = Math.max(1, Math.round(width * pixelRatio))
      canvas.height = Math.max(1, Math.round(height * pixelRatio))
    },
    resetCamera() {},
    picture() {
      render()
      return pictureOf(canvas)
    },
    toScene,
    toPixels([x, y]) {
      const { perMetre, left, bottom } = placement()
      return [left + x * perMetre, bottom - y * perMetre]
    },
    ray(x, y) {
      const [u, v] = toScene(x, y)
      return { origin: [u, v, 2 * depth], direction: [0, 0, -1] }
    },
    setObstacle() {},
    dispose() {
      shown = undefined
    },
  }
  return stage
}

function pictureOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) =>
    canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('This browser makes no picture of a canvas.')))),
  )
}

function fittingScale({ grid: { shape } }: Frame, { width, height }: HTMLCanvasElement): number {
  return Math.min(width / shape[0], height / shape[1])
}

/** As a 2D frame: the layer of cells in the middle, and the nodes in front of it. */
export function middleSlice({ grid, index, time, liquid, solid }: Frame): Frame {
  const [nx, ny, nz] = grid.shape
  const layer = Math.floor(nz / 2)
  const cells = nx * ny
  const nodes = (nx + 1) * (ny + 1)
  const flat = new Float32Array(2 * nodes)
  flat.set(solid.subarray(layer * nodes, (layer + 1) * nodes))
  flat.copyWithin(nodes, 0, nodes)
  return {
    grid: createGrid([nx, ny], grid.spacing),
    index,
    time,
    liquid: liquid.slice(layer * cells, (layer + 1) * cells),
    solid: flat,
  }
}
