/** What a compiled solver tells of problems with sealed pockets, against the yardstick. */
import { describe, expect, it } from 'vitest'
import { galleryProblem } from '../../../src/pressure/gallery.js'
import type { PressureProblem } from '../../../src/pressure/problem.js'
import { measure } from '../../../src/pressure/residual.js'
import { createSolver } from '../../../src/solvers/registry.js'

describe.each([1, 2])('sealed pockets, with %i threads,', threads => {
  it.each(['sealed-chamber', 'squeezed-chamber', 'expanding-chamber', 'full-sphere', 'two-spheres', 'warren'])(
    'of %s are told as the yardstick has them',
    async name => {
      const { problem } = galleryProblem(name, { size: 24, dims: 3 }) as { problem: PressureProblem }
      for (const walls of ['separating', 'sticking']) {
        const solver = createSolver('nas-mgpcg', { walls }, { engine: threads > 1 ? 'threads' : 'wasm', threads })
        const p = new Float64Array(problem.grid.cells)
        const told = await solver.solve(problem, p, { tolerance: 1e-7 })
        solver.dispose()
        const { residual, gap, pinned } = measure(problem, p, walls === 'sticking')
        expect(Math.abs(told.residual - residual)).toBeLessThan(1e-13 + 1e-9 * residual)
        // It sums divergences of 1e-8 1/s that are left of terms a million times as large, in f32.
        expect(Math.abs(told.gap - gap)).toBeLessThan(1e-5 * gap + 1e-12)
        expect(told.pinned).toBe(pinned)
      }
    },
  )
})
