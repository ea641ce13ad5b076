/** Policy iteration and penalty around multigrid: few cycles, the same answer and the same outer loop as around PCG. */
import { describe, expect, it } from 'vitest'
import { galleryProblem } from '../../src/pressure/gallery.js'
import { pressureLength } from '../../src/pressure/problem.js'
import { createSolver } from '../../src/solvers/registry.js'
import { largest, largestDifference } from '../support/problems.js'

const pressureOf = (problem: Parameters<typeof pressureLength>[0]) => new Float64Array(pressureLength(problem))

describe.each([
  ['pi-mg', 'pi-pcg', 45],
  ['pe-mg', 'pe-pcg', 90],
] as const)('%s', (name, withPcg, bound) => {
  it.each([
    ['half-ball', 3, 32],
    ['half-sphere', 3, 32],
    ['half-ball', 2, 128],
    ['maze', 2, 64],
    ['rooms', 3, 24],
  ] as const)(
    `takes at most ${bound} cycles from nothing on %s in %dD at %d, and as many policies as ${withPcg}`,
    async (scene, dims, size) => {
      const { problem } = galleryProblem(scene, { size, dims })
      const p = pressureOf(problem)
      const cold = await createSolver(name).solve(problem, p, { maxIterations: 300 })
      expect(cold.status).toBe('converged')
      expect(cold.iterations).toBeLessThanOrEqual(bound)
      const q = pressureOf(problem)
      const pcg = await createSolver(withPcg).solve(problem, q)
      expect(Math.abs(cold.outer - pcg.outer)).toBeLessThanOrEqual(1)
      expect(cold.iterations).toBeLessThan(pcg.iterations)
      expect(largestDifference(p, q)).toBeLessThan(1e-5 * largest(q))
    },
  )

  it('remembers the pinned contacts of the previous solve when asked', async () => {
    const { problem } = galleryProblem('half-ball', { size: 32, dims: 3 })
    const solver = createSolver(name, { start: 'previous' })
    const first = await solver.solve(problem, pressureOf(problem))
    const second = await solver.solve(problem, pressureOf(problem))
    expect(second.status).toBe('converged')
    expect(second.outer).toBeLessThanOrEqual(2)
    expect(second.iterations).toBeLessThan(0.5 * first.iterations)
  })

  it('needs fewer cycles when they are accelerated, and hardly more on a finer grid', async () => {
    const count = async (size: number, acceleration: string) => {
      const { problem } = galleryProblem('half-ball', { size, dims: 2 })
      return (await createSolver(name, { acceleration }).solve(problem, pressureOf(problem), { maxIterations: 300 })).iterations
    }
    expect(await count(64, 'conjugate')).toBeLessThan(await count(64, 'none'))
    expect(await count(256, 'conjugate')).toBeLessThan(1.7 * (await count(64, 'conjugate')))
  })
})

it('pi-mg with plain cycles starts from the previous set in about as few as the paper', async () => {
  const { problem } = galleryProblem('half-ball', { size: 32, dims: 3 })
  const solver = createSolver('pi-mg', { start: 'previous', acceleration: 'none', cells: 'whole' })
  await solver.solve(problem, pressureOf(problem))
  const { iterations, status } = await solver.solve(problem, pressureOf(problem))
  expect(status).toBe('converged')
  expect(iterations).toBeLessThanOrEqual(14)
})
