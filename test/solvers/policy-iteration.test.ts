/** Policy iteration and penalty: monotone, finite, and able to remember. */
import { describe, expect, it } from 'vitest'
import { galleryProblem } from '../../src/pressure/gallery.js'
import type { PressureProblem } from '../../src/pressure/problem.js'
import { createSolver } from '../../src/solvers/registry.js'
import { createBuffers } from '../../src/sparse/buffers.js'
import { compact } from '../../src/sparse/matrix.js'
import { kkt, largest } from '../support/problems.js'

describe('pi-pcg', () => {
  it.each([
    ['half-sphere', 3, 20],
    ['half-ball', 3, 20],
    ['half-ball', 2, 48],
    ['maze', 2, 40],
    ['moving-paddle', 3, 16],
  ] as const)('from no contact pinned, %s in %dD: iterates grow monotonically and end soon', async (scene, dims, size) => {
    const grid = galleryProblem(scene, { size, dims }).problem as PressureProblem
    const { problem } = compact(grid, createBuffers())
    const pressure = new Float64Array(problem.rows)
    const solved: Float64Array[] = []
    let outer = 1
    let last = pressure.slice()
    const result = await createSolver('pi-pcg', { start: 'free', innerTolerance: 1e-3 }).solve(problem, pressure, {
      tolerance: 1e-9,
      monitor: record => {
        // The first record of a new policy still shows the end of the one before, but for contacts just pinned.
        if (record.outer > outer) {
          solved.push(last)
          outer = record.outer
        }
        last = pressure.slice()
      },
    })
    solved.push(pressure.slice())
    expect(result.status).toBe('converged')
    expect(result.outer).toBeLessThanOrEqual(12)
    expect(solved.length).toBeGreaterThan(2)
    for (let k = 1; k < solved.length; k++) {
      if (k === 1) continue
      const drop = solved[k - 1].reduce((worst, p, row) => Math.max(worst, p - solved[k][row]), 0)
      expect(drop, `policy ${k}`).toBeLessThan(1e-8 * largest(pressure))
    }
  })
})

describe.each(['pi-pcg', 'pe-pcg'])('%s', name => {
  it('starts from the previous set of pinned contacts when asked', async () => {
    const { problem } = galleryProblem('half-ball', { size: 24, dims: 3 })
    const solver = createSolver(name, { start: 'previous' })
    const cold = await solver.solve(problem, new Float64Array(problem.b.length))
    const warm = await solver.solve(problem, new Float64Array(problem.b.length))
    expect(cold.outer).toBeGreaterThan(2)
    expect(warm).toMatchObject({ status: 'converged', outer: 1 })
    const other = galleryProblem('half-ball', { size: 20, dims: 3 }).problem
    const p = new Float64Array(other.b.length)
    expect((await solver.solve(other, p)).status).toBe('converged')
    expect(kkt(other, p).residual).toBeLessThanOrEqual(1e-6)
  })
})

describe('pe-pcg', () => {
  it('says that a penalty given by hand is too small for the tolerance', async () => {
    const { problem } = galleryProblem('half-ball', { size: 16, dims: 2 })
    const p = new Float64Array(problem.b.length)
    const result = await createSolver('pe-pcg', { penalty: 100 }).solve(problem, p)
    expect(result.status).toBe('stagnated')
    expect(result.message).toMatch(/penalty is too small/)
  })
})
