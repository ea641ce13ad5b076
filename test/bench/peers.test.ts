/** The comparison with native peers: its arithmetic on made-up figures, and the whole command with Peel alone. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { evaluateGoals } from '../../bench/peers/goals.js'
import { formatReport } from '../../bench/peers/report.js'
import { type Entry, median, minimum, type PeerRun, type Round, reached, timesAsLong } from '../../bench/peers/results.js'
import { formatChart } from '../../src/io/documents/chart.js'
import { openSection } from '../../src/io/documents/document.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import type { PressureProblem } from '../../src/pressure/problem.js'
import { measure } from '../../src/pressure/residual.js'
import { measureFineSweep } from '../../src/solvers/running/fine-sweep.js'
import { inTemporaryFolder, root } from '../cli/run.js'
import { run as runProcess, write } from '../setup/working-copy.js'

const TOLERANCE = 1e-6

function round(wall: number, change: Partial<Round> = {}): Round {
  const times = { fill: 0, setup: 0.25 * wall, solve: 0.75 * wall, wall, cpu: wall }
  return { ...times, outer: 9, iterations: 9, residual: 5e-7, peakMb: 100, ...change }
}

function entry(contender: string, system: Entry['system'], walls: number[], change: Partial<Entry> = {}): Entry {
  const where = { problem: 'half-ball', size: 256, threads: 1, unknowns: 1000, loadedMb: 50 }
  return { ...where, contender, system, rounds: walls.map(wall => round(wall)), ...change }
}

function runOf(entries: readonly Entry[]): PeerRun {
  const when = { date: '2001-02-03', machine: 'a machine', load: 0.5 }
  return { ...when, tolerance: TOLERANCE, peel: { engine: 'fast' }, entries, bandwidths: [], missing: [] }
}

const withPeak = (given: Entry, peakMb: number): Entry => ({
  ...given,
  rounds: given.rounds.map(each => ({ ...each, peakMb })),
})

describe('statistics', () => {
  it('take the middle, or the mean of the two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 2, 3])).toBe(2.5)
    expect(median([])).toBeNaN()
    expect(minimum([3, 1, 2])).toBe(1)
  })

  it('compare rounds that were run next to each other', () => {
    // A neighbour slowed the second round of both by ten: the ratio of medians would be 10 / 3.
    expect(timesAsLong(entry('a', 'lcp', [6, 60, 8]), entry('b', 'lcp', [2, 20, 2]), TOLERANCE)).toBe(3)
    expect(timesAsLong(entry('a', 'lcp', [6, 8]), entry('b', 'lcp', [2, 2, 1]), TOLERANCE)).toBe(3.5)
  })

  it('compare nothing that is not solved', () => {
    const good = entry('a', 'lcp', [1])
    for (const bad of [
      entry('b', 'lcp', []),
      entry('b', 'lcp', [1], { failure: 'it ended with 1' }),
      entry('b', 'lcp', [], { rounds: [round(1), round(1, { residual: 2e-6 })] }),
      entry('b', 'lcp', [], { rounds: [round(1, { residual: null })] }),
    ]) {
      expect(reached(bad, TOLERANCE)).toBe(false)
      expect(timesAsLong(bad, good, TOLERANCE)).toBeUndefined()
      expect(timesAsLong(good, bad, TOLERANCE)).toBeUndefined()
    }
    expect(timesAsLong(good, undefined, TOLERANCE)).toBeUndefined()
  })
})

describe('goals', () => {
  const peel = entry('peel', 'lcp', [1, 1])
  const all = [
    peel,
    entry('peel', 'linear', [0.8, 0.8]),
    entry('peel', 'lcp', [0.8, 0.8], { threads: 2 }),
    withPeak(entry('hypre-cg', 'linear', [5, 5]), 200),
    withPeak(entry('hypre-policy', 'lcp', [20, 20]), 80),
    entry('petsc-vi', 'lcp', [7, 7]),
  ]
  const verdicts = (entries: readonly Entry[]) =>
    evaluateGoals(runOf(entries)).map(({ wanted, value, met, missedBy }) => [wanted, value, met, missedBy])

  it('are met or missed by a factor, against the best peer', () => {
    expect(verdicts(all)).toEqual([
      ['≥ 14', 7, false, 2],
      ['≥ 4.5', 5, true, undefined],
      ['≤ 1.3', 1.25, true, undefined],
      ['≥ 1.5', 1.25, false, 1.2],
      ['≤ 1', 1.25, false, 1.25],
    ])
  })

  it('count no peer that did not solve it', () => {
    const without = all.map(each => (each.contender === 'petsc-vi' ? { ...each, failure: 'it ended with 139' } : each))
    expect(verdicts(without)[0]).toEqual(['≥ 14', 20, true, undefined])
  })

  it('stay open where something was not measured', () => {
    expect(verdicts([peel])).toEqual([
      ['≥ 14', undefined, undefined, undefined],
      ['≥ 4.5', undefined, undefined, undefined],
      ['≤ 1.3', undefined, undefined, undefined],
      ['≥ 1.5', undefined, undefined, undefined],
      ['≤ 1', undefined, undefined, undefined],
    ])
    expect(verdicts([entry('peel', 'lcp', [1], { failure: 'it ended with 1' }), ...all.slice(1)])[0][1]).toBeUndefined()
  })

  it('depend on the size', () => {
    const sizes = (size: number) => evaluateGoals(runOf(all.map(each => ({ ...each, size })))).map(({ wanted }) => wanted)
    expect(sizes(64)).toEqual(['≥ 6', '≥ 2', '≤ 1.3'])
    expect(sizes(128)).toEqual(['≥ 10', '≥ 3', '≤ 1.3'])
    expect(sizes(100)).toEqual(['≤ 1.3'])
  })
})

describe('the report', () => {
  const entries = [
    entry('peel', 'linear', [0.1, 0.3, 0.2]),
    entry('peel', 'lcp', [0.1, 0.3, 0.2]),
    entry('hypre-policy', 'lcp', [1, 6, 4], { rounds: [1, 6, 4].map(wall => round(wall, { outer: 3, note: 'odd' })) }),
    entry('petsc-vi', 'lcp', [], { rounds: [round(1, { residual: null })] }),
    entry('hypre-cg', 'linear', [], { failure: 'it ended with SIGKILL' }),
  ]
  const bandwidths = [
    {
      problem: 'half-ball',
      size: 256,
      triads: [1, 2].map(threads => ({ length: 1000, threads, gigabytesPerSecond: 20 * threads })),
      sweeps: [{ engine: 'fast', threads: 1, rows: 1000, seconds: 1e-6, bytes: 5000 }],
    },
  ]
  const text = formatReport({ ...runOf(entries), bandwidths, missing: ['x is missing.'] })
  const cells = (start: RegExp) =>
    text
      .split('\n')
      .find(line => start.test(line))!
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim())

  it('has a row for every contender: medians, minima, time per unknown, peak, worst residual, ratio', () => {
    expect(cells(/separating.*hypre-policy/)).toEqual(
      [
        'half-ball',
        '256',
        'separating',
        'hypre-policy',
        '1',
        '1000',
        '3000',
        '4000 (1000)',
        '4000',
        '3 / 9',
        '4000000',
        '100 (50)',
      ].concat(['5.0e-7', '20.0']),
    )
    expect(cells(/stick.*peel/).slice(5, 10)).toEqual(['50.0', '150', '200 (100)', '200', '9'])
  })

  it('says what was not solved, what was odd and who is missing', () => {
    expect(cells(/petsc-vi/).slice(-2)).toEqual(['not finite **not solved**', '–'])
    expect(cells(/hypre-cg.*–/).slice(5)).toEqual(new Array(9).fill('–'))
    expect(text).toContain('- hypre-policy on half-ball 256: odd')
    expect(text).toContain('- hypre-cg on half-ball 256: it ended with SIGKILL')
    expect(text).toContain('- x is missing.')
    expect(text).toContain('Peel ran with engine=fast.')
  })

  it('puts the sweep beside the triad', () => {
    expect(cells(/5\.0 \(fast\)/)).toEqual(['half-ball', '256', '1', '20.0', '5.0 (fast)', '25 %', '1.00'])
  })

  it('is drawn with every contender named', () => {
    const point = { column: 'shells', row: 'walls stick', value: 100 }
    const svg = formatChart(
      [64, 128].flatMap(size => ['peel', 'a < b'].map(contender => ({ ...point, contender, size }))),
      { title: 'Fast & slow', label: 'ns < 1' },
    )
    expect(svg).toMatch(/^<svg[^>]* xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    for (const name of ['peel', 'a &lt; b', 'Fast &amp; slow', 'shells', 'walls stick', 'ns &lt; 1']) expect(svg).toContain(name)
  })

  it('goes between the marks of a document and can do so again', () =>
    inTemporaryFolder(async folder => {
      const page = join(folder, 'page.md')
      writeFileSync(page, 'before\n<!-- begin: x -->\nold\n<!-- end: x -->\nafter\n')
      for (let round = 0; round < 2; round++) {
        await (await openSection(page, 'x')).write('new')
        expect(readFileSync(page, 'utf8')).toBe('before\n<!-- begin: x -->\n\nnew\n\n<!-- end: x -->\nafter\n')
      }
      await expect(openSection(page, 'y')).rejects.toThrow('page.md: the marks "<!-- begin: y -->"')
    }))
})

it.each([{ engine: 'portable' }, { engine: 'wasm' }, { engine: 'threads', threads: 2 }] as const)(
  'a sweep over the finest level is timed and its bytes are counted: %o',
  async setting => {
    const { problem } = galleryProblem('half-ball', { size: 12, dims: 3 })
    const sweep = await measureFineSweep(problem as PressureProblem, setting)
    expect(sweep.threads).toBe('threads' in setting ? setting.threads : 1)
    expect(sweep.engine).toContain(setting.engine)
    expect(sweep.rows).toBe((problem as PressureProblem).kind.filter(kind => kind > 0).length)
    expect(sweep.seconds).toBeGreaterThan(0)
    expect(sweep.bytes).toBeGreaterThan(12 * sweep.rows)
  },
)

// ---- the command, for real

const LIMIT = 20 * 60_000

function benchPeers(args: readonly string[], env?: NodeJS.ProcessEnv) {
  return runProcess(process.execPath, [join(root, 'bench/peers/run.mjs'), ...args], { cwd: root, env, timeout: LIMIT })
}

describe('npm run bench:peers', () => {
  it(
    'works with Peel alone and says who is missing and how to get them',
    () =>
      inTemporaryFolder(async folder => {
        const page = join(folder, 'page.md')
        writeFileSync(page, 'top\n<!-- begin: bench peers -->\n<!-- end: bench peers -->\nbottom\n')
        const { code, stdout, stderr } = await benchPeers(
          ['--peers', 'none', '--sizes', '16', '--rounds', '1', '--out', folder].concat(['--into', page]),
        )
        expect(stderr).not.toContain('rror')
        expect(code).toBe(0)
        expect(stdout).toMatch(/Not compared: hypre-cg, hypre-policy, petsc-vi;.*libhypre-dev.*libpetsc-real-dev/)
        const { entries } = JSON.parse(readFileSync(join(folder, 'peers.json'), 'utf8')) as PeerRun
        const ran = entries.map(({ problem, system, threads }) => `${problem} ${system} ${threads}`)
        expect(ran).toEqual(
          ['half-ball', 'shells'].flatMap(problem => [1, 2].flatMap(n => [`${problem} lcp ${n}`, `${problem} linear ${n}`])),
        )
        for (const each of entries) {
          expect(each.contender).toBe('peel')
          expect(reached(each, TOLERANCE)).toBe(true)
          expect(each.rounds).toHaveLength(1)
          expect(each.rounds[0].wall).toBeCloseTo(each.rounds[0].setup + each.rounds[0].solve, 9)
          expect(each.rounds[0].peakMb).toBeGreaterThanOrEqual(each.loadedMb)
        }
        expect(readFileSync(join(folder, 'peers.svg'), 'utf8')).toContain('<svg')
        const text = readFileSync(page, 'utf8')
        expect(text).toMatch(/^top\n<!-- begin[\s\S]*half-ball[\s\S]*\(peers\.svg\)\n\n<!-- end[^\n]*\nbottom\n$/)
      }),
    LIMIT,
  )

  it.each([
    [['--peers', 'hypre'], 'Unknown peer "hypre"'],
    [['--problems', 'maze'], 'The gallery has no 3D problem "maze".'],
    [['--sizes', '8'], '"shells" needs at least 16 cells per side, not 8.'],
    [['--into', 'nowhere.md'], 'nowhere.md cannot be read: there is no such file or folder.'],
  ])('refuses %j before it measures anything', async (args, message) => {
    const { code, stdout, stderr } = await benchPeers(args)
    expect(stderr).toBe(
      `bench:peers: ${message}${message.endsWith('.') ? '' : '; use one of hypre-cg, hypre-policy, petsc-vi.'}\n`,
    )
    expect(code).toBe(1)
    expect(stdout).toBe('')
  })

  it(
    'goes on without peers that cannot be had, and says why',
    () =>
      inTemporaryFolder(async folder => {
        const args = ['--sizes', '16', '--problems', 'half-ball', '--rounds', '1', '--threads', '1', '--out', folder]
        // No compiler on this path, and an apt-get that finds nothing.
        const env = { PATH: join(folder, 'bin') }
        const apt = join(folder, 'bin/apt-get')
        write(
          apt,
          `#!${process.execPath}\nconsole.error('E: Unable to locate package')\nprocess.exit(process.argv[2] === '--version' ? 0 : 100)\n`,
        )
        chmodSync(apt, 0o755)
        symlinkSync('/usr/bin/env', join(folder, 'bin/env'))
        const unwanted = await benchPeers([...args, '--no-install', '--peers', 'hypre-cg'], env)
        expect(unwanted.stdout).toContain(
          'hypre-cg is missing: there is no compiler mpicxx. It comes with the Debian packages g++, libopenmpi-dev, openmpi-bin, ' +
            'libhypre-dev, but installing is disabled (--no-install).',
        )
        expect(unwanted.code).toBe(0)
        const impossible = await benchPeers([...args, '--peers', 'petsc-vi'], env)
        expect(impossible.stdout).toMatch(
          process.getuid?.() === 0
            ? /petsc-vi is missing: .* apt-get could not install them \("E: Unable to locate package"\)\./
            : /petsc-vi is missing: .* only an administrator can install them: apt-get install g\+\+ .*libpetsc-real-dev/,
        )
        expect(impossible.code).toBe(0)
      }),
    LIMIT,
  )

  it(
    "hands options on to Peel's solver, which knows its own",
    () =>
      inTemporaryFolder(async folder => {
        const args = ['--peers', 'none', '--sizes', '16', '--problems', 'half-ball', '--rounds', '1', '--out', folder]
        const good = await benchPeers([...args, '--set', 'cycle=V'])
        expect(good.code).toBe(0)
        expect(good.stdout).toContain('Peel ran with cycle=V.')
        const bad = await benchPeers([...args, '--set', 'cicle=V'])
        expect(bad.code).toBe(2)
        expect(bad.stdout).toContain('nas-mgpcg has no option "cicle" (did you mean "cycle"?)')
      }),
    LIMIT,
  )
})

const hasHypre =
  existsSync('/usr/include/hypre/HYPRE.h') && spawnSync('mpicxx', ['--version']).status === 0 && existsSync('/proc/self/status')
const hasPetsc = hasHypre && spawnSync('pkg-config', ['--exists', 'PETSc']).status === 0

/** Asks a driver directly for its residual and its pressure, and judges the pressure with Peel's yardstick. */
async function judgeDriver(name: string, folder: string) {
  const load = (file: string) => import(join(root, 'bench/peers', file))
  const { prepareNatives, commandOf, natives } = await load('natives.mjs')
  const { startContender } = await load('contender.mjs')
  const { scaledProblem, writeSystem, readSystem } = await load('system-file.mjs')
  const file = join(folder, 'system')
  writeSystem(file, scaledProblem('shells', 20))
  const { paths } = prepareNatives([name], { install: false, say: () => {} })
  // So loose that the residual is far from rounding.
  const driver = await startContender([...commandOf(name, paths.get(name), 1), file, '1e-3'])
  const { residual } = await driver.ask('solve')
  await driver.ask(`save ${join(folder, 'pressure')}`)
  await driver.close()
  const bytes = readFileSync(join(folder, 'pressure'))
  const pressure = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  return { residual, measured: measure(readSystem(file), pressure, natives[name].system === 'linear').residual }
}

