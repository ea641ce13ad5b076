/** peel run --resume: after whatever happened, it goes on to the same bits, or refuses in a sentence and touches nothing. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digests, lastingContents } from '../support/folders.js'
import { inTemporaryFolder, peelHere } from './run.js'

const FLAT = ['run', 'andersen-dam-break', '--resolution', '12', '--threads', '1']
const SPACE = ['run', 'splash', '--resolution', '8', '--threads', '1']

/** Runs it in `folder`, with the exit code that is expected; returns what it said. */
async function say(folder: string, args: readonly string[], code = 0): Promise<string> {
  const done = await peelHere(args, { cwd: folder })
  expect(done.code, done.stderr).toBe(code)
  return done.stderr
}

describe('a run that holds only frame 0 could never be resumed', () => {
  it.each([
    ['2D', FLAT],
    ['3D', SPACE],
  ])('in %s it goes on, with and without --force, to the bits of a run that never stopped', (_, scene) =>
    inTemporaryFolder(async folder => {
      const frames = [...scene, '--frames', '3']
      await say(folder, [...frames, '-o', 'whole'])
      const failing = [...frames, '-o', 'run', '--on-fail', 'stop', '--set', 'solver.maxIterations=1']
      await say(folder, [...failing, '--set', 'solver.tolerance=1e-12'], 2)
      expect(readdirSync(join(folder, 'run/frames'))).toEqual(['000000.bin'])
      // It fails again at the same solve, for the same reason, and as often as it is tried.
      for (const more of [[], ['--force']])
        expect(await say(folder, [...failing, '--set', 'solver.tolerance=1e-12', '--resume', ...more], 2)).toContain(
          'after frame 0',
        )
      await say(folder, [...frames, '-o', 'run', '--resume', '--force'])
      const { manifest, 'scene.json': scene0, ...rest } = lastingContents(join(folder, 'run'))
      const { manifest: wholeManifest, 'scene.json': wholeScene, ...whole } = lastingContents(join(folder, 'whole'))
      expect(rest).toEqual(whole)
      expect(scene0).not.toBe('')
      expect(wholeScene).not.toBe('')
      expect(JSON.parse(manifest)).toMatchObject({ sceneSince: 0, frames: JSON.parse(wholeManifest).frames })
    }),
  )

  it('--from-frame goes back to any frame, and 0 starts over also where no checkpoint of it is left', () =>
    inTemporaryFolder(async folder => {
      const frames = [...FLAT, '--frames', '6', '--set', 'output.checkpointEvery=2']
      await say(folder, [...frames, '-o', 'run'])
      const whole = lastingContents(join(folder, 'run'))
      for (const from of ['0', '1', '3', '5', '6', '9']) {
        if (from === '1') {
          expect(await say(folder, [...frames, '-o', 'run', '--resume', '--from-frame', from], 1)).toMatch(
            /no checkpoint up to frame 1 .*--from-frame 0/,
          )
          continue
        }
        const said = await say(folder, [...frames, '-o', 'run', '--resume', '--from-frame', from])
        if (from === '3')
          expect(said).toMatch(/frames 3 to 6 of run will be computed again[\s\S]*continuing from the checkpoint of frame 2/)
        expect(lastingContents(join(folder, 'run')), from).toEqual(whole)
      }
    }))

  it('a run without any frame, and one that was killed while it was created, are started again or resumed', () =>
    inTemporaryFolder(async folder => {
      const frames = [...FLAT, '--frames', '2', '-o']
      await say(folder, [...frames, 'whole'])
      const whole = lastingContents(join(folder, 'whole'))
      const dead = JSON.stringify({ token: 'dead', pid: 2 ** 22 - 1, host: (await import('node:os')).hostname() })
      const left: ((run: string) => void)[] = [
        run => mkdirSync(run),
        run => {
          mkdirSync(join(run, 'lock'), { recursive: true })
          writeFileSync(join(run, 'lock/owner.json'), dead)
          mkdirSync(join(run, 'frames'))
          writeFileSync(join(run, '.0123456789abcdef.tmp'), '{')
          writeFileSync(join(run, 'scene.json'), '{"version"')
        },
        run => {
          mkdirSync(join(run, 'frames'), { recursive: true })
          mkdirSync(join(run, 'lock'))
          writeFileSync(join(run, 'lock/owner.json'), dead)
          copyFileSync(join(folder, 'whole/scene.json'), join(run, 'scene.json'))
          writeFileSync(join(run, 'stats.ndjson'), '{"frame":0}\n')
          writeFileSync(join(run, 'frames/000000.bin'), 'half')
          const manifest = JSON.parse(readFileSync(join(folder, 'whole/manifest.json'), 'utf8'))
          writeFileSync(join(run, 'manifest.json'), JSON.stringify({ ...manifest, frames: [], checkpoints: [] }))
        },
      ]
      for (const [at, leave] of left.entries())
        for (const resume of [[], ['--resume']]) {
          const run = `left-${at}-${resume.length}`
          leave(join(folder, run))
          await say(folder, [...frames, run, ...resume])
          expect(lastingContents(join(folder, run))).toEqual(whole)
        }
    }))
})

