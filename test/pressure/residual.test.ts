import { describe, expect, it } from 'vitest'
import { gallery, galleryProblem } from '../../src/pressure/gallery.js'
import { CONTACT, DRY, type PressureProblem, type Problem } from '../../src/pressure/problem.js'
import { joinMeasures, measure, measureCells } from '../../src/pressure/residual.js'
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

  it('of some cells and of the others, joined, is that of all', () => {
    for (const dims of [2, 3] as const) {
      const { problem } = galleryProblem('half-ball', { size: 12, dims }) as { problem: PressureProblem }
      const p = Float64Array.from(problem.kind, (kind, at) => (kind === DRY ? 0 : random(2, at) - 0.3))
      const all = Int32Array.from(problem.kind, (_, cell) => cell)
      for (const sticking of [false, true]) {
        const parts = [0, 1, 2].map(part =>
          measureCells(
            problem,
            p,
            all.filter(cell => cell % 3 === part),
            sticking,
          ),
        )
        const { residual, at, gap, pinned } = measure(problem, p, sticking)
        const joined = parts.reduce(joinMeasures)
        expect(joined).toMatchObject({ residual, at, pinned })
        expect(Math.abs(joined.gap - gap)).toBeLessThan(1e-12 * gap + 1e-300)
      }
    }
    const part = (residual: number) => ({ residual, at: 0, gap: 0, pinned: 0 })
    expect(joinMeasures(part(NaN), part(1)).residual).toBeNaN()
    expect(joinMeasures(part(1), part(NaN)).residual).toBeNaN()
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
