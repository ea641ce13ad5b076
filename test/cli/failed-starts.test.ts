/** Commands that cannot do what they are asked: a sentence, and the folder as it was. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digests } from '../support/folders.js'
import { inTemporaryFolder, peelHere } from './run.js'

const FLAT = ['run', 'andersen-dam-break', '--resolution', '12', '--frames', '1', '--threads', '1']

describe('an empty output path', () => {
  const solve = ['solve', 'gallery:tank', '--size', '8']
  it.each([
    [[...FLAT], '-o'],
    [[...FLAT, '--resume'], '-o'],
    [['export', 'run', '--format', 'ply'], '-o'],
    [['demo', '--quick', '--frames', '1', '--resolution', '8'], '-o'],
    [['reproduce', 'lai', '--tables', '1', '--sizes', '16', '--frames', '1', '--samples', '1'], '-o'],
    [['validate', 'free-fall', '--quick'], '-o'],
    [solve, '--output'],
    [solve, '--history'],
    [solve, '--plot'],
    [['bench', 'iterations', '--sizes', '8', '--sizes-2d', '8', '--solver', 'pi-pcg'], '--into'],
    [['bench', 'ablations', '--sizes', '8', '--sizes-2d', '8'], '--into'],
  ])('wrote into the current folder: %j %s', (args, flag) =>
    inTemporaryFolder(async folder => {
      for (const empty of ['', '  ', '\t']) {
        const { code, stderr } = await peelHere([...args, flag, empty], { cwd: folder })
        expect(code).toBe(1)
        expect(stderr).toContain('It must not be empty.')
      }
      expect(readdirSync(folder)).toEqual([])
    }),
  )

  it('read the current folder as a run', () =>
    inTemporaryFolder(async folder => {
      await peelHere([...FLAT, '-o', 'run'], { cwd: folder })
      const { code, stderr } = await peelHere(['export', '', '--format', 'ply', '-o', 'out'], { cwd: join(folder, 'run') })
      expect(code).toBe(1)
      expect(stderr).toContain('It must not be empty.')
    }))
})

describe('a start that failed left a folder that blocked the next one', () => {
  const bowl = { version: 1, domain: { size: [1, 1, 1], resolution: 8 }, solids: [{ mesh: 'bad.obj' }] }
  const starts: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['an option that the solver does not have', [...FLAT, '--set', 'solver.options.nothing=1'], /nothing/],
    ['a value that the solver refuses', [...FLAT, '--solver', 'psor', '--set', 'solver.options.relaxation=7'], /relaxation/],
    ['a hosts file that does not exist', [...FLAT, '--solver', 'cluster', '--hosts', 'hosts'], /There is no hosts file hosts;/],
    ['a mesh that is too large to sample', ['run', 'bowl.json'], /bad\.obj.*too many/],
  ]
  it.each(starts)('%s', (_, args, sentence) =>
    inTemporaryFolder(async folder => {
      writeFileSync(join(folder, 'bowl.json'), JSON.stringify(bowl))
      writeFileSync(join(folder, 'bad.obj'), 'v 0 0 0\nv 1e6 0 0\nv 0 1e6 0\nv 0 0 1e6\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n')
      mkdirSync(join(folder, 'empty'))
      const before = digests(folder)
      for (const output of ['new/deep/run', 'empty']) {
        const { code, stderr } = await peelHere([...args, '-o', output], { cwd: folder })
        expect(code, stderr).toBe(1)
        expect(stderr).toMatch(sentence)
        expect(digests(folder)).toEqual(before)
      }
      const { code, stderr } = await peelHere([...FLAT, '-o', 'empty'], { cwd: folder })
      expect(code, stderr).toBe(0)
    }),
  )

  it('never removes what it did not make', () =>
    inTemporaryFolder(async folder => {
      mkdirSync(join(folder, 'run/frames'), { recursive: true })
      mkdirSync(join(folder, 'run/checkpoints'))
      writeFileSync(join(folder, 'run/frames/mine.txt'), 'mine')
      const before = digests(folder)
      for (const args of [FLAT, [...FLAT, '--resume'], [...FLAT, '--set', 'solver.options.nothing=1']]) {
        expect((await peelHere([...args, '-o', 'run'], { cwd: folder })).code).toBe(1)
        expect(digests(folder)).toEqual(before)
      }
    }))

  it('an export that ended before its first file kept other runs out of its folder', () =>
    inTemporaryFolder(async folder => {
      for (const seed of ['1', '2']) await peelHere([...FLAT, '--seed', seed, '-o', `run${seed}`], { cwd: folder })
      const into = (run: string) => ['export', run, '--format', 'ply', '-o', 'out']
      expect((await peelHere(into('run1'), { cwd: folder })).code).toBe(0)
      expect((await peelHere(into('run2'), { cwd: folder })).stderr).toContain('contains an export of another run')
      const files = readdirSync(join(folder, 'out')).filter(name => name !== 'export.json')
      for (const name of files) rmSync(join(folder, 'out', name))
      expect((await peelHere(into('run2'), { cwd: folder })).code).toBe(0)
    }))

  it('flags for problems were ignored by other exports', () =>
    inTemporaryFolder(async folder => {
      await peelHere([...FLAT, '-o', 'run'], { cwd: folder })
      for (const flags of [
        ['--substep', '1'],
        ['--scene', 'splash'],
      ]) {
        const { code, stderr } = await peelHere(['export', 'run', '--format', 'ply', '-o', 'out', ...flags], { cwd: folder })
        expect([code, stderr]).toEqual([1, expect.stringContaining(`${flags[0]} needs --what problem`)])
      }
      expect(readdirSync(folder)).toEqual(['run'])
    }))
})

it('one substep, frame, iteration or file was counted in the plural', () =>
  inTemporaryFolder(async folder => {
    const args = [...FLAT, '-o', 'run', '--set', 'solver.maxIterations=1', '--set', 'solver.tolerance=1e-12']
    const run = await peelHere([...args, '--set', 'volume.correction=false'], { cwd: folder })
    expect(run.stderr).toMatch(/ 1 substep {2}1 iteration {2}/)
    expect(run.stderr).toContain('Not converged after 1 iteration.')
    expect(run.stderr).toContain('In 1 of 1 frame a solve did not converge')
    const problem = ['export', 'run', '--what', 'problem', '--format', 'npz', '--frames', '1', '-o', 'out']
    expect((await peelHere(problem, { cwd: folder })).stderr).toContain('problem of frame 1: 1 file,')
    expect((await peelHere([...problem, '--substep', '7'], { cwd: folder })).stderr).toContain('has 1 substep, not 7')
    const none = await peelHere(['export', 'run', '--format', 'ply', '--frames', '5', '-o', 'out'], { cwd: folder })
    expect(none.stderr).toContain('it has 2 frames from 0 to 1')
  }))
