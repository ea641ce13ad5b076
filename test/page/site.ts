/** The page of Peel, built as for a static host, in a browser. */
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page as BrowserPage } from 'playwright-core'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Page } from '../../page/page.js'
import { project, temporaryFolder } from '../setup/working-copy.js'
import { launchChromium } from '../support/chromium.js'
import { serve } from '../support/server.js'

export interface Opened {
  readonly page: BrowserPage
  /** Errors of the page and of its console. */
  readonly complaints: string[]
}

export interface OpenOptions extends BrowserContextOptions {
  /** Which headers come along: see server.ts. */
  readonly kind?: string
  /** After the address. */
  readonly query?: string
  readonly playing?: boolean
  /** Without WebGL2, which takes seconds for a picture where there is no graphics card. */
  readonly plain?: boolean
  /** Before the page is loaded. */
  readonly before?: (page: BrowserPage) => Promise<void>
}

export async function openSite(chromium: string, folder: string) {
  const site = join(folder, 'site')
  await build({ configFile: join(project, 'page/vite.config.ts'), logLevel: 'error', build: { outDir: site } })
  const server = await serve({ site })
  const browser: Browser = await launchChromium(chromium)
  return {
    /** Small, flat and at rest unless told otherwise: without a graphics card pixels are slow. */
    async open({
      kind = 'isolated',
      query = '?scene=lai-circle&resolution=16',
      playing,
      plain,
      before,
      ...context
    }: OpenOptions = {}): Promise<Opened> {
      const page = await browser.newPage({
        viewport: { width: 400, height: 600 },
        reducedMotion: playing ? 'no-preference' : 'reduce',
        ...context,
      })
      const complaints: string[] = []
      page.on('pageerror', error => void complaints.push(String(error)))
      page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
      if (plain) await page.addInitScript(forbidWebGl)
      await before?.(page)
      await page.goto(`${server.address}/${kind}/site/index.html${query}`)
      await page.waitForFunction(() => window.peel !== undefined)
      // On narrow screens it is closed at first.
      await page.evaluate(() => void window.peel!.controls.panel.open())
      return { page, complaints }
    },
    async close(): Promise<void> {
      await browser.close()
      server.close()
    },
  }
}

/** Runs in the page. */
function forbidWebGl(): void {
  const { getContext } = HTMLCanvasElement.prototype
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, ...rest: unknown[]) {
    return kind === 'webgl2' ? null : Reflect.apply(getContext, this, [kind, ...rest])
  } as typeof getContext
}

export type Site = Awaited<ReturnType<typeof openSite>>

declare global {
  interface Window {
    peel?: Page
  }
}

/** For the tests of one block: opens small flat pages, which are closed after each of them and must not have complained. */
export function useSite(chromium: string | undefined): (options?: OpenOptions) => Promise<BrowserPage> {
  const temporary = temporaryFolder()
  const all: Opened[] = []
  let site: Site
  beforeAll(async () => {
    site = await openSite(chromium!, temporary.folder)
  })
  afterAll(async () => {
    await site?.close()
    temporary.dispose()
  })
  afterEach(async () => {
    for (const { page, complaints } of all.splice(0)) {
      expect(complaints).toEqual([])
      await page.close()
    }
  })
  return async (options = {}) => {
    const opened = await site.open({ plain: true, viewport: { width: 420, height: 800 }, ...options })
    all.push(opened)
    return opened.page
  }
}
