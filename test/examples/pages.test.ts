/** The examples that are pages, built by Vite with their own configuration and opened in a browser. */
import { join } from 'node:path'
import { decode } from 'fast-png'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { project, temporaryFolder } from '../setup/working-copy.js'
import { CHROMIUM_REQUIRED, findChromium, launchChromium } from '../support/chromium.js'
import { serve } from '../support/server.js'

const chromium = findChromium()
const temporary = temporaryFolder()
const NAMES = ['7-in-a-page', '8-in-react', '9-in-a-three-scene']

it.runIf(CHROMIUM_REQUIRED)('finds a browser', () => {
  expect(chromium).toBeDefined()
})

describe.skipIf(chromium === undefined)('the example', () => {
  let browser: Browser
  let server: Awaited<ReturnType<typeof serve>>
  let page: Page
  const complaints: string[] = []

  beforeAll(async () => {
    for (const name of NAMES) {
      const root = join(project, 'examples', name)
      await build({
        root,
        configFile: join(root, 'vite.config.ts'),
        logLevel: 'error',
        build: { outDir: join(temporary.folder, name) },
      })
    }
    server = await serve(Object.fromEntries(NAMES.map(name => [name, join(temporary.folder, name)])))
    browser = await launchChromium(chromium!)
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
    temporary.dispose()
  })
  afterEach(() => page?.close())

  async function open(name: string, headers = 'isolated'): Promise<void> {
    page = await browser.newPage({ viewport: { width: 480, height: 720 } })
    complaints.length = 0
    page.on('pageerror', error => void complaints.push(String(error)))
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
    await page.goto(`${server.address}/${headers}/${name}/index.html`)
  }

  async function screenshot(selector: string) {
    const { data, channels, width, height } = decode(await page.locator(selector).first().screenshot())
    const at = (x: number, y: number) => [0, 1, 2].map(n => data[channels * (x + width * y) + n])
    return { width, height, at }
  }

  /** Share of the pixels that are as blue as water and in a part of the picture, given by shares of its sides. */
  async function wetShare(selector: string, isIn: (x: number, y: number) => boolean = () => true): Promise<number> {
    const { width, height, at } = await screenshot(selector)
    let wet = 0
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const [red, , blue] = at(x, y)
        if (blue > red + 60 && isIn(x / width, y / height)) wet++
      }
    return wet / (width * height)
  }

  const isTopLeft = (x: number, y: number) => x < 0.25 && y < 0.15
  const textOf = (selector: string) => page.locator(selector).innerText()
  const secondsOf = async () => Number.parseFloat(await textOf('#status'))

  it.each(['isolated', 'plain'])('7-in-a-page plays, pauses, can be stirred and shown in other ways: %s host', async headers => {
    await open('7-in-a-page', headers)
    await expect.poll(secondsOf, { timeout: 60_000 }).toBeGreaterThan(0.2)
    await page.click('#play')
    expect(await textOf('#play')).toBe('Play')
    // A quarter of 2 m times 0.8 m of 1 m is a fifth of the tank; a little of the canvas is around it.
    await expect.poll(() => wetShare('#liquid')).toBeGreaterThan(0.13)
    expect(await wetShare('#liquid')).toBeLessThan(0.25)
    await page.click('#reset')
    await expect.poll(secondsOf).toBe(0)

    // The column falls by itself; only stirring lifts it above its height of 0.8 m.
    expect(await wetShare('#liquid', isTopLeft)).toBe(0)
    const { x, y, width, height } = (await page.locator('#liquid').boundingBox())!
    const stirAndLook = async () => {
      await page.mouse.move(x + 0.1 * width, y + 0.9 * height)
      await page.mouse.down()
      await page.mouse.move(x + 0.1 * width, y + 0.05 * height, { steps: 10 })
      await page.mouse.up()
      return wetShare('#liquid', isTopLeft)
    }
    await page.click('#play')
    await expect.poll(stirAndLook, { interval: 10 }).toBeGreaterThan(0)
    await page.selectOption('#view', 'speed')
    await expect.poll(secondsOf, { timeout: 60_000 }).toBeGreaterThan(0.2)
    expect(complaints).toEqual([])
  })

  it('8-in-react starts one liquid in strict mode, follows its properties and leaves nothing behind', async () => {
    await open('8-in-react')
    const frame = async () => Number(/\d+/.exec(await textOf('output'))![0])
    await expect.poll(frame, { timeout: 60_000 }).toBeGreaterThan(5)
    // Pi 0.3² of the unit square.
    await expect.poll(() => wetShare('#root div')).toBeGreaterThan(0.2)
    expect(await page.locator('canvas:visible').count()).toBe(1)

    await page.click('button')
    expect(await textOf('button')).toBe('Play')
    await page.waitForTimeout(500)
    const paused = await frame()
    await page.waitForTimeout(500)
    expect(await frame()).toBe(paused)

    const workers = page.workers().length
    // Another scene starts another liquid, still paused, and the worker of the first one ends.
    await page.locator('input').fill('0.1')
    await expect.poll(frame).toBe(0)
    await expect.poll(() => wetShare('#root div')).toBeLessThan(0.1)
    await expect.poll(() => page.locator('canvas:visible').count()).toBe(1)
    await expect.poll(() => page.workers().length).toBe(workers)
    await page.click('button')
    await expect.poll(frame, { timeout: 60_000 }).toBeGreaterThan(5)
    expect(complaints).toEqual([])
  })

  it('9-in-a-three-scene shows liquid among other objects', async () => {
    await open('9-in-a-three-scene')
    // Before liquid hides the ball.
    await expect.poll(secondsOf, { timeout: 60_000 }).toBeGreaterThan(0)
    const { width, height, at } = await screenshot('canvas')
    let ball = 0
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const [red, , blue] = at(x, y)
        if (red > blue + 60) ball++
      }
    expect(ball).toBeGreaterThan(150)
    await expect.poll(secondsOf, { timeout: 60_000 }).toBeGreaterThan(0.05)
    expect(await wetShare('canvas')).toBeGreaterThan(0.05)
    expect(complaints).toEqual([])
  })
})
