import { describe, expect, it } from 'vitest'
import { portableEngine } from '../../src/engine/portable.js'
import { createFollower } from '../../src/multigrid/aggregate-values.js'
import { createCycle } from '../../src/multigrid/cycle.js'
import { createDenseSolver } from '../../src/multigrid/dense.js'
import { createPortableLevels } from '../../src/multigrid/portable-levels.js'
import { random } from '../../src/random.js'
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
    for (let row = 0; row < levels[0].rows; row++) if (coloured.contact[row] && random(2, row) < 0.5) levels[0].off[row] = 1
    createFollower(levels).followAll(0)
    const stack = createPortableLevels(portableEngine, levels)
    const cycle = createCycle(stack, { topSweeps: 1, coarseSweeps: 2, cycle: 'V' })
    stack.factorCoarsest()
    const masked = (seed: number) => randomVector(levels[0].rows, seed).map((value, row) => (levels[0].off[row] ? 0 : value))
    for (let seed = 1; seed < 6; seed++) {
      const x = masked(seed)
      const y = masked(seed + 100)
      const Mx = new Float64Array(x.length)
      const My = new Float64Array(x.length)
      const Az = new Float64Array(x.length)
      const dots = cycle.apply(0, { r: x, z: Mx, Az, q: y })
      expect(dots.zr).toBeCloseTo(dot(Mx, x), 8)
      expect(dots.zAz).toBeCloseTo(dot(Mx, Az), 8)
      expect(dots.zq).toBeCloseTo(dot(Mx, y), 8)
      cycle.apply(0, { r: y, z: My, Az, q: x })
      const scale = Math.sqrt(dot(x, Mx) * dot(y, My))
      expect(dot(x, Mx)).toBeGreaterThan(0)
      expect(Math.abs(dot(y, Mx) - dot(x, My))).toBeLessThan(1e-10 * scale)
      expect(Mx.every((value, row) => !levels[0].off[row] || value === 0)).toBe(true)
    }
  })

  it('visits small levels twice as a K-cycle, which solves better than once', () => {
    const { levels } = galleryHierarchy('rooms', 32, 3, 8)
    const residualAfter = (kind: 'V' | 'K') => {
      const stack = createPortableLevels(portableEngine, levels)
      const cycle = createCycle(stack, { topSweeps: 1, coarseSweeps: 2, cycle: kind })
      stack.factorCoarsest()
      const f = randomVector(levels[0].rows, 1)
      const x = new Float64Array(f.length)
      const Ax = new Float64Array(f.length)
      const z = new Float64Array(f.length)
      let r = f
      for (let step = 0; step < 10; step++) {
        cycle.apply(0, { r, z, Az: new Float64Array(z.length), q: z })
        for (let row = 0; row < x.length; row++) x[row] += z[row]
        portableEngine.multiply(levels[0], x, Ax)
        r = f.map((value, row) => value - Ax[row])
      }
      return Math.sqrt(dot(r, r) / dot(f, f))
    }
    expect(residualAfter('K')).toBeLessThan(residualAfter('V'))
  })
})

describe('the dense solver', () => {
  it('solves what elimination solves, and pins what is singular', () => {
    const n = 9
    const A = Array.from({ length: n }, (_, i) =>
      Array.from({ length: n }, (_, j) => (i === j ? 4 + i : -random(1, Math.min(i, j), Math.max(i, j)))),
    )
    const dense = createDenseSolver()
    dense.factor(n, (row, column) => A[row][column])
    const f = randomVector(n, 2)
    const x = new Float64Array(n)
    dense.solve(f, x)
    expect(largestDifference(x, Float64Array.from(solveDense(A, [...f])!))).toBeLessThan(1e-12)
    dense.factor(2, (row, column) => (row === column ? 1 : -1))
    const y = new Float64Array(2)
    dense.solve(Float64Array.of(1, -1), y)
    expect(y[0] - y[1]).toBeCloseTo(1, 12)
  })
})
