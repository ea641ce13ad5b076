/** The choices of Andersen's study: inner methods, preconditioners, masks, termination tests, starts. */
import { describe, expect, it } from 'vitest'
import { galleryProblem } from '../../src/pressure/gallery.js'
import { createSolver } from '../../src/solvers/registry.js'
import { kkt } from '../support/problems.js'

const { problem } = galleryProblem('half-sphere', { size: 24, dims: 2 })

async function run(options: Record<string, unknown>, tolerance = 1e-8) {
  const pressure = new Float64Array(problem.b.length)
  const result = await createSolver('minmap-newton', options).solve(problem, pressure, { tolerance })
  return { result, residual: kkt(problem, pressure).residual, pressure }
}

describe('minmap-newton', () => {
  for (const inner of ['cg', 'cr', 'gmres', 'bicgstab'])
    for (const preconditioner of ['none', 'jacobi', 'ic0', 'mic0', 'ainv'])
      it(`converges with ${inner} and ${preconditioner}`, async () => {
        const { result, residual } = await run({ inner, preconditioner })
        expect(result.status).toBe('converged')
        expect(residual).toBeLessThanOrEqual(1e-8)
        expect(result.outer).toBeLessThanOrEqual(8)
      })

  it.each(['given', 'zero', 'psor', 'projected-gradient'])('converges from start %s', async start => {
    expect((await run({ start })).result.status).toBe('converged')
  })

  it('converges with the literal, unscaled rows, too', async () => {
    expect((await run({ rows: 'literal' })).result.status).toBe('converged')
  })

  it('stops by the tests of the paper at their defaults, and says by which', async () => {
    const { result } = await run({ termination: 'paper' })
    expect(result.status).toBe('stagnated')
    expect(result.message).toMatch(/paper's (absolute|relative|stagnation) test/)
    expect(result.outer).toBeLessThanOrEqual(10)
    const limited = await run({ termination: 'paper', newtonIterations: 2, absolute: 0, relative: 0, stagnation: 0 })
    expect(limited.result).toMatchObject({ status: 'iteration-limit', outer: 2 })
  })

  it('needs far more work when the factor knows nothing of the mask, as in the paper', async () => {
    const large = galleryProblem('half-ball', { size: 128, dims: 2 }).problem
    const work = []
    for (const mask of ['masked', 'unmasked']) {
      const p = new Float64Array(large.b.length)
      work.push((await createSolver('minmap-newton', { mask }).solve(large, p)).work)
    }
    expect(work[1]).toBeGreaterThan(1.3 * work[0])
  })

  it('takes about the same few Newton steps on finer grids', async () => {
    const outer = []
    for (const size of [16, 32, 64]) {
      const fine = galleryProblem('half-sphere', { size, dims: 2 }).problem
      outer.push((await createSolver('minmap-newton').solve(fine, new Float64Array(fine.b.length))).outer)
    }
    expect(Math.max(...outer)).toBeLessThanOrEqual(8)
  })
})
