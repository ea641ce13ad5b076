/** The compiled loops on a page: the same bits as in Node, with threads where the page may have them. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { build, createLogger, type Rollup } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { galleryProblem } from '../../src/pressure/gallery.js'
import type { PressureProblem } from '../../src/pressure/problem.js'
import { createSolver } from '../../src/solvers/registry.js'
import { project, temporaryFolder } from '../setup/working-copy.js'
import { CHROMIUM_REQUIRED, findChromium, launchChromium } from '../support/chromium.js'
import { serve } from '../support/server.js'
import type { Order, Report } from './page/solve.js'

const chromium = findChromium()
if (chromium === undefined) console.warn('No Chromium was found, so nothing is tested on a page; install "chromium" for that.')

it.skipIf(!CHROMIUM_REQUIRED)('a Chromium is there, as the environment demands', () => {
  expect(chromium).toBeDefined()
})

const temporary = temporaryFolder()
const dist = join(project, 'dist')
const warnings: string[] = []
let output: Rollup.RollupOutput['output']

beforeAll(async () => {
  const logger = createLogger('warn')
  for (const level of ['warn', 'warnOnce', 'error'] as const) logger[level] = message => void warnings.push(message)
  const built = await build({
    root: join(project, 'test/web/page'),
    configFile: false,
    base: './',
    customLogger: logger,
    logLevel: 'warn',
    resolve: { alias: { peel: join(dist, 'index.js') } },
    build: { outDir: join(temporary.folder, 'page'), target: 'es2022', emptyOutDir: true, chunkSizeWarningLimit: 5000 },
    worker: { format: 'es' },
  })
  output = (built as Rollup.RollupOutput).output
})
afterAll(() => temporary.dispose())

describe('a bundle for pages', () => {
  it('is made without a warning', () => {
    expect(warnings).toEqual([])
  })

  it('imports nothing', () => {
    for (const file of output) if (file.type === 'chunk') expect([...file.imports, ...file.dynamicImports]).toEqual([])
  })
})

function pack({ grid, kind, diagonal, links, b }: PressureProblem): Uint8Array {
  const parts = [Float64Array.from(grid.shape), diagonal, ...links, b, Float64Array.from(kind)]
  return Buffer.concat(parts.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)))
}

describe.skipIf(chromium === undefined)('in Chromium', () => {
  const { problem } = galleryProblem('half-ball', { size: 32, dims: 3 }) as { problem: PressureProblem }
  let server: Awaited<ReturnType<typeof serve>>
  let browser: Browser
  let page: Page
  let expected: string
  const complaints: string[] = []

  beforeAll(async () => {
    const pressure = new Float64Array(problem.grid.cells)
    await createSolver('nas-mgpcg', {}, { engine: 'wasm' }).solve(problem, pressure)
    expected = createHash('sha256').update(new Uint8Array(pressure.buffer)).digest('hex')
    server = await serve({ page: join(temporary.folder, 'page'), dist }, pack(problem))
    browser = await launchChromium(chromium!)
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
  })
  afterEach(() => page?.close())

  async function openPage(kind: string) {
    page = await browser.newPage()
    complaints.length = 0
    page.on('pageerror', error => void complaints.push(String(error)))
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
    await page.goto(`${server.address}/${kind}/page/index.html`)
    await page.waitForFunction(() => 'solveInWorker' in window)
  }

  const order: Order = { setting: { engine: 'auto', threads: 3 }, solves: 1, dispose: true, linger: 0 }
  const solveIn = (where: string, given: Order): Promise<Report> =>
    page.evaluate(([where, given]) => window[where === 'a worker' ? 'solveInWorker' : 'solveHere'](given), [
      where,
      given,
    ] as const)

  /** Workers of all kinds that this browser runs. */
  async function countWorkers(): Promise<number> {
    const session = await browser.newBrowserCDPSession()
    const { targetInfos } = await session.send('Target.getTargets', { filter: [{ type: 'worker' }] })
    await session.detach()
    return targetInfos.length
  }

  async function untilWorkers(count: number): Promise<void> {
    // A worker that was told to end does so in its own time.
    await expect.poll(countWorkers, { timeout: 60_000 }).toBe(count)
  }

  describe.each(['a worker', 'the first thread'])('on %s', where => {
    it('an isolated page solves with threads, with the bits of Node', async () => {
      await openPage('isolated')
      for (const engine of ['auto', 'threads'] as const) {
        const report = await solveIn(where, { ...order, setting: { engine, threads: 3 }, solves: 300 })
        expect(report).toMatchObject({
          isolated: true,
          maySleep: where === 'a worker',
          engine: 'threads (3)',
          status: 'converged',
        })
        expect(report.digests).toEqual([expected])
        expect(report.helped).toBeGreaterThan(0)
      }
      expect(complaints).toEqual([])
    })

    it('another page solves with one, and says so where more are asked for', async () => {
      await openPage('plain')
      const report = await solveIn(where, order)
      expect(report).toMatchObject({ isolated: false, engine: 'wasm', status: 'converged', digests: [expected] })
      const refused = await solveIn(where, { ...order, setting: { engine: 'threads' } })
      expect(refused.refusal).toMatch(/^InputError: Threads need shared memory, .* use the engine "wasm"/)
      expect(complaints).toEqual([])
    })

    it('a page that allows no workers from a Blob solves with one thread', async () => {
      await openPage('strict')
      const report = await solveIn(where, order)
      expect(report).toMatchObject({ isolated: true, engine: 'wasm', status: 'converged', digests: [expected] })
    })

    it('nothing is left when the solver is disposed of', async () => {
      await openPage('isolated')
      await untilWorkers(0)
      const own = where === 'a worker' ? 1 : 0
      await solveIn(where, { ...order, dispose: false, linger: 600_000 })
      await untilWorkers(own + 2)
      await solveIn(where, { ...order, linger: 600_000 })
      await untilWorkers(2 * own + 2)
    })
  })

  it('a page that allows no compiled code runs portable loops', async () => {
    await openPage('closed')
    expect(await solveIn('the first thread', order)).toMatchObject({ engine: 'portable', status: 'converged' })
  })

  it('the built files of peel/solvers load as they are, without a bundler', async () => {
    await openPage('isolated')
    // As text, because the test framework replaces imports.
    const names = await page.evaluate(
      `import('${server.address}/isolated/dist/solvers/index.js').then(peel => peel.solvers.map(({ name }) => name))`,
    )
    expect(names).toContain('nas-mgpcg')
    expect(complaints).toEqual([])
  })
})
