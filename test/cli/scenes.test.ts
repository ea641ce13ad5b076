import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { shippedScenes } from '../../src/io/scene-file.js'
import { boxMesh, toObj } from '../scene/mesh/meshes.js'
import { inTemporaryFolder, peel } from './run.js'

describe('peel scenes', () => {
  it('lists all shipped scenes', async () => {
    const names = await shippedScenes()
    const table = await peel(['scenes'])
    expect(table.code).toBe(0)
    expect(
      table.stdout
        .trim()
        .split('\n')
        .slice(1)
        .map(line => line.split(' ')[0]),
    ).toEqual(names)
    const rows = JSON.parse((await peel(['scenes', '--json'])).stdout)
    expect(rows.map(({ name }: { name: string }) => name)).toEqual(names)
    expect(rows.find(({ name }: { name: string }) => name === 'lai-sphere')).toMatchObject({
      dims: 3,
      title: 'Liquid in a sphere',
    })
  })
})

describe('standard output', () => {
  it.each([[['scenes']], [['run', '--help']], [['solve', 'gallery:half-ball', '--size', '8']]])(
    'ends %j quietly when nobody reads it',
    async args => {
      expect(await peel(args, { readsNothing: true })).toEqual({ code: 141, stdout: '', stderr: '' })
    },
  )
})

describe('peel check', () => {
  it('counts cells, liquid and particles', async () => {
    const { code, stdout } = await peel(['check', 'cm-dam-break-box', '--resolution', '20', '--json'])
    expect(code).toBe(0)
    const report = JSON.parse(stdout)
    expect(report).toMatchObject({ cells: 8000, liquidCells: 7 * 16 * 20, particles: 8 * 7 * 16 * 20, removed: 0, reasons: [] })
    expect(report.shape).toEqual([20, 20, 20])
    expect(report.bytes).toBeGreaterThan(8000 * 100)
    expect(report.secondsPerFrame).toBeGreaterThan(0)
  })

  it('expects less time where particles are only in a band, and as many particles to start with', async () => {
    const [everywhere, banded] = await Promise.all(
      [0, 3].map(async band => {
        const { stdout } = await peel([
          'check',
          'cm-dam-break-box',
          '--resolution',
          '64',
          '--set',
          `particles.band=${band}`,
          '--json',
        ])
        return JSON.parse(stdout)
      }),
    )
    expect(banded.secondsPerFrame).toBeLessThan(0.8 * everywhere.secondsPerFrame)
    expect(banded.compiledBytes).toBe(everywhere.compiledBytes)
    expect(banded.laterParticles).toBeLessThan(everywhere.laterParticles)
    expect(banded.bytes).toBeLessThan(everywhere.bytes)
  })

  it('tells how much liquid lies in solids', async () => {
    const { stdout } = await peel(['check', 'lai-circle', '--resolution', '200', '--json'])
    // Half of a disc of radius 0.45 out of half of the unit square.
    expect(JSON.parse(stdout).removed).toBeCloseTo(1 - Math.PI * 0.45 ** 2, 2)
    expect((await peel(['check', 'lai-circle'])).stdout).toMatch(/overlap +36\.\d % of the liquid is inside solids and removed/)
  })

  it('takes values from the command line', async () => {
    const { stdout } = await peel(['check', 'splash', '--set', 'domain.resolution=8', '--set', 'particles.perCell=1', '--json'])
    const report = JSON.parse(stdout)
    expect(report.cells).toBe(512)
    expect(report.particles).toBe(report.liquidCells)
  })

  it.each([
    [['check', 'splush'], /^peel: There is no scene "splush" \(did you mean "splash"\?\)/],
    [['check', 'nowhere.json'], /^peel: nowhere\.json cannot be read: there is no such file or folder/],
    [
      ['check', 'splash', '--set', 'time.frame=3'],
      /^peel: --set time\.frame: time has no key "frame" \(did you mean "frames"\?\)/,
    ],
    [['check', 'splash', '--set', 'time.frames=0'], /^peel: splash: time\.frames must be a whole number/],
    [
      ['check', 'splash', '--resolution', '1200'],
      /splash: Compiled loops need about .* GiB of memory and can use .*; lower the resolution/,
    ],
  ])('exits with 1 for %j', async (args, message) => {
    const { code, stderr } = await peel(args)
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
  })

  it('reads meshes beside the scene and reports their faults', async () => {
    await inTemporaryFolder(async folder => {
      writeFileSync(join(folder, 'open.obj'), toObj(boxMesh([0, 0, 0], [1, 1, 1]).slice(2)))
      const scene = {
        version: 1,
        domain: { size: [1, 1, 1.03], resolution: 10 },
        solids: [{ mesh: 'open.obj', scale: 0.5 }],
      }
      writeFileSync(join(folder, 'scene.json'), JSON.stringify(scene))
      const { code, stdout } = await peel(['check', join(folder, 'scene.json')])
      expect(code).toBe(0)
      expect(stdout).toMatch(/mesh +open\.obj: 10 triangles, open\n +It is not closed: 1 hole, near \(0\.5, 0\.5, 0\)/)
      expect(stdout).toMatch(/rounded to whole cells from 1 × 1 × 1\.03 m/)
      expect(stdout).toMatch(/warning +There is never any liquid/)
      writeFileSync(join(folder, 'scene.json'), JSON.stringify({ ...scene, solids: [{ mesh: 'other.obj' }] }))
      expect((await peel(['check', join(folder, 'scene.json')])).stderr).toMatch(/other\.obj cannot be read/)
      writeFileSync(join(folder, 'scene.json'), '{ "version": 1, }')
      expect((await peel(['check', join(folder, 'scene.json')])).stderr).toMatch(/scene\.json is not JSON/)
    })
  })
})
