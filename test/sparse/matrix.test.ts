import { describe, expect, it } from 'vitest'
import { checkSparseProblem } from '../../src/pressure/check-problem.js'
import { gallery, galleryProblem } from '../../src/pressure/gallery.js'
import { LIQUID, type PressureProblem } from '../../src/pressure/problem.js'
import { random } from '../../src/random.js'
import { createBuffers } from '../../src/sparse/buffers.js'
import { checkMatrix } from '../../src/sparse/m-matrix.js'
import { compact, divergenceLeft, sparseProblem } from '../../src/sparse/matrix.js'
import { divergence, largest } from '../support/problems.js'

describe('compact numbering', () => {
  it('is the same operator as the grid, for every gallery problem', () => {
    for (const entry of gallery)
      for (const dims of entry.dims) {
        const { problem: source } = entry.build({ size: Math.max(13, entry.minSize), dims })
        if (!('grid' in source)) continue
        const { problem, cells } = compact(source as PressureProblem, createBuffers())
        checkSparseProblem(problem)
        const p = Float64Array.from({ length: source.grid.cells }, (_, cell) => (source.kind[cell] ? random(1, cell) : 0))
        const expected = divergence(source, p)
        const w = new Float64Array(problem.rows)
        divergenceLeft(
          problem,
          Float64Array.from(cells, cell => p[cell]),
          w,
        )
        const scale = largest(expected)
        expect(largest(w.map((value, row) => value - expected[cells[row]])), entry.name).toBeLessThan(1e-13 * Math.max(1, scale))
      }
  })

  it('reuses its memory for smaller problems without leaking the larger one', () => {
    const buffers = createBuffers()
    const large = galleryProblem('half-ball', { size: 20, dims: 3 }).problem as PressureProblem
    const small = galleryProblem('half-ball', { size: 10, dims: 3 }).problem as PressureProblem
    compact(large, buffers)
    const again = compact(small, buffers).problem
    const fresh = compact(small, createBuffers()).problem
    expect(again.rowStart).toEqual(fresh.rowStart)
    const end = fresh.rowStart[fresh.rows]
    expect(again.columns.slice(0, end)).toEqual(fresh.columns.slice(0, end))
    expect(again.values.slice(0, end)).toEqual(fresh.values.slice(0, end))
  })
})

describe('M-matrix check', () => {
  const twoRows = (link: number, diagonal = 1) =>
    sparseProblem(
      2,
      [
        [0, 0, diagonal],
        [0, 1, link],
        [1, 0, link],
        [1, 1, diagonal],
      ],
      new Float64Array(2),
      new Uint8Array(2).fill(LIQUID),
    )
  it('accepts dominant and non-dominant M-matrices and refuses the rest with a reason', () => {
    expect(checkMatrix(twoRows(-0.5))).toMatchObject({ isMMatrix: true, why: 'diagonally dominant' })
    expect(checkMatrix(galleryProblem('scaled-graph', {}).problem as never)).toMatchObject({ isMMatrix: true })
    expect(checkMatrix(galleryProblem('scaled-graph', {}).problem as never).smallestRowSum).toBeLessThan(0)
    expect(checkMatrix(twoRows(-2))).toMatchObject({ isMMatrix: false })
    expect(checkMatrix(twoRows(0.5))).toMatchObject({ isMMatrix: false, positiveLinks: 2 })
  })
})
