import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PLYLoader } from 'three/addons/loaders/PLYLoader.js'
import { describe, expect, it, vi } from 'vitest'
import { parseFrameRange, selectFrames } from '../../src/cli/arguments/frame-range.js'
import { createExporters, findExporter } from '../../src/cli/export-formats.js'
import { main } from '../../src/cli/main.js'
import { createRun, parseGridProblem, parseNpz, readRun } from '../../src/io/index.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import type { PressureProblem } from '../../src/pressure/problem.js'
import { refusal } from '../io/refusal.js'
import { createFrame, type FrameOptions } from '../support/frames.js'
import { inTemporaryFolder, peel as peelProcess, type Run } from './run.js'

async function writeRun(
  path: string,
  { seed = 1, frames = 5, ...options }: FrameOptions & { seed?: number; frames?: number } = {},
) {
  const versions = { peel: '0.1.0', scene: 1 }
  const run = await createRun(path, { scene: { name: 'ball' }, seed, versions, engine: 'portable' })
  for (let index = 1; index <= frames; index++) await run.keep({ frame: createFrame({ ...options, index }), stats: {} })
  await run.close()
}

const inRun = (work: (folder: string) => Promise<void>, options: Parameters<typeof writeRun>[1] = {}) =>
  inTemporaryFolder(async folder => {
    await writeRun(join(folder, 'run'), options)
    await work(folder)
  })

/** In this process, which is a second faster than a new one; RUN and FOLDER are taken relative to `cwd`. */
async function peel([verb, run, ...flags]: string[], { cwd }: { cwd: string }): Promise<Run> {
  let stderr = ''
  const error = vi.spyOn(console, 'error').mockImplementation(text => {
    stderr += `${text}\n`
  })
  const write = vi.spyOn(process.stderr, 'write').mockImplementation(text => {
    stderr += text
    return true
  })
  try {
    const args = flags.map((flag, at) => (flags[at - 1] === '-o' && !flag.startsWith('/') ? join(cwd, flag) : flag))
    const code = await main([verb, join(cwd, run), ...args])
    return { code, stdout: '', stderr: stderr.replaceAll(`${cwd}/`, '') }
  } finally {
    error.mockRestore()
    write.mockRestore()
  }
}

const NUMBERS = ['000001', '000002', '000003', '000004', '000005']

