/** The default solver: few iterations at any resolution, hardly more than the linear solve, and safe. */
import { describe, expect, it } from 'vitest'
import { galleryProblem } from '../../../src/pressure/gallery.js'
import type { PressureProblem } from '../../../src/pressure/problem.js'
import { random } from '../../../src/random.js'
import { createSolver } from '../../../src/solvers/registry.js'
import { randomBlock } from '../../support/lattices.js'
import { kkt, largest, largestDifference } from '../../support/problems.js'

async function solve(problem: PressureProblem, set: Record<string, unknown> = {}, options = {}) {
  const pressure = new Float64Array(problem.b.length)
  const result = await createSolver('nas-mgpcg', set).solve(problem, pressure, options)
  return { pressure, result }
}

const grid = (name: string, size: number, dims: 2 | 3, options = {}) =>
  galleryProblem(name, { size, dims, ...options }).problem as PressureProblem

/** Shells in at most 12, mazes without wall thickness in at most 22, everything else in at most 16. */
function mostIterations(name: string, dims: 2 | 3): number {
  if (name === 'warren') return 22
  return name === 'two-spheres' && dims === 3 ? 12 : 16
}

describe('nas-mgpcg', () => {
  it.each([
    ['full-sphere', 96, 3],
    ['warren', 256, 2],
  ] as const)('is not led astray by rounding in sealed pockets: %s at %d in %dD', async (name, size, dims) => {
    const problem = grid(name, size, dims)
    const { pressure, result } = await solve(problem)
    expect(result.status).toBe('converged')
    expect(result.iterations).toBeLessThanOrEqual(mostIterations(name, dims))
    expect(kkt(problem, pressure).residual).toBeLessThanOrEqual(1e-6)
  })

  it.each([
    ['half-ball', 3, [32, 64, 128]],
    ['half-sphere', 3, [32, 64]],
    ['sphere-with-cuboid', 3, [32, 64]],
    ['two-spheres', 3, [32, 64, 128]],
    ['rooms', 3, [32, 64, 96]],
    ['warren', 3, [32, 64]],
    ['film', 3, [32, 64]],
    ['spray', 3, [32, 64]],
    ['half-ball', 2, [64, 128, 256, 512]],
    ['maze', 2, [64, 128, 256, 512]],
    ['square', 2, [64, 128, 256, 512]],
    ['two-spheres', 2, [64, 128, 256]],
  ] as const)(
    '%s in %dD needs few iterations at any size, and little more work than the linear solve',
    async (name, dims, sizes) => {
      const counts = []
      for (const size of sizes) {
        const problem = grid(name, size, dims)
        const { result, pressure } = await solve(problem)
        const { result: linear } = await solve(problem, { walls: 'sticking' })
        expect(result.status).toBe('converged')
        expect(kkt(problem, pressure).residual).toBeLessThanOrEqual(1e-6)
        expect(result.iterations, `${size}`).toBeLessThanOrEqual(mostIterations(name, dims))
        expect(result.work / linear.work, `${size}: work against the linear solve`).toBeLessThanOrEqual(1.5)
        counts.push(result.iterations)
      }
      expect(Math.max(...counts)).toBeLessThanOrEqual(2 * counts[0])
    },
  )

  it('is the linear solver where nothing separates: at most one iteration more', async () => {
    for (const [name, dims] of [
      ['tank', 3],
      ['tilted-tank', 3],
      ['sphere-at-rest', 2],
    ] as const) {
      const problem = grid(name, 32, dims)
      const { result } = await solve(problem)
      const { result: linear } = await solve({ ...problem, kind: problem.kind.map(kind => Math.min(kind, 1)) })
      expect(result.iterations).toBeLessThanOrEqual(linear.iterations + 1)
    }
  })

  it('takes the same iterations when dt, length or density is rescaled by 10 or 1000', async () => {
    const counts = []
    for (const options of [{}, { dt: 0.1 }, { dt: 10 }, { density: 1e4 }, { density: 1 }, { scale: 10 }, { scale: 1000 }]) {
      const { result } = await solve(grid('half-sphere', 24, 3, options), {}, { tolerance: 1e-8, relative: true })
      expect(result.status).toBe('converged')
      counts.push(result.iterations)
    }
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
  })

  it.each([[[1, 40]], [[40, 1]], [[3, 5, 7]], [[1000, 4]], [[4, 1000]], [[16, 130, 3]], [[1, 1, 30]], [[2, 2]], [[63, 33, 17]]])(
    'solves shapes like %o',
    async shape => {
      const problem = randomBlock(shape as number[], 5)
      const { result, pressure } = await solve(problem, {}, { tolerance: 1e-8 })
      expect(result.status).toBe('converged')
      expect(kkt(problem, pressure).residual).toBeLessThanOrEqual(1e-8)
      expect(result.iterations).toBeLessThanOrEqual(40)
    },
  )

  it('ends by freezing the set when it does not settle: from the first iteration on it is policy iteration', async () => {
    const problem = grid('half-ball', 32, 3)
    const usual = await solve(problem, {}, { tolerance: 1e-8 })
    const frozen = await solve(problem, { freezeAfter: 0, nested: false }, { tolerance: 1e-8 })
    expect(frozen.result.status).toBe('converged')
    expect(frozen.result.iterations).toBeGreaterThan(usual.result.iterations)
    expect(largestDifference(frozen.pressure, usual.pressure)).toBeLessThan(1e-6 * largest(usual.pressure))
  })

  it('keeps a pressure that is worth keeping and drops one that is not', async () => {
    const problem = grid('half-ball', 32, 3)
    const { pressure } = await solve(problem, {}, { tolerance: 1e-9 })
    const near = pressure.map((p, at) => p * (1 + 1e-3 * (random(1, at) - 0.5)))
    const far = pressure.map((p, at) => 1e3 * p * random(2, at))
    const solver = createSolver('nas-mgpcg')
    const cold = await solver.solve(problem, new Float64Array(pressure.length))
    const warm = await solver.solve(problem, near)
    const misled = await solver.solve(problem, far)
    expect(warm.iterations).toBeLessThan(cold.iterations)
    expect(misled.iterations).toBe(cold.iterations)
  })

  it('tells its hierarchy', async () => {
    const { result } = await solve(grid('half-ball', 32, 3))
    expect(result.levels[0]).toMatchObject({ shape: [32, 32, 32], unknowns: 5960 })
    expect(result.levels.at(-1)!.unknowns).toBeLessThanOrEqual(64)
  })
})
