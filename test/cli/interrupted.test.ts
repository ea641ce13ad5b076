/** Ctrl-C: a sentence, exit code 130, nothing half-written; and a disk that is full. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createRun } from '../../src/io/index.js'
import { digests, lastingContents } from '../support/folders.js'
import { createFrame } from '../support/frames.js'
import { inTemporaryFolder, peel, peelHere } from './run.js'

const PEEL = fileURLToPath(new URL('peel-built.mjs', import.meta.url))

it('Ctrl-C in solve: no sentence, and the pressure of a solve that was given up was written', () =>
  inTemporaryFolder(async folder => {
    writeFileSync(join(folder, 'p.npy'), 'mine')
    const files = ['-o', 'p.npy', '--history', 'h.json', '--plot', 'h.svg']
    const args = ['solve', 'gallery:rooms', '--size', '72', '--solver', 'psor', '--tolerance', '1e-13', '--monitor', ...files]
    const { code, stderr } = await peel(args, { cwd: folder, interruptAt: /psor {2}3 / })
    expect(code).toBe(130)
    expect(stderr).toContain(
      'Interrupted: cancelling the current solve; nothing more is written; press Ctrl-C again to end at once.',
    )
    expect(readdirSync(folder)).toEqual(['p.npy'])
    expect(readFileSync(join(folder, 'p.npy'), 'utf8')).toBe('mine')
  }))

it('Ctrl-C in export: no sentence; files are whole, and the same command completes them', () =>
  inTemporaryFolder(async folder => {
    const run = await createRun(join(folder, 'run'), {
      scene: { name: 'ball' },
      seed: 1,
      versions: { peel: '0.1.0', scene: 1 },
      engine: 'portable',
    })
    for (let index = 1; index <= 60; index++) await run.keep({ frame: createFrame({ index }), stats: {} })
    await run.close()
    const args = ['export', 'run', '--format', 'vti', '-o']
    const child = spawn(process.execPath, [PEEL, ...args, 'out'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    let stderr = ''
    child.stderr.on('data', text => {
      stderr += text
    })
    while (!existsSync(join(folder, 'out/fields_000002.vti'))) await new Promise(resolve => setTimeout(resolve, 5))
    child.kill('SIGINT')
    expect((await once(child, 'close'))[0], stderr).toBe(130)
    expect(stderr).toContain('Interrupted: finishing the current frame; press Ctrl-C again to end at once.')
    const written = readdirSync(join(folder, 'out')).filter(name => name !== 'export.json')
    expect(stderr).toContain(`peel: interrupted; ${written.length} frames are complete in out`)
    expect(written.length).toBeLessThan(60)
    expect((await peelHere([...args, 'whole'], { cwd: folder })).code).toBe(0)
    const whole = digests(join(folder, 'whole'))
    expect(whole).toMatchObject(digests(join(folder, 'out')))
    expect((await peelHere([...args, 'out'], { cwd: folder })).code).toBe(0)
    expect(digests(join(folder, 'out'))).toEqual(whole)
  }))

it.each(['SIGINT', 'SIGTERM'] as const)('a second %s ends at once', async signal => {
  const built = new URL('../../dist/cli/interruption.js', import.meta.url).href
  const program = `import { watchInterruption } from ${JSON.stringify(built)}
    watchInterruption('it goes on'); setInterval(() => {}, 1000); console.log('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program])
  let stderr = ''
  const heard = new Promise<void>(resolve => {
    child.stderr.on('data', text => {
      stderr += text
      if (stderr.endsWith('.\n')) resolve()
    })
  })
  await once(child.stdout, 'data')
  child.kill(signal)
  await heard
  child.kill(signal)
  expect((await once(child, 'close'))[0]).toBe(130)
  expect(stderr).toBe('\nInterrupted: it goes on; press Ctrl-C again to end at once.\n')
})

const mounts = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'peel', '/mnt']).status === 0
it.skipIf(!mounts)('a disk that is full ends a run with a sentence, and with more room it goes on to the same bits', () =>
  inTemporaryFolder(async folder => {
    const scene = ['run', 'andersen-dam-break', '--resolution', '16', '--threads', '1', '--frames', '8', '-o']
    expect((await peelHere([...scene, 'whole'], { cwd: folder })).code).toBe(0)
    mkdirSync(join(folder, 'disk'))
    // 8 kB are not enough for the first frame, 40 kB for a few.
    for (const size of ['8k', '40k']) {
      const command = `"${process.execPath}" "${PEEL}" ${scene.join(' ')} disk/run`
      const script = `mount -t tmpfs -o size=${size} peel disk && ${command}; code=$?
        mount -o remount,size=50m disk && ${command} $([ -e disk/run ] && echo --resume) && cp -r disk/run run-${size} && exit $code`
      const { status, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', script], { cwd: folder, encoding: 'utf8' })
      expect(status, stderr).toBe(1)
      expect(stderr).toMatch(/^peel: .*cannot be written: the disk is full\./m)
      expect(stderr).not.toContain('    at ')
      expect(lastingContents(join(folder, `run-${size}`))).toEqual(lastingContents(join(folder, 'whole')))
    }
  }),
)
