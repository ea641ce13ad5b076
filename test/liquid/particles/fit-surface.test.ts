/** Particles that start at random places show the smooth surface of their body. */
import { describe, expect, it } from 'vitest'
import { interpolate } from '../../../src/grid/field.js'
import { sphere } from '../../../src/grid/shapes.js'
import { completeOptions } from '../../../src/liquid/options.js'
import { seedLiquid } from '../../../src/liquid/particles/seed-liquid.js'
import { createPlainLiquid } from '../../../src/liquid/plain/liquid.js'
import { createPlainParticles } from '../../../src/liquid/plain/particles.js'
import { createSimulation } from '../../../src/liquid/simulation.js'
import type { SceneSetting } from '../../../src/scene/setting.js'
import { body, settingOf, solid } from '../../support/settings.js'

type Point = readonly [number, number, number]

/** rms of the distance to the surface that is found from particles, at points on that of the body, less its mean, in cells. Frames would show the
 *  body itself. */
function roughnessOf(setting: SceneSetting, points: readonly Point[]): number {
  const { grid } = setting
  const options = completeOptions(grid, { seed: 3 })
  const liquid = createPlainLiquid(grid)
  const particles = createPlainParticles(liquid, false)
  liquid.openGeometry()
  seedLiquid(setting, liquid, particles, options)
  particles.sort()
  liquid.surface(options.particles.perCell)
  const values = Float64Array.from(liquid.arrays.phi)
  const errors = points.map(point => interpolate(grid, grid.shape, [0.5, 0.5, 0.5], values, ...point))
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length
  return Math.sqrt(errors.reduce((sum, error) => sum + (error - mean) ** 2, 0) / errors.length)
}

const along = (count: number) => Array.from({ length: count }, (_, n) => (n + 0.5) / count)

describe('the surface at the start', () => {
  it.each([15.05, 15.3, 15.55, 15.8])('of a pool is flat: %d cells deep', level => {
    const pool = body((_x, y) => y - level / 32)
    const flat = along(100).map((x): Point => [x, level / 32, 0])
    // From jittered particles alone it is 0.08 to 0.15, in 3D 0.05 to 0.11.
    expect(roughnessOf(settingOf([32, 32], 1 / 32, { liquid: [pool] }), flat)).toBeLessThan(0.04)
    const plane = along(30).flatMap(x => along(30).map((z): Point => [x / 2, level / 32, z / 2]))
    expect(roughnessOf(settingOf([16, 32, 16], 1 / 32, { liquid: [pool] }), plane)).toBeLessThan(0.04)
  })

  it('of a ball is round', () => {
    const points = along(100).map((n): Point => [0.5 + 0.3 * Math.cos(2 * Math.PI * n), 0.5 + 0.3 * Math.sin(2 * Math.PI * n), 0])
    const setting = settingOf([40, 40], 1 / 40, { liquid: [body(sphere([0.5, 0.5], 0.3))] })
    expect(roughnessOf(setting, points)).toBeLessThan(0.04)
  })

  it('leaves particles out of solids and in the domain', async () => {
    const floor = solid((x, y) => y - 0.3 - 0.2 * x)
    const setting = settingOf([24, 24], 1 / 24, { liquid: [body((_x, y) => y - 0.45)], solids: [floor] })
    const simulation = await createSimulation(setting, { threads: 1, seed: 3 })
    const { position } = simulation.capture({ particles: true }).particles!
    simulation.dispose()
    expect(position.length).toBeGreaterThan(100)
    for (let at = 0; at < position.length; at += 3) {
      expect(position[at + 1] - 0.3 - 0.2 * position[at]).toBeGreaterThan(-1e-6)
      for (let axis = 0; axis < 3; axis++) expect(position[at + axis]).toBeGreaterThanOrEqual(0)
    }
  })
})
