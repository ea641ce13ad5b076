/** Runs written by a thread of their own. As built, because a thread loads its file itself. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createGrid } from '../../../src/grid/grid.js'
import type * as io from '../../../src/io/index.js'
import { random } from '../../../src/random.js'
import { inTemporaryFolder } from '../../cli/run.js'

const built = new URL('../../../dist/io/index.js', import.meta.url).href
const { createRun, openRun } = (await import(/* @vite-ignore */ built)) as typeof io

const grid = createGrid([6, 5, 4], 0.1)
const about = { scene: { name: 'tank' }, seed: 7, versions: { peel: '0.1.0', scene: 1 }, engine: 'portable' }

function momentOf(index: number) {
  const noise = (length: number) => Float32Array.from({ length }, (_, n) => random(5, index, n))
  return {
    frame: { grid, index, time: index / 24, liquid: noise(grid.cells), solid: noise(7 * 6 * 5) },
    stats: { index },
    checkpoint: { header: { index }, arrays: new Map([['x', noise(1000)]]) },
  }
}

const filesOf = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => statSync(join(folder, name)).isFile())
      .sort()
      .map(name => [name, readFileSync(join(folder, name), 'latin1').replace(/"started": "[^"]*"/, '')]),
  )

it('a thread leaves the files that the caller would have written, whatever becomes of the arrays meanwhile', async () => {
  await inTemporaryFolder(async parent => {
    for (const threaded of [false, true]) {
      const run = await createRun(join(parent, String(threaded)), { ...about, threaded })
      const kept = [0, 1, 2, 3].map(index => {
        const moment = momentOf(index)
        const done = run.keep(moment)
        if (threaded) moment.frame.liquid.fill(NaN)
        return done
      })
      await Promise.all(kept)
      expect(run.manifest().frames.map(({ frame }) => frame)).toEqual([0, 1, 2, 3])
      await run.close()
    }
    const files = filesOf(join(parent, 'true'))
    expect(Object.keys(files).length).toBeGreaterThan(8)
    expect(files).toEqual(filesOf(join(parent, 'false')))
  })
})

it('what a thread cannot write is refused by the sentence the caller would get, and the run can be written on', async () => {
  await inTemporaryFolder(async parent => {
    const folder = join(parent, 'run')
    const run = await createRun(folder, { ...about, threaded: true })
    await run.keep(momentOf(0))
    await expect(run.keep(momentOf(0))).rejects.toThrow('Frame 0 cannot be kept after frame 0')
    rmSync(join(folder, 'frames'), { recursive: true })
    writeFileSync(join(folder, 'frames'), 'in the way')
    await expect(run.keep(momentOf(1))).rejects.toMatchObject({ name: 'InputError', message: expect.stringMatching(/frames/) })
    expect(run.manifest().frames.length).toBe(1)
    rmSync(join(folder, 'frames'))
    await run.close()
    const { run: again, missing } = await openRun(folder, { threaded: true }).catch(error => ({
      run: undefined,
      missing: String(error),
    }))
    expect(missing).toContain('no checkpoint to continue from')
    await again?.close()
  })
})

it.each([0, 1])('a process ends although a run is open, and not before the %i frames it handed over are kept', async count => {
  const { spawnSync } = await import('node:child_process')
  await inTemporaryFolder(async parent => {
    const large = createGrid([128, 128, 128], 0.1)
    const script = `
      import { createRun } from ${JSON.stringify(built)}
      const run = await createRun(process.argv[1], ${JSON.stringify({ ...about, threaded: true })})
      const noise = length => Float32Array.from({ length }, (_, n) => Math.sin(n * n))
      const parts = { liquid: noise(128 ** 3), solid: noise(129 ** 3) }
      if (${count}) run.keep({ frame: { grid: ${JSON.stringify(large)}, index: 0, time: 0, ...parts }, stats: {} })`
    const folder = join(parent, 'run')
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script, folder], {
      encoding: 'utf8',
      timeout: 300_000,
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')).frames.length).toBe(count)
  })
})
