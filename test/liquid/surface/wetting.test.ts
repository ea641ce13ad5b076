import { describe, expect, it } from 'vitest'
import { createGrid } from '../../../src/grid/grid.js'
import { box, halfSpace, rotate, sphere, union } from '../../../src/grid/shapes.js'
import { wettedCeiling } from '../../../src/liquid/surface/wetting.js'
import { EVERYWHERE, frameOf, NOWHERE } from '../../support/frames.js'

const flat = createGrid([40, 40], 0.025)
const deep = createGrid([24, 24, 24], 1 / 24)

describe('the wetted ceiling', () => {
  it('is the closed top of the domain where liquid touches it', () => {
    expect(wettedCeiling(frameOf(flat, EVERYWHERE))).toBeCloseTo(1, 6)
    expect(wettedCeiling(frameOf(deep, EVERYWHERE))).toBeCloseTo(1, 6)
    expect(wettedCeiling(frameOf(flat, EVERYWHERE), false)).toBe(0)
    expect(wettedCeiling(frameOf(flat, box([0.5, 0.95], [0.25, 0.1])))).toBeCloseTo(0.5, 6)
    expect(wettedCeiling(frameOf(flat, box([0.5, 0.85], [0.25, 0.1])))).toBe(0)
    expect(wettedCeiling(frameOf(flat, NOWHERE))).toBe(0)
  })

  it('does not count floors and side walls', () => {
    expect(wettedCeiling(frameOf(flat, EVERYWHERE, halfSpace([0, 0.3], [0, 1])), false)).toBe(0)
    expect(wettedCeiling(frameOf(flat, EVERYWHERE, halfSpace([0.31, 0], [1, 0])), false)).toBe(0)
  })

  it.each([0.7, 0.71, 0.7125, 0.7249])('is the underside of a slab, wherever it cuts cells: at %s m', height => {
    const slab = box([0.5, height + 0.1], [0.3, 0.1])
    expect(wettedCeiling(frameOf(flat, EVERYWHERE, slab), false)).toBeCloseTo(0.6, 1)
    expect(
      wettedCeiling(
        frameOf(flat, (_, y) => y - height, halfSpace([0, height], [0, -1])),
        false,
      ),
    ).toBeCloseTo(1, 6)
    // A gap of one cell is dry.
    expect(
      wettedCeiling(
        frameOf(flat, (_, y) => y - height + 0.025, halfSpace([0, height], [0, -1])),
        false,
      ),
    ).toBe(0)
  })

  it('has the length of a slanted roof', () => {
    const angle = 0.35
    const roof = rotate(halfSpace([0, 0.6], [0, -1]), angle, [0.5, 0.6])
    const length = 1 / Math.cos(angle)
    expect(Math.abs(wettedCeiling(frameOf(flat, EVERYWHERE, roof), false) / length - 1)).toBeLessThan(0.01)
  })

  it('has the area of a cap: the part of a sphere whose normals point down within 60°', () => {
    const radius = 0.35
    const cap = 2 * Math.PI * radius ** 2 * (1 - 0.5)
    const area = wettedCeiling(frameOf(deep, EVERYWHERE, sphere([0.5, 0.55, 0.5], radius)), false)
    expect(Math.abs(area / cap - 1)).toBeLessThan(0.05)
  })

  it('adds up over places, in metres', () => {
    const drops = union(box([0.2, 1], [0.1, 0.1]), box([0.7, 1], [0.2, 0.1]))
    expect(wettedCeiling(frameOf(flat, drops))).toBeCloseTo(0.6, 6)
    const twice = createGrid([40, 40], 0.05)
    expect(wettedCeiling(frameOf(twice, (x, y, z) => 2 * drops(x / 2, y / 2, z / 2)))).toBeCloseTo(1.2, 6)
  })

  it('holds on one cell', () => {
    expect(wettedCeiling(frameOf(createGrid([1, 1, 1], 2), EVERYWHERE))).toBe(4)
    expect(wettedCeiling(frameOf(createGrid([1, 1], 2), EVERYWHERE, EVERYWHERE))).toBe(0)
  })
})