describe('peel export', () => {
  it('writes every format and content that it lists', () =>
    inRun(async folder => {
      for (const { format, what, series } of createExporters()) {
        const out = join(folder, `${format}-${what}`)
        const { code, stdout, stderr } = await peel(['export', 'run', '--format', format, '--what', what, '-o', out], {
          cwd: folder,
        })
        expect([code, stdout]).toEqual([0, ''])
        expect(stderr).toContain(`${what} of frames 1 to 5: 5 files`)
        const files = NUMBERS.map(number => `${what}_${number}.${format}`)
        expect(readdirSync(out).sort()).toEqual(['export.json', ...files, ...(series ? [`${what}.${series[0]}`] : [])].sort())
      }
      expect(readFileSync(join(folder, 'vti-fields/fields.pvd'), 'utf8').match(/file="fields_\d{6}\.vti"/g)).toHaveLength(5)
      const particles = new PLYLoader().parse(
        new Uint8Array(readFileSync(join(folder, 'ply-particles/particles_000003.ply'))).buffer,
      )
      expect(particles.getAttribute('position').array).toEqual(createFrame({ index: 3 }).particles!.position)
      const fields = parseNpz(readFileSync(join(folder, 'npz-fields/fields_000002.npz')), 'f')
      expect(fields.get('pressure')!.data).toEqual(createFrame({ index: 2 }).fields!.pressure)
    }))

  it('writes a table of the forces on walls', () =>
    inTemporaryFolder(async folder => {
      const scene = { version: 1, domain: { size: [1, 1], resolution: 8 }, liquid: [{ shape: 'everything', scale: 1 }] }
      const versions = { peel: '0.1.0', scene: 1 }
      const run = await createRun(join(folder, 'run'), { scene, seed: 1, versions, engine: 'portable' })
      const forces = { seconds: 0.5, solids: [], sides: { left: { force: [-1, 0, 0], torque: [0, 0, 2] } } }
      await run.keep({ frame: createFrame({ index: 0 }), stats: {} })
      for (const index of [1, 2, 3]) await run.keep({ frame: createFrame({ index }), stats: { index, time: index, forces } })
      await run.close()
      const table = ['export', 'run', '--format', 'csv', '-o', 'out']
      const { code, stderr } = await peel([...table, '--frames', '2-3'], { cwd: folder })
      expect([code, stderr]).toEqual([0, 'peel: forces of frames 2 to 3: 1 file, 0.0 MB in out\n'])
      expect(readdirSync(join(folder, 'out')).sort()).toEqual(['export.json', 'forces.csv'])
      const lines = readFileSync(join(folder, 'out/forces.csv'), 'utf8').split('\r\n')
      expect(lines.slice(1)).toEqual([2, 3].map(n => `${n},${n},0.5,side,left,-1,0,0,0,0,2,0,0,0`).concat(''))
      const none = await peel([...table.slice(0, -1), 'none', '--frames', '0'], { cwd: folder })
      expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('run has no forces of these frames; run it again')])
      expect(existsSync(join(folder, 'none'))).toBe(false)
    }))

  it('works as a process, with nothing on standard output', () =>
    inRun(async folder => {
      const { code, stdout, stderr } = await peelProcess(['export', 'run', '--format', 'glb', '-o', 'out'], { cwd: folder })
      expect([code, stdout]).toEqual([0, ''])
      expect(stderr).toMatch(/^peel: surface of frames 1 to 5: 5 files, \d\.\d MB in out\n$/)
    }))

  it('writes the frames that are asked for, and the first content of a format by default', () =>
    inRun(async folder => {
      const { code } = await peel(['export', 'run', '--format', 'ply', '--frames', '2-5:2', '-o', 'out'], { cwd: folder })
      expect(code).toBe(0)
      expect(readdirSync(join(folder, 'out'))).toEqual(['export.json', 'surface_000002.ply', 'surface_000004.ply'])
    }))

  it('replaces files of the same export, and adds others of the same run', () =>
    inRun(async folder => {
      const args = ['export', 'run', '--format', 'obj', '-o', 'out']
      expect((await peel([...args, '--frames', '1'], { cwd: folder })).code).toBe(0)
      writeFileSync(join(folder, 'out/surface_000001.obj'), 'damaged')
      expect((await peel(args, { cwd: folder })).code).toBe(0)
      expect(readFileSync(join(folder, 'out/surface_000001.obj'), 'utf8')).toContain('v ')
      expect((await peel(['export', 'run', '--format', 'vtp', '-o', 'out'], { cwd: folder })).code).toBe(0)
    }))

  it('meshes surfaces on a finer grid, into a folder of their own', () =>
    inRun(async folder => {
      const args = ['export', 'run', '--format', 'ply', '--frames', '1']
      const verticesIn = (out: string) =>
        Number(/element vertex (\d+)/.exec(readFileSync(join(folder, out, 'surface_000001.ply'), 'latin1'))![1])
      expect((await peel([...args, '-o', 'out'], { cwd: folder })).code).toBe(0)
      expect((await peel([...args, '--refine', '2', '-o', 'fine'], { cwd: folder })).code).toBe(0)
      expect(verticesIn('fine')).toBeGreaterThan(2.5 * verticesIn('out'))
      const mixed = await peel([...args, '--refine', '4', '-o', 'out'], { cwd: folder })
      expect([mixed.code, mixed.stderr]).toEqual([1, expect.stringContaining('exists and is not from this export')])
      const particles = await peel([...args, '--what', 'particles', '--refine', '2', '-o', 'particles'], { cwd: folder })
      expect([particles.code, particles.stderr]).toEqual([1, expect.stringContaining('--refine needs a mesh of the surface')])
      const unknown = await peel([...args, '--refine', '3', '-o', 'three'], { cwd: folder })
      expect([unknown.code, unknown.stderr]).toEqual([expect.any(Number), expect.stringContaining('Expected 1, 2 or 4.')])
      expect(unknown.code).not.toBe(0)
    }))

  it('replaces nothing else', () =>
    inRun(async folder => {
      await mkdir(join(folder, 'mine'))
      writeFileSync(join(folder, 'mine/surface_000004.ply'), 'my work')
      const { code, stderr } = await peel(['export', 'run', '--format', 'ply', '-o', 'mine'], { cwd: folder })
      expect(code).toBe(1)
      expect(stderr).toContain('surface_000004.ply exists and is not from this export')
      expect(readdirSync(join(folder, 'mine'))).toEqual(['surface_000004.ply'])
      await writeRun(join(folder, 'other'), { seed: 2 })
      await peel(['export', 'run', '--format', 'ply', '-o', 'out'], { cwd: folder })
      const second = await peel(['export', 'other', '--format', 'ply', '-o', 'out'], { cwd: folder })
      expect(second.code).toBe(1)
      expect(second.stderr).toContain('out contains an export of another run')
    }))

  it('says what a run did not keep, and leaves no folder', () =>
    inRun(
      async folder => {
        const { code, stderr } = await peel(['export', 'run', '--format', 'ply', '--what', 'particles', '-o', 'out'], {
          cwd: folder,
        })
        expect(code).toBe(1)
        expect(stderr).toMatch(/^peel: run has no particles of frame 1; [^\n]*\n$/)
        expect(existsSync(join(folder, 'out'))).toBe(false)
        expect((await peel(['export', 'run', '--format', 'ply', '-o', 'out'], { cwd: folder })).code).toBe(0)
      },
      { particles: 0 },
    ))

  it.each([
    [['--format', 'plx'], '"plx" is unknown (did you mean "ply"?)'],
    [['--format', 'obj', '--what', 'particles'], 'obj files contain surface, not particles; use --format ply or vtp or npz'],
    [['--format', 'obj', '--what', 'surfaces'], '"surfaces" is unknown (did you mean "surface"?)'],
    [['--format', 'ply', '--frames', '1-9'], '--frames 1-9 is not completely in run: it has 5 frames from 1 to 5'],
    [['--format', 'ply', '--frames', '5-1'], 'ends before it begins'],
    [['--format', 'ply', '--frames', 'all'], 'expected a frame or a range'],
    [['--format', 'ply', '--frames', '1-3:0'], 'must be at least 1'],
    [[], '--format'],
  ])('refuses %j', (args, sentence) =>
    inRun(async folder => {
      const { code, stderr } = await peel(['export', 'run', ...args, '-o', 'out'], { cwd: folder })
      expect(code).toBe(1)
      expect(stderr).toContain(sentence)
      expect(existsSync(join(folder, 'out'))).toBe(false)
    }),
  )

  it('refuses what is no run, and a run without frames', () =>
    inTemporaryFolder(async folder => {
      const nothing = await peel(['export', 'nowhere', '--format', 'ply', '-o', 'out'], { cwd: folder })
      expect([nothing.code, nothing.stderr]).toEqual([1, 'peel: nowhere is not a run directory: it has no manifest.json.\n'])
      await writeRun(join(folder, 'run'), { frames: 0 })
      const empty = await peel(['export', 'run', '--format', 'ply', '-o', 'out'], { cwd: folder })
      expect([empty.code, empty.stderr]).toEqual([1, 'peel: run: it has no frame yet.\n'])
    }))

  it('names a frame that is damaged', () =>
    inRun(async folder => {
      const file = join(folder, 'run/frames/000003.bin')
      writeFileSync(file, readFileSync(file).subarray(0, 400))
      const { code, stderr } = await peel(['export', 'run', '--format', 'ply', '-o', 'out'], { cwd: folder })
      expect(code).toBe(1)
      expect(stderr).toContain('000003.bin: the file is cut off')
    }))
})

