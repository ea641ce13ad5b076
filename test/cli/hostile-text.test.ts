/** What files say never reaches a terminal as a command, nor a page as markup. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { main } from '../../src/cli/main.js'
import { parseNpz } from '../../src/io/formats/npz.js'
import { simulateScene } from '../../src/liquid/from-scene.js'
import { printable, printableLine } from '../../src/printable.js'
import { convergencePlot } from '../../src/report/convergence.js'
import { reportHtml } from '../../src/report/report.js'
import { validateScene } from '../../src/scene/validate.js'
import { buildZip } from '../io/formats/zip-builder.js'
import { refusal } from '../io/refusal.js'
import { boxMesh, toMesh, toPly } from '../scene/mesh/meshes.js'
import { inTemporaryFolder, peel } from './run.js'

/** Clears the screen, sets the title of the window, moves up, turns the direction of writing, and others. */
const HOSTILE = 'a\x1b[2J\x1b]0;b\x07c\rd\x9b31me\x7f\u202ef\u2066g\u200fh\x00\u2028i\u061c'
// What may be printed: no control characters but line ends, no marks of direction.
const SAFE = /^(?:[^\p{Cc}\p{Bidi_Control}\u2028\u2029]|\n)*$/u

const scene = (more: object) => ({
  version: 1,
  domain: { size: [1, 1], resolution: 8 },
  liquid: [{ shape: 'box', min: [0, 0], max: [1, 0.5] }],
  ...more,
})

afterEach(() => vi.restoreAllMocks())

async function printed(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const parts = { out: [] as string[], err: [] as string[] }
  const write = (into: string[], end: string) => (text: unknown) => into.push(`${text}${end}`) > 0
  vi.spyOn(console, 'log').mockImplementation(write(parts.out, '\n'))
  vi.spyOn(console, 'error').mockImplementation(write(parts.err, '\n'))
  vi.spyOn(process.stdout, 'write').mockImplementation(write(parts.out, ''))
  vi.spyOn(process.stderr, 'write').mockImplementation(write(parts.err, ''))
  const code = await main(args)
  vi.restoreAllMocks()
  return { code, out: parts.out.join(''), err: parts.err.join('') }
}

describe('text from files', () => {
  it('keeps letters of all languages, tabs and line ends, and shows all else as numbers', () => {
    expect(printable('Wasser läuft über, 水, α → ∞ 🌊\n\tund\n')).toBe('Wasser läuft über, 水, α → ∞ 🌊\n\tund\n')
    expect(printable(HOSTILE)).toMatch(SAFE)
    expect(printable('\x1b[2J')).toBe('\\u001b[2J')
    expect(printableLine('one\ntwo\r\nthree\tfour')).toBe('one two three four')
    for (let code = 0; code < 0xd800; code++)
      expect(printable(String.fromCharCode(code))).toMatch(/^(?:[\t\n]|\P{Cc}|\\u[0-9a-f]{4})*$/u)
  })

  it('stays the same JSON', () => {
    const value = { [HOSTILE]: [HOSTILE, `\\${HOSTILE}`, `\\\\${HOSTILE}"`] }
    expect(JSON.parse(printable(JSON.stringify(value)))).toEqual(value)
  })

  it('in a title passed raw through check and run', async () => {
    await inTemporaryFolder(async folder => {
      const file = join(folder, 'scene.json')
      await writeFile(file, JSON.stringify(scene({ title: `${HOSTILE}\nmemory    about 0 MiB`, time: { frames: 1 } })))
      const check = await printed('check', file)
      expect(check.code).toBe(0)
      expect(check.out).toMatch(SAFE)
      expect(check.out.match(/^memory/gm)).toHaveLength(1)
      const asJson = await printed('check', file, '--json')
      expect(asJson.out).toMatch(SAFE)
      expect(JSON.parse(asJson.out).title).toContain(HOSTILE)
      const run = await peel(['run', file, '-o', join(folder, 'run')])
      expect(run.code).toBe(0)
      expect(run.stderr).toContain('\\u001b[2J')
      expect(run.stderr).toMatch(SAFE)
    })
  })

  it.each([
    ['an unknown key', scene({ [HOSTILE]: 1 })],
    ['a shape', scene({ solids: [{ shape: HOSTILE }] })],
    ['a choice', scene({ walls: HOSTILE })],
    ['a solver', scene({ solver: { name: HOSTILE } })],
    ['an option', scene({ solver: { options: { [HOSTILE]: 1 } } })],
    [
      'a mesh',
      {
        ...scene({ solids: [{ mesh: `${HOSTILE.replaceAll('\x00', '')}.obj` }] }),
        domain: { size: [1, 1, 1], resolution: 8 },
        liquid: [],
      },
    ],
  ])('in %s of a scene passed raw into errors', async (_, content) => {
    await inTemporaryFolder(async folder => {
      const file = join(folder, 'scene.json')
      await writeFile(file, JSON.stringify(content))
      const { code, out, err } = await printed('check', file)
      expect(code).toBe(1)
      expect(out).toBe('')
      expect(err).toMatch(/^peel: /)
      expect(err).toMatch(SAFE)
    })
  })

  it('in arguments passed raw into errors', async () => {
    for (const args of [
      [`--${HOSTILE}`],
      ['run', HOSTILE, '-o', 'x'],
      ['solve', HOSTILE],
      ['check', 'splash', '--set', `${HOSTILE}=1`],
      [HOSTILE],
    ]) {
      const { code, err } = await printed(...args)
      expect(code).toBe(1)
      expect(err).toMatch(SAFE)
    }
  })

  it('in names of an archive passed raw into errors', () => {
    const bytes = buildZip([{ name: `${HOSTILE}.npy`, data: Uint8Array.of(1, 2, 3) }])
    expect(refusal(() => parseNpz(bytes, 'a.npz'))).toMatch(SAFE)
  })

  it('is neither markup nor a command in reports and plots', () => {
    const title = `${HOSTILE}<script>alert(1)</script>"'&`
    const picture = { width: 1, height: 1, pixels: new Uint8ClampedArray(4) }
    const curves = [
      {
        name: title,
        records: [
          { work: 1, residual: 1 },
          { work: 2, residual: 0.1 },
        ],
      },
    ]
    const html = reportHtml({
      title,
      dims: 2,
      separating: [],
      sticking: [],
      pair: { time: 0, separating: picture, sticking: picture },
      solve: { curves, tolerance: 1e-3, title },
      warnings: [title],
      parameters: [[title, title]],
      command: title,
    })
    for (const text of [html, convergencePlot(curves, { title, tolerance: 1e-3 })]) {
      expect(text).toMatch(SAFE)
      expect(text).not.toContain('<script')
    }
  })
})

