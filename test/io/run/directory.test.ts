import fs from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  createRun,
  type OpenRunOptions,
  openRun,
  type RunDescription,
  type RunWriter,
  readFrame,
  readRun,
} from '../../../src/io/index.js'
import type { Checkpoint } from '../../../src/io/run/checkpoint.js'
import { inTemporaryFolder } from '../../cli/run.js'
import { createFrame } from '../../support/frames.js'
import { laterRefusal } from '../refusal.js'

const about: RunDescription = {
  scene: { version: 1, solver: { name: 'nas-mgpcg', tolerance: 1e-4 }, solids: [{ friction: 0 }] },
  seed: 830412,
  versions: { peel: '0.1.0', scene: 1 },
  engine: 'portable',
  checkpointEvery: 4,
}
const checkpoint = (index: number): Checkpoint => ({ header: { index }, arrays: new Map([['x', Float64Array.of(index / 3)]]) })
const keep = (run: RunWriter, index: number, withCheckpoint = true) =>
  run.keep({ frame: createFrame({ index }), stats: { volume: index }, ...(withCheckpoint && { checkpoint: checkpoint(index) }) })

/** A run of frames 0 to `last`, closed. */
async function write(folder: string, last: number, hasCheckpoint = (_: number) => true): Promise<void> {
  const run = await createRun(folder, about)
  for (let index = 0; index <= last; index++) await keep(run, index, hasCheckpoint(index))
  await run.close()
}

const inRun = (last: number, work: (folder: string) => Promise<void>, hasCheckpoint?: (frame: number) => boolean) =>
  inTemporaryFolder(async parent => {
    await write(join(parent, 'run'), last, hasCheckpoint)
    await work(join(parent, 'run'))
  })

/** Opens, looks and closes. */
async function peek(folder: string, options?: OpenRunOptions) {
  const opened = await openRun(folder, options)
  await opened.run.close()
  return { ...opened, frames: opened.run.manifest().frames.map(({ frame }) => frame) }
}

const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => fs.statSync(join(folder, name)).isFile())
      .sort()
      .map(name => [name, fs.readFileSync(join(folder, name), 'latin1')]),
  )

describe('a run directory', () => {
  it('gives back its scene, frames, stats and newest checkpoint', () =>
    inRun(3, async folder => {
      const stored = await readRun(folder)
      expect(stored.scene).toEqual(about.scene)
      expect(stored.manifest).toMatchObject({ seed: 830412, engine: 'portable', versions: { peel: '0.1.0', scene: 1 } })
      expect(new Date(stored.manifest.started).toISOString()).toBe(stored.manifest.started)
      expect(stored.stats).toEqual([0, 1, 2, 3].map(index => ({ frame: index, volume: index })))
      for (let index = 0; index <= 3; index++) expect(await readFrame(stored, index)).toEqual(createFrame({ index }))
      const { resume, frames } = await peek(folder, { expected: about })
      expect(resume).toEqual({ frame: 3, checkpoint: checkpoint(3) })
      expect(frames).toEqual([0, 1, 2, 3])
    }))

  it('keeps the two newest checkpoints and every fourth', () =>
    inRun(11, async folder => {
      const names = fs.readdirSync(join(folder, 'checkpoints'))
      expect(names).toEqual(['000004.ckpt', '000008.ckpt', '000010.ckpt', '000011.ckpt'])
      const { manifest } = await readRun(folder)
      expect(manifest.checkpoints.map(({ frame }) => frame)).toEqual([4, 8, 10, 11])
    }))

  it('goes back to a frame that is asked for, and forgets what came after it', () =>
    inRun(11, async folder => {
      const { resume, dropped, frames } = await peek(folder, { fromFrame: 9 })
      expect(resume!.frame).toBe(8)
      expect(dropped).toEqual([9, 10, 11])
      expect(frames).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
      expect((await readRun(folder)).stats.length).toBe(9)
      expect(fs.readdirSync(join(folder, 'frames')).length).toBe(9)
      expect(fs.readdirSync(join(folder, 'checkpoints'))).toEqual(['000004.ckpt', '000008.ckpt'])
    }))

  it('takes frames in ascending order only, one after the other', () =>
    inRun(1, async folder => {
      const { run } = await openRun(folder)
      await expect(keep(run, 1)).rejects.toThrow(RangeError)
      await Promise.all([keep(run, 2), keep(run, 3), keep(run, 4)])
      await run.close()
      expect((await peek(folder)).frames).toEqual([0, 1, 2, 3, 4])
    }))

  it('that ended before its first frame starts again', () =>
    inTemporaryFolder(async parent => {
      await write(join(parent, 'run'), -1)
      const { resume, frames } = await peek(join(parent, 'run'))
      expect(resume).toBeUndefined()
      expect(frames).toEqual([])
    }))
})

