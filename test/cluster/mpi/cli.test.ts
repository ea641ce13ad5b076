/** The cluster from the command line. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inTemporaryFolder, peel } from '../../cli/run.js'
import { expectGone, findRanks, newRanks } from './support.js'

let before: number[]
beforeEach(() => {
  before = findRanks()
})
afterEach(() => expectGone(newRanks(before)))

describe('peel cluster check', () => {
  it('reports what is there and solves on 1 and 2 ranks', async () => {
    const { code, stdout } = await peel(['cluster', 'check', '--oversubscribe', '--json'])
    const { works, findings } = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(works).toBe(true)
    const found = Object.fromEntries(findings.map(({ what, found }: { what: string; found: string }) => [what, found]))
    expect(found.launcher).toMatch(/^(Open MPI|MPICH|SLURM): /)
    expect(found['driver for grids']).toMatch(/^hypre 2/)
    for (const ranks of ['1 rank', '2 ranks']) expect(found[`16³ on ${ranks}`]).toMatch(/^converged in/)
  })

  it('says what is missing, and solves nothing', async () => {
    const { code, stdout } = await peel(['cluster', 'check', '--launcher', 'no-such-launcher'])
    expect(code).toBe(2)
    expect(stdout).toMatch(/launcher\s+BAD\s+There is no launcher "no-such-launcher"/)
    expect(stdout).not.toMatch(/converged/)
  })
})

describe('peel solve --solver cluster', () => {
  const solve = ['solve', 'gallery:half-ball', '--size', '24', '--dims', '3', '--solver', 'cluster']

  it('solves on as many ranks as asked for', async () => {
    const { code, stdout } = await peel([...solve, '--ranks', '4', '--oversubscribe', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ solver: 'cluster', status: 'converged', engine: 'ranks (4)' })
  })

  it('fails with a reason, and with --fallback local it does not', async () => {
    const failed = await peel([...solve, '--ranks', '300'])
    expect(failed.code).toBe(2)
    expect(failed.stderr).toMatch(/peel: cluster: There are not enough slots for 300 ranks/)
    const local = await peel([...solve, '--ranks', '300', '--fallback', 'local'])
    expect(local.code).toBe(0)
    expect(local.stderr).toMatch(/not enough slots.*nas-mgpcg solved it on this machine instead/)
  })

  it('tells every outer step', async () => {
    const { stderr } = await peel([...solve, '--ranks', '2', '--oversubscribe', '--monitor'])
    const residuals = [...stderr.matchAll(/^cluster {2}\d+ {2}residual (\S+) 1\/s/gm)].map(([, value]) => Number(value))
    expect(residuals.length).toBeGreaterThan(4)
    expect(residuals.at(-1)).toBeLessThanOrEqual(1e-6)
  })

  it('can be interrupted', async () => {
    const large = [
      'solve',
      'gallery:rooms',
      '--size',
      '64',
      '--solver',
      'cluster',
      '--ranks',
      '2',
      '--oversubscribe',
      '--tolerance',
      '1e-12',
    ]
    const { code, stdout } = await peel([...large, '--monitor'], { interruptAt: /cluster {2}[1-9]/ })
    expect(code).toBe(130)
    expect(stdout).toMatch(/cancelled/)
  })
})

describe('peel run --solver cluster', () => {
  const scene = ['run', 'splash', '--resolution', '16', '--frames', '2', '--solver', 'cluster', '--oversubscribe']

  it('simulates as the local solver does, within the tolerance', () =>
    inTemporaryFolder(async folder => {
      const [here, there] = [join(folder, 'local'), join(folder, 'cluster')]
      const ran = await peel([...scene, '-o', there, '--ranks', '2', '--json'])
      expect(ran.code).toBe(0)
      await peel(['run', 'splash', '--resolution', '16', '--frames', '2', '-o', here, '--json'])
      // Of the solves; the start of a run names the engine of the liquid.
      const frames = ran.stdout.split('\n').filter(line => line.includes('"event":"frame"'))
      const engines = frames.flatMap(line => [...line.matchAll(/"engine":"([^"]+)"/g)].map(([, engine]) => engine))
      expect(new Set(engines)).toEqual(new Set(['ranks (2)']))
      const [one, other] = [here, there].map(path => lastFrame(path))
      // What a frame lacks, some per cent here, is corrected by a solve to a hundredth of it.
      expect(Math.abs(other.volume / one.volume - 1)).toBeLessThan(1e-4)
      expect(other.energy.kinetic / one.energy.kinetic).toBeCloseTo(1, 3)
    }))

  it('stops at a frame whose solve failed, and keeps those before it', () =>
    inTemporaryFolder(async folder => {
      const { code, stderr } = await peel([...scene, '-o', join(folder, 'run'), '--launcher', 'no-such-launcher'])
      expect(code).toBe(2)
      expect(stderr).toMatch(/frame 1: the solve ended with status failed: There is no launcher/)
      expect(stderr).toMatch(/stopped .* after frame 0/)
      const local = await peel([...scene, '-o', join(folder, 'other'), '--launcher', 'no-such-launcher', '--fallback', 'local'])
      expect(local.code).toBe(0)
      expect(local.stderr.match(/nas-mgpcg solved it on this machine instead/g)).toHaveLength(1)
    }))
})

/** What the statistics of a run say of its last frame. */
function lastFrame(path: string): { volume: number; energy: { kinetic: number } } {
  return JSON.parse(readFileSync(join(path, 'stats.ndjson'), 'utf8').trim().split('\n').at(-1)!)
}