describe('standard output', () => {
  it('got a line that is no JSON from a PLY file with an unknown header line', async () => {
    await inTemporaryFolder(async folder => {
      const ply = new TextDecoder()
        .decode(toPly(boxMesh([0, 0, 0], [1, 1, 1])))
        .replace('element vertex', 'texture none.png\nelement vertex')
      await writeFile(join(folder, 'cube.ply'), ply)
      const file = join(folder, 'scene.json')
      const mesh = { mesh: 'cube.ply', scale: 0.3, translate: [0.3, 0.3, 0.3] }
      await writeFile(
        file,
        JSON.stringify({ version: 1, domain: { size: [1, 1, 1], resolution: 8 }, solids: [mesh], liquid: [] }),
      )
      const { stdout } = await peel(['check', file, '--json'])
      expect(JSON.parse(stdout).meshes[0]).toMatchObject({ triangles: 12, isClosed: true })
    })
  })
})

describe('a broken mesh', () => {
  const write = async (folder: string, obj: string) => {
    const file = join(folder, 'scene.json')
    await writeFile(join(folder, 'cube.obj'), obj)
    const solids = [{ mesh: 'cube.obj', scale: 0.4, translate: [0.3, 0.3, 0.3] }]
    const liquid = [{ shape: 'box', min: [0, 0, 0], max: [1, 0.2, 1] }]
    await writeFile(
      file,
      JSON.stringify({ version: 1, domain: { size: [1, 1, 1], resolution: 8 }, solids, liquid, time: { frames: 1 } }),
    )
    return file
  }
  const corners = 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n'
  const faces = 'f 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\nf 5 6 7 8\n'

  it('was run without a word: run and demo say what check says', async () => {
    await inTemporaryFolder(async folder => {
      const file = await write(folder, corners + faces)
      const { meshes } = JSON.parse((await peel(['check', file, '--json'])).stdout)
      expect(meshes[0].warnings).toHaveLength(1)
      expect(meshes[0].warnings[0]).toMatch(/^It is not closed: 1 hole, near \(0\.5, 0\.5, 0\)/)
      const sentence = `peel: warning: The mesh cube.obj: ${meshes[0].warnings[0]}\n`
      const run = await peel(['run', file, '-o', join(folder, 'run'), '--json'])
      expect(run).toMatchObject({ code: 0, stderr: sentence })
      for (const line of run.stdout.trim().split('\n')) JSON.parse(line)
      const demo = await peel([
        'demo',
        '--scene',
        file,
        '-o',
        join(folder, 'demo'),
        '--resolution',
        '8',
        '--frames',
        '1',
        '--quick',
      ])
      expect(demo.code).toBe(0)
      expect(demo.stderr.split(sentence)).toHaveLength(2)
    })
  })

  it('is reported to callers of the library', async () => {
    const open = boxMesh([0.3, 0.3, 0.3], [0.7, 0.7, 0.7]).slice(2)
    const checked = validateScene({
      ...scene({}),
      domain: { size: [1, 1, 1], resolution: 8 },
      liquid: [],
      solids: [{ mesh: 'cube.obj' }],
    })
    const warnings: string[] = []
    const meshes = new Map([['cube.obj', toMesh(open)]])
    const simulation = await simulateScene(
      { scene: checked, meshes, onWarning: warning => warnings.push(warning) },
      { threads: 1 },
    )
    simulation.dispose()
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(/^The mesh cube\.obj: It is not closed: 1 hole/)
  })

  it('that is no solid at all is refused before a folder is made', async () => {
    await inTemporaryFolder(async folder => {
      const file = await write(folder, `${corners.replace('v 0 0 0', 'v 0 nan 0')}f 1 4 3 2\n${faces}`)
      for (const args of [
        ['check', file],
        ['run', file, '-o', join(folder, 'run')],
      ]) {
        const { code, stderr } = await peel(args)
        expect(code).toBe(1)
        expect(stderr).toBe(
          'peel: The mesh cube.obj has a coordinate in vertex 1 that is not a finite number; repair the mesh and export it again.\n',
        )
      }
      await expect(readFile(join(folder, 'run'))).rejects.toThrow(/ENOENT/)
    })
  })
})