describe('a refused --resume --force damaged the run', () => {
  it.each([
    ['another resolution', FLAT, ['--resolution', '20'], /domain\.resolution 12 → 20/],
    ['another size', FLAT, ['--set', 'domain.size=[3,3]'], /domain\.size/],
    ['another number of particles', FLAT, ['--set', 'particles.perCell=9'], /particles\.perCell 4 → 9/],
    ['another method', FLAT, ['--set', 'particles.method=apic'], /particles\.method/],
    ['a band', FLAT, ['--set', 'particles.band=4'], /particles\.band/],
    ['another length of frames', FLAT, ['--set', 'time.fps=48'], /time\.fps/],
    ['another dimension', FLAT, ['run splash'], /domain\.size\[2\]/],
    ['a solver that is not there', FLAT, ['--solver', 'nas'], /solver/],
    ['an option that the solver does not have', FLAT, ['--set', 'solver.options.nothing=1'], /nothing/],
  ])('by %s: refused in a sentence, byte for byte as before, and the true scene goes on', (_, scene, change, sentence) =>
    inTemporaryFolder(async folder => {
      await say(folder, [...scene, '--frames', '2', '-o', 'run'])
      const before = digests(join(folder, 'run'))
      const other = change[0] === 'run splash' ? SPACE : [...scene, ...change]
      const said = await say(folder, [...other, '--frames', '4', '-o', 'run', '--resume', '--force'], 1)
      expect(said).toMatch(sentence)
      expect(said.trim().split('\n')).toHaveLength(1)
      expect(digests(join(folder, 'run'))).toEqual(before)
      await say(folder, [...scene, '--frames', '3', '-o', 'run', '--resume'])
    }),
  )

  it('what a run can go on with is taken, noted with the frame it began at, and refused to be called the old scene', () =>
    inTemporaryFolder(async folder => {
      await say(folder, [...FLAT, '--frames', '2', '-o', 'run'])
      const changed = [...FLAT, '--set', 'gravity=[0,-1]', '--set', 'solver.tolerance=1e-3', '--walls', 'sticking']
      expect(await say(folder, [...changed, '--frames', '4', '-o', 'run', '--resume'], 1)).toMatch(/gravity.* or use --force/)
      await say(folder, [...changed, '--frames', '4', '-o', 'run', '--resume', '--force'])
      expect(JSON.parse(readFileSync(join(folder, 'run/manifest.json'), 'utf8'))).toMatchObject({ sceneSince: 2 })
      expect(await say(folder, [...FLAT, '--frames', '5', '-o', 'run', '--resume'], 1)).toContain('gravity')
      await say(folder, [...changed, '--frames', '5', '-o', 'run', '--resume'])
      // Problems of frames before the change cannot be computed from the scene of now.
      const problem = ['export', 'run', '--what', 'problem', '--format', 'npz', '-o', 'out', '--frames']
      expect(await say(folder, [...problem, '2'], 1)).toContain('was changed with --force after frame 2')
      await say(folder, [...problem, '5'])
    }))

  it('all frames again, --from-frame 0, may be with any scene', () =>
    inTemporaryFolder(async folder => {
      await say(folder, [...FLAT, '--frames', '2', '-o', 'run'])
      const finer = [...FLAT, '--resolution', '16', '--frames', '2']
      await say(folder, [...finer, '-o', 'run', '--resume', '--force', '--from-frame', '0'])
      await say(folder, [...finer, '-o', 'whole'])
      expect(lastingContents(join(folder, 'run'))).toEqual(lastingContents(join(folder, 'whole')))
    }))

  it('a process killed while it replaced the scene leaves a run that goes on with either', () =>
    inTemporaryFolder(async folder => {
      await say(folder, [...FLAT, '--frames', '2', '-o', 'run'])
      await say(folder, [...FLAT, '--seed', '5', '--frames', '2', '-o', 'other'])
      const manifest = (run: string) => JSON.parse(readFileSync(join(folder, run, 'manifest.json'), 'utf8'))
      const { sceneHash, meshes, seed } = manifest('other')
      const begun = JSON.stringify({ ...manifest('run'), next: { sceneHash, meshes, seed } })
      writeFileSync(join(folder, 'run/manifest.json'), begun)
      await say(folder, [...FLAT, '--frames', '3', '-o', 'run', '--resume'])
      writeFileSync(join(folder, 'run/manifest.json'), JSON.stringify({ ...manifest('run'), next: { sceneHash, meshes, seed } }))
      copyFileSync(join(folder, 'other/scene.json'), join(folder, 'run/scene.json'))
      await say(folder, [...FLAT, '--seed', '5', '--frames', '4', '-o', 'run', '--resume'])
      expect(manifest('run')).toMatchObject({ seed: 5 })
      expect(manifest('run').next).toBeUndefined()
    }))
})