describe('what a crash leaves', () => {
  it('is removed: temporary files, frames and checkpoints without an entry, half a line; what others put there stays', () =>
    inRun(2, async folder => {
      const before = contents(folder)
      fs.writeFileSync(join(folder, 'frames/000003.bin'), 'half a fra')
      fs.writeFileSync(join(folder, 'frames/.0123456789abcdef.tmp'), 'x')
      fs.writeFileSync(join(folder, '.0123456789abcdef.tmp'), 'x')
      fs.writeFileSync(join(folder, 'checkpoints/000003.ckpt'), '')
      fs.appendFileSync(join(folder, 'stats.ndjson'), '{"frame":3,"volume":3}\n{"frame":4,"vol')
      fs.writeFileSync(join(folder, 'frames/notes.txt'), 'mine')
      expect((await peek(folder)).resume!.frame).toBe(2)
      expect(contents(folder)).toEqual({ ...before, 'frames/notes.txt': 'mine' })
    }))

  it('of the newest checkpoint makes the run go back by one', () =>
    inRun(6, async folder => {
      const file = join(folder, 'checkpoints/000006.ckpt')
      fs.truncateSync(file, fs.statSync(file).size - 3)
      const { resume, dropped } = await peek(folder)
      expect(resume).toEqual({ frame: 5, checkpoint: checkpoint(5) })
      expect(dropped).toEqual([6])
    }))

  it('of a checkpoint that another one replaced makes it go back as well', () =>
    inRun(6, async folder => {
      fs.copyFileSync(join(folder, 'checkpoints/000005.ckpt'), join(folder, 'checkpoints/000006.ckpt'))
      expect((await peek(folder)).resume).toEqual({ frame: 5, checkpoint: checkpoint(5) })
    }))

  it('lines that are there twice, or out of order, become one per frame', () =>
    inRun(2, async folder => {
      const before = contents(folder)
      fs.appendFileSync(join(folder, 'stats.ndjson'), '{"frame":2,"volume":2}\n{"frame":1,"volume":1}\nnothing\n')
      expect((await readRun(folder)).stats.length).toBe(3)
      await peek(folder)
      expect(contents(folder)).toEqual(before)
      fs.writeFileSync(join(folder, 'stats.ndjson'), `nothing\n${before['stats.ndjson']}`)
      await peek(folder)
      expect(contents(folder)).toEqual(before)
    }))

  it('of the newest frame as well', () =>
    inRun(6, async folder => {
      const file = join(folder, 'frames/000006.bin')
      const bytes = fs.readFileSync(file)
      bytes[bytes.length >> 1] ^= 1
      fs.writeFileSync(file, bytes)
      expect((await peek(folder)).resume!.frame).toBe(5)
    }))

  it('of all checkpoints is an error that touches nothing', () =>
    inRun(2, async folder => {
      for (const name of ['000001', '000002']) fs.writeFileSync(join(folder, `checkpoints/${name}.ckpt`), 'nothing')
      const before = contents(folder)
      expect(await laterRefusal(() => openRun(folder))).toMatch(
        /no checkpoint to continue from: .*000001\.ckpt: this is not a checkpoint/,
      )
      expect(contents(folder)).toEqual(before)
    }))

  it('frames that somebody removed are told', () =>
    inRun(4, async folder => {
      fs.rmSync(join(folder, 'frames/000001.bin'))
      expect((await peek(folder)).missing).toEqual([1])
      expect(await laterRefusal(async () => readFrame(await readRun(folder), 1))).toContain('000001.bin cannot be read')
    }))

  it('without checkpoints there is nothing to go on from', () =>
    inRun(
      2,
      async folder => expect(await laterRefusal(() => openRun(folder))).toContain('no checkpoint to continue from: it has none'),
      () => false,
    ))

  it('frames behind the last checkpoint are computed again', () =>
    inRun(
      5,
      async folder => {
        const { resume, dropped } = await peek(folder)
        expect(resume!.frame).toBe(3)
        expect(dropped).toEqual([4, 5])
      },
      frame => frame === 3,
    ))
})