describe('native peers', () => {
  it.skipIf(!hasPetsc).each(['hypre-cg', 'hypre-policy', 'petsc-vi'])(
    '%s tells the residual that Peel measures',
    name =>
      inTemporaryFolder(async folder => {
        const { residual, measured } = await judgeDriver(name, folder)
        expect(residual).toBeGreaterThan(0)
        expect(measured / residual).toBeCloseTo(1, 6)
      }),
    LIMIT,
  )

  const measureAll = (peers: string, threads: string) =>
    inTemporaryFolder(async folder => {
      const { code, stderr } = await benchPeers(
        ['--no-install', '--peers', peers, '--sizes', '16', '--rounds', '1', '--threads', threads].concat(['--out', folder]),
      )
      expect(code, stderr).toBe(0)
      const { entries } = JSON.parse(readFileSync(join(folder, 'peers.json'), 'utf8')) as PeerRun
      for (const each of entries) expect(reached(each, TOLERANCE), JSON.stringify(each)).toBe(true)
      return entries.filter(({ contender }) => contender !== 'peel')
    })

  it.skipIf(!hasHypre)(
    hasHypre ? 'hypre solves the same systems to the same residual, on one rank and on two' : 'hypre or mpicxx is not installed',
    async () => {
      const entries = await measureAll('hypre-cg,hypre-policy', '1,2')
      expect(entries).toHaveLength(8)
      for (const { unknowns } of entries) expect(unknowns).toBeGreaterThan(0)
    },
    LIMIT,
  )

  it.skipIf(!hasPetsc)(
    hasPetsc ? 'PETSc solves the same systems to the same residual' : 'PETSc or pkg-config is not installed',
    async () => {
      expect(await measureAll('petsc-vi', '1')).toHaveLength(2)
    },
    LIMIT,
  )
})
