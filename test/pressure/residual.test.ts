import { describe, expect, it } from 'vitest'
import { AXES, cellPosition, cellStrides, createGrid } from '../../src/grid/grid.js'
import { gallery, galleryProblem } from '../../src/pressure/gallery.js'
import { CONTACT, DRY, LIQUID, type PressureProblem, type Problem } from '../../src/pressure/problem.js'
import { measure } from '../../src/pressure/residual.js'
import { random } from '../../src/random.js'
import { diagonalOf, divergence, kkt } from '../support/problems.js'

describe('measure', () => {
  it('agrees with a recomputation by scattering, on every gallery problem and any pressure', () => {
    for (const entry of gallery)
      for (const dims of entry.dims) {
        const { problem } = entry.build({ size: Math.max(11, entry.minSize), dims })
        const p = Float64Array.from(problem.kind, (kind, at) => (kind === DRY ? 0 : 100 * (random(2, at) - 0.3)))
        for (const sticking of [false, true]) {
          const { residual } = measure(problem, p, sticking)
          expect(Math.abs(residual - kkt(problem, p, sticking).residual), entry.name).toBeLessThan(1e-11 * Math.max(1, residual))
        }
        const w = divergence(problem, p)
        let pinned = 0
        let gap = 0
        problem.kind.forEach((kind, at) => {
          if (kind !== CONTACT) return
          if (diagonalOf(problem, at) * p[at] < w[at]) pinned++
          gap += Math.abs(p[at] * w[at])
        })
        const measured = measure(problem, p)
        expect(measured.pinned, entry.name).toBe(pinned)
        expect(Math.abs(measured.gap - gap)).toBeLessThan(1e-10 * Math.max(1, gap))
      }
  })

  it('leaves out no cell at the sides of a grid, on grids one, two and three cells wide', () => {
    for (const shape of [
      [1, 1],
      [1, 5],
      [2, 3],
      [3, 3],
      [7, 4],
      [1, 1, 1],
      [2, 1, 3],
      [3, 3, 3],
      [5, 4, 3],
      [4, 1, 4],
    ]) {
      const grid = createGrid(shape)
      const strides = cellStrides(grid)
      const all = Float64Array.from({ length: grid.cells }, () => 1)
      const links = AXES.map(axis =>
        all.map((_, cell) => (cellPosition(grid, cell)[axis] < grid.shape[axis] - 1 ? -1 - random(1, cell, axis) : 0)),
      ) as [Float64Array, Float64Array, Float64Array]
      const diagonal = all.map((_, cell) =>
        AXES.reduce<number>(
          (sum, axis) => sum - links[axis][cell] - (cell >= strides[axis] ? links[axis][cell - strides[axis]] : 0),
          1,
        ),
      )
      const kind = Uint8Array.from(all, (_, cell) => (cell % 5 === 4 ? CONTACT : LIQUID))
      const problem: PressureProblem = { grid, kind, diagonal, links, b: all.map((_, cell) => random(5, cell) - 0.5) }
      for (let cell = 0; cell < grid.cells; cell++) {
        const p = all.map((_, at) => (at === cell ? 10 : 0))
        expect(measure(problem, p).residual, `${shape} ${cell}`).toBeCloseTo(kkt(problem, p).residual, 12)
      }
    }
  })

  it('does not change with units: dt, density and length rescaled together with p', () => {
    const residuals = [{}, { dt: 0.1 }, { density: 10 }].map(options => {
      const { problem } = galleryProblem('half-ball', { size: 12, dims: 3, ...options })
      const diagonal = (problem as Problem & { diagonal: Float64Array }).diagonal
      const p = Float64Array.from(problem.kind, (kind, at) => (kind === DRY ? 0 : random(3, at) / diagonal[at]))
      const b = galleryProblem('half-ball', { size: 12, dims: 3 }).problem.b
      return measure({ ...problem, b } as Problem, p).residual
    })
    for (const residual of residuals) expect(residual).toBeCloseTo(residuals[0], 9)
  })

  it('never hides what is not a number', () => {
    const { problem } = galleryProblem('half-ball', { size: 12, dims: 2 })
    const wet = [...problem.kind.keys()].filter(at => problem.kind[at] !== DRY)
    for (const at of [wet[0], wet[Math.floor(wet.length / 2)], wet[wet.length - 1]]) {
      const p = new Float64Array(problem.b.length)
      p[at] = NaN
      expect(measure(problem, p).residual).toBeNaN()
      for (const poison of [NaN, Infinity, -Infinity]) {
        const b = problem.b.slice()
        b[at] = poison
        expect(Number.isFinite(measure({ ...problem, b } as Problem, new Float64Array(b.length)).residual)).toBe(false)
      }
    }
  })
})
