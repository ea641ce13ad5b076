import { describe, expect, it } from 'vitest'
import { galleryProblem } from '../../src/pressure/gallery.js'
import type { PressureProblem } from '../../src/pressure/problem.js'
import { random } from '../../src/random.js'
import { createBuffers } from '../../src/sparse/buffers.js'
import { KRYLOV_METHODS, krylov } from '../../src/sparse/krylov/krylov.js'
import type { LinearOperator } from '../../src/sparse/krylov/method.js'
import { compact, multiply, sparseProblem } from '../../src/sparse/matrix.js'
import { createPreconditioner } from '../../src/sparse/preconditioners/preconditioner.js'
import { largest } from '../support/problems.js'

const { problem: A } = compact(galleryProblem('half-ball', { size: 14, dims: 3 }).problem as PressureProblem, createBuffers())
const ones = new Uint8Array(A.rows).fill(1)

function operator(preconditioner: 'none' | 'mic0'): LinearOperator {
  const M = createPreconditioner(preconditioner, createBuffers(), { ainvDrop: 0.1, ainvScaled: true })
  M.build(A, ones)
  return { size: A.rows, apply: (x, y) => multiply(A, x, y), precondition: M.apply, countVectors: () => {} }
}

function residualOf(x: Float64Array, f: Float64Array): Float64Array {
  const Ax = new Float64Array(A.rows)
  multiply(A, x, Ax)
  return f.map((value, row) => value - Ax[row])
}

describe.each(KRYLOV_METHODS)('%s', name => {
  it.each(['none', 'mic0'] as const)('solves with preconditioner %s and yields the true residual norm', preconditioner => {
    const f = Float64Array.from({ length: A.rows }, (_, row) => random(9, row) - 0.5)
    const x = new Float64Array(A.rows)
    const r = f.slice()
    const iteration = krylov[name](operator(preconditioner), x, r, createBuffers())
    let norm = Infinity
    let steps = 0
    while (norm > 1e-9 && steps < 3000) {
      const next = iteration.next()
      expect(next.done).toBe(false)
      norm = next.value as number
      steps++
    }
    iteration.return('exact')
    expect(steps).toBeLessThan(3000)
    const actual = residualOf(x, f)
    expect(Math.sqrt(actual.reduce((sum, value) => sum + value * value, 0))).toBeLessThan(2e-9)
    expect(largest(actual.map((value, row) => value - r[row]))).toBeLessThan(1e-12)
  })

  it('is up to date when the caller leaves in mid-cycle', () => {
    const f = Float64Array.from({ length: A.rows }, (_, row) => random(10, row) - 0.5)
    const x = new Float64Array(A.rows)
    const r = f.slice()
    const iteration = krylov[name](operator('mic0'), x, r, createBuffers())
    for (let step = 0; step < 7; step++) iteration.next()
    iteration.return('exact')
    expect(largest(x)).toBeGreaterThan(0)
    expect(largest(residualOf(x, f).map((value, row) => value - r[row]))).toBeLessThan(1e-10)
  })

  it('stops by itself on a zero residual', () => {
    const x = new Float64Array(A.rows)
    expect(krylov[name](operator('mic0'), x, new Float64Array(A.rows), createBuffers()).next()).toEqual({
      done: true,
      value: 'exact',
    })
  })
})

it.each(['cg', 'cr'] as const)('%s notices a matrix without positive curvature', name => {
  const indefinite = sparseProblem(1, [[0, 0, 1]], Float64Array.of(0), Uint8Array.of(1))
  indefinite.values[0] = -1
  const M: LinearOperator = {
    size: 1,
    apply: (x, y) => multiply(indefinite, x, y),
    precondition: (r, z) => z.set(r),
    countVectors: () => {},
  }
  expect(krylov[name](M, new Float64Array(1), Float64Array.of(1), createBuffers()).next()).toEqual({
    done: true,
    value: 'indefinite',
  })
})
