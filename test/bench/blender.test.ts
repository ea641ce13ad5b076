/** The comparison with Blender: its arithmetic on made-up figures, and the command with a Blender of a few lines. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { blenderPoints, formatBlenderReport } from '../../bench/blender/report.js'
import {
  blenderGoals,
  blenderNotes,
  type SceneEntry,
  type SceneRound,
  type SceneRun,
  timesAsLongAsPeel,
} from '../../bench/blender/results.js'
import { inTemporaryFolder, root } from '../cli/run.js'
import { run as runProcess, write } from '../setup/working-copy.js'

function round(wall: number, change: Partial<SceneRound> = {}): SceneRound {
  return { setup: 2, wall, cpu: 2 * wall, substeps: 2.5, particles: 1000, height: 0.4, peakMb: 100, ...change }
}

function entry(contender: SceneEntry['contender'], walls: number[], change: Partial<SceneEntry> = {}): SceneEntry {
  return { size: 64, contender, rounds: walls.map(wall => round(wall)), ...change }
}

function runOf(...entries: SceneEntry[]): SceneRun {
  const when = { date: '2001-02-03', machine: 'a machine', blender: 'Blender 9.8', load: 0.5 }
  return { ...when, frames: 7, threads: 2, substeps: 4, band: 3, entries }
}

const wall = (each: SceneRound) => each.wall

describe('ratios', () => {
  it('compare rounds that were run next to each other, with Peel with files kept', () => {
    // A neighbour slowed the second round of both by ten: the ratio of medians would be 10 / 3.
    const blender = entry('blender', [6, 60, 8])
    const all = runOf(entry('peel', [2, 20, 2]), entry('peel, nothing kept', [1, 1, 1]), blender)
    expect(timesAsLongAsPeel(all, blender, wall)).toBe(3)
  })

  it('are between the same size only', () => {
    const blender = entry('blender', [6], { size: 128 })
    expect(timesAsLongAsPeel(runOf(entry('peel', [2]), blender), blender, wall)).toBeUndefined()
    expect(timesAsLongAsPeel(runOf(entry('peel', [2]), entry('peel', [3], { size: 128 }), blender), blender, wall)).toBe(2)
  })

  it('compare nothing that failed or did not run', () => {
    const peel = entry('peel', [2])
    for (const blender of [entry('blender', [6], { failure: 'it ended with 1' }), entry('blender', [])])
      expect(timesAsLongAsPeel(runOf(peel, blender), blender, wall)).toBeUndefined()
    const blender = entry('blender', [6])
    expect(timesAsLongAsPeel(runOf(entry('peel', [2], { failure: 'it ended with 1' }), blender), blender, wall)).toBeUndefined()
  })
})

describe('goals', () => {
  const verdicts = (...entries: SceneEntry[]) =>
    blenderGoals(runOf(...entries)).map(({ size, wanted, value, met, missedBy }) => [size, wanted, value, met, missedBy])
  const at = (size: number, blender: number) => [entry('peel', [1], { size }), entry('blender', [blender], { size })]

  it('are 5 times at 64³ and 10 times at 128³, met or missed by a factor', () => {
    expect(verdicts(...at(64, 5), ...at(128, 5))).toEqual([
      [64, '≥ 5', 5, true, undefined],
      [128, '≥ 10', 5, false, 2],
    ])
  })

  it('exist for those sizes alone, and stay open where Blender did not finish', () => {
    expect(verdicts(...at(32, 9))).toEqual([])
    expect(verdicts(entry('peel', [1]), entry('blender', []))).toEqual([[64, '≥ 5', undefined, undefined, undefined]])
  })
})

describe('notes', () => {
  const standing = (height: number) => entry('blender', [], { rounds: [round(6, { height })] })

  it('object to columns that do not collapse alike', () => {
    expect(blenderNotes(runOf(entry('peel', [2]), standing(0.43)))).toEqual([])
    for (const height of [0.35, 0.45]) {
      const notes = blenderNotes(runOf(entry('peel', [2]), standing(height)))
      expect(notes).toEqual([
        `At 64³ the columns collapse differently: the final height is 0.40 m with Peel and ${height.toFixed(2)} m with Blender.`,
      ])
    }
  })

  it('say who failed, and do not compare with them', () => {
    const notes = blenderNotes(runOf(entry('peel', [2]), entry('blender', [], { failure: 'it ended with 11' })))
    expect(notes).toEqual(['blender at 64³: it ended with 11'])
  })
})

describe('the report', () => {
  const run = runOf(
    entry('peel', [0.1, 0.3, 0.2]),
    entry('peel, nothing kept', [0.1, 0.15, 0.1]),
    entry('blender', [], { rounds: [1, 6, 4].map(seconds => round(seconds, { substeps: null, particles: 77 })) }),
    entry('peel', [1], { size: 128 }),
    entry('blender', [], { size: 128, failure: 'it ended with SIGKILL' }),
  )
  const text = formatBlenderReport(run)
  const cells = (start: RegExp) =>
    text
      .split('\n')
      .find(line => start.test(line))!
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim())

  it('has a row for every contender: medians, minima, ratios', () => {
    expect(cells(/64 .* peel {2}/)).toEqual(
      ['64', '7', 'peel', '0.20 (0.10)', '0.40', '2.5', '2.00', '100', '1000', '0.400'].concat(['', '']),
    )
    expect(cells(/64 .* blender/)).toEqual(
      ['64', '7', 'blender', '4.00 (1.00)', '8.00', '–', '2.00', '100', '77', '0.400'].concat(['20.0', '20.0']),
    )
    expect(cells(/128 .* blender/).slice(3)).toEqual(new Array(9).fill('–'))
  })

  it('tells machine, Blender, load and goals', () => {
    expect(text).toContain('2001-02-03, a machine, Blender 9.8, load 0.5 at the start. 2 threads each')
    expect(text).toContain('medians of 1 to 3 interleaved rounds.')
    expect(text).toContain('- blender at 128³: it ended with SIGKILL')
    expect(cells(/≥ 5/)).toEqual(['frames, times faster than Blender', 'dam break', '64', '≥ 5', '20.0', 'met'])
    expect(cells(/≥ 10/).slice(-1)).toEqual(['not measured'])
  })

  it('is drawn with wall and CPU time of those who finished', () => {
    const points = blenderPoints(run)
    expect(points).toHaveLength(8)
    expect(points).toContainEqual({ column: 'wall time', row: 'dam break', contender: 'blender', size: 64, value: 4 })
    expect(points).toContainEqual({ column: 'CPU time', row: 'dam break', contender: 'blender', size: 64, value: 8 })
  })
})

// ---- the command, for real

const LIMIT = 20 * 60_000

function benchBlender(args: readonly string[], env?: NodeJS.ProcessEnv) {
  return runProcess(process.execPath, [join(root, 'bench/blender/run.mjs'), ...args], { cwd: root, env, timeout: LIMIT })
}

/** A path on which there is only this program. */
function pathWith(folder: string, name: string, code: string): NodeJS.ProcessEnv {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  write(join(bin, name), `#!${process.execPath}\n${code}`)
  chmodSync(join(bin, name), 0o755)
  symlinkSync('/usr/bin/env', join(bin, 'env'))
  mkdirSync(join(folder, 'temporary'))
  return { PATH: bin, TMPDIR: join(folder, 'temporary') }
}

