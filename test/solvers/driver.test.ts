/** The driver keeps the contract whatever a method claims. */
import { expect, it } from 'vitest'
import { galleryProblem } from '../../src/pressure/gallery.js'
import { createAlgebraicSolver, type Step } from '../../src/solvers/algebraic.js'
import { createSolver } from '../../src/solvers/registry.js'
import { kkt } from '../support/problems.js'

const { problem } = galleryProblem('half-ball', { size: 12, dims: 2 })
const solveWith = async (steps: (p: Float64Array) => Step) => {
  const pressure = new Float64Array(problem.b.length)
  const solver = createAlgebraicSolver('claims', true, function* (_, p) {
    for (;;) yield steps(p)
  })
  return { pressure, result: await solver.solve(problem, pressure) }
}

it('does not believe a method that only claims to have converged', async () => {
  const { result, pressure } = await solveWith(() => ({ residual: 0, pinned: 0 }))
  expect(result.status).toBe('stagnated')
  expect(result.residual).toBeCloseTo(kkt(problem, pressure).residual, 10)
  expect(result.residual).toBeGreaterThan(1)
})

it('ends a method that runs away, and gives back the start', async () => {
  let residual = 1
  const growing = await solveWith(p => {
    p.fill(1e30)
    residual *= 100
    return { residual, pinned: 0 }
  })
  expect(growing.result.status).toBe('diverged')
  expect(growing.pressure.every(value => value === 0)).toBe(true)
  const broken = await solveWith(p => {
    p.fill(NaN)
    return { residual: NaN, pinned: 0 }
  })
  expect(broken.result.status).toBe('not-finite')
  expect(broken.pressure.every(value => value === 0)).toBe(true)
})

it('ends a method that goes round in circles, long before its last iteration', async () => {
  let step = 0
  const { result } = await solveWith(() => ({ residual: 3 + Math.sin(step++), pinned: 0 }))
  expect(result.status).toBe('stagnated')
  expect(result.message).toMatch(/No progress below 2\.0e\+0 1\/s since iteration \d+/)
  expect(result.iterations).toBeLessThan(10_000)
})

it('waits for a method that waits for others, and for what it does when it is ended', async () => {
  const exact = new Float64Array(problem.b.length)
  await createSolver('nas-mgpcg').solve(problem, exact, { tolerance: 1e-9 })
  const pressure = new Float64Array(problem.b.length)
  // Two iterations a step; the pressure comes only when it is ended.
  const solver = createAlgebraicSolver('waits', true, async function* (_, p, { cells }) {
    try {
      for (let step = 1; ; step++) {
        await new Promise(resolve => setTimeout(resolve, 1))
        yield { residual: 1 / step, pinned: 0, iteration: 2 * step, outer: step }
      }
    } finally {
      await new Promise(resolve => setTimeout(resolve, 1))
      p.set(Float64Array.from(cells!, cell => exact[cell]))
    }
  })
  const result = await solver.solve(problem, pressure, { maxIterations: 6 })
  expect(result).toMatchObject({ status: 'iteration-limit', iterations: 6, outer: 3 })
  expect(result.history.map(({ iteration }) => iteration)).toEqual([0, 2, 4, 6])
  expect(kkt(problem, pressure).residual).toBeLessThan(1e-8)
})