describe('the table of exports', () => {
  it('takes problems and pictures from who can make them', () =>
    inRun(async folder => {
      const run = await readRun(join(folder, 'run'))
      const { problem } = galleryProblem('tank', { size: 8 })
      const exporters = createExporters({
        problem: async () => problem as PressureProblem,
        picture: async () => ({ width: 1, height: 1, pixels: Uint8ClampedArray.of(1, 2, 3, 255) }),
      })
      const bytes = await findExporter(exporters, 'npz', 'problem').encode(createFrame(), run)
      expect(parseGridProblem(bytes as Uint8Array, 'p.npz').b).toEqual((problem as PressureProblem).b)
      const png = await findExporter(exporters, 'png', undefined).encode(createFrame(), run)
      expect([...(png as Uint8Array).subarray(1, 4)]).toEqual([0x50, 0x4e, 0x47])
      expect(refusal(() => findExporter(createExporters(), 'png', undefined))).toContain('"png" is unknown')
    }))
})

it('ranges choose frames as they say', () => {
  const frames = [0, 1, 2, 3, 4, 5, 6, 7]
  const chosen = (text: string) => selectFrames(parseFrameRange(text), frames)
  expect(chosen('3')).toEqual([3])
  expect(chosen('2-4')).toEqual([2, 3, 4])
  expect(chosen('1-7:3')).toEqual([1, 4, 7])
  expect(chosen('5-')).toEqual([5, 6, 7])
  expect(chosen('0-:4')).toEqual([0, 4])
})
