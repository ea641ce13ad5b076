/** The disk fills up at every single step of what a run directory does; what was there stays, and the run goes on when there is room. */
import * as fs from 'node:fs'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import type * as promises from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { createRun, openRun, type RunDescription, type RunWriter, readRun } from '../../../src/io/index.js'
import { inTemporaryFolder } from '../../cli/run.js'
import { createFrame } from '../../support/frames.js'
import { laterRefusal } from '../refusal.js'

/** Counts what is written; the step of number `at` fails, and so does reading the file `held`. */
const disk = vi.hoisted(() => ({ at: 0, steps: 0, held: '' }))

vi.mock('node:fs/promises', async importOriginal => {
  const real = await importOriginal<typeof promises>()
  const step = () => {
    if (++disk.steps === disk.at) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
  }
  const counted =
    <Args extends unknown[], Result>(action: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      step()
      return action(...args)
    }
  return {
    ...real,
    mkdir: counted(real.mkdir as (path: string) => Promise<unknown>),
    writeFile: counted(real.writeFile as (path: string) => Promise<unknown>),
    truncate: counted(real.truncate),
    rename: counted(real.rename),
    copyFile: counted(real.copyFile),
    open: async (path: string, flags: string) => {
      if (disk.held !== '' && path.endsWith(disk.held)) throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' })
      if (flags !== 'r') step()
      const handle = await real.open(path, flags)
      if (flags === 'r') return handle
      const { writeFile, write, sync, truncate } = handle
      handle.writeFile = (async (content: Uint8Array) => {
        // Half of it still finds room.
        if (disk.steps + 1 === disk.at) await writeFile.call(handle, content.slice(0, content.length >> 1))
        step()
        return writeFile.call(handle, content)
      }) as typeof writeFile
      handle.write = counted(write.bind(handle) as (...args: unknown[]) => Promise<unknown>) as typeof write
      handle.sync = counted(sync.bind(handle))
      handle.truncate = counted(truncate.bind(handle))
      return handle
    },
  }
})

beforeEach(() => Object.assign(disk, { at: 0, steps: 0, held: '' }))

const about: RunDescription = { scene: { a: 1 }, seed: 1, versions: { peel: '0.1.0', scene: 1 }, engine: 'portable' }
const keep = (run: RunWriter, index: number, note = '') =>
  run.keep({
    frame: createFrame({ index }),
    stats: { index, note },
    checkpoint: { header: {}, arrays: new Map([['x', Uint8Array.of(index)]]) },
  })

const contents = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => statSync(join(folder, name)).isFile() && !name.startsWith('lock'))
      .sort()
      .map(name => [name, readFileSync(join(folder, name), 'latin1')]),
  )

/** Lets every step of `action` fail in turn, with `check` after each; returns how many did. */
async function failEverywhere(action: () => Promise<unknown>, check: () => Promise<void>): Promise<number> {
  for (let at = 1; ; at++) {
    Object.assign(disk, { at, steps: 0 })
    const sentence = await laterRefusal(async () => {
      await action()
      throw new Error('done')
    }).catch(() => 'done')
    const reached = disk.steps >= at
    Object.assign(disk, { at: 0, steps: 0 })
    if (sentence === 'done' && !reached) return at - 1
    if (sentence !== 'done') {
      expect(sentence).toContain('the disk is full')
      await check()
    }
  }
}

it('a frame that finds no room leaves the run as it was, and can be kept later', async () => {
  await inTemporaryFolder(async parent => {
    const folder = join(parent, 'run')
    const run = await createRun(folder, about)
    for (const index of [0, 1, 2]) await keep(run, index)
    const before = contents(folder)
    const finished = (files: Record<string, string>) => ({
      ...files,
      'stats.ndjson': files['stats.ndjson'].split('{"frame":3')[0],
    })
    // Every try has a shorter line than the one before, so that nothing of that may stay.
    let note = 'x'.repeat(200)
    const failures = await failEverywhere(
      async () => {
        note = note.slice(1)
        await keep(run, 3, note)
      },
      async () => expect(finished(contents(folder))).toEqual(before),
    )
    expect(failures).toBeGreaterThan(12)
    await run.close()
    const { manifest, stats } = await readRun(folder)
    expect(manifest.frames.map(({ frame }) => frame)).toEqual([0, 1, 2, 3])
    expect(stats.map(line => line.note)).toEqual(['', '', '', note])
    expect(readFileSync(join(folder, 'stats.ndjson'), 'utf8')).toMatch(/^([^\n]+\n){4}$/)
  })
})

it('a run that finds no room when it is created leaves nothing in the way of another try', async () => {
  await inTemporaryFolder(async parent => {
    const folder = join(parent, 'run')
    const failures = await failEverywhere(
      async () => {
        const run = await createRun(folder, about)
        await run.close()
        rmSync(folder, { recursive: true })
      },
      async () => {
        expect(fs.existsSync(join(folder, 'manifest.json'))).toBe(false)
        await (await createRun(folder, about)).close()
        rmSync(folder, { recursive: true })
      },
    )
    expect(failures).toBeGreaterThan(10)
  })
})

it('a run that finds no room when it is opened loses nothing', async () => {
  await inTemporaryFolder(async parent => {
    const original = join(parent, 'original')
    const run = await createRun(original, about)
    for (const index of [0, 1, 2]) await keep(run, index)
    await run.close()
    const folder = join(parent, 'run')
    const copy = () => {
      rmSync(folder, { recursive: true, force: true })
      cpSync(original, folder, { recursive: true })
      fs.appendFileSync(join(folder, 'stats.ndjson'), '{"frame":3')
    }
    const failures = await failEverywhere(
      async () => {
        copy()
        const opened = await openRun(folder)
        await opened.run.close()
      },
      async () => {
        const opened = await openRun(folder)
        expect(opened.resume!.frame).toBe(2)
        await opened.run.close()
        expect(contents(folder)).toEqual(contents(original))
      },
    )
    expect(failures).toBeGreaterThan(5)
  })
})

it('a checkpoint or frame that another program holds is not taken for a damaged one', async () => {
  await inTemporaryFolder(async parent => {
    const folder = join(parent, 'run')
    const run = await createRun(folder, about)
    for (const index of [0, 1, 2]) await keep(run, index)
    await run.close()
    const before = contents(folder)
    for (const name of ['000002.ckpt', '000002.bin']) {
      disk.held = name
      expect(await laterRefusal(() => openRun(folder))).toContain(`${name} cannot be read: another program is using it`)
      expect(contents(folder)).toEqual(before)
    }
    disk.held = ''
    const opened = await openRun(folder)
    expect(opened.resume!.frame).toBe(2)
    await opened.run.close()
  })
})

it.skipIf(process.getuid?.() === 0)('a folder without permission is named', async () => {
  await inTemporaryFolder(async parent => {
    const closed = join(parent, 'closed')
    mkdirSync(closed)
    chmodSync(closed, 0o500)
    expect(await laterRefusal(() => createRun(join(closed, 'run'), about))).toContain('permission is denied')
    chmodSync(closed, 0o700)
  })
})

it('a file in the way of a folder is named', async () => {
  await inTemporaryFolder(async parent => {
    fs.writeFileSync(join(parent, 'file'), '')
    expect(await laterRefusal(() => createRun(join(parent, 'file/run'), about))).toContain('a part of the path is not a folder')
  })
})