describe('refused', () => {
  it('a changed scene, with the keys that changed', () =>
    inRun(1, async folder => {
      const before = contents(folder)
      const scene = { version: 1, solver: { name: 'nas-mgpcg', tolerance: 1e-6 }, solids: [{ friction: 0 }, { friction: 1 }] }
      const sentence = await laterRefusal(() => openRun(folder, { expected: { ...about, scene, seed: 1 } }))
      expect(sentence).toContain('solver.tolerance 0.0001 → 0.000001')
      expect(sentence).toContain('solids[1] absent → {"friction":1}')
      expect(sentence).toContain('seed 830412 → 1')
      expect(contents(folder)).toEqual(before)
      const forced = await peek(folder, { expected: { ...about, scene, seed: 1 }, force: true })
      expect(forced.resume!.frame).toBe(1)
      expect((await readRun(folder)).scene).toEqual(scene)
      expect((await peek(folder, { expected: { ...about, scene, seed: 1 } })).resume!.frame).toBe(1)
    }))

  it('a changed mesh, although the scene is the same', () =>
    inTemporaryFolder(async parent => {
      const folder = join(parent, 'run')
      const run = await createRun(folder, { ...about, meshes: { 'bowl.obj': 'aaaa' } })
      await run.close()
      expect(await laterRefusal(() => openRun(folder, { expected: { ...about, meshes: { 'bowl.obj': 'bbbb' } } }))).toContain(
        'content of meshes["bowl.obj"] "aaaa" → "bbbb"',
      )
    }))

  it('a scene.json that was edited in the run', () =>
    inRun(1, async folder => {
      fs.writeFileSync(join(folder, 'scene.json'), '{"version":2}')
      expect(await laterRefusal(() => openRun(folder))).toContain('scene.json was changed since the run began')
    }))

  it('the same keys in another order are no change', () =>
    inRun(1, async folder => {
      const scene = { solids: [{ friction: 0 }], solver: { tolerance: 1e-4, name: 'nas-mgpcg' }, version: 1 }
      expect((await peek(folder, { expected: { ...about, scene } })).resume!.frame).toBe(1)
    }))

  it('a folder that is not empty, a file, and a run that is there', () =>
    inTemporaryFolder(async parent => {
      fs.writeFileSync(join(parent, 'scene.json'), '{}')
      expect(await laterRefusal(() => createRun(parent, about))).toContain('is not empty and not a run (it contains scene.json)')
      expect(fs.readdirSync(parent)).toEqual(['scene.json'])
      expect(await laterRefusal(() => createRun(join(parent, 'scene.json'), about))).toContain('is a file')
      await write(join(parent, 'run'), 0)
      expect(await laterRefusal(() => createRun(join(parent, 'run'), about))).toContain('already contains a run; resume it')
      fs.mkdirSync(join(parent, 'empty'))
      await write(join(parent, 'empty'), 0)
    }))

  it('a folder that is no run', () =>
    inTemporaryFolder(async parent => {
      expect(await laterRefusal(() => openRun(parent))).toContain('is not a run directory: it has no manifest.json')
      expect(await laterRefusal(() => readRun(join(parent, 'nowhere')))).toContain('is not a run directory')
      fs.writeFileSync(join(parent, 'manifest.json'), '{"format":"something"}')
      expect(await laterRefusal(() => openRun(parent))).toContain('not a run of Peel')
      expect(fs.readdirSync(parent)).toEqual(['manifest.json'])
    }))

  it('a frame of another run under the name of this one', () =>
    inRun(2, async folder => {
      fs.copyFileSync(join(folder, 'frames/000001.bin'), join(folder, 'frames/000002.bin'))
      expect(await laterRefusal(async () => readFrame(await readRun(folder), 2))).toContain('not the file that the run wrote')
      expect(await laterRefusal(async () => readFrame(await readRun(folder), 9))).toContain('it has 3 frames from 0 to 2')
    }))

  it.each([
    ['not JSON', (text: string) => text.slice(0, -5)],
    ['of another version', (text: string) => text.replace('"version": 1', '"version": 2')],
    ['without frames', (text: string) => text.replace('"frames"', '"frame"')],
    ['with frames out of order', (text: string) => text.replace('"frame":0', '"frame":7')],
    ['without a seed', (text: string) => text.replace('"seed"', '"sead"')],
  ])('a manifest that is %s', (_, damage) =>
    inRun(1, async folder => {
      const file = join(folder, 'manifest.json')
      fs.writeFileSync(file, damage(fs.readFileSync(file, 'utf8')))
      expect(await laterRefusal(() => readRun(folder))).toMatch(/manifest\.json: /)
    }),
  )
})

describe('the lock of a run', () => {
  it('keeps a second writer of the same process out until the first has closed', () =>
    inTemporaryFolder(async parent => {
      const run = await createRun(join(parent, 'run'), about)
      expect(await laterRefusal(() => openRun(join(parent, 'run')))).toContain(`is being written by process ${process.pid}`)
      await run.close()
      await peek(join(parent, 'run'))
    }))

  const leave = (folder: string, owner: object | string) => {
    fs.mkdirSync(join(folder, 'lock'))
    fs.writeFileSync(join(folder, 'lock/owner.json'), typeof owner === 'string' ? owner : JSON.stringify(owner))
  }

  it.each([
    ['a process that is gone', { token: 'a', pid: 2 ** 22 - 1, host: hostname() }],
    ['a process whose number another one has now', { token: 'b', pid: process.pid, born: '1', host: hostname() }],
    ['nobody that can be read', ''],
  ])('is taken over from %s', (_, owner) =>
    inRun(1, async folder => {
      leave(folder, owner)
      expect((await peek(folder)).resume!.frame).toBe(1)
      expect(fs.readdirSync(folder).filter(name => name.includes('lock'))).toEqual([])
    }),
  )

  it('of another machine is left alone, with what to do', () =>
    inRun(1, async folder => {
      leave(folder, { token: 'c', pid: 12, host: 'elsewhere' })
      const sentence = await laterRefusal(() => openRun(folder))
      expect(sentence).toContain('process 12 on elsewhere; if that has ended, remove the folder')
    }))

  it('goes to one of many who want it at once', () =>
    inRun(1, async folder => {
      leave(folder, { token: 'd', pid: 2 ** 22 - 1, host: hostname() })
      const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => openRun(folder)))
      expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBe(1)
    }))
})
