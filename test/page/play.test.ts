/** The page in a real browser: hands in the liquid and the editor, by mouse and by finger. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SceneInput } from '../../src/scene/schema.js'
import { validateScene } from '../../src/scene/validate.js'
import { temporaryFolder } from '../setup/working-copy.js'
import { findChromium } from '../support/chromium.js'
import { type Opened, type OpenOptions, openSite, type Site } from './site.js'

const chromium = findChromium()
type Point = readonly [x: number, y: number]

const POOL: SceneInput = {
  version: 1,
  domain: { size: [1, 1], resolution: 16 },
  liquid: [{ shape: 'box', min: [0, 0], max: [1, 0.5] }],
}
const TIP = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n'

describe.skipIf(chromium === undefined)('playing with the page', () => {
  const temporary = temporaryFolder()
  let site: Site
  let opened: Opened
  /** Pages with mouse, with fingers, and of a phone: opened once. */
  const pages = new Map<string, Opened>()
  beforeAll(async () => {
    site = await openSite(chromium!, temporary.folder)
  })
  afterAll(async () => {
    await site?.close()
    temporary.dispose()
  })
  afterEach(() => expect(opened.complaints.splice(0)).toEqual([]))

  async function openScene(scene: SceneInput, options: OpenOptions = {}) {
    const key = JSON.stringify(options)
    opened = pages.get(key) ?? (await site.open({ plain: true, viewport: { width: 420, height: 800 }, ...options }))
    pages.set(key, opened)
    const { page } = opened
    await page.click('[data-tool=look]')
    await page.evaluate(async given => {
      window.peel!.settings.layout = 'one'
      await window.peel!.openScene({ name: 'own', scene: given })
      window.peel!.settings.resolution = given.domain.resolution
      await window.peel!.startOver()
    }, scene)
    return page
  }

  const step = () => opened.page.evaluate(() => window.peel!.playback.step())
  const tool = (name: string) => opened.page.click(`[data-tool=${name}]`)
  const message = () => opened.page.locator('#message').textContent()
  const sceneNow = () => opened.page.evaluate(() => window.peel!.scene.scene)
  const frameNow = () => opened.page.evaluate(() => window.peel!.sides.all.b.session!.moment.frame.index)

  /** Pixels of the window where a place of the scene is seen on the right side. */
  async function pixels(place: readonly number[]): Promise<Point> {
    return opened.page.evaluate(([x, y, z = 0]) => {
      const { drawing, stage } = window.peel!.sides.all.b
      const { left, top } = stage.getBoundingClientRect()
      const [u, v] = drawing!.toPixels([x, y, z])
      return [left + u, top + v] as const
    }, place)
  }

  async function dragMouse(...places: (readonly number[])[]): Promise<void> {
    const { mouse } = opened.page
    await opened.page.locator('figure.b .stage').scrollIntoViewIfNeeded()
    await mouse.move(...(await pixels(places[0])))
    await mouse.down()
    for (const place of places.slice(1)) await mouse.move(...(await pixels(place)), { steps: 4 })
    await mouse.up()
  }

  async function dragFinger(...places: (readonly number[])[]): Promise<void> {
    await opened.page.locator('figure.b .stage').scrollIntoViewIfNeeded()
    const session = await opened.page.context().newCDPSession(opened.page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', point?: Point) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: point ? [{ x: point[0], y: point[1] }] : [] })
    await touch('touchStart', await pixels(places[0]))
    for (const place of places.slice(1)) await touch('touchMove', await pixels(place))
    await touch('touchEnd')
    await session.detach()
  }

  /** Means over particles near a place. */
  const nearby = (place: readonly number[], radius: number) =>
    opened.page.evaluate(
      async ([[x, y], r]) => {
        const { session } = window.peel!.sides.all.b
        const { position, velocity } = (await session!.capture({ particles: true })).particles!
        let [count, u, v] = [0, 0, 0]
        for (let p = 0; p < position.length; p += 3) {
          if (Math.hypot(position[p] - x, position[p + 1] - y) > r) continue
          count++
          u += velocity[p]
          v += velocity[p + 1]
        }
        return { count, all: position.length / 3, u: u / count, v: v / count }
      },
      [place, radius] as const,
    )

  it('stirs the liquid along with the pointer, until it is lifted', async () => {
    const page = await openScene({ ...POOL, gravity: [0, 0] })
    await tool('stir')
    await page.locator('figure.b .stage').scrollIntoViewIfNeeded()
    await page.mouse.move(...(await pixels([0.3, 0.25])))
    await page.mouse.down()
    await page.mouse.move(...(await pixels([0.35, 0.25])))
    await step()
    await page.mouse.move(...(await pixels([0.4, 0.25])))
    await step()
    const { u, v } = await nearby([0.4, 0.25], 0.06)
    expect(u).toBeGreaterThan(0.2)
    expect(Math.abs(v)).toBeLessThan(0.5 * u)
    await page.mouse.up()
    await page.mouse.move(...(await pixels([0.9, 0.25])))
    await step()
    await step()
    expect(Math.abs((await nearby([0.85, 0.25], 0.06)).u)).toBeLessThan(0.3 * u)
  })

  it.each(['mouse', 'finger'])('drags a ball through the liquid by %s, and takes it out again', async way => {
    await openScene(POOL, { hasTouch: way === 'finger' })
    const { all } = await nearby([0, 0], 1)
    const inBall = (place: readonly number[]) =>
      opened.page.evaluate(([x, y]) => {
        const { solid, grid } = window.peel!.sides.all.b.session!.moment.frame
        return solid[Math.round(x / grid.spacing) + (grid.shape[0] + 1) * Math.round(y / grid.spacing)] < 0
      }, place)
    await tool('ball')
    const drag = way === 'mouse' ? dragMouse : dragFinger
    await drag([0.3, 0.3], [0.3, 0.3])
    for (let n = 0; n < 5; n++) await step()
    expect(await inBall([0.3125, 0.3125])).toBe(true)
    await drag([0.3, 0.3], [0.6, 0.3])
    for (let n = 0; n < 3; n++) await step()
    expect(await inBall([0.3125, 0.3125])).toBe(false)
    expect(await inBall([0.625, 0.3125])).toBe(true)
    await tool('look')
    await step()
    expect(await inBall([0.625, 0.3125])).toBe(false)
    expect((await nearby([0, 0], 1)).all).toBe(all)
    expect(await message()).toBe('')
  })

  it('tilts gravity by pad and by key, and sets it straight again', async () => {
    const scene: SceneInput = { ...POOL, liquid: [{ shape: 'sphere', centre: [0.5, 0.5], radius: 0.15 }], time: { fps: 100 } }
    const page = await openScene(scene)
    await page.click('.tilt summary')
    const pad = page.getByRole('slider', { name: 'Direction of gravity' })
    await pad.scrollIntoViewIfNeeded()
    const { x, y, width, height } = (await pad.boundingBox())!
    await page.mouse.click(x + 0.9 * width, y + 0.5 * height)
    await step()
    const first = await nearby([0.5, 0.5], 0.4)
    // Velocities are of the middle of a frame.
    expect(first.u).toBeCloseTo(0.04905, 2)
    expect(first.v).toBeCloseTo(0, 2)
    await page.keyboard.press('ArrowUp')
    expect(await pad.getAttribute('aria-valuetext')).toBe('101 degrees from straight down')
    await page.click('.straight')
    await step()
    const second = await nearby([0.5, 0.5], 0.4)
    expect(second.u).toBeCloseTo(0.04905, 2)
    expect(second.v).toBeCloseTo(-0.0981, 2)
  })

  it('tilts gravity with the device, where it may', async () => {
    const page = await openScene(
      { ...POOL, liquid: [{ shape: 'sphere', centre: [0.5, 0.5], radius: 0.15 }], time: { fps: 100 } },
      { hasTouch: true, isMobile: true },
    )
    await page.click('.tilt summary')
    await page.click('.device')
    const session = await page.context().newCDPSession(page)
    await session.send('DeviceOrientation.setDeviceOrientationOverride', { alpha: 0, beta: 0, gamma: -90 })
    await page.waitForFunction(() => document.querySelector('.pad')!.getAttribute('aria-valuenow') === '-90')
    await step()
    expect((await nearby([0.5, 0.5], 0.4)).u).toBeCloseTo(-0.04905, 2)
  })

  describe('the editor', () => {
    const phi = (place: readonly number[], what: 'liquid' | 'solid') =>
      opened.page.evaluate(
        ([[x, y, z = 0], name]) => {
          const { grid, ...frame } = window.peel!.sides.all.b.session!.moment.frame
          const extra = name === 'solid' ? 1 : 0
          const [nx, ny] = grid.shape.map(side => side + extra)
          const [i, j, k] = [x, y, z].map(value => Math.round(value / grid.spacing - (extra === 1 ? 0 : 0.5)))
          return frame[name][i + nx * (j + ny * Math.max(0, k))]
        },
        [place, what] as const,
      )
    const settled = () =>
      opened.page.waitForFunction(
        () =>
          window.peel!.sides.all.b.session!.scene.liquid.length + window.peel!.sides.all.b.session!.scene.solids.length ===
            (window.peel!.scene.scene.liquid?.length ?? 0) + (window.peel!.scene.scene.solids?.length ?? 0) &&
          window.peel!.sides.all.b.session!.moment.frame.index === 0,
      )
    const until = (test: () => Promise<boolean>) => expect.poll(test, { timeout: 60_000 }).toBe(true)
    /** The last edit may still be on its way: it starts the liquid anew, and a step under way is given up. */
    const runs = () =>
      until(async () => {
        await step()
        return (await frameNow()) === 1
      })

    it.each(['mouse', 'finger'])('draws, cuts, goes back and clears in 2D by %s, and what is drawn runs', async way => {
      const page = await openScene(POOL, { hasTouch: way === 'finger' })
      const drag = way === 'mouse' ? dragMouse : dragFinger
      await tool('edit')
      await page.click('[data-material=liquid]')
      await page.click('[data-draw=brush]')
      await page.click('.new2')
      await until(async () => (await sceneNow()).liquid!.length === 0)
      await page.evaluate(async () => {
        window.peel!.settings.resolution = 16
        await window.peel!.startOver()
      })
      await drag([0.2, 0.7], [0.5, 0.8], [0.8, 0.7])
      await until(async () => (await phi([0.5, 0.78], 'liquid')) < 0)
      expect(await phi([0.5, 0.5], 'liquid')).toBeGreaterThan(0)
      await page.click('[data-material=solids]')
      await page.click('[data-draw=box]')
      await drag([0.3, 0.4], [0.7, 0.2])
      await until(async () => (await phi([0.5, 0.3], 'solid')) < 0)
      await page.click('[data-draw=ball]')
      await drag([0.15, 0.3], [0.25, 0.3])
      await until(async () => (await phi([0.15, 0.3], 'solid')) < 0)
      await page.click('[data-draw=erase]')
      await drag([0.5, 0.9], [0.5, 0.1])
      await until(async () => (await phi([0.5, 0.3], 'solid')) > 0)
      expect(await phi([0.5, 0.78], 'liquid')).toBeGreaterThan(0)
      expect(await phi([0.35, 0.3], 'solid')).toBeLessThan(0)
      await page.click('.undo')
      await until(async () => (await phi([0.5, 0.3], 'solid')) < 0)
      await page.click('[data-draw=move]')
      await drag([0.15, 0.3], [0.15, 0.5])
      await until(async () => (await phi([0.15, 0.5], 'solid')) < 0)
      expect(await phi([0.15, 0.25], 'solid')).toBeGreaterThan(0)
      expect(validateScene(await sceneNow()).liquid).toHaveLength(1)
      await runs()
      expect(await page.locator('.badge').first().isHidden()).toBe(true)
      await page.click('.clear')
      await until(async () => (await sceneNow()).solids!.length === 0)
      await page.click('.undo')
      await until(async () => (await sceneNow()).solids!.length === 2)
      expect(await message()).toBe('')
    })

    it.each(['mouse', 'finger'])('places, moves and sizes boxes and balls in 3D by %s, and they run', async way => {
      const page = await openScene(POOL, { hasTouch: way === 'finger' })
      await tool('edit')
      await page.click('[data-material=liquid]')
      await page.click('.new3')
      await until(async () => (await sceneNow()).domain.size.length === 3)
      await page.evaluate(async () => {
        window.peel!.settings.resolution = 10
        await window.peel!.startOver()
      })
      await page.click('.add-box')
      await page.click('[data-material=solids]')
      await page.click('.add-ball')
      await settled()
      await until(async () => (await phi([0.5, 0.5, 0.5], 'solid')) < 0)
      // By sliders, as a finger or keys move them.
      const slide = (name: string, value: number) => page.getByLabel(name, { exact: true }).fill(String(value))
      await slide('y', 0.2)
      await slide('size', 0.3)
      await until(async () => (await phi([0.5, 0.2, 0.5], 'solid')) < 0)
      // An edit may wait for the one before it.
      await expect
        .poll(async () => (await sceneNow()).solids![0])
        .toMatchObject({ centre: [0.5, expect.closeTo(0.2, 6), 0.5], radius: expect.closeTo(0.15, 6) })
      // On the picture, in the plane that faces the eye.
      const drag = way === 'mouse' ? dragMouse : dragFinger
      await drag([0.5, 0.5, 0.5], [0.5, 0.7, 0.5])
      await until(async () => ((await sceneNow()).liquid![0] as { min: number[] }).min[1] > 0.4)
      await page.getByLabel('Part of the scene').selectOption({ label: 'liquid 1: box' })
      await slide('width', 0.8)
      const width = async () => {
        const { min, max } = (await sceneNow()).liquid![0] as { min: number[]; max: number[] }
        return max[0] - min[0]
      }
      await expect.poll(width).toBeCloseTo(0.8, 6)
      expect(validateScene(await sceneNow()).solids).toHaveLength(1)
      await runs()
      await page.getByLabel('Part of the scene').selectOption({ label: 'solid 1: ball' })
      await page.click('.remove')
      await until(async () => (await sceneNow()).solids!.length === 0)
      expect(await message()).toBe('')
    })

    it('finds what is pointed at in a picture in perspective', async () => {
      const scene: SceneInput = {
        ...POOL,
        domain: { size: [1, 1, 1], resolution: 8 },
        liquid: [{ shape: 'sphere', centre: [0.2, 0.3, 0.8], radius: 0.15 }],
        solids: [{ shape: 'sphere', centre: [0.8, 0.7, 0.2], radius: 0.15 }],
      }
      const page = await openScene(scene, { plain: false })
      // Few pixels, because nothing but this machine draws them.
      await page.addStyleTag({ content: '.stage { width: 140px; min-height: 0 }' })
      await tool('edit')
      const part = page.getByLabel('Part of the scene')
      const chosen = () => part.evaluate((list: HTMLSelectElement) => list.selectedOptions[0].label)
      await dragMouse([0.8, 0.7, 0.2], [0.8, 0.7, 0.2])
      await expect.poll(chosen).toBe('solid 1: ball')
      await dragMouse([0.2, 0.3, 0.8], [0.2, 0.6, 0.8])
      await expect.poll(chosen).toBe('liquid 1: ball')
      const { centre } = (await sceneNow()).liquid![0] as { centre: number[] }
      // It is seen where the pointer went, and as far from the eye as before.
      const [there, wanted] = [await pixels(centre), await pixels([0.2, 0.6, 0.8])]
      expect(Math.hypot(there[0] - wanted[0], there[1] - wanted[1])).toBeLessThan(3)
      expect(centre[1]).toBeGreaterThan(0.5)
      expect(Math.hypot(...centre.map((value, axis) => value - [0.2, 0.3, 0.8][axis]))).toBeLessThan(0.4)
    })

    it('takes a mesh that is dropped, tells its faults, and goes on where one is broken', async () => {
      const deep: SceneInput = { ...POOL, domain: { size: [1, 1, 1], resolution: 12 }, liquid: [] }
      const page = await openScene(deep)
      const drop = (name: string, text: string) =>
        page.evaluate(
          ([file, content]) => {
            const dataTransfer = new DataTransfer()
            dataTransfer.items.add(new File([content], file))
            document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
          },
          [name, text],
        )
      await drop('broken.ply', 'ply\nnonsense')
      await until(async () => /^The mesh broken\.ply .*\.$/.test((await message())!))
      await drop('tip.obj', TIP)
      await until(async () => (await phi([0.3, 0.3, 0.3], 'solid')) < 0)
      expect(await phi([0.75, 0.75, 0.75], 'solid')).toBeGreaterThan(0)
      expect(await message()).toBe('')
      expect(await page.locator('.report').textContent()).toBe('tip.obj: 4 triangles, closed.')
      await page
        .locator('.mesh')
        .setInputFiles({ name: 'tip.obj', mimeType: 'text/plain', buffer: Buffer.from(TIP.replace('f 2 3 4\n', '')) })
      await until(async () => /tip-2\.obj: 3 triangles, not closed\..*hole/.test((await page.locator('.report').textContent())!))
      await runs()
      await drop('scene.json', JSON.stringify(POOL))
      await until(async () => (await sceneNow()).domain.size.length === 2)
      await drop('tip.obj', TIP)
      await until(async () => /needs a 3D scene/.test((await message())!))
      await drop('scene.json', '{"version": 1, "domein": 3}')
      await until(async () => /^scene\.json:.*domein/s.test((await message())!))
      expect((await sceneNow()).domain.size).toEqual([1, 1])
    })
  })
})
