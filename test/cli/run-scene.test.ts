/** peel run: what it writes, that it goes on to the same bits, and what it says when things go wrong. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFrame, readRun } from '../../src/io/index.js'
import { inTemporaryFolder, peel, root } from './run.js'

const SCENE = ['run', 'andersen-dam-break', '--resolution', '20']

/** Every kept frame and the newest checkpoint, as bytes. */
function contents(folder: string): Record<string, string> {
  const files = readdirSync(join(folder, 'frames')).map(name => join('frames', name))
  const checkpoints = readdirSync(join(folder, 'checkpoints')).map(name => join('checkpoints', name))
  return Object.fromEntries(
    [...files, ...checkpoints.slice(-1)].sort().map(name => [name, readFileSync(join(folder, name)).toString('base64')]),
  )
}

describe('peel run', () => {
  it('keeps every frame with its statistics, and prints what it did', () =>
    inTemporaryFolder(async folder => {
      const { code, stderr } = await peel([...SCENE, '-o', 'run', '--frames', '4'], { cwd: folder })
      expect(code, stderr).toBe(0)
      for (const words of [
        'frame 4/4',
        'substep',
        'iterations',
        'residual',
        'pinned',
        'volume',
        'frames/min',
        'left',
        'ms / substep',
      ])
        expect(stderr).toContain(words)
      const run = await readRun(join(folder, 'run'))
      expect(run.manifest.frames.map(({ frame }) => frame)).toEqual([0, 1, 2, 3, 4])
      const frame = await readFrame(run, 4)
      expect(frame.time).toBeCloseTo(4 / 24, 12)
      expect(frame.particles!.position.length).toBeGreaterThan(300)
      const stats = readFileSync(join(folder, 'run/stats.ndjson'), 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      expect(stats.map(({ frame: index }) => index)).toEqual([0, 1, 2, 3, 4])
      expect(stats[4].substeps[0].solve.status).toBe('converged')
      expect(stats[4]).toMatchObject({
        limitedSubsteps: 0,
        travel: { walls: 0 },
        momentum: [expect.any(Number), expect.any(Number), 0],
      })
      expect(stats[4].energy.kinetic).toBeGreaterThan(0)
      expect(stderr).not.toContain('Warning')
    }))

  it('says that substeps were too long when they were, what to do, and succeeds all the same', () =>
    inTemporaryFolder(async folder => {
      const long = [...SCENE, '--frames', '2', '--set', 'time.fps=0.1']
      const { code, stderr } = await peel([...long, '-o', 'run'], { cwd: folder })
      expect(code, stderr).toBe(0)
      expect(stderr).toMatch(/frame 2\/2 {2}32 substeps TOO LONG/)
      const sentence =
        /Warning: Substeps were too long in 2 of 2 frames: up to \d+ cells .* raise time\.maxSubsteps to about \d+, or raise/
      expect(stderr).toMatch(sentence)
      const { stdout } = await peel([...long, '-o', 'events', '--json'], { cwd: folder })
      const { warnings } = JSON.parse(stdout.trim().split('\n').at(-1)!)
      expect(`Warning: ${warnings[0]}`).toMatch(sentence)
      const { stdout: checked } = await peel(['check', ...long.slice(1, 4), '--set', 'time.fps=0.1'], { cwd: folder })
      expect(checked).toMatch(/^warning {3}Liquid that .* Raise time\.maxSubsteps to \d+, or raise time\.fps\.$/m)
    }))

  it('prints one event per line with --json, and nothing else', () =>
    inTemporaryFolder(async folder => {
      const { code, stdout, stderr } = await peel([...SCENE, '-o', 'run', '--frames', '3', '--json'], { cwd: folder })
      expect(code).toBe(0)
      expect(stderr).toBe('')
      const events = stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      expect(events.map(({ event }) => event)).toEqual(['start', 'frame', 'frame', 'frame', 'end'])
      expect(events[2]).toMatchObject({ index: 2 })
      expect(events[4]).toMatchObject({ ending: 'done', frames: 3 })
    }))

  it('goes on to the bits of a run that was never interrupted, with any number of threads and either method', () =>
    inTemporaryFolder(async folder => {
      for (const method of ['flip', 'apic']) {
        const scene = [...SCENE, '--set', `particles.method=${method}`]
        expect((await peel([...scene, '-o', `${method}-whole`, '--frames', '6', '--threads', '1'], { cwd: folder })).code).toBe(0)
        expect((await peel([...scene, '-o', `${method}-parts`, '--frames', '3', '--threads', '2'], { cwd: folder })).code).toBe(0)
        const { code, stderr } = await peel([...scene, '-o', `${method}-parts`, '--frames', '6', '--resume', '--threads', '3'], {
          cwd: folder,
        })
        expect(code, stderr).toBe(0)
        expect(stderr).toContain('continues after frame 3')
        expect(contents(join(folder, `${method}-parts`))).toEqual(contents(join(folder, `${method}-whole`)))
      }
    }))

  it(
    'goes on after being killed at any moment',
    () =>
      inTemporaryFolder(async folder => {
        const scene = [...SCENE, '--frames', '12']
        expect((await peel([...scene, '-o', 'whole'], { cwd: folder })).code).toBe(0)
        for (const delay of [350, 500, 700]) {
          await killAfter([...scene, '-o', 'killed', ...(delay > 350 ? ['--resume'] : [])], folder, delay)
        }
        const started = readdirSync(folder).includes('killed') && readdirSync(join(folder, 'killed')).includes('manifest.json')
        const { code, stderr } = await peel([...scene, '-o', 'killed', ...(started ? ['--resume'] : [])], { cwd: folder })
        expect(code, stderr).toBe(0)
        expect(contents(join(folder, 'killed'))).toEqual(contents(join(folder, 'whole')))
      }),
    600_000,
  )

  it(
    'ends after a whole frame when interrupted, with exit code 130',
    () =>
      inTemporaryFolder(async folder => {
        const { code, stderr } = await peel([...SCENE, '--frames', '100000', '-o', 'run'], {
          cwd: folder,
          interruptAt: /frame 3\//,
        })
        expect(code, stderr).toBe(130)
        const { manifest } = await readRun(join(folder, 'run'))
        expect(manifest.frames.length).toBeGreaterThan(2)
        expect(manifest.checkpoints.at(-1)!.frame).toBe(manifest.frames.at(-1)!.frame)
      }),
    600_000,
  )

  it(
    'draws pictures and a video, and exports the problem of any substep',
    () =>
      inTemporaryFolder(async folder => {
        const { code, stderr } = await peel(
          [...SCENE, '-o', 'run', '--frames', '6', '--pictures', '--video', '--set', 'output.checkpointEvery=2'],
          { cwd: folder },
        )
        expect(code, stderr).toBe(0)
        expect(readdirSync(join(folder, 'run/pictures'))).toHaveLength(6)
        const video = readFileSync(join(folder, 'run/video.mp4'))
        expect(video.subarray(4, 8).toString()).toBe('ftyp')

        const stats = readFileSync(join(folder, 'run/stats.ndjson'), 'utf8')
          .trim()
          .split('\n')
          .map(line => JSON.parse(line))
        const { solve } = stats[5].substeps[0]
        const problem = ['export', 'run', '--what', 'problem', '--frames', '5', '--substep', '1']
        for (const format of ['npz', 'mtx']) {
          const done = await peel([...problem, '--format', format, '-o', format], { cwd: folder })
          expect(done.code, done.stderr).toBe(0)
        }
        // Simulated again from a checkpoint, it is the problem that the run has solved.
        for (const path of ['npz/problem_000005.npz', 'mtx/problem_000005']) {
          const solved = await peel(['solve', path, '--tolerance', '1e-4', '--json'], { cwd: folder })
          expect(JSON.parse(solved.stdout)).toMatchObject({ unknowns: solve.unknowns, status: 'converged' })
        }
        const png = await peel(['export', 'run', '--format', 'png', '--frames', '3', '--width', '64', '-o', 'png'], {
          cwd: folder,
        })
        expect(png.code, png.stderr).toBe(0)
        const wrong = await peel(
          ['export', 'run', '--what', 'problem', '--format', 'npz', '--frames', '5', '--substep', '99', '-o', 'x'],
          { cwd: folder },
        )
        expect(wrong.stderr).toMatch(/--substep: frame 5 .* not 99/)
      }),
    600_000,
  )

  it('refuses to go on with another scene, and lists what changed', () =>
    inTemporaryFolder(async folder => {
      await peel([...SCENE, '-o', 'run', '--frames', '2'], { cwd: folder })
      const before = contents(join(folder, 'run'))
      const { code, stderr } = await peel(
        [...SCENE, '-o', 'run', '--frames', '4', '--resume', '--set', 'time.cfl=1', '--walls', 'sticking'],
        { cwd: folder },
      )
      expect(code).toBe(1)
      expect(stderr).toContain('time.cfl')
      expect(stderr).toContain('walls')
      expect(contents(join(folder, 'run'))).toEqual(before)
    }))

  it('refuses a folder that has other things in it', () =>
    inTemporaryFolder(async folder => {
      writeFileSync(join(folder, 'mine.txt'), 'mine')
      const { code, stderr } = await peel([...SCENE, '-o', '.', '--frames', '1'], { cwd: folder })
      expect(code).toBe(1)
      expect(stderr.trim().split('\n')).toHaveLength(1)
      expect(readdirSync(folder)).toEqual(['mine.txt'])
    }))

  it('stops at a solve that does not converge if told so, and says so either way', () =>
    inTemporaryFolder(async folder => {
      const hard = [...SCENE, '--frames', '3', '--set', 'solver.maxIterations=1', '--set', 'solver.tolerance=1e-12']
      const stopped = await peel([...hard, '-o', 'stopped', '--on-fail', 'stop'], { cwd: folder })
      expect(stopped.code).toBe(2)
      expect(stopped.stderr).toContain('iteration-limit')
      expect((await readRun(join(folder, 'stopped'))).manifest.frames.map(({ frame }) => frame)).toEqual([0])
      const continued = await peel([...hard, '-o', 'continued'], { cwd: folder })
      expect(continued.code).toBe(0)
      expect(continued.stderr).toContain('NOT CONVERGED')
      expect(continued.stderr).toContain('In 3 of 3 frames a solve did not converge')
    }))

  it.each([
    [['run', 'dam-brake', '-o', 'run'], /no scene/],
    [[...SCENE, '-o', 'run', '--solver', 'nas'], /Unknown solver "nas"/],
    [[...SCENE, '-o', 'run', '--set', 'time.frmaes=3'], /frames/],
    [[...SCENE, '-o', 'run', '--resolution', '0'], /resolution/],
    [[...SCENE, '-o', 'run', '--resolution', '1e9'], /resolution/],
    [[...SCENE, '-o', 'run', '--threads', '0'], /threads|whole number/i],
    [[...SCENE, '-o', 'none', '--resume'], /none/],
  ] as const)('refuses bad input in one sentence and leaves nothing behind: %j', async (args, message) => {
    await inTemporaryFolder(async folder => {
      const { code, stderr } = await peel([...args], { cwd: folder })
      expect(code).toBe(1)
      expect(stderr).toMatch(message)
      expect(readdirSync(folder)).toEqual([])
    })
  })
})

function killAfter(args: string[], cwd: string, delay: number): Promise<void> {
  const child = spawn(process.execPath, [join(root, 'bin/peel'), ...args], { cwd })
  return new Promise(resolve => {
    child.on('exit', () => resolve())
    setTimeout(() => child.kill('SIGKILL'), delay)
  })
}
