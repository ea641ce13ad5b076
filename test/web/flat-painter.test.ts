/** 2D frames painted by the processor and drawn by WebGL: the same picture, in a real browser. */
import { describe, expect, it } from 'vitest'
import type { ScalarFunction } from '../../src/grid/field.js'
import { createGrid } from '../../src/grid/grid.js'
import { loadScene } from '../../src/io/index.js'
import type { Frame } from '../../src/liquid/frame.js'
import { simulateScene } from '../../src/liquid/from-scene.js'
import { findChromium } from '../support/chromium.js'
import { EVERYWHERE, frameOf, NOWHERE } from '../support/frames.js'
import { openStageLab } from './stage-lab.js'
import { knownFrame } from './stage-page/frames.js'
import type { Look, Pixels } from './stage-page/main.js'

const chromium = findChromium()

/** Share of pixels in which the two may differ by more than 2 of 255. None do here; other graphics hardware rounds in other ways. */
const MAX_APART = 1e-4

describe.skipIf(chromium === undefined)('a painted picture and that of WebGL', () => {
  const lab = openStageLab(chromium, { width: 700, height: 600 })

  async function bothWays({ grid, liquid, solid }: Frame, look: Look): Promise<{ drawn: Pixels; painted: Pixels }> {
    const plain = {
      shape: [grid.shape[0], grid.shape[1]] as const,
      spacing: grid.spacing,
      liquid: [...liquid],
      solid: [...solid],
    }
    return lab.page.evaluate(([plain, look]) => window.lab.bothWays(plain, look), [plain, look] as const)
  }

  it.each(Object.keys(FRAMES))('are equal: %s', async name => {
    const frame = await FRAMES[name]()
    for (const look of LOOKS) {
      const { drawn, painted } = await bothWays(frame, look)
      expect(countApart(drawn, painted), JSON.stringify(look)).toBeLessThanOrEqual(MAX_APART * look.width * look.height)
    }
  })
})

const LOOKS: readonly Look[] = [
  { width: 480, height: 360 },
  { width: 301, height: 407, dark: true, ball: { centre: [0.5, 0.3, 0], radius: 0.11 } },
  { width: 320, height: 240, zoom: 3, aside: [0, -0.2] },
  { width: 200, height: 150, zoom: 9, aside: [-0.45, -0.3], dark: true },
  { width: 320, height: 240, zoom: 0.5, dark: true },
  { width: 61, height: 47 },
  { width: 23, height: 17, dark: true, ball: { centre: [0.1, 0.9, 0], radius: 0.2 } },
]

const FRAMES: Record<string, () => Frame | Promise<Frame>> = {
  'a ball of liquid': () => knownFrame({ dims: 2 }),
  'a ball of liquid beside a solid one': () => knownFrame({ dims: 2, solid: true }),
  'nothing but liquid': () => knownFrame({ dims: 2, everywhere: true }),
  'nothing at all': () => frame([20, 30], () => 1),
  'nothing but stone': () => frame([20, 30], () => 1, EVERYWHERE),
  'a pool in a round basin': () =>
    frame(
      [128, 128],
      (_, y) => y - 0.45,
      (x, y) => 0.44 - Math.hypot(x - 0.5, y - 0.5),
    ),
  'waves and rocks': () =>
    frame(
      [96, 60],
      (x, y) => y - 0.3 - 0.05 * Math.sin(17 * x) - 0.02 * Math.cos(41 * x),
      (x, y) => Math.hypot(x - 0.4, y - 0.28) - 0.1 - 0.01 * Math.sin(31 * x),
    ),
  'drops and threads': () => frame([80, 80], (x, y) => 0.6 * (0.04 * Math.sin(23 * x) * Math.cos(19 * y) + 0.012)),
  // Cells whose centre has a value of more than a cell have a surface in them.
  'steep level sets': () =>
    frame(
      [40, 40],
      (x, y) => 4 * (Math.hypot(x - 0.4, y - 0.4) - 0.3),
      (x, y) => 3 * (Math.hypot(x - 0.7, y - 0.6) - 0.1),
    ),
  'a circle of Lai, simulated': () => simulated('lai-circle', 64, 14),
  'a breaking dam, simulated': () => simulated('andersen-dam-break', 128, 22),
}

function frame(shape: readonly [number, number], liquid: ScalarFunction, solid: ScalarFunction = NOWHERE): Frame {
  return frameOf(createGrid(shape, 1 / Math.max(...shape)), liquid, solid)
}

async function simulated(name: string, resolution: number, frames: number): Promise<Frame> {
  const simulation = await simulateScene(await loadScene(name, [['domain.resolution', resolution]]), { threads: 1 })
  for (let n = 0; n < frames; n++) await simulation.advance()
  const frame = simulation.capture()
  simulation.dispose()
  return frame
}

/** Pixels that differ by more than 2 of 255 in a channel. */
function countApart(drawn: Pixels, painted: Pixels): number {
  expect([painted.width, painted.height]).toEqual([drawn.width, drawn.height])
  expect(painted.data.length).toBe(drawn.data.length)
  let apart = 0
  for (let pixel = 0; pixel < drawn.data.length; pixel += 4) {
    const parts = [0, 1, 2, 3].map(part => drawn.data.charCodeAt(pixel + part) - painted.data.charCodeAt(pixel + part))
    if (parts.some(part => Math.abs(part) > 2)) apart++
  }
  return apart
}
