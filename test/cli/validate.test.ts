/** `peel validate` as a user meets it: what it writes, what it prints, and what it says of wrong names. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inTemporaryFolder, peel } from './run.js'

const validate = (folder: string, ...more: string[]) => peel(['validate', '--quick', '-o', folder, ...more])

describe('peel validate', () => {
  it('writes a page with its plots, the same each time', () =>
    inTemporaryFolder(async folder => {
      const { stdout, stderr, code } = await validate(folder, 'archimedes', 'dam-break')
      expect(stderr).toBe('1 of 2: Archimedes\n2 of 2: Dam break\n')
      expect(code).toBe(0)
      expect(stdout).toMatch(/^Archimedes\n\n\| quantity/)
      expect(stdout).toContain(`All 11 checks pass. → ${join(folder, 'validation.md')}`)
      expect(readdirSync(folder).sort()).toEqual(['validation', 'validation.md'])
      const plots = readdirSync(join(folder, 'validation')).sort()
      expect(plots).toEqual(['archimedes-force.svg', 'dam-break-front.svg', 'dam-break-height.svg'])
      const page = readFileSync(join(folder, 'validation.md'), 'utf8')
      expect(page).toContain('Written by `peel validate archimedes dam-break --quick`')
      for (const plot of plots) expect(page).toContain(`(validation/${plot})`)
      await validate(folder, 'archimedes', 'dam-break')
      expect(readFileSync(join(folder, 'validation.md'), 'utf8')).toBe(page)
    }))

  it('prints JSON, and exits with 2 and a sentence exactly if a bound is missed', () =>
    inTemporaryFolder(async folder => {
      const { stdout, stderr, code } = await validate(folder, 'free-fall', 'rigid-rotation', '--json')
      const { missed, cases } = JSON.parse(stdout)
      const names = cases.map(({ name }: { name: string }) => name)
      expect(names).toEqual(['free-fall', 'rigid-rotation'])
      const passed = cases.flatMap(({ checks }: { checks: { passed: boolean }[] }) => checks.map(check => check.passed))
      expect(passed.filter((one: boolean) => !one)).toHaveLength(missed)
      expect(code).toBe(missed === 0 ? 0 : 2)
      const sentence = 'peel: bounds were missed in rigid-rotation; the page shows by how much.\n'
      expect(stderr).toBe(`1 of 2: Free fall\n2 of 2: Rigid rotation\n${missed === 0 ? '' : sentence}`)
    }))

  it('can be interrupted, and leaves nothing behind', () =>
    inTemporaryFolder(async folder => {
      const output = join(folder, 'new')
      const { code, stderr } = await peel(['validate', 'hydrostatics', '-o', output], { interruptAt: /1 of 1: Hydrostatics/ })
      expect(stderr).toContain('Interrupted: nothing is written')
      expect(code).toBe(130)
      expect(readdirSync(folder)).toEqual([])
    }))

  it('refuses what makes no sense, in a sentence', () =>
    inTemporaryFolder(async folder => {
      const { stderr, code } = await validate(folder, 'falling')
      expect(stderr).toMatch(/^peel: There is no validation "falling"; there are hydrostatics, .*\.\n$/)
      expect(code).toBe(1)
      expect(readdirSync(folder)).toEqual([])
      const file = join(folder, 'file')
      writeFileSync(file, '')
      expect((await validate(file, 'free-fall')).stderr).toBe(
        `peel: ${file} is a file; --output must be a folder or a new name.\n`,
      )
    }))
})
