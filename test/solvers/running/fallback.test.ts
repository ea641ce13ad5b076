import { describe, expect, it, vi } from 'vitest'
import { InputError } from '../../../src/input-error.js'
import { galleryProblem } from '../../../src/pressure/gallery.js'
import { pressureLength } from '../../../src/pressure/problem.js'
import type { IterationRecord, PressureSolver } from '../../../src/solvers/contract/solver.js'
import { createSolver } from '../../../src/solvers/registry.js'
import { withSecondTry } from '../../../src/solvers/running/fallback.js'

const { problem } = galleryProblem('half-ball', { size: 16, dims: 2 })

/** Solves, but says that it has not, after a few iterations. */
function losesItsWay(): PressureSolver {
  const solver = createSolver('nas-mgpcg', {}, { engine: 'portable' })
  return {
    ...solver,
    solve: async (given, pressure, options) => ({
      ...(await solver.solve(given, pressure, { ...options, maxIterations: 3 })),
      status: 'diverged',
    }),
  }
}

async function solve(solver: PressureSolver, maxIterations?: number) {
  const seen: IterationRecord[] = []
  const pressure = new Float64Array(pressureLength(problem))
  const result = await solver.solve(problem, pressure, { tolerance: 1e-8, maxIterations, monitor: record => seen.push(record) })
  return { result, seen }
}

describe('a second try', () => {
  it('goes on where the first one lost its way, as one solve', async () => {
    const solver = withSecondTry(losesItsWay(), () => createSolver('mprgp'), 'again')
    const { result, seen } = await solve(solver)
    expect(result).toMatchObject({ status: 'converged', note: 'again' })
    expect(result.residual).toBeLessThanOrEqual(1e-8)
    expect(result.iterations).toBeGreaterThan(3)
    expect(result.history.at(-1)?.iteration).toBe(result.iterations)
    expect(seen).toEqual(result.history)
    expect(seen.map(({ iteration }) => iteration)).toEqual([...seen.keys()])
    for (let at = 1; at < seen.length; at++) {
      expect(seen[at].work).toBeGreaterThanOrEqual(seen[at - 1].work)
      expect(seen[at].seconds).toBeGreaterThanOrEqual(seen[at - 1].seconds)
    }
    solver.dispose()
  })

  it('is not made where none is needed, allowed or possible', async () => {
    const create = vi.fn(() => createSolver('mprgp'))
    expect((await solve(withSecondTry(createSolver('nas-mgpcg'), create, 'again'))).result.note).toBeUndefined()
    expect((await solve(withSecondTry(losesItsWay(), create, 'again'), 3)).result.status).toBe('diverged')
    expect(create).not.toHaveBeenCalled()
    const tooLarge: PressureSolver = {
      ...createSolver('mprgp'),
      solve: () => Promise.reject(new InputError('It does not fit.')),
    }
    expect((await solve(withSecondTry(losesItsWay(), () => tooLarge, 'again'))).result).toMatchObject({ status: 'diverged' })
  })
})
