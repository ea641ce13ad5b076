/** Commands under limits of memory: they end in one sentence, or get along with what there is. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inTemporaryFolder, peel, type Run, root } from './run.js'

/** `peel` with that many KiB of addresses. */
function limited(kibibytes: number, args: readonly string[]): Promise<Run> {
  return new Promise((resolve, reject) => {
    const command = `ulimit -v ${kibibytes} && exec "$0" "$@"`
    const child = spawn('sh', ['-c', command, process.execPath, join(root, 'bin/peel'), ...args])
    const said = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) child[name].on('data', chunk => (said[name] += chunk))
    child.on('error', reject)
    child.on('close', code => resolve({ code, ...said }))
  })
}

const SENTENCE =
  /^peel: Compiled loops cannot get \d+ MiB of memory: this process may address 1\.91 GiB \(ulimit -v\), .*NODE_OPTIONS=--disable-wasm-trap-handler.*use --engine portable\.\n$/

// Addresses can be limited on Linux; elsewhere limits are others.
const onLinux = it.skipIf(process.platform !== 'linux')
// Hosts look for memory everywhere, several times over, before they refuse it.

onLinux('a solve without addresses for compiled loops runs on plain TypeScript, and says so', async () => {
  const { code, stdout, stderr } = await limited(2_000_000, ['solve', 'gallery:half-ball', '--size', '12', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ engine: 'portable', status: 'converged' })
  expect(stderr).toMatch(/^peel: nas-mgpcg: Solved with the engine portable\. Compiled loops cannot get/)
})

onLinux('a run without addresses for compiled loops runs on plain TypeScript, and says so', async () =>
  inTemporaryFolder(async folder => {
    const command = ['run', 'lai-circle', '-o', join(folder, 'run'), '--resolution', '12', '--frames', '1']
    const { code, stderr } = await limited(2_000_000, command)
    expect(stderr).toMatch(/The simulation runs in plain TypeScript \(engine portable\).* Compiled loops cannot get/)
    expect(code).toBe(0)
  }),
)

onLinux('what needs compiled loops says in one sentence that they have no addresses', async () =>
  inTemporaryFolder(async folder => {
    const small = ['--resolution', '8', '--frames', '1']
    const commands = [
      ['solve', 'gallery:half-ball', '--size', '12', '--engine', 'wasm'],
      ['run', 'splash', '-o', join(folder, 'other'), ...small, '--engine', 'wasm'],
    ]
    for (const { code, stderr } of await Promise.all(commands.map(command => limited(2_000_000, command)))) {
      expect(stderr).toMatch(SENTENCE)
      expect(code).toBe(1)
    }
    expect(existsSync(join(folder, 'other'))).toBe(false)
  }),
)

onLinux('pictures could not be painted without addresses for compiled loops, whatever the flags', async () =>
  inTemporaryFolder(async folder => {
    const run = join(folder, 'run')
    const small = ['--resolution', '8', '--frames', '1']
    expect((await peel(['run', 'splash', '-o', run, ...small])).code).toBe(0)
    const commands = [
      ['export', run, '--format', 'png', '--width', '32', '-o', join(folder, 'pictures')],
      ['run', 'splash', '-o', join(folder, 'other'), ...small, '--pictures', '--set', 'output.pictures.width=32'],
      ['demo', '--scene', 'lai-circle', ...small, '--quick', '-o', join(folder, 'demo')],
    ]
    for (const { code, stderr } of await Promise.all(commands.map(command => limited(2_000_000, command))))
      expect(code, stderr).toBe(0)
    for (const file of ['pictures', 'other/pictures/000001.png', 'demo/pair.png'])
      expect(existsSync(join(folder, file)), file).toBe(true)
  }),
)

onLinux('arrays that do not fit end in a sentence', async () => {
  const { code, stderr } = await limited(1_300_000, ['info', 'gallery:tank', '--size', '160', '--dims', '3'])
  expect(stderr).toMatch(/^peel: There is not enough memory \(.*\): .*1\.24 GiB, ulimit -v.*\.\n$/)
  expect(code).toBe(1)
})
