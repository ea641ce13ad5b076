/** Water at rest stays at rest: a few short runs. All levels, sizes, vessels and frame rates are in rest.slow.test.ts. */
import { describe, expect, it } from 'vitest'
import { complement, halfSpace, sphere } from '../../src/grid/shapes.js'
import { restOf } from '../support/rest.js'
import { body, settingOf, solid } from '../support/settings.js'

describe('a pool at rest', () => {
  const levels = [0.48, 0.485, 0.49, 0.495].flatMap(level => (['flip', 'apic'] as const).map(method => ({ level, method })))
  it.each(levels)('does not flicker, nor gain energy: %j', async ({ level, method }) => {
    const pool = settingOf([40, 40], 1 / 40, { liquid: [body((_x, y) => y - level)] })
    const { flicker, gain, volume } = await restOf(pool, 90, { particles: { method } })
    // Without damping of its own, APIC needs another second for 0.02 at 19.6 cells, just above centres.
    expect(flicker).toBeLessThan(method === 'flip' ? 0.02 : 0.03)
    expect(gain).toBeLessThan(0)
    expect(volume).toBeLessThan(0.0075)
  })
})

describe('a half-full sphere', () => {
  it.each([
    { dims: 2, cells: 48 },
    { dims: 3, cells: 20 },
  ] as const)('has a quiet contact line: %j', async ({ dims, cells }) => {
    const point = dims === 3 ? ([0, 0.47, 0] as const) : ([0, 0.47] as const)
    const up = dims === 3 ? ([0, 1, 0] as const) : ([0, 1] as const)
    const middle = dims === 3 ? ([0.5, 0.5, 0.5] as const) : ([0.5, 0.5] as const)
    const vessel = settingOf(Array(dims).fill(cells), 1 / cells, {
      liquid: [body(halfSpace(point, up))],
      solids: [solid(complement(sphere(middle, 0.44)))],
    })
    const { faces, particles, gain } = await restOf(vessel, 36)
    expect(faces).toBeLessThan(0.3)
    expect(particles).toBeLessThan(0.3)
    expect(gain).toBeLessThan(0)
  })
})
