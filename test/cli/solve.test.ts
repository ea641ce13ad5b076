import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseHistories, parseNpy, readProblem, writeProblem } from '../../src/io/index.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import type { PressureProblem } from '../../src/pressure/problem.js'
import { solvers } from '../../src/solvers/registry.js'
import { kkt, largestDifference } from '../support/problems.js'
import { inTemporaryFolder, peel, root } from './run.js'

const sample = (name: string) => join(root, 'test/fixtures/problems', name)

describe('peel solve', () => {
  it('prints exactly one JSON object per solver, all fields there', async () => {
    const { code, stdout } = await peel([
      'solve',
      'gallery:half-ball',
      '--size',
      '16',
      '--dims',
      '2',
      '--solver',
      'all',
      '--json',
    ])
    expect(code).toBe(0)
    const lines = stdout.trim().split('\n')
    expect(lines).toHaveLength(solvers.length)
    lines.forEach((line, at) => {
      const result = JSON.parse(line)
      expect(result).toMatchObject({ solver: solvers[at].name, status: 'converged' })
      for (const field of ['iterations', 'residual', 'gap', 'pinned', 'unknowns', 'work'])
        expect(typeof result[field], field).toBe('number')
      expect(result.residual).toBeLessThanOrEqual(1e-6)
      expect(result.seconds.setup).toBeGreaterThanOrEqual(0)
      expect(result.seconds.solve).toBeGreaterThanOrEqual(0)
    })
  })

  it.each(['half-ball-2d-64', 'half-ball-3d-32'])(
    'solves %s to its known solution and writes pressure and history',
    async name => {
      await inTemporaryFolder(async folder => {
        const names = solvers.filter(solver => solver.separating).map(solver => solver.name)
        const { code, stderr } = await peel(
          [
            'solve',
            sample(`${name}.npz`),
            '--solver',
            names.join(),
            '--tolerance',
            '1e-9',
            '--output',
            'p.npy',
            '--history',
            'h.json',
          ],
          { cwd: folder },
        )
        expect(stderr).toBe('')
        expect(code).toBe(0)
        const problem = (await readProblem(sample(`${name}.npz`))) as PressureProblem
        const known = parseNpy(readFileSync(sample(`${name}.solution.npy`)), name).data as Float64Array
        for (const solver of names) {
          const { data, shape } = parseNpy(readFileSync(join(folder, `p.${solver}.npy`)), solver)
          expect(shape).toEqual(problem.grid.shape.slice(0, problem.grid.dims).reverse())
          expect(kkt(problem, data as Float64Array).residual).toBeLessThanOrEqual(1e-9)
          expect(largestDifference(data as Float64Array, known)).toBeLessThan(1e-7)
        }
        const histories = parseHistories(readFileSync(join(folder, 'h.json'), 'utf8'), 'h.json')
        expect(histories.map(({ solver }) => solver)).toEqual(names)
        expect(readdirSync(folder)).toHaveLength(names.length + 1)
      })
    },
  )

  it('reads Matrix Market problems by prefix, by matrix file and by folder, and starts from a guess', async () => {
    await inTemporaryFolder(async folder => {
      const { problem, known } = galleryProblem('random-graph', { size: 8 })
      await writeProblem(join(folder, 'graph'), problem)
      for (const argument of ['graph', 'graph.A.mtx', '.']) {
        const { code, stdout } = await peel(['solve', argument, '--json', '--tolerance', '1e-10', '--output', 'p.npy'], {
          cwd: folder,
        })
        expect(code, argument).toBe(0)
        expect(JSON.parse(stdout).unknowns).toBe(problem.b.length)
      }
      const p = parseNpy(readFileSync(join(folder, 'p.npy')), 'p.npy').data as Float64Array
      expect(largestDifference(p, known!.pressure!)).toBeLessThan(1e-6)
      const again = await peel(['solve', 'graph', '--guess', 'p.npy', '--json'], { cwd: folder })
      expect(JSON.parse(again.stdout).iterations).toBe(0)
    })
  })

  it('exits with 2 when a solver did not converge, and still writes the result', async () => {
    await inTemporaryFolder(async folder => {
      const args = ['solve', 'gallery:half-ball', '--size', '24', '--solver', 'psor,mprgp', '--max-iterations', '5']
      const { code, stdout, stderr } = await peel([...args, '--output', 'p.npy', '--history', 'h.json', '--json'], {
        cwd: folder,
      })
      expect(code).toBe(2)
      expect(
        stdout
          .trim()
          .split('\n')
          .map(line => JSON.parse(line).status),
      ).toEqual(['iteration-limit', 'iteration-limit'])
      expect(stderr).toMatch(/psor: Not converged after 5 iterations/)
      expect(readdirSync(folder).sort()).toEqual(['h.json', 'p.mprgp.npy', 'p.psor.npy'])
      const squeezed = await peel(['solve', 'gallery:squeezed-chamber'])
      expect(squeezed.code).toBe(2)
      expect(squeezed.stderr).toMatch(/sealed pocket without air are squeezed/)
    })
  })

  it('monitors every iteration on standard error, repeats quietly, sets options and relative tolerances', async () => {
    const args = ['solve', 'gallery:half-ball', '--size', '16', '--dims', '2', '--json', '--relative', '--tolerance', '1e-4']
    const { stdout, stderr, code } = await peel([
      ...args,
      '--monitor',
      '--repeat',
      '2',
      '--solver',
      'minmap-newton',
      '--set',
      'inner=gmres',
    ])
    expect(code).toBe(0)
    const result = JSON.parse(stdout)
    expect(stderr.trim().split('\n')).toHaveLength(result.iterations + 1)
    expect(stderr).toMatch(/minmap-newton {2}0 {2}residual [\d.e+-]+ 1\/s {2}pinned \d+/)
  })

  it('prints a table for people', async () => {
    const { stdout, code } = await peel(['solve', 'gallery:tank', '--size', '12', '--solver', 'pi-pcg,mic-pcg'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^solver\s+walls\s+engine\s+status\s+iterations/)
    expect(stdout).toMatch(/mic-pcg\s+sticking\s+wasm\s+converged/)
  })

  it('stops at Ctrl-C with what it has', async () => {
    const args = ['solve', 'gallery:rooms', '--size', '72', '--solver', 'psor', '--tolerance', '1e-13', '--json', '--monitor']
    const { code, stdout } = await peel(args, { interruptAt: /psor {2}3 / })
    expect(code).toBe(130)
    expect(JSON.parse(stdout).status).toBe('cancelled')
  })
})

describe('bad input', () => {
  const cases: [string, string[], RegExp][] = [
    ['a missing file', ['solve', 'nowhere.npz'], /nowhere\.npz/],
    ['a missing Matrix Market prefix', ['solve', 'nowhere/at-all'], /nowhere/],
    ['an unknown gallery problem', ['solve', 'gallery:tnak'], /"tnak" \(did you mean "tank"\?\)/],
    ['a gallery problem without its scheme', ['solve', 'tank'], /gallery:tank/],
    ['an unknown solver', ['solve', 'gallery:tank', '--solver', 'pi-pgc'], /did you mean "pi-pcg"/],
    ['the same solver twice', ['solve', 'gallery:tank', '--solver', 'psor,psor'], /"psor" is given twice/],
    ['an unknown option', ['solve', 'gallery:tank', '--solver', 'psor', '--set', 'relaxtion=1'], /did you mean "relaxation"/],
    ['an option out of range', ['solve', 'gallery:tank', '--solver', 'psor', '--set', 'relaxation=2'], /"relaxation" of psor/],
    ['a setting without value', ['solve', 'gallery:tank', '--set', 'relaxation'], /--set: expected option=value/],
    ['an unknown flag', ['solve', 'gallery:tank', '--tolerence', '1'], /--tolerance/],
    ['a tolerance that is none', ['solve', 'gallery:tank', '--tolerance', '-1'], /--tolerance.*positive/s],
    ['a size that is none', ['solve', 'gallery:tank', '--size', '4.5'], /--size.*whole number/s],
    ['a size that is too small', ['solve', 'gallery:maze', '--size', '2'], /size/],
    [
      'a size that fits nowhere',
      ['solve', 'gallery:tank', '--size', '100000', '--dims', '3'],
      /needs about .* GiB .*largest size that fits is \d+/,
    ],
    ['a size beyond any number', ['solve', 'gallery:tank', '--size', '9007199254740991', '--dims', '2'], /GiB/],
    ['other dimensions', ['solve', 'gallery:tank', '--dims', '4'], /--dims.*2 or 3/s],
    ['a size for a file', ['solve', 'x.npz', '--size', '8'], /--size applies only to gallery problems/],
    ['no problem', ['solve'], /PROBLEM/],
    ['an unknown verb', ['slove', 'gallery:tank'], /solve/],
    ['a guess that is missing', ['solve', 'gallery:tank', '--guess', 'none.npy'], /none\.npy/],
    [
      'an output folder that is missing',
      ['solve', 'gallery:tank', '--size', '8', '--output', 'no/such/p.npy'],
      /no\/such\/p\.npy/,
    ],
  ]
  it.each(cases)('%s gets one clear sentence and exit code 1', async (_, args, message) => {
    await inTemporaryFolder(async folder => {
      const { code, stderr } = await peel(args, { cwd: folder })
      expect(stderr).toMatch(message)
      expect(stderr).not.toMatch(/\n\s+at /)
      expect(code).toBe(1)
      expect(readdirSync(folder)).toEqual([])
    })
  })

  it('a guess of the wrong shape is named', async () => {
    await inTemporaryFolder(async folder => {
      await peel(['solve', 'gallery:tank', '--size', '8', '--output', 'p.npy'], { cwd: folder })
      const { code, stderr } = await peel(['solve', 'gallery:tank', '--size', '9', '--guess', 'p.npy'], { cwd: folder })
      expect(code).toBe(1)
      expect(stderr).toMatch(/p\.npy/)
    })
  })

  it('a failing write leaves an existing output untouched', async () => {
    await inTemporaryFolder(async folder => {
      await mkdir(join(folder, 'p.npy'))
      writeFileSync(join(folder, 'p.npy', 'kept'), 'x')
      const { code, stderr } = await peel(['solve', 'gallery:tank', '--size', '8', '--output', 'p.npy'], { cwd: folder })
      expect(code).toBe(1)
      expect(stderr).toMatch(/p\.npy/)
      expect(readdirSync(folder)).toEqual(['p.npy'])
      expect(readdirSync(join(folder, 'p.npy'))).toEqual(['kept'])
    })
  })
})

describe('the other verbs', () => {
  it('peel solve keeps flags of the cluster for the cluster, and falls back on this machine', async () => {
    const slip = await peel(['solve', 'gallery:half-ball', '--ranks', '2'])
    expect(slip).toMatchObject({ code: 1, stderr: expect.stringMatching(/^peel: --ranks belongs to the solver "cluster"/) })
    const cluster = [
      'solve',
      'gallery:half-ball',
      '--size',
      '16',
      '--solver',
      'cluster',
      '--launcher',
      'no-such-launcher',
      '--json',
    ]
    const failed = await peel(cluster)
    expect(failed.code).toBe(2)
    expect(JSON.parse(failed.stdout)).toMatchObject({ status: 'failed', message: expect.stringContaining('apt-get install') })
    const local = await peel([...cluster, '--fallback', 'local'])
    expect(local.code).toBe(0)
    expect(JSON.parse(local.stdout)).toMatchObject({
      status: 'converged',
      note: expect.stringContaining('on this machine instead'),
    })
  })

  it('peel solvers lists the family, also as JSON with options and references', async () => {
    const { stdout } = await peel(['solvers', '--json'])
    const list = JSON.parse(stdout)
    expect(list.map(({ name }: { name: string }) => name)).toEqual([...solvers.map(({ name }) => name), 'cluster'])
    for (const entry of list)
      expect(entry).toMatchObject({ reference: expect.any(String), separating: expect.any(Boolean), options: expect.any(Object) })
    const text = (await peel(['solvers'])).stdout
    for (const { name, options } of solvers) {
      expect(text).toContain(name)
      for (const option of Object.keys(options)) expect(text).toContain(`--set ${option}=`)
    }
  })

  it('peel gallery lists the problems', async () => {
    const { stdout, code } = await peel(['gallery'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/gallery:half-ball\s+2, 3/)
  })

  it('peel info tells unknowns, contacts, pockets, matrix and b', async () => {
    const { stdout } = await peel(['info', sample('half-ball-3d-32.npz'), '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      unknowns: 7176,
      contacts: 1720,
      largestB: 64.8,
      pockets: [],
      matrix: { asymmetry: 0, positiveLinks: 0, isMMatrix: true },
    })
    const text = (await peel(['info', 'gallery:squeezed-chamber'])).stdout
    expect(text).toMatch(/pockets\s+1 without air/)
    expect(text).toMatch(/infeasible/)
  })

  it('peel --help, --version and verb helps exit with 0', async () => {
    for (const args of [
      ['--help'],
      ['--version'],
      ['solve', '--help'],
      ['info', '--help'],
      ['solvers', '--help'],
      ['gallery', '--help'],
    ]) {
      const { code, stdout } = await peel(args)
      expect(code).toBe(0)
      expect(stdout.length).toBeGreaterThan(4)
    }
  })

  it('peel bench iterations prints tables, puts them into a document between its marks, and refuses one without', async () => {
    await inTemporaryFolder(async folder => {
      const args = ['bench', 'iterations', '--sizes', '20', '--sizes-2d', '24', '--solver', 'nas-mgpcg,mprgp']
      const { code, stdout } = await peel(args, { cwd: folder })
      expect(code).toBe(0)
      expect(stdout).toMatch(/\| Maze \| 24² \(\d+\) \|\n\|---\|---\|\n\| `nas-mgpcg` \| \d+ \/ \d+ \|/)
      const marks = ['<!-- begin: peel bench iterations -->', '<!-- end: peel bench iterations -->']
      writeFileSync(join(folder, 'd.md'), `before ${marks[0]} old ${marks[1]} after`)
      expect((await peel([...args, '--into', 'd.md'], { cwd: folder })).code).toBe(0)
      const text = readFileSync(join(folder, 'd.md'), 'utf8')
      expect(text).toContain('| `mprgp` |')
      expect(text).not.toContain('old')
      expect(text.startsWith('before') && text.endsWith('after')).toBe(true)
      writeFileSync(join(folder, 'e.md'), 'nothing here')
      const refused = await peel([...args, '--into', 'e.md'], { cwd: folder })
      expect(refused.code).toBe(1)
      expect(refused.stderr).toMatch(/e\.md: the marks/)
      expect((await peel(['bench', 'iterations', '--sizes', '4'], { cwd: folder })).stderr).toMatch(/at least \d+ cells/)
    })
  })

  it('peel bench ablations does the same', async () => {
    await inTemporaryFolder(async folder => {
      const args = ['bench', 'ablations', '--sizes', '16', '--sizes-2d', '16,24', '--max-iterations', '20']
      const { code, stdout } = await peel(args, { cwd: folder })
      expect(code).toBe(0)
      expect(stdout).toMatch(
        /\| Half of a circle peels off \| 16² \(\d+\) \| 24² \(\d+\) \|\n\|---\|---\|---\|\n\| as published, rows scaled \| \d+ \| \d+ \|/,
      )
      expect(stdout).toMatch(/\| constant interpolation \| \d+ \| over 20 \(at [\d.]+\) \|/)
      writeFileSync(join(folder, 'd.md'), 'a <!-- begin: peel bench ablations --> old <!-- end: peel bench ablations --> z')
      expect((await peel([...args, '--into', 'd.md'], { cwd: folder })).code).toBe(0)
      expect(readFileSync(join(folder, 'd.md'), 'utf8')).toMatch(/^a <!-- begin.*-->\n\n\| Half of[\s\S]*\|\n\n<!-- end.*--> z$/)
      const refused = await peel(['bench', 'ablations', '--problem', 'maze'], { cwd: folder })
      expect(refused.code).toBe(1)
      expect(refused.stderr).toMatch(/Unknown problem of the ablations "maze"; use one of half-sphere/)
      expect((await peel(['bench', 'ablations', '--sizes-2d', '4'], { cwd: folder })).stderr).toMatch(/at least \d+ cells/)
    })
  })

  it('peel solve --view shows the levels of multigrid solvers', async () => {
    const { stderr } = await peel([
      'solve',
      'gallery:half-ball',
      '--size',
      '32',
      '--dims',
      '3',
      '--view',
      '--solver',
      'nas-mgpcg,fas-mg,psor',
    ])
    expect(stderr).toMatch(/nas-mgpcg: \d levels, operator complexity 1\.\d\d/)
    expect(stderr).toMatch(/0 {2}32 × 32 × 32 +5960/)
    expect(stderr).toMatch(/psor: one level only/)
  })

  it('peel solve --plot writes well-formed SVG with every solver in it', async () => {
    await inTemporaryFolder(async folder => {
      const problem = ['gallery:half-ball', '--size', '16', '--dims', '3']
      const { code, stdout } = await peel(['solve', ...problem, '--solver', 'all', '--plot', 'h.svg'], { cwd: folder })
      expect(code).toBe(0)
      const svg = readFileSync(join(folder, 'h.svg'), 'utf8')
      expect(svg.startsWith('<svg')).toBe(true)
      expect(svg).toContain('xmlns="http://www.w3.org/2000/svg"')
      for (const { name } of solvers) {
        expect(stdout).toContain(name)
        expect(svg).toContain(name)
      }
    })
  })
})
