/** 2D frames painted by the processor: the same picture as that of WebGL, in a real browser. */
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ScalarFunction } from '../../src/grid/field.js'
import { createGrid } from '../../src/grid/grid.js'
import { loadScene } from '../../src/io/index.js'
import { simulateScene } from '../../src/liquid/from-scene.js'
import type { Frame } from '../../src/liquid/frame.js'
import { project, temporaryFolder } from '../setup/working-copy.js'
import { EVERYWHERE, frameOf, NOWHERE } from '../support/frames.js'
import { findChromium, launchChromium } from './chromium.js'
import { serve } from './server.js'
import { knownFrame } from './stage-page/frames.js'
import type { Look, Pixels } from './stage-page/main.js'

const chromium = findChromium()

describe.skipIf(chromium === undefined)('a painted picture and that of WebGL', () => {
  const temporary = temporaryFolder()
  let server: Awaited<ReturnType<typeof serve>>
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    const outDir = join(temporary.folder, 'page')
    await build({
      root: join(project, 'test/web/stage-page'),
      configFile: false,
      base: './',
      logLevel: 'error',
      build: { outDir, target: 'es2022', minify: false, chunkSizeWarningLimit: 5000 },
    })
    server = await serve({ page: outDir })
    browser = await launchChromium(chromium!)
    page = await browser.newPage({ viewport: { width: 700, height: 600 } })
    await page.goto(`${server.address}/plain/page/index.html`)
    await page.waitForFunction(() => 'lab' in window)
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
    temporary.dispose()
  })

  async function bothWays({ grid, liquid, solid }: Frame, look: Look): Promise<{ drawn: Pixels; painted: Pixels }> {
    const plain = {
      shape: [grid.shape[0], grid.shape[1]] as const,
      spacing: grid.spacing,
      liquid: [...liquid],
      solid: [...solid],
    }
    return page.evaluate(([plain, look]) => window.lab.bothWays(plain, look), [plain, look] as const)
  }

  it.each(Object.keys(FRAMES))('are equal: %s', async name => {
    const frame = await FRAMES[name]()
    for (const [at, look] of LOOKS.entries()) {
      const { drawn, painted } = await bothWays(frame, look)
      const found = compare(drawn, painted)
      if (process.env.SHOW) console.log(name, at, JSON.stringify(found))
      expect(found.apart / (look.width * look.height), `${name}, ${JSON.stringify(look)}`).toBeLessThan(0.002)
    }
  })
})

const LOOKS: readonly Look[] = [
  { width: 480, height: 360 },
  { width: 301, height: 407, dark: true, ball: { centre: [0.5, 0.3, 0], radius: 0.11 } },
  { width: 320, height: 240, zoom: 7, aside: [0.1, -0.15] },
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
  'a pool in a round basin': () => frame([128, 128], (_, y) => y - 0.45, (x, y) => 0.44 - Math.hypot(x - 0.5, y - 0.5)),
  'waves and rocks': () =>
    frame(
      [96, 60],
      (x, y) => y - 0.3 - 0.05 * Math.sin(17 * x) - 0.02 * Math.cos(41 * x),
      (x, y) => Math.hypot(x - 0.4, y - 0.28) - 0.1 - 0.01 * Math.sin(31 * x),
    ),
  'drops and threads': () => frame([80, 80], (x, y) => 0.6 * (0.04 * Math.sin(23 * x) * Math.cos(19 * y) + 0.012)),
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

/** The largest difference in a channel, and how many pixels differ by more than 2 of 255. */
function compare(drawn: Pixels, painted: Pixels) {
  expect([painted.width, painted.height]).toEqual([drawn.width, drawn.height])
  let most = 0
  let apart = 0
  let sum = 0
  let where = ''
  for (let pixel = 0; pixel < drawn.data.length; pixel += 4) {
    let here = 0
    for (let at = pixel; at < pixel + 4; at++) {
      const difference = Math.abs(drawn.data.charCodeAt(at) - painted.data.charCodeAt(at))
      here = Math.max(here, difference)
      sum += difference
    }
    if (here > 2) apart++
    if (here > most) where = `${(pixel / 4) % drawn.width},${Math.floor(pixel / 4 / drawn.width)}`
    most = Math.max(most, here)
  }
  return { most, apart, mean: sum / drawn.data.length, where }
}