const SMALL = ['--sizes', '12', '--frames', '2', '--rounds', '2', '--no-install']

describe('npm run bench:blender', () => {
  it(
    'simulates with both, prints, writes and leaves nothing behind',
    () =>
      inTemporaryFolder(async folder => {
        // Says what it was asked for in place of a message of Blender's, then answers.
        const env = pathWith(
          folder,
          'blender',
          `if (process.argv[2] === '--version') console.log('Blender 9.8.7\\n\\tbuild date: never')
           else {
             require('fs').writeFileSync(${JSON.stringify(join(folder, 'asked.json'))}, JSON.stringify(process.argv.slice(2)))
             require('fs').mkdirSync(JSON.parse(process.argv.at(-1)).cache)
             console.log('Info: Fluid: Bake Data complete!')
             console.log(JSON.stringify({ ready: Date.now() / 1000, wall: 9, cpu: 18, substeps: null, particles: 5, height: 0.7, peakMb: 9 }))
             console.log('Blender quit')
           }`,
        )
        const page = join(folder, 'page.md')
        writeFileSync(page, 'top\n<!-- begin: bench blender -->\n<!-- end: bench blender -->\nbottom\n')
        const { code, stdout, stderr } = await benchBlender([...SMALL, '--out', folder, '--into', page], env)
        expect(stderr).not.toContain('rror')
        expect(code).toBe(0)
        expect(stdout).toContain('Blender 9.8.7, load')
        const { entries } = JSON.parse(readFileSync(join(folder, 'blender.json'), 'utf8')) as SceneRun
        expect(entries.map(({ contender, rounds }) => [contender, rounds.length])).toEqual([
          ['peel', 2],
          ['peel, nothing kept', 2],
          ['blender', 2],
        ])
        for (const { substeps, particles, height, wall, cpu, setup } of entries.slice(0, 2).flatMap(({ rounds }) => rounds)) {
          expect(substeps).toBeGreaterThanOrEqual(1)
          expect(substeps).toBeLessThanOrEqual(4)
          // 0.35 by 0.8 of the domain, of which few cells lie deeper than the band; the column has begun to sink: g t² / 2 at most.
          expect(particles / (8 * 12 ** 3 * 0.28)).toBeGreaterThan(0.75)
          expect(particles / (8 * 12 ** 3 * 0.28)).toBeLessThan(0.95)
          expect(height).toBeLessThan(0.8)
          expect(height).toBeGreaterThan(0.8 - (9.81 * (2 / 24) ** 2) / 2 - 1 / 12)
          for (const seconds of [wall, cpu, setup]) expect(seconds).toBeGreaterThan(0)
        }
        const asked = JSON.parse(readFileSync(join(folder, 'asked.json'), 'utf8')) as string[]
        expect(asked.join(' ')).toMatch(/--background --factory-startup --threads 2 .*dam\.py --/)
        const { cache: _, ...settings } = JSON.parse(asked.at(-1)!)
        expect(settings).toEqual({
          cells: 12,
          frames: 2,
          size: 1,
          low: [0, 0, 0],
          high: [0.35, 1, 0.8],
          gravity: [0, 0, -9.81],
          fps: 24,
          cfl: 3,
          minSubsteps: 1,
          maxSubsteps: 4,
          flipRatio: 0.97,
          particlesPerEdge: 2,
          jitter: 1,
          band: 3,
        })
        expect(readFileSync(join(folder, 'blender.svg'), 'utf8')).toContain('wall time')
        expect(readFileSync(page, 'utf8')).toMatch(
          /^top\n<!-- begin[\s\S]*peel, nothing kept[\s\S]*\(blender\.svg\)\n\n<!-- end[^\n]*\nbottom\n$/,
        )
        expect(readdirSync(join(folder, 'temporary')).filter(name => name.startsWith('peel-blender-'))).toEqual([])
      }),
    LIMIT,
  )

  it(
    'goes on when Blender fails, says why and ends with 2',
    () =>
      inTemporaryFolder(async folder => {
        const env = pathWith(
          folder,
          'blender',
          `if (process.argv[2] === '--version') console.log('Blender 9.8')
           else { console.error('Traceback:\\n  line 7\\nRuntimeError: no bake'); process.exit(1) }`,
        )
        const { code, stdout } = await benchBlender([...SMALL, '--out', folder], env)
        expect(stdout).toContain('- blender at 12³: it ended with 1: RuntimeError: no bake')
        expect(stdout).toMatch(/\| peel, nothing kept \| +\d/)
        expect(code).toBe(2)
      }),
    LIMIT,
  )

  it('says in one sentence why there is no Blender, before it measures anything', () =>
    inTemporaryFolder(async folder => {
      const env = pathWith(
        folder,
        'apt-get',
        "console.error('E: Unable to locate package')\nprocess.exit(process.argv[2] === '--version' ? 0 : 100)\n",
      )
      const start = 'bench:blender: Blender was not found; it is available as Debian packages, but '
      const unwanted = await benchBlender(['--no-install'], env)
      expect(unwanted.stderr).toBe(`${start}installing is disabled (--no-install).\n`)
      const impossible = await benchBlender([], env)
      expect(impossible.stderr).toContain(
        process.getuid?.() === 0
          ? `${start}apt-get could not install them ("E: Unable to locate package").\n`
          : `${start}only an administrator can install them: apt-get install blender.\n`,
      )
      for (const { code, stdout } of [unwanted, impossible]) {
        expect(code).toBe(1)
        expect(stdout).toBe('')
      }
    }))

  it.each([
    [['--sizes', '6'], 'bench:blender: The dam needs at least 8 cells per side, not 6.\n'],
    [['--into', 'nowhere.md'], 'bench:blender: nowhere.md cannot be read: there is no such file or folder.\n'],
    [['--into', 'README.md'], 'bench:blender: README.md: the marks "<!-- begin: bench blender -->"'],
    [['--frames', '0'], "error: option '--frames <N>' argument '0' is invalid. Expected a whole number, at least 1.\n"],
  ])('refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await benchBlender(args)
    expect(stderr.startsWith(message)).toBe(true)
    expect(code).toBe(1)
    expect(stdout).toBe('')
  })
})

const hasBlender = spawnSync('blender', ['--version']).status === 0

describe('Blender', () => {
  it.skipIf(!hasBlender)(
    hasBlender ? 'collapses as Peel does' : 'blender is not installed',
    () =>
      inTemporaryFolder(async folder => {
        const args = ['--sizes', '24', '--frames', '6', '--rounds', '1', '--no-install', '--out', folder]
        const { code, stdout, stderr } = await benchBlender(args)
        expect(code, stderr).toBe(0)
        expect(stdout).not.toContain('do not collapse alike')
        const { entries } = JSON.parse(readFileSync(join(folder, 'blender.json'), 'utf8')) as SceneRun
        expect(entries.at(-1)!.contender).toBe('blender')
        expect(entries.at(-1)!.rounds[0].particles).toBeGreaterThan(0)
      }),
    LIMIT,
  )
})
