/** `peel reproduce` as a user meets it: what it writes, how it goes on, what it says when it cannot. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseResults } from '../../src/papers/reproduction.js'
import { inTemporaryFolder, peel } from './run.js'

const resultsIn = (folder: string) => parseResults(readFileSync(join(folder, 'lai.json'), 'utf8'), 'lai')!
const circle = (folder: string, ...more: string[]) =>
  peel(['reproduce', 'lai', '--tables', '1,3', '--frames', '2', '--samples', '2', '-o', folder, ...more])

describe('peel reproduce', () => {
  it('writes Markdown, JSON and SVG, and measures nothing twice', () =>
    inTemporaryFolder(async folder => {
      const first = await circle(folder, '--sizes', '16')
      expect(first.stderr).toMatch(/^0 of 18: simulation\/lai-circle\/16\/FAS-MG 1; about 0 s left/)
      expect(first.stdout).toBe(`Lai et al. 2020: 18 measurements → ${join(folder, 'lai.md')}.\n`)
      expect(first.code).toBe(0)
      expect(readdirSync(folder).sort()).toEqual(['lai-scaling.svg', 'lai.json', 'lai.md'])
      const report = readFileSync(join(folder, 'lai.md'), 'utf8')
      expect(report).toContain('`peel reproduce lai --tables 1,3 --sizes 16 --frames 2 --samples 2 --budget 60 --limit 120`')
      expect(report).toMatch(/\| FAS-MG +\| +\d[\d.]* \| +7\.45 \|/)
      const before = resultsIn(folder)

      expect((await circle(folder, '--sizes', '16')).stderr).toBe('')
      expect(resultsIn(folder)).toEqual(before)

      expect((await circle(folder, '--sizes', '16,24')).stdout).toContain('36 measurements')
      const after = resultsIn(folder)
      expect(after.measured).toMatchObject(before.measured)
      expect(after.sessions).toHaveLength(2)
    }))

  it('leaves out what the budget does not allow, and says so', () =>
    inTemporaryFolder(async folder => {
      const { stdout, code } = await circle(folder, '--sizes', '16', '--budget', '0.00001')
      expect(code).toBe(0)
      expect(stdout).toMatch(/1 measurement, 17 not measured \(see its end\)/)
      expect(readFileSync(join(folder, 'lai.md'), 'utf8')).toContain(
        '`simulation/lai-circle/16/PI-PCG` (2): the budget was spent.',
      )
    }))

  it('can be interrupted, and keeps what is done', () =>
    inTemporaryFolder(async folder => {
      const many = ['reproduce', 'lai', '--tables', '1', '--sizes', '64', '--frames', '40', '--samples', '40', '-o', folder]
      const { stdout, code } = await peel(many, { interruptAt: /0 of 360/ })
      expect(code).toBe(130)
      expect(stdout).toContain('Interrupted; run the same command to continue.')
      expect(Object.keys(resultsIn(folder).measured).length).toBeLessThan(9)
    }))

  it('refuses what makes no sense, in a sentence', () =>
    inTemporaryFolder(async folder => {
      expect((await peel(['reproduce', 'somebody'])).stderr).toContain('lai, mcadams, chentanez-mueller, andersen')
      expect((await circle(folder, '--tables', '3-1')).stderr).toContain('Expected numbers or ranges, as in 1-6,9.')
      expect((await circle(folder, '--tables', '3,13')).stderr).toBe('peel: --tables: there is no table 13; lai has 1 to 12.\n')
      expect(existsSync(join(folder, 'lai.json'))).toBe(false)
      expect((await circle(folder, '--budget', 'long')).stderr).toContain('Expected a number of minutes.')
      writeFileSync(join(folder, 'lai.json'), '{}')
      const { stderr, code } = await circle(folder, '--sizes', '16')
      expect(code).toBe(1)
      expect(stderr).toContain('lai.json has no results of lai; move it away, or use --fresh to overwrite it.')
      expect((await circle(folder, '--sizes', '16', '--fresh')).code).toBe(0)
    }))
})
