/** Measurements on frames whose answer is known because the test made them. */
import { describe, expect, it } from 'vitest'
import { sampleCells, sampleNodes } from '../../src/grid/field.js'
import { createGrid, type Grid } from '../../src/grid/grid.js'
import type { Frame } from '../../src/liquid/frame.js'
import { sloshFrequency } from '../../src/validation/cases/sloshing.js'
import { angularMomentum, kineticEnergy, surfaceLevel, totalEnergy, waveAmplitude } from '../../src/validation/measure.js'

function frameOf(grid: Grid, parts: Partial<Frame>): Frame {
  const solid = new Float32Array(sampleNodes(grid, () => 1))
  return { grid, index: 0, time: 0, liquid: new Float32Array(grid.cells), solid, ...parts }
}

describe('measurements', () => {
  it('find level and amplitude of a wave in the surface', () => {
    const grid = createGrid([48, 36], 1 / 48)
    const liquid = Float32Array.from(sampleCells(grid, (x, y) => y - 0.4 - 0.03 * Math.cos(2 * Math.PI * x)))
    const frame = frameOf(grid, { liquid })
    expect(surfaceLevel(frame)).toBeCloseTo(0.4, 5)
    expect(waveAmplitude(frame, 2 * Math.PI)).toBeCloseTo(0.03, 5)
    expect(waveAmplitude(frame, Math.PI)).toBeCloseTo(0, 5)
  })

  it('find energies and the angular momentum of particles that turn', () => {
    const position = Float32Array.of(1, 0, 0, 0, 2, 0)
    const velocity = Float32Array.of(0, 3, 0, -6, 0, 0)
    const frame = frameOf(createGrid([4, 4], 1), { particles: { position, velocity } })
    expect(kineticEnergy(frame)).toBeCloseTo((9 + 36) / 4, 6)
    expect(totalEnergy(frame)).toBeCloseTo((9 + 36) / 4 + 9.81, 6)
    expect(angularMomentum(frame, [0, 0, 0])).toBeCloseTo((3 + 12) / 2, 6)
  })
})

describe('the theory of sloshing', () => {
  it('is the linear one for small waves', () => {
    expect((2 * Math.PI) / sloshFrequency(1, 0.5, 0)).toBeCloseTo(1.1818, 3)
  })

  it('slows steep waves on deep water by (k a)²/8, and speeds up those on shallow water', () => {
    const change = (depth: number, amplitude: number) => sloshFrequency(1, depth, amplitude) / sloshFrequency(1, depth, 0) - 1
    expect(change(3, 0.05)).toBeCloseTo(-((Math.PI * 0.05) ** 2) / 8, 6)
    // Tadjbakhsh and Keller: the sign changes at k H = 1.058.
    expect(change(1.07 / Math.PI, 0.05)).toBeLessThan(0)
    expect(change(1.05 / Math.PI, 0.05)).toBeGreaterThan(0)
  })
})
