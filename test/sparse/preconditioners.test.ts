import { describe, expect, it } from 'vitest'
import { galleryProblem } from '../../src/pressure/gallery.js'
import { CONTACT, LIQUID, type PressureProblem, type SparseProblem } from '../../src/pressure/problem.js'
import { random } from '../../src/random.js'
import { createBuffers } from '../../src/sparse/buffers.js'
import { compact, dot, multiply, multiplyFree, sparseProblem } from '../../src/sparse/matrix.js'
import { createPreconditioner, PRECONDITIONERS } from '../../src/sparse/preconditioners/preconditioner.js'
import { largest, largestDifference, solveDense, toDense } from '../support/problems.js'

const ainv = { ainvDrop: 0.1, ainvScaled: true }

function rows(name: string, size: number, dims: 2 | 3): SparseProblem {
  const { problem } = galleryProblem(name, { size, dims })
  return 'grid' in problem ? compact(problem as PressureProblem, createBuffers()).problem : problem
}

const randomVector = (length: number, seed: number, free?: Uint8Array) =>
  Float64Array.from({ length }, (_, at) => (free && !free[at] ? 0 : random(seed, at) - 0.5))

describe.each(PRECONDITIONERS)('%s', name => {
  it('is symmetric and positive definite on the free rows, and 0 elsewhere', () => {
    for (const [scene, dims] of [
      ['half-ball', 3],
      ['maze', 2],
      ['two-spheres', 3],
      ['random-graph', 2],
      ['scaled-graph', 2],
    ] as const) {
      const A = rows(scene, 24, dims)
      const free = Uint8Array.from(A.kind, (kind, row) => (kind === CONTACT && random(3, row) < 0.5 ? 0 : 1))
      const M = createPreconditioner(name, createBuffers(), ainv)
      M.build(A, free)
      const x = randomVector(A.rows, 1, free)
      const y = randomVector(A.rows, 2, free)
      const Mx = new Float64Array(A.rows)
      const My = new Float64Array(A.rows)
      M.apply(x, Mx)
      M.apply(y, My)
      expect(Math.abs(dot(y, Mx) - dot(x, My)), scene).toBeLessThan(1e-10 * Math.sqrt(dot(x, Mx) * dot(y, My)))
      expect(dot(x, Mx), scene).toBeGreaterThan(0)
      expect(largest(Mx.filter((_, row) => !free[row])), scene).toBe(0)
    }
  })
})

/** A chain of rows has no fill, so the incomplete factors are complete. */
function chain(length: number): SparseProblem {
  const entries: [number, number, number][] = []
  for (let row = 0; row < length; row++) {
    if (row > 0) entries.push([row, row - 1, -1 - 0.1 * (row - 1)])
    entries.push([row, row, 2.05 + 0.2 * row])
    if (row < length - 1) entries.push([row, row + 1, -1 - 0.1 * row])
  }
  return sparseProblem(length, entries, new Float64Array(length), new Uint8Array(length).fill(LIQUID))
}

describe('exactness', () => {
  it.each(['ic0', 'mic0'] as const)('%s inverts a chain', name => {
    const A = chain(12)
    const M = createPreconditioner(name, createBuffers(), ainv)
    M.build(A, new Uint8Array(12).fill(1))
    const x = randomVector(12, 4)
    const Ax = new Float64Array(12)
    const z = new Float64Array(12)
    multiply(A, x, Ax)
    M.apply(Ax, z)
    expect(largestDifference(z, x)).toBeLessThan(1e-12)
  })

  it.each([true, false])('ainv that drops nothing is the inverse (scaled: %s), with and without penalty and mask', scaled => {
    const A = rows('half-ball', 12, 2)
    const free = Uint8Array.from(A.kind, (kind, row) => (kind === CONTACT && row % 3 === 0 ? 0 : 1))
    const penalty = Float64Array.from(A.kind, (kind, row) => (kind === CONTACT && row % 3 === 1 ? 1e3 : 0))
    const M = createPreconditioner('ainv', createBuffers(), { ainvDrop: 0, ainvScaled: scaled })
    M.build(A, free, penalty)
    const r = randomVector(A.rows, 5, free)
    const z = new Float64Array(A.rows)
    M.apply(r, z)
    const Az = new Float64Array(A.rows)
    multiplyFree(A, free, z, Az)
    for (let row = 0; row < A.rows; row++) Az[row] += penalty[row] * z[row]
    expect(largestDifference(Az, r)).toBeLessThan(1e-9)
  })

  it('modified incomplete Cholesky keeps row sums, up to its factor of 0.97', () => {
    const A = rows('open-tank', 10, 3)
    const ones = new Float64Array(A.rows).fill(1)
    const z = new Float64Array(A.rows)
    const errors = (['ic0', 'mic0'] as const).map(name => {
      const M = createPreconditioner(name, createBuffers(), ainv)
      M.build(A, new Uint8Array(A.rows).fill(1))
      const A1 = new Float64Array(A.rows)
      multiply(A, ones, A1)
      M.apply(A1, z)
      return largestDifference(z, ones)
    })
    // With factor 1 the error would be 0; 0.97 and the pivot test leave a part of it.
    expect(errors[1]).toBeLessThan(0.5 * errors[0])
  })

  it('an incomplete factor on a pattern with triangles equals the dense incomplete factor', () => {
    // A complete graph of 4 rows has no dropped fill: IC(0) is exact there.
    const entries: [number, number, number][] = []
    for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) entries.push([i, j, i === j ? 5 + i : -1 - 0.2 * ((i + j) % 3)])
    const A = sparseProblem(4, entries, new Float64Array(4), new Uint8Array(4).fill(LIQUID))
    const M = createPreconditioner('ic0', createBuffers(), ainv)
    M.build(A, new Uint8Array(4).fill(1))
    const r = randomVector(4, 6)
    const z = new Float64Array(4)
    M.apply(r, z)
    const exact = solveDense(toDense(A).A, [...r])!
    expect(largestDifference(z, Float64Array.from(exact))).toBeLessThan(1e-12)
  })
})
