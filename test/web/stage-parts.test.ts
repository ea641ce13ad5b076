/** What a stage computes before it draws. */
import { describe, expect, it } from 'vitest'
import { createGrid } from '../../src/grid/grid.js'
import { mapColour, twoSidedColour } from '../../src/render/colour.js'
import { createFieldReader, largestValue, NOTHING, PINNED_VALUES, steadyBound } from '../../src/web/stage/field-values.js'
import { describeLegend, PINNED_LEGEND, scaleLegend } from '../../src/web/stage/legend.js'
import { createQualityChooser } from '../../src/web/stage/quality.js'
import { createShadowCaster } from '../../src/web/stage/shadow.js'
import { EVERYWHERE, frameOf } from '../support/frames.js'
import { knownFrame, SIZE } from './stage-page/frames.js'

describe.each([2, 3] as const)('values of fields in %iD', dims => {
  const frame = knownFrame({ dims, everywhere: true })
  const read = createFieldReader()
  const cellAt = (i: number, j: number) => i + SIZE * j + (dims === 3 ? SIZE * SIZE * (SIZE / 2) : 0)

  it('are those of the frame, at the centres of cells', () => {
    const h = 1 / SIZE
    const x = (4 + 0.5) * h
    expect(read.read(frame, 'pressure')![cellAt(4, 7)]).toBeCloseTo(5000 * 7.5 * h, 3)
    expect(read.read(frame, 'speed')![cellAt(4, 7)]).toBeCloseTo(x * x + (h * h) / 4, 6)
    expect(read.read(frame, 'divergence')![cellAt(4, 7)]).toBeCloseTo(2 * x, 5)
  })

  it('tell what touches walls from what lets go of them', () => {
    const values = read.read(frame, 'pinned')!
    expect([3, 7, 12].map(i => values[cellAt(i, 7)])).toEqual([PINNED_VALUES.pressed, PINNED_VALUES.liquid, PINNED_VALUES.pinned])
  })

  it('are nothing where there is no liquid, and do not count there', () => {
    const ball = knownFrame({ dims })
    const values = read.read(ball, 'pressure')!
    expect(values[cellAt(0, 0)]).toBe(NOTHING)
    expect(largestValue(values)).toBe(Math.max(...ball.fields!.pressure))
  })

  it('follow walls: nothing flows through what is closed', () => {
    const { fields, ...rest } = knownFrame({ dims, everywhere: true })
    const closed = { ...rest, fields, solid: rest.solid.map(() => -1) }
    expect(largestValue(read.read(closed, 'divergence')!)).toBe(0)
    expect(largestValue(read.read(frame, 'divergence')!)).toBeGreaterThan(1.9)
  })

  it('come in the same memory every time, unless there are none', () => {
    expect(read.read(frame, 'speed')).toBe(read.read(frame, 'pinned'))
    expect(read.read(knownFrame({ dims, fields: false }), 'speed')).toBeUndefined()
  })
})

describe('the bound of a scale', () => {
  it('is a round number above all values', () => {
    for (const largest of [1e-7, 0.013, 0.99, 1, 1.01, 4.2, 777, 3e8]) {
      const bound = steadyBound(largest, 0)
      expect(bound).toBeGreaterThanOrEqual(largest)
      expect(bound).toBeLessThanOrEqual(1.7 * largest)
      expect(Number(bound.toPrecision(2))).toBeCloseTo(bound, 12)
    }
  })

  it('stays while it fits', () => {
    expect(steadyBound(3.5, 10)).toBe(10)
    expect(steadyBound(10.1, 10)).toBe(15)
    expect(steadyBound(2, 10)).toBe(2)
    expect(steadyBound(0, 10)).toBe(10)
    expect(steadyBound(Number.NaN, 0)).toBe(1)
  })
})

describe('legends', () => {
  it('can be read aloud', () => {
    expect(describeLegend(scaleLegend('speed', 0, 0.5))).toBe('Speed: colours from 0 m/s to 500 mm/s.')
    expect(describeLegend(scaleLegend('divergence', -0.005, 0.005))).toBe('Divergence: colours from -0.005 1/s to 0.005 1/s.')
    expect(describeLegend(PINNED_LEGEND)).toContain('touches a wall in rgb(23 92 160)')
  })

  it('have the colours of what they explain', () => {
    expect(scaleLegend('pressure', 0, 1).scale!.colourOf(0.3)).toEqual(mapColour(0.3))
    expect(scaleLegend('divergence', -1, 1).scale!.colourOf(0)).toEqual(twoSidedColour(-1))
  })
})

describe('colours of two sides', () => {
  const lightness = ([r, g, b]: readonly number[]) => 0.3 * r + 0.59 * g + 0.11 * b

  it('get darker from 0 to both, blue below and red above', () => {
    for (const sign of [-1, 1])
      for (let step = 0; step < 10; step++)
        expect(lightness(twoSidedColour((sign * step) / 10))).toBeGreaterThan(lightness(twoSidedColour((sign * (step + 1)) / 10)))
    const [blue, white, red] = [-1, 0, 1].map(twoSidedColour)
    expect(blue[2]).toBeGreaterThan(blue[0] + 60)
    expect(red[0]).toBeGreaterThan(red[2] + 60)
    expect(Math.max(...white) - Math.min(...white)).toBeLessThan(2)
    expect(twoSidedColour(7)).toEqual(red)
    expect(twoSidedColour(Number.NaN)).toEqual(white)
  })
})

describe('shadows', () => {
  it('hold all liquid above the ground, spread around it', () => {
    const grid = createGrid([10, 6, 8], 0.1)
    const cast = createShadowCaster()
    const all = cast(frameOf(grid, EVERYWHERE))
    const { width, height, margin, values } = all
    expect([width, height]).toEqual([10 + 2 * margin, 8 + 2 * margin])
    const total = values.reduce((sum, value) => sum + value, 0)
    expect(total).toBeCloseTo(10 * 8 * 6 * 0.1, 3)
    expect(values[margin + 5 + width * (margin + 4)]).toBeCloseTo(0.6, 2)
    expect(values[0]).toBeLessThan(0.01)
    const left = cast(frameOf(grid, x => x - 0.35))
    expect(left.values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(3 * 8 * 6 * 0.1, 3)
  })
})

describe('quality', () => {
  it('goes down where pictures take long, and not up again to what was too slow', () => {
    const chooser = createQualityChooser('high')
    for (let picture = 0; picture < 6; picture++) chooser.observe(80)
    expect(chooser.quality).toBe('medium')
    for (let picture = 0; picture < 6; picture++) chooser.observe(80)
    expect(chooser.quality).toBe('low')
    for (let picture = 0; picture < 50; picture++) chooser.observe(80)
    for (let picture = 0; picture < 1000; picture++) chooser.observe(1)
    expect(chooser.quality).toBe('low')
  })

  it('bears single slow pictures, and goes up where all are fast', () => {
    const chooser = createQualityChooser('medium')
    for (let picture = 0; picture < 50; picture++) chooser.observe(picture % 5 === 0 ? 200 : 16)
    expect(chooser.quality).toBe('medium')
    for (let picture = 0; picture < 90; picture++) chooser.observe(2)
    expect(chooser.quality).toBe('high')
  })
})
