import { describe, expect, it } from 'vitest'
import { createPlainLevels } from '../../src/multigrid/aggregate/plain.js'
import { createCoarseUpdate } from '../../src/multigrid/aggregate/values.js'
import { createCycle } from '../../src/multigrid/cycle.js'
import { createDenseSolver } from '../../src/multigrid/dense.js'
import { random } from '../../src/random.js'
import { createBuffers } from '../../src/sparse/buffers.js'
import { dot } from '../../src/sparse/matrix.js'
import { galleryHierarchy, randomVector } from '../support/levels.js'
import { largestDifference, solveDense } from '../support/problems.js'

describe('the V-cycle', () => {
  it.each([
    ['half-ball', 24, 3],
    ['rooms', 24, 3],
    ['two-spheres', 24, 3],
    ['maze', 64, 2],
    ['half-ball', 61, 2],
  ] as const)('is symmetric and positive definite with contacts pinned, on %s at %d in %dD', (name, size, dims) => {
    const { coloured, levels } = galleryHierarchy(name, size, dims)
    for (let row = 0; row < levels[0].rows; row++) if (coloured.contact[row] && random(2, row) < 0.5) levels[0].pinned[row] = 1
    createCoarseUpdate(levels, createBuffers()).updateAll(0)
    const stack = createPlainLevels(levels, coloured, new Float64Array(levels[0].rows))
    const cycle = createCycle(stack, { topSweeps: 1, coarseSweeps: 2, cycle: 'V' })
    stack.factorCoarsest()
    const masked = (seed: number) => randomVector(levels[0].rows, seed).map((value, row) => (levels[0].pinned[row] ? 0 : value))
    for (let seed = 1; seed < 6; seed++) {
      const x = masked(seed)
      const y = masked(seed + 100)
      const { z, Az, q } = stack.vectors(0)
      q.set(y)
      const dots = cycle.apply(0, x)
      const Mx = z.slice()
      expect(dots.zr).toBeCloseTo(dot(Mx, x), 8)
      expect(dots.zAz).toBeCloseTo(dot(Mx, Az), 8)
      expect(dots.zq).toBeCloseTo(dot(Mx, y), 8)
      cycle.apply(0, y)
      const My = z.slice()
      const scale = Math.sqrt(dot(x, Mx) * dot(y, My))
      expect(dot(x, Mx)).toBeGreaterThan(0)
      expect(Math.abs(dot(y, Mx) - dot(x, My))).toBeLessThan(1e-10 * scale)
      expect(Mx.every((value, row) => !levels[0].pinned[row] || value === 0)).toBe(true)
    }
  })

  it('visits small levels twice as a K-cycle, which solves better than once', () => {
    const { coloured, levels } = galleryHierarchy('rooms', 32, 3, 8)
    const residualAfter = (kind: 'V' | 'K') => {
      const stack = createPlainLevels(levels, coloured, new Float64Array(levels[0].rows))
      const cycle = createCycle(stack, { topSweeps: 1, coarseSweeps: 2, cycle: kind })
      stack.factorCoarsest()
      const f = randomVector(levels[0].rows, 1)
      const x = new Float64Array(f.length)
      const Ax = new Float64Array(f.length)
      const { z } = stack.vectors(0)
      let r = f
      for (let step = 0; step < 10; step++) {
        cycle.apply(0, r)
        for (let row = 0; row < x.length; row++) x[row] += z[row]
        stack.multiply(0, x, Ax)
        r = f.map((value, row) => value - Ax[row])
      }
      return Math.sqrt(dot(r, r) / dot(f, f))
    }
    expect(residualAfter('K')).toBeLessThan(residualAfter('V'))
  })
})

describe('the dense solver', () => {
  const n = 9
  const links = Array.from({ length: n }, (_, i) => Array.from({ length: i }, (_, j) => random(1, j, i)))
  const weight = (row: number, column: number) => links[Math.max(row, column)][Math.min(row, column)] ?? 0
  const matrix = (held: (row: number) => number) =>
    Array.from({ length: n }, (_, i) => {
      const row = Array.from({ length: n }, (_, j) => (i === j ? held(i) : -weight(i, j)))
      for (let j = 0; j < n; j++) if (j !== i) row[i] += weight(i, j)
      return row
    })

  it('solves what elimination solves, and pins what is singular', () => {
    const held = (row: number) => 4 + row
    const dense = createDenseSolver()
    dense.factor(n, held, weight)
    const f = randomVector(n, 2)
    const x = new Float64Array(n)
    dense.solve(f, x)
    expect(largestDifference(x, Float64Array.from(solveDense(matrix(held), [...f])!))).toBeLessThan(1e-12)
    dense.factor(
      2,
      () => 0,
      () => 1,
    )
    const y = new Float64Array(2)
    dense.solve(Float64Array.of(1, -1), y)
    expect(y[0] - y[1]).toBeCloseTo(1, 12)
  })

  it('took components for singular that are held by little', () => {
    for (const little of [1e-7, 1e-12, 1e-200]) {
      const dense = createDenseSolver()
      dense.factor(n, row => (row === 3 ? little : 0), weight)
      const x = new Float64Array(n)
      // What flows in leaves by the one row that is held, whatever else happens.
      dense.solve(new Float64Array(n).fill(1), x)
      expect((little * x[3]) / n).toBeCloseTo(1, 12)
    }
  })
})