describe('--resume was silent about damage', () => {
  const frames = [...FLAT, '--frames', '6', '--set', 'output.checkpointEvery=2']
  const inRun = (work: (folder: string, at: (name: string) => string) => Promise<void>) =>
    inTemporaryFolder(async folder => {
      await say(folder, [...frames, '-o', 'run'])
      await work(folder, name => join(folder, 'run', name))
    })

  it('frames that are gone or that others have replaced are named, with the command that brings them back', () =>
    inRun(async (folder, at) => {
      const whole = lastingContents(join(folder, 'run'))
      rmSync(at('frames/000003.bin'))
      copyFileSync(at('frames/000005.bin'), at('frames/000004.bin'))
      const said = await say(folder, [...frames, '-o', 'run', '--resume'])
      expect(said).toContain('frames 3 to 4 of run are missing or damaged; to compute them again, resume with --from-frame 2.')
      await say(folder, [...frames, '-o', 'run', '--resume', '--from-frame', '2'])
      expect(lastingContents(join(folder, 'run'))).toEqual(whole)
      rmSync(at('frames/000001.bin'))
      expect(await say(folder, [...frames, '-o', 'run', '--resume'])).toContain('resume with --from-frame 0.')
    }))

  it('checkpoints that were swapped are named', () =>
    inRun(async (folder, at) => {
      const whole = lastingContents(join(folder, 'run'))
      renameSync(at('checkpoints/000005.ckpt'), at('x'))
      renameSync(at('checkpoints/000006.ckpt'), at('checkpoints/000005.ckpt'))
      renameSync(at('x'), at('checkpoints/000006.ckpt'))
      const said = await say(folder, [...frames, '-o', 'run', '--resume'])
      expect(said).toContain('000006.ckpt is of frame 5, not of frame 6; run continues from frame 4.')
      expect(said).toContain('frames 5 to 6 of run will be computed again.')
      expect(lastingContents(join(folder, 'run'))).toEqual(whole)
    }))

  it('a checkpoint of another run is named', () =>
    inRun(async (folder, at) => {
      await say(folder, [...frames, '--seed', '3', '-o', 'other'])
      copyFileSync(join(folder, 'other/checkpoints/000006.ckpt'), at('checkpoints/000006.ckpt'))
      expect(await say(folder, [...frames, '-o', 'run', '--resume'])).toContain(
        '000006.ckpt is not the file that the run wrote; run continues from frame 5.',
      )
    }))

  it('a picture that a killed process did not come to is drawn', () =>
    inTemporaryFolder(async folder => {
      const drawn = [...FLAT, '--frames', '3', '--pictures', '--set', 'output.pictures.width=32']
      await say(folder, [...drawn, '-o', 'run'])
      const whole = lastingContents(join(folder, 'run'))
      rmSync(join(folder, 'run/pictures/000002.png'))
      await say(folder, [...drawn, '-o', 'run', '--resume'])
      expect(lastingContents(join(folder, 'run'))).toEqual(whole)
    }))
})

describe('export --what problem', () => {
  it('ignored a scene.json that was edited: it is refused, for surfaces it does not matter', () =>
    inTemporaryFolder(async folder => {
      await say(folder, [...FLAT, '--frames', '2', '-o', 'run'])
      const file = join(folder, 'run/scene.json')
      writeFileSync(file, readFileSync(file, 'utf8').replace('"density": 1000', '"density": 900'))
      const said = await say(folder, ['export', 'run', '--what', 'problem', '--format', 'npz', '--frames', '2', '-o', 'out'], 1)
      expect(said).toMatch(/scene\.json was changed since the run began/)
      expect(existsSync(join(folder, 'out'))).toBe(false)
      await say(folder, ['export', 'run', '--format', 'ply', '-o', 'out'])
      // The true scene by force puts it back.
      await say(folder, [...FLAT, '--frames', '2', '-o', 'run', '--resume'], 1)
      await say(folder, [...FLAT, '--frames', '2', '-o', 'run', '--resume', '--force'])
      expect(readFileSync(file, 'utf8')).toContain('"density": 1000')
    }))
})

describe('refused in a sentence', () => {
  it.each([
    [['--from-frame', '1'], '--from-frame needs --resume; add it'],
    [['--force'], '--force needs --resume; add it'],
  ])('%j without --resume was ignored', (flags, sentence) =>
    inTemporaryFolder(async folder => {
      expect(await say(folder, [...FLAT, '--frames', '1', '-o', 'run', ...flags], 1)).toContain(sentence)
      expect(readdirSync(folder)).toEqual([])
    }),
  )
})
