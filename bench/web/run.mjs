// npm run bench:web: opens the page /bench of the built site in a Chromium without a window and prints its table. Without a graphics card
// drawing is done by the processor, too, and takes its time from the simulation. Arguments: a factor for resolutions (1 if absent), and who
// draws (webgl or processor; as the page would have it if absent).
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { build, preview } from 'vite'

const [scale = '1', drawing = ''] = process.argv.slice(2)
const configFile = fileURLToPath(new URL('../../page/vite.config.ts', import.meta.url))
const folders = (process.env.PATH ?? '').split(delimiter)
const executablePath = ['chromium', 'chromium-browser', 'google-chrome']
  .flatMap(name => folders.map(folder => join(folder, name)))
  .find(existsSync)

if (!executablePath) {
  console.error('bench:web needs a Chromium on the PATH; or run "npm run web" and open /bench/ in any browser.')
  process.exit(1)
}

await build({ configFile, logLevel: 'warn' })
const server = await preview({ configFile, logLevel: 'warn', preview: { port: 0, host: '127.0.0.1' } })
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
try {
  const page = await browser.newPage({ viewport: { width: 800, height: 600 } })
  page.on('pageerror', error => console.error(error.message))
  await page.goto(`${server.resolvedUrls.local[0]}bench/?scale=${scale}&drawing=${drawing}`)
  await page.waitForFunction(() => globalThis.benchRows !== undefined, undefined, { timeout: 600_000 })
  const rows = await page.evaluate(() => globalThis.benchRows)
  console.log('scene                     cells   frame  substeps  solve  engine         frames/s   drawn  drawn by   goal')
  for (const { scene, cells, fps, substepsPerFrame, solveShare, engine, alone, drawnBy, drawn, goal } of rows) {
    const numbers = [
      alone.toFixed(1).padStart(9),
      drawn.toFixed(1).padStart(8),
      drawnBy.padStart(11),
      String(goal).padStart(6),
    ].join('')
    const share = `${Math.round(100 * solveShare)} %`.padStart(7)
    console.log(
      `${scene.padEnd(22)}${String(cells).padStart(9)}${`1/${fps} s`.padStart(8)}${substepsPerFrame.toFixed(1).padStart(10)}${share}  ${engine.padEnd(12)}${numbers}`,
    )
  }
} finally {
  await browser.close()
  await server.close()
}
