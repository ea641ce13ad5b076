/** Matrices without a grid on PETSc: the answer of the local solver, on one rank and on several. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeProblem } from '../../../src/io/index.js'
import { gallery } from '../../../src/pressure/gallery.js'
import { createSolver, defaultSolver } from '../../../src/solvers/registry.js'
import { createBuffers } from '../../../src/sparse/buffers.js'
import { compact } from '../../../src/sparse/matrix.js'
import { inTemporaryFolder, peel } from '../../cli/run.js'
import { kkt, largest, largestDifference } from '../../support/problems.js'
import { hasPetsc, openSolver, zeros } from './support.js'

const several = [1, 3].map(ranks => openSolver({ ranks }))
const NAMES = ['random-graph', 'scaled-graph', 'half-ball', 'full-sphere', 'expanding-chamber', 'squeezed-chamber', 'spray']

for (const entry of gallery.filter(({ name }) => NAMES.includes(name)))
  it.skipIf(!hasPetsc)(`${entry.name} as a matrix`, async () => {
    const { problem: given, known } = entry.build({ size: Math.max(16, entry.minSize) })
    const problem = 'grid' in given ? compact(given, createBuffers()).problem : given
    const expected = zeros(problem)
    await createSolver(defaultSolver(problem)).solve(problem, expected, { tolerance: 1e-9 })
    for (const solver of several) {
      const p = zeros(problem)
      const { status } = await solver.solve(problem, p)
      expect(status).toBe(known?.status ?? 'converged')
      if (status === 'converged') expect(kkt(problem, p).residual).toBeLessThanOrEqual(1e-6)
      expect(largestDifference(p, expected)).toBeLessThanOrEqual(1e-5 * Math.max(1e-300, largest(expected)))
    }
  })

it.skipIf(!hasPetsc)('solves Matrix Market files from the command line', () =>
  inTemporaryFolder(async folder => {
    const { problem } = gallery.find(({ name }) => name === 'random-graph')!.build({})
    await writeProblem(join(folder, 'graph'), problem)
    const { code, stdout } = await peel([
      'solve',
      join(folder, 'graph'),
      '--solver',
      'cluster',
      '--ranks',
      '2',
      '--oversubscribe',
      '--json',
    ])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ solver: 'cluster', status: 'converged', engine: 'ranks (2)' })
  }),
)

it.skipIf(!hasPetsc)('takes no options of PETSc from a file beside the problem', () =>
  inTemporaryFolder(async folder => {
    const { problem } = gallery.find(({ name }) => name === 'random-graph')!.build({})
    await writeProblem(join(folder, 'graph'), problem)
    // Options write files, and load libraries.
    const written = join(folder, 'written')
    for (const name of ['.petscrc', 'petscrc']) writeFileSync(join(folder, name), `-log_view :${written}\n`)
    const args = ['solve', 'graph', '--solver', 'cluster', '--ranks', '1', '--oversubscribe']
    const { code } = await peel(args, { cwd: folder })
    expect(code).toBe(0)
    expect(existsSync(written)).toBe(false)
  }),
)
