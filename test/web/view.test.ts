/** `peel/web` in pages of others: createLiquidView, and the examples of the documents, bundled as their readers would. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decode } from 'fast-png'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SceneInput } from '../../src/scene/schema.js'
import type { LiquidView } from '../../src/view/index.js'
import { extractBlocks } from '../docs/blocks.js'
import { project, temporaryFolder } from '../setup/working-copy.js'
import { findChromium, launchChromium } from '../support/chromium.js'
import { serve } from '../support/server.js'

const chromium = findChromium()
const temporary = temporaryFolder()
const examples = ['README.md', 'docs/web.md'].flatMap(document =>
  extractBlocks(readFileSync(join(project, document), 'utf8'))
    .filter(({ onPage }) => onPage)
    .map(({ code, line }) => ({ code, name: `${document.replace(/\W/g, '-')}-line-${line}` })),
)
const exampleFolder = (name: string) => join(temporary.folder, name)

const EXAMPLE_PAGE = `<!doctype html>
<meta charset="utf-8">
<link rel="icon" href="data:,">
<div id="liquid" style="width: 200px; height: 160px"></div>
<canvas width="200" height="160"></canvas>
<button id="pause">Pause</button>
<script type="module" src="./main.ts"></script>`

/** With Peel among its packages, as it is published. */
async function bundle(root: string, names: readonly string[]): Promise<void> {
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(project, join(root, 'node_modules/peel'))
  symlinkSync(join(project, 'node_modules/three'), join(root, 'node_modules/three'))
  await build({
    root,
    configFile: false,
    base: './',
    logLevel: 'error',
    build: {
      outDir: join(root, 'built'),
      target: 'es2022',
      chunkSizeWarningLimit: 5000,
      rolldownOptions: { input: names.map(name => join(root, name, 'index.html')) },
    },
    worker: { format: 'es' },
  })
}

describe.skipIf(chromium === undefined)('peel/web in a page of somebody else', () => {
  let browser: Browser
  let server: Awaited<ReturnType<typeof serve>>
  let page: Page
  const complaints: string[] = []

  beforeAll(async () => {
    cpSync(join(project, 'test/web/view-page'), exampleFolder('view'), { recursive: true })
    for (const { name, code } of examples) {
      mkdirSync(exampleFolder(name))
      writeFileSync(join(exampleFolder(name), 'main.ts'), code)
      writeFileSync(join(exampleFolder(name), 'index.html'), EXAMPLE_PAGE)
    }
    await bundle(temporary.folder, ['view', ...examples.map(({ name }) => name)])
    server = await serve({ built: join(temporary.folder, 'built') })
    browser = await launchChromium(chromium!)
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
    temporary.dispose()
  })
  afterEach(() => page?.close())

  async function open(name: string): Promise<void> {
    page = await browser.newPage({ viewport: { width: 320, height: 400 } })
    complaints.length = 0
    page.on('pageerror', error => void complaints.push(String(error)))
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
    await page.goto(`${server.address}/isolated/built/${name}/index.html`)
  }

  /** As a screen shows it. */
  async function coloursOf(selector: string): Promise<number> {
    const { data, channels } = decode(await page.locator(selector).first().screenshot())
    const colours = new Set<number>()
    for (let at = 0; at < data.length; at += channels) colours.add(data[at] + 256 * data[at + 1] + 65536 * data[at + 2])
    return colours.size
  }

  it.each(examples)('the example $name draws liquid', async ({ name, code }) => {
    await open(name)
    const selector = code.includes('draws: false') ? 'body > canvas' : '#liquid canvas'
    await page.waitForSelector(selector)
    // Points have one colour and that of their ground; a background alone has one or few.
    const enough = code.includes('PointsMaterial') ? 1 : 30
    await expect.poll(() => coloursOf(selector), { timeout: 60_000 }).toBeGreaterThan(enough)
    expect(complaints).toEqual([])
  })

  describe('createLiquidView', () => {
    const scene: SceneInput = {
      version: 1,
      domain: { size: [1, 1], resolution: 16 },
      liquid: [{ shape: 'sphere', centre: [0.5, 0.6], radius: 0.3 }],
      time: { frames: 3, fps: 100 },
    }

    async function createView(options: Record<string, unknown> = {}): Promise<void> {
      await open('view')
      await page.waitForFunction(() => 'peelWeb' in window)
      await page.evaluate(
        async given => {
          const seen: number[] = []
          const failures: string[] = []
          const view = await window.peelWeb.createLiquidView(document.querySelector<HTMLElement>('#liquid')!, {
            ...(given as unknown as { scene: SceneInput }),
            onFrame: ({ frame }) => void seen.push(frame.index),
            onFailure: error => void failures.push(error.message),
          })
          Object.assign(window, { view, seen, failures })
        },
        { scene, autoplay: false, ...options } as unknown as Record<string, never>,
      )
    }

    type Shown = { view: LiquidView; seen: number[]; failures: string[] }
    const shown = <T>(action: (given: Shown) => T | Promise<T>) => page.evaluate(`(${action})(window)`) as Promise<Awaited<T>>
    const seen = () => shown(given => given.seen)

    it('shows the start, steps, plays to the end and starts over', async () => {
      await createView()
      expect(await seen()).toEqual([0])
      await shown(async ({ view }) => {
        await view.step()
        await view.step()
      })
      expect(await seen()).toEqual([0, 1, 2])
      await shown(({ view }) => view.play())
      await expect.poll(async () => (await seen()).length).toBeGreaterThan(5)
      await shown(({ view }) => view.pause())
      expect((await seen()).slice(0, 6)).toEqual([0, 1, 2, 3, 0, 1])
      await shown(({ view }) => view.reset())
      expect((await seen()).at(-1)).toBe(0)
      expect(await coloursOf('#liquid canvas')).toBeGreaterThan(20)
      expect(complaints).toEqual([])
    })

    it('plays at once unless told otherwise, and stops at the end when it shall not start over', async () => {
      await createView({ autoplay: undefined, loop: false })
      await expect.poll(seen).toEqual([0, 1, 2, 3])
      await expect.poll(() => shown(({ view }) => view.isPlaying)).toBe(false)
    })

    it('takes another scene, of the other dimension too, and says what is wrong with one', async () => {
      await createView()
      await shown(({ view }) =>
        view.reset({
          scene: {
            version: 1,
            domain: { size: [1, 1, 1], resolution: 10 },
            liquid: [{ shape: 'sphere', centre: [0.5, 0.6, 0.5], radius: 0.3 }],
          },
        }),
      )
      await shown(({ view }) => view.step())
      expect(await shown(({ view }) => view.session.moment.frame.grid.dims)).toBe(3)
      await shown(({ view }) => view.reset({ scene: { version: 2 } as never }))
      expect(await shown(({ failures }) => failures)).toEqual([expect.stringContaining('version')])
      await shown(({ view }) => view.step())
      expect(await seen()).toEqual([0, 0, 1, 2])
    })

    it('draws nothing where it shall not', async () => {
      await createView({ draws: false })
      await shown(({ view }) => view.step())
      expect(await page.locator('canvas').count()).toBe(0)
      expect(await seen()).toEqual([0, 1])
    })

    it('leaves nothing behind', async () => {
      await createView()
      await shown(({ view }) => view.dispose())
      expect(await page.locator('#liquid > *').count()).toBe(0)
      await expect.poll(() => page.workers().length, { timeout: 60_000 }).toBe(0)
    })

    it('is refused with a sentence where the scene is no good', async () => {
      await expect(createView({ scene: { ...scene, domain: { size: [1] } } })).rejects.toThrow(/domain\.size/)
    })
  })
})
