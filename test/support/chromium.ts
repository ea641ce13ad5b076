/** The browser of the system, for tests on a page. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

export const CHROMIUM_REQUIRED = process.env.PEEL_REQUIRE_CHROMIUM === '1'

export function findChromium(): string | undefined {
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  const found = (process.env.PATH ?? '').split(delimiter).flatMap(folder => names.map(name => join(folder, name)))
  return found.find(file => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Without its sandbox, which does not start in many containers; it shows nothing but our own pages. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking'] })
}
