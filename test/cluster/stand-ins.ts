/** Programs that stand in for launchers and compilers. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** A folder of stand-in programs that is removed after the tests of the file. */
export function createStandIns() {
  const folder = mkdtempSync(join(tmpdir(), 'peel-stand-ins-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  // Scripts without an ending are CommonJS, whatever a package.json in a folder above says.
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }')
  return {
    folder,
    /** An executable script; returns its path. */
    script(name: string, text: string): string {
      const path = join(folder, name)
      writeFileSync(path, text)
      chmodSync(path, 0o755)
      return path
    },
  }
}

export type StandIns = ReturnType<typeof createStandIns>
