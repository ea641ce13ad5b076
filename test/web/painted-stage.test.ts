/** A stage that the processor paints, for machines without a graphics card: the same contract as that of WebGL. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { STAGE_VIEWS, type StageView } from '../../src/view/stage/scenery.js'
import type { StageOptions } from '../../src/view/stage/stage.js'
import { findChromium } from '../support/chromium.js'
import { openStageLab } from './stage-lab.js'
import { BALL } from './stage-page/frames.js'
import type { Pixels } from './stage-page/main.js'

const chromium = findChromium()

describe.skipIf(chromium === undefined)('a painted stage', () => {
  const lab = openStageLab(chromium, { width: 400, height: 300 })
  const { show, setView, pixels } = lab
  let page: Page
  beforeAll(() => {
    page = lab.page
  })

  const openPainted = (options: StageOptions, webgl = true) =>
    page.evaluate(([options, webgl]) => window.lab.openPainted(options, webgl), [options, webgl] as const)
  const kindOfCanvas = () =>
    page.evaluate(() => {
      const { stage, canvas } = window.lab
      return { isFront: stage.canvas === canvas, opacity: canvas.style.opacity, legend: stage.legend !== undefined }
    })

  /** Pixels that are much bluer than red, which is liquid. */
  const countBlue = ({ data }: Pixels) => {
    let count = 0
    for (let at = 0; at < data.length; at += 4) if (data.charCodeAt(at + 2) - data.charCodeAt(at) > 60) count++
    return count
  }

  it.each([2, 3] as const)('draws %iD liquid where a stage of WebGL draws it', async dims => {
    const centre = () => page.evaluate(place => window.lab.stage.toPixels(place), [...BALL.centre] as [number, number, number])
    await page.evaluate(dims => window.lab.open({ dims, quality: 'high' }), dims)
    await show({ dims })
    const drawn = await pixels()
    const there = await centre()
    await openPainted({ dims })
    await show({ dims })
    const painted = await pixels()
    expect(await centre()).toEqual(there)
    expect([painted.width, painted.height]).toEqual([drawn.width, drawn.height])
    const at = 4 * (Math.round(there[0]) + painted.width * Math.round(there[1]))
    expect(painted.data.charCodeAt(at + 2) - painted.data.charCodeAt(at)).toBeGreaterThan(60)
    // In 3D balls of particles stand for the surface there, and its level set here.
    expect(countBlue(painted) / countBlue(drawn)).toBeGreaterThan(dims === 2 ? 0.99 : 0.85)
    expect(countBlue(painted) / countBlue(drawn)).toBeLessThan(dims === 2 ? 1.01 : 1.15)
  })

  it('is painted as soon as it can be, and a picture waits for that', async () => {
    const { data } = await page.evaluate(() => {
      window.lab.openPainted({ dims: 3 }, true)
      window.lab.show({ dims: 3 })
      return window.lab.pixels()
    })
    expect(new Set(data).size).toBeGreaterThan(20)
    expect(await page.evaluate(() => window.lab.happened)).toContain('change')
  })

  it.each([2, 3] as const)('leaves other views to WebGL, on a canvas behind, and comes back to water: %iD', async dims => {
    await openPainted({ dims })
    await show({ dims })
    const water = await pixels()
    expect(await kindOfCanvas()).toEqual({ isFront: true, opacity: '1', legend: false })
    for (const view of STAGE_VIEWS.filter(name => name !== 'water')) {
      await setView(view)
      const other = await pixels()
      expect([other.width, other.height]).toEqual([water.width, water.height])
      expect(other.data === water.data, view).toBe(false)
      const { isFront, opacity, legend } = await kindOfCanvas()
      expect({ isFront, opacity }).toEqual({ isFront: false, opacity: '0' })
      expect(legend, view).toBe(view !== 'surface')
    }
    await setView('water')
    expect((await pixels()).data === water.data).toBe(true)
    expect((await kindOfCanvas()).isFront).toBe(true)
  })

  it.each([2, 3] as const)('draws other views as a stage of WebGL does, also at another size: %iD', async dims => {
    const resize = (width: number, height: number) =>
      page.evaluate(([width, height]) => window.lab.stage.resize(width, height, 1), [width, height] as const)
    const sizes = [
      [200, 150],
      [100, 80],
    ] as const
    const pictures = async () => {
      const taken: string[] = []
      for (const [width, height] of sizes) {
        await resize(width, height)
        taken.push((await pixels()).data)
      }
      return taken
    }
    await page.evaluate(dims => window.lab.open({ dims, view: 'pressure', dark: true, quality: 'high' }), dims)
    await show({ dims })
    const drawn = await pictures()
    await openPainted({ dims, dark: true })
    await show({ dims })
    await pixels()
    await setView('pressure')
    expect((await pictures()).map((data, at) => data === drawn[at])).toEqual([true, true])
  })

  it('needs no particles for water, and for other views what WebGL needs', async () => {
    await openPainted({ dims: 3 })
    await show({ dims: 3 })
    const needs = async (view: StageView) => {
      await setView(view)
      return page.evaluate(() => window.lab.stage.needs())
    }
    expect(await needs('water')).toEqual({})
    expect(await needs('particles')).toEqual({ particles: true })
    expect(await needs('pinned')).toEqual({ fields: true })
  })

  it('without WebGL shows water whatever is asked for', async () => {
    await openPainted({ dims: 3, view: 'pressure' }, false)
    await show({ dims: 3 })
    const asked = await pixels()
    expect(await page.evaluate(() => window.lab.stage.needs())).toEqual({})
    await setView('water')
    expect((await pixels()).data === asked.data).toBe(true)
    expect(countBlue(asked)).toBeGreaterThan(500)
  })

  it.each(['cannot be started', 'fails later'] as const)('leaves water to WebGL where a painter %s', async when => {
    await page.evaluate(when => {
      const { instantiate } = WebAssembly
      WebAssembly.instantiate = (async (module: WebAssembly.Module, imports: WebAssembly.Imports) => {
        WebAssembly.instantiate = instantiate
        if (when === 'cannot be started') throw new Error('refused')
        const { exports } = await instantiate(module, imports)
        const paintSpace = () => {
          throw new Error('no memory left')
        }
        return { exports: { ...exports, paintSpace } }
      }) as unknown as typeof instantiate
      window.lab.openPainted({ dims: 3 }, true)
      window.lab.show({ dims: 3 })
    }, when)
    await pixels()
    await show({ dims: 3 })
    const drawn = await pixels()
    expect(countBlue(drawn)).toBeGreaterThan(500)
    expect((await kindOfCanvas()).isFront).toBe(false)
    expect(await page.evaluate(() => window.lab.stage.needs())).toEqual({ particles: true })
  })

  it.each([2, 3] as const)('paints with plain loops where there is neither WebGL nor WebAssembly: %iD', async dims => {
    await openPainted({ dims }, false)
    await show({ dims })
    const compiled = await pixels()
    await page.evaluate(dims => {
      const { instantiate } = WebAssembly
      WebAssembly.instantiate = (async () => {
        WebAssembly.instantiate = instantiate
        throw new Error('refused')
      }) as unknown as typeof instantiate
      window.lab.openPainted({ dims }, false)
      window.lab.show({ dims })
    }, dims)
    await pixels()
    await show({ dims })
    const plain = await pixels()
    expect(countBlue(plain) / countBlue(compiled)).toBeCloseTo(1, 1)
  })

  it.each(['water', 'speed'] as const)('is turned by the pointer, whichever canvas is seen: %s', async view => {
    await openPainted({ dims: 2, view })
    await show({ dims: 2 })
    await pixels()
    await show({ dims: 3 })
    const before = await pixels()
    const place = await page.evaluate(() => window.lab.stage.camera)
    const box = (await page.locator('#painted').boundingBox())!
    await page.mouse.move(box.x + 60, box.y + 60)
    await page.mouse.down()
    await page.mouse.move(box.x + 120, box.y + 70, { steps: 3 })
    await page.mouse.up()
    expect(await page.evaluate(() => window.lab.stage.camera)).not.toEqual(place)
    expect((await pixels()).data === before.data).toBe(false)
  })

  it('follows size, colours and ball, and goes from 2D to 3D and back', async () => {
    await openPainted({ dims: 2 })
    await show({ dims: 2 })
    const flat = await pixels()
    await show({ dims: 3 })
    const space = await pixels()
    await page.evaluate(() => {
      window.lab.stage.dark = true
    })
    const dark = await pixels()
    await page.evaluate(centre => window.lab.stage.setObstacle({ centre, radius: 0.1 }), [0.5, 0.9, 0.5] as const)
    const ball = await pixels()
    await page.evaluate(() => {
      window.lab.stage.dark = false
      window.lab.stage.setObstacle(null)
      window.lab.stage.resize(100, 80, 1)
    })
    const small = await pixels()
    expect([small.width, small.height]).toEqual([100, 80])
    await page.evaluate(() => window.lab.stage.resize(200, 150, 1))
    expect((await pixels()).data === space.data).toBe(true)
    await show({ dims: 2 })
    expect((await pixels()).data === flat.data).toBe(true)
    expect(new Set([flat, space, dark, ball].map(({ data }) => data)).size).toBe(4)
  })

  it('has fewer pixels where painting takes long, other than while the camera moves', async () => {
    await openPainted({ dims: 3, quality: 'auto' })
    await show({ dims: 3 })
    const { width } = await pixels()
    expect(width).toBe(150)
    const least = await page.evaluate(() => {
      const { now } = performance
      let clock = 0
      performance.now = () => (clock += 30)
      const { stage, canvas } = window.lab
      // While the camera moves pictures take longer.
      for (let n = 0; n < 10; n++) {
        const { eye, ...place } = stage.camera
        stage.camera = { ...place, eye: [eye[0] + 0.01, eye[1], eye[2]] }
        stage.render()
      }
      const moved = canvas.width
      for (let n = 0; n < 10; n++) stage.render()
      performance.now = now
      return [moved, canvas.width]
    })
    expect(least).toEqual([150, 120])
  })
})
