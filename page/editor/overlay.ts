/** What is being drawn or is selected, on top of a stage. */
import type { Shape, Vector } from 'peel'
import type { Drawing } from 'peel/web'
import type { Side } from '../sides.js'
import { extentOf, type Material, type Meshes } from './edit-scene.js'

const COLOURS: Readonly<Record<Material | 'eraser', string>> = {
  liquid: 'rgb(22 131 216 / 0.55)',
  solids: 'rgb(110 110 120 / 0.6)',
  eraser: 'rgb(220 60 40 / 0.35)',
}

export interface Overlay {
  clear(): void
  /** In 2D. */
  drawShape(drawing: Drawing, shape: Shape, material: Material | 'eraser'): void
  /** The box around a shape. */
  outline(drawing: Drawing, shape: Shape, meshes?: Meshes): void
}

export function createOverlay(side: Side): Overlay {
  const canvas = document.createElement('canvas')
  canvas.className = 'overlay'
  canvas.setAttribute('aria-hidden', 'true')
  side.stage.append(canvas)
  const context = canvas.getContext('2d')!

  function clear(): void {
    const { clientWidth, clientHeight } = side.stage
    canvas.width = clientWidth
    canvas.height = clientHeight
  }

  return {
    clear,
    drawShape(drawing, shape, material) {
      clear()
      const at = ([x, y]: readonly number[]) => drawing.toPixels([x, y, 0])
      const perMetre = at([1, 0])[0] - at([0, 0])[0]
      context.fillStyle = context.strokeStyle = COLOURS[material]
      context.lineCap = context.lineJoin = 'round'
      context.beginPath()
      if (shape.shape === 'sphere') {
        context.arc(...at(shape.centre), shape.radius * perMetre, 0, 2 * Math.PI)
        context.fill()
      } else if (shape.shape === 'box') {
        const [[left, bottom], [right, top]] = [at(shape.min), at(shape.max)]
        context.fillRect(left, top, right - left, bottom - top)
      } else {
        const capsules = shape.shape === 'union' ? shape.of : [shape]
        for (const capsule of capsules) {
          if (capsule.shape !== 'capsule') continue
          context.lineWidth = 2 * capsule.radius * perMetre
          context.moveTo(...at(capsule.from))
          context.lineTo(...at(capsule.to))
        }
        context.stroke()
      }
    },
    outline(drawing, shape, meshes) {
      clear()
      const extent = extentOf(shape, 3, meshes)
      if (!extent) return
      const corner = (n: number): Vector => {
        const [x, y, z] = extent.centre.map((middle, axis) => middle + ((n >> axis) & 1 ? 0.5 : -0.5) * extent.size[axis])
        return [x, y, z]
      }
      context.strokeStyle = '#ff9a3c'
      context.lineWidth = 1.5
      context.beginPath()
      for (let n = 0; n < 8; n++)
        for (const bit of [1, 2, 4]) {
          if (n & bit) continue
          context.moveTo(...drawing.toPixels(corner(n)))
          context.lineTo(...drawing.toPixels(corner(n | bit)))
        }
      context.stroke()
    },
  }
}
