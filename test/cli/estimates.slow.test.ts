/** What `peel check` promises of memory and disk, against what `peel run` takes. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inTemporaryFolder, peel } from './run.js'

const root = join(import.meta.dirname, '../..')

/** Peak of the resident memory of a process, in bytes; only Linux tells. */
async function peakOf(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [join(root, 'bin/peel'), ...args], { stdio: 'ignore' })
  let peak = 0
  const watch = setInterval(() => {
    try {
      const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))
      if (found) peak = Math.max(peak, 1024 * Number(found[1]))
    } catch {
      // It has ended.
    }
  }, 5)
  const code = await new Promise(resolve => child.once('exit', resolve))
  clearInterval(watch)
  expect(code).toBe(0)
  return peak
}

function sizeOfTree(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

it.runIf(process.platform === 'linux').each([
  ['splash', 24, 12, []],
  ['splash', 80, 4, []],
  ['lai-sphere', 56, 4, ['particles.method=apic']],
  ['cm-dam-break-box', 56, 6, ['particles.band=0']],
  ['cm-dam-break-box', 72, 4, []],
  ['lai-circle', 400, 6, ['output.keep=["surface","particles","fields"]']],
  ['andersen-dam-break', 160, 12, ['output.keep=["surface"]']],
  ['moving-paddle', 48, 8, []],
] as const)('promises of %s at %i are within a third of what %i frames take', (scene, resolution, frames, settings) =>
  inTemporaryFolder(async folder => {
    const sets = [`time.frames=${frames}`, ...settings].flatMap(setting => ['--set', setting])
    const common = [scene, '--resolution', String(resolution), ...sets]
    const promised = JSON.parse((await peel(['check', ...common, '--json'])).stdout)
    const peak = await peakOf(['run', ...common, '-o', join(folder, 'run')])
    const disk = sizeOfTree(join(folder, 'run'))
    const ratios = { memory: promised.bytes / peak, disk: promised.diskBytes / disk }
    process.stderr.write(`${scene} ${resolution} ${settings}: promised / taken: ${JSON.stringify(ratios)}\n`)
    for (const [what, ratio] of Object.entries(ratios)) {
      expect(ratio, what).toBeGreaterThan(2 / 3)
      expect(ratio, what).toBeLessThan(4 / 3)
    }
  }),
)
