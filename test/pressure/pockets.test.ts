import { describe, expect, it } from 'vitest'
import { galleryProblem } from '../../src/pressure/gallery.js'
import { findPockets, judgePocket } from '../../src/pressure/pockets.js'
import { F32_ROUNDING, type PressureProblem } from '../../src/pressure/problem.js'
import { createSolver } from '../../src/solvers/registry.js'
import { createBuffers } from '../../src/sparse/buffers.js'
import { compact } from '../../src/sparse/matrix.js'
import { kkt } from '../support/problems.js'

const pocketsOf = (problem: PressureProblem) => findPockets(compact(problem, createBuffers()).problem)
const grid = (name: string, dims: 2 | 3 = 3) => galleryProblem(name, { size: 24, dims }).problem as PressureProblem

describe('pockets', () => {
  it('are found where there is no air, and only there', () => {
    for (const dims of [2, 3] as const) {
      expect(pocketsOf(grid('tank', dims))).toHaveLength(0)
      expect(pocketsOf(grid('half-ball', dims))).toHaveLength(0)
      expect(pocketsOf(grid('full-sphere', dims))).toHaveLength(1)
      expect(pocketsOf(grid('sealed-chamber', dims))).toHaveLength(1)
      expect(pocketsOf(grid('two-spheres', dims))).toHaveLength(1)
    }
  })

  it('are judged by the sum of b', () => {
    const judge = (name: string, separating = true) => judgePocket(pocketsOf(grid(name))[0], 1e-6, separating)
    expect(judge('full-sphere')).toBe('balanced')
    expect(judge('squeezed-chamber')).toBe('infeasible')
    expect(judge('expanding-chamber')).toBe('expanding')
    expect(judge('expanding-chamber', false)).toBe('infeasible')
  })

  it('are found although coefficients were rounded to single precision, and solved', async () => {
    const exact = grid('sealed-chamber', 2)
    const round = (values: Float64Array) => Float64Array.from(values, Math.fround)
    const rounded: PressureProblem = {
      ...exact,
      diagonal: round(exact.diagonal),
      links: exact.links.map(round) as never,
      b: round(exact.b),
      rounding: F32_ROUNDING,
    }
    expect(pocketsOf(rounded)).toHaveLength(1)
    expect(pocketsOf({ ...rounded, rounding: undefined })).toHaveLength(0)
    const p = new Float64Array(rounded.grid.cells)
    const result = await createSolver('mprgp').solve(rounded, p, { tolerance: 1e-5 })
    expect(result.status).toBe('converged')
    expect(kkt(rounded, p).residual).toBeLessThanOrEqual(1e-5)
  })
})
