/** The page of test/web/stage-page in a browser, for the tests of one block. */
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { StageView } from '../../src/view/stage/scenery.js'
import { project, temporaryFolder } from '../setup/working-copy.js'
import { launchChromium } from '../support/chromium.js'
import { serve } from '../support/server.js'
import type { KnownFrameOptions } from './stage-page/frames.js'
import type { Pixels } from './stage-page/main.js'

export interface StageLab {
  readonly page: Page
  show(options: KnownFrameOptions): Promise<void>
  setView(view: StageView): Promise<void>
  /** Of a picture that is taken now. */
  pixels(): Promise<Pixels>
  /** Errors of the page and of its console; there must be none after a test. */
  readonly complaints: string[]
}

/** Opened and closed by hooks; `page` is there within tests only. */
export function openStageLab(
  chromium: string | undefined,
  viewport: { readonly width: number; readonly height: number },
): StageLab {
  const temporary = temporaryFolder()
  const complaints: string[] = []
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
    page = await browser.newPage({ viewport })
    page.on('pageerror', error => void complaints.push(String(error)))
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
    await page.goto(`${server.address}/plain/page/index.html`)
    await page.waitForFunction(() => 'lab' in window)
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
    temporary.dispose()
  })
  beforeEach(() => {
    complaints.length = 0
  })
  afterEach(() => {
    expect(complaints).toEqual([])
  })
  return {
    get page() {
      return page
    },
    complaints,
    show: options => page.evaluate(options => window.lab.show(options), options),
    setView: view =>
      page.evaluate(view => {
        window.lab.stage.view = view
      }, view),
    pixels: () => page.evaluate(() => window.lab.pixels()),
  }
}
