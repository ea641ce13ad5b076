/** The command that counts failures on adversarial problems, on the build of this checkout. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peel-adversarial-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

function run(...flags: string[]): string {
  return execFileSync(process.execPath, ['bench/adversarial.mjs', ...flags], { cwd: root, encoding: 'utf8', stdio: 'pipe' })
}

it('finds the same failures alone and in several processes', { timeout: 180_000 }, () => {
  const flags = ['--seed', '3', '--count', '6', '--solvers', 'psor,mgpcg', '--list']
  const details = path.join(folder, 'details.jsonl')
  const alone = run(...flags, '--details', details)
  expect(alone).toContain('6 problems of seed 3, 12 solves')
  const failures = alone.split('\n').filter(line => line.startsWith('PEEL_SEED=3'))
  expect(fs.readFileSync(details, 'utf8').split('\n').filter(Boolean)).toHaveLength(failures.length)
  const shared = run(...flags, '--jobs', '2')
  expect(shared.split('\n').filter(line => line.startsWith('PEEL_SEED=3'))).toEqual(failures)
})
