/** The answer of the cluster is that of the local solver, on every problem and on any number of ranks. */
import { expect, it } from 'vitest'
import type { Statistics } from '../../../src/cluster/frames.js'
import { gallery, galleryProblem } from '../../../src/pressure/gallery.js'
import { createSolver, defaultSolver } from '../../../src/solvers/registry.js'
import { kkt, largest, largestDifference } from '../../support/problems.js'
import { openSolver, zeros } from './support.js'

const TOLERANCE = 1e-6
/** Large enough for several tiles in 3D. */
const SIZE = { 2: 40, 3: 20 } as const

let statistics: Statistics
const several = [1, 2, 4].map(ranks =>
  openSolver({ ranks }, told => {
    statistics = told
  }),
)

for (const entry of gallery)
  for (const dims of entry.dims)
    for (const walls of ['separating', 'sticking'] as const) {
      const { problem } = entry.build({ size: Math.max(SIZE[dims], entry.minSize), dims, walls })
      if (!('grid' in problem)) continue
      it(`${entry.name} in ${dims}D, ${walls}: as the local solver, with equal counts on 1, 2 and 4 ranks`, async () => {
        const local = createSolver(defaultSolver(problem))
        const expected = zeros(problem)
        const { status } = await local.solve(problem, expected, { tolerance: 1e-9 })
        local.dispose()
        const counts: { outer: number; iterations: number }[] = []
        for (const solver of several) {
          const p = zeros(problem)
          const result = await solver.solve(problem, p, { tolerance: TOLERANCE })
          expect(result.status).toBe(status)
          if (status === 'converged') expect(kkt(problem, p).residual).toBeLessThanOrEqual(TOLERANCE)
          expect(largestDifference(p, expected)).toBeLessThanOrEqual(1e-5 * Math.max(largest(expected), 1e-300))
          counts.push(result)
        }
        for (const { outer, iterations } of counts.slice(1)) {
          expect(outer).toBe(counts[0].outer)
          // Sums are added in another order; after a hundred steps of conjugate gradients that shows.
          expect(Math.abs(iterations - counts[0].iterations)).toBeLessThanOrEqual(iterations > 80 ? 0.03 * iterations : 0)
        }
      })
    }

it('gives every rank something to do, and the same bits when asked again', async () => {
  const { problem } = galleryProblem('half-ball', { size: 48, dims: 3 })
  const [first, second] = [zeros(problem), zeros(problem)]
  await several[2].solve(problem, first)
  expect(statistics.boxes).toBeGreaterThanOrEqual(4)
  expect(statistics.cells).toBeLessThan(problem.kind.length)
  await several[2].solve(problem, second)
  expect(second).toEqual(first)
})

it('goes on with Galerkin multigrid where red-black multigrid loses a passage', async () => {
  const { problem } = galleryProblem('maze', { size: 24, walls: 'sticking' })
  for (const solver of several) {
    expect(await solver.solve(problem, zeros(problem))).toMatchObject({ status: 'converged' })
    expect(statistics.robust).toBe(1)
  }
  const { problem: easy } = galleryProblem('half-ball', { size: 17 })
  await several[0].solve(easy, zeros(easy))
  expect(statistics.robust).toBe(0)
})

it('starts warm from a pressure nearby', async () => {
  const { problem } = galleryProblem('half-ball', { size: 36, dims: 3 })
  const p = zeros(problem)
  const cold = await several[1].solve(problem, p)
  const changed = { ...problem, b: problem.b.map(value => 1.02 * value) }
  const warm = await several[1].solve(changed, p)
  expect(warm.status).toBe('converged')
  expect(warm.iterations).toBeLessThan(0.7 * cold.iterations)
})
