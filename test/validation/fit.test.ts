import { describe, expect, it } from 'vitest'
import type { PlotPoint } from '../../src/validation/case.js'
import { fitDampedWave, fitPolynomial, interpolate } from '../../src/validation/fit.js'

const sampled = (value: (t: number) => number): PlotPoint[] => Array.from({ length: 100 }, (_, at) => [at / 24, value(at / 24)])

describe('fits', () => {
  it('find the coefficients of a parabola', () => {
    const [a, b, c] = fitPolynomial(
      sampled(t => 2 - 3 * t + 0.5 * t * t),
      2,
    )
    expect(a).toBeCloseTo(2, 9)
    expect(b).toBeCloseTo(-3, 9)
    expect(c).toBeCloseTo(0.5, 9)
  })

  it.each([0.3, 0, -0.1])('find frequency, decay %d and amplitude of an oscillation from a guess that is off by 3 %%', decay => {
    const wave = fitDampedWave(
      sampled(t => 0.02 + 0.03 * Math.exp(-decay * t) * Math.cos(5.3 * t - 0.4)),
      5.3 * 1.03,
    )
    expect(wave.omega).toBeCloseTo(5.3, 8)
    expect(wave.decay).toBeCloseTo(decay, 8)
    expect(wave.amplitude).toBeCloseTo(0.03, 8)
  })

  it('interpolate between points, and nowhere else', () => {
    const points: PlotPoint[] = [
      [1, 10],
      [2, 20],
      [4, 0],
    ]
    expect(interpolate(points, 1)).toBe(10)
    expect(interpolate(points, 3)).toBe(10)
    expect(interpolate(points, 0.5)).toBeNaN()
    expect(interpolate(points, 5)).toBeNaN()
  })
})
