/** Particles near the surface only: deeper liquid is carried by the grid, and behaves as if there were particles everywhere. */
import { afterEach, describe, expect, it } from 'vitest'
import { box, complement, halfSpace, sphere } from '../../src/grid/shapes.js'
import type { Frame } from '../../src/liquid/frame.js'
import type { SimulationOptions } from '../../src/liquid/options.js'
import { hasConverged } from '../../src/liquid/records.js'
import type { SimulationState } from '../../src/liquid/saving/state.js'
import { createSimulation, type Simulation } from '../../src/liquid/simulation.js'
import type { SceneSetting } from '../../src/scene/setting.js'
import { centreOf } from '../support/centre.js'
import { body, settingOf, solid } from '../support/settings.js'

const open: Simulation[] = []
afterEach(() => {
  for (const simulation of open.splice(0)) simulation.dispose()
})

async function simulate(
  setting: SceneSetting,
  band: number,
  options: SimulationOptions = {},
  state?: SimulationState,
): Promise<Simulation> {
  const simulation = await createSimulation(setting, { threads: 1, seed: 1, ...options, particles: { band } }, state)
  open.push(simulation)
  return simulation
}

/** Cells from a particle down to the nearest cell without liquid, diagonals like straight steps. */
function deepest({ grid, liquid, particles }: Frame): number {
  const [nx, ny] = grid.shape
  let most = 0
  const { position } = particles!
  for (let p = 0; p < position.length; p += 3) {
    const [i, j] = [position[p], position[p + 1]].map(x => Math.floor(x / grid.spacing))
    let depth = 0
    const isLiquid = (a: number, b: number) => a < 0 || b < 0 || a >= nx || b >= ny || liquid[a + nx * b] < 0
    const ring = (r: number) =>
      Array.from({ length: 2 * r + 1 }, (_, n) => n - r).every(
        s => isLiquid(i + s, j - r) && isLiquid(i + s, j + r) && isLiquid(i - r, j + s) && isLiquid(i + r, j + s),
      )
    while (depth < 20 && ring(depth)) depth++
    most = Math.max(most, depth)
  }
  return most
}

describe('thick walls', () => {
  it('have nothing in them that falls on and on', async () => {
    const drum = settingOf([40, 40], 1 / 40, {
      liquid: [body(halfSpace([0, 0.5], [0, 1]))],
      solids: [solid(complement(sphere([0.5, 0.5], 0.38)))],
    })
    const simulation = await simulate(drum, 3)
    for (let n = 0; n < 24; n++) await simulation.advance()
    // Liquid at rest, for a second: what falls freely would be at 10 m/s.
    for (const velocity of simulation.save().deep!.velocity) expect(Math.max(...velocity.map(Math.abs))).toBeLessThan(1)
  })
})

describe('a deep tank', () => {
  const tank = settingOf([40, 40], 1 / 40, { liquid: [body(halfSpace([0, 0.71], [0, 1]))] })

  it.each([3, 5])('has particles only within %d cells of its surface, and the same volume', async band => {
    const simulation = await simulate(tank, band)
    const before = simulation.particles
    for (let n = 0; n < 6; n++) {
      const record = await simulation.advance()
      expect(Math.abs(record.volume / record.expectedVolume - 1)).toBeLessThan(0.01)
    }
    expect(simulation.particles).toBeLessThan(((band + 2.5) / 28) * before)
    expect(simulation.particles).toBeGreaterThan(((band - 0.5) / 28) * before)
    // Those of the lowest layer may move on by less than a cell before they are looked at again.
    expect(deepest(simulation.capture({ particles: true }))).toBeLessThanOrEqual(band + 1)
  })

  it('keeps them where liquid comes and goes, however deep', async () => {
    // From when on nothing but the band's particles would be left.
    const drain = { phi: sphere([0.5, 0.1, 0], 0.06), from: 0.1, until: 0.5 }
    const simulation = await simulate({ ...tank, drains: [drain] }, 3)
    let removed = 0
    let first = 0
    for (let n = 0; n < 16; n++) {
      const record = await simulation.advance()
      if (n === 0) first = record.expectedVolume
      removed += record.removed
      // A drain takes faster than a surface falls.
      expect(Math.abs(record.volume / record.expectedVolume - 1)).toBeLessThan(n < 13 ? 0.05 : 0.01)
      // Liquid enters the drain as fast as it falls into it, and no faster.
      if (n === 15) expect(record.expectedVolume).toBeLessThan(0.65 * first)
    }
    expect(removed).toBeGreaterThan(100)
  })
})

describe('a breaking dam', () => {
  it.each([
    { name: '2D', shape: [48, 48], size: 1 / 48 },
    { name: '3D', shape: [24, 24, 24], size: 1 / 24 },
  ])('falls as it does with particles everywhere, $name', async ({ shape, size }) => {
    const z = shape.length === 2 ? 0 : 0.5
    const setting = settingOf(shape, size, { liquid: [body(box([0.25, 0.4, z], [0.25, 0.4, 0.5]))] })
    // As many substeps for both: one more of them changes the energy more than a band does.
    const time = { minSubsteps: 4, maxSubsteps: 4 }
    const [all, band] = [await simulate(setting, 0, { time }), await simulate(setting, 3, { time })]
    for (let n = 0; n < 8; n++) {
      const [a, b] = [await all.advance(), await band.advance()]
      expect(hasConverged(b)).toBe(true)
      expect(Math.abs(b.energy.kinetic / a.energy.kinetic - 1)).toBeLessThan(0.04)
      const [x, y] = [centreOf(all.capture()), centreOf(band.capture())]
      for (let axis = 0; axis < 2; axis++) expect(Math.abs(x[axis] - y[axis])).toBeLessThan(0.25 * size)
    }
  })
})

describe('deep liquid', () => {
  it('flies on as it is where nothing pushes', async () => {
    const setting = settingOf([64, 64], 1 / 64, {
      gravity: () => [0, 0, 0],
      liquid: [body(sphere([0.4, 0.4], 0.25), [0.9, 0.6, 0])],
    })
    const simulation = await simulate(setting, 3, { time: { fps: 50 }, volume: { correction: false } })
    const [x, y] = centreOf(simulation.capture())
    for (let n = 0; n < 10; n++) await simulation.advance()
    const frame = simulation.capture({ fields: true })
    const centre = centreOf(frame)
    expect(centre[0] - x).toBeCloseTo(0.9 * 0.2, 2)
    expect(centre[1] - y).toBeCloseTo(0.6 * 0.2, 2)
    const { fields, grid, liquid } = frame
    for (let cell = 0; cell < grid.cells; cell++) {
      if (liquid[cell] >= 0) continue
      const row = Math.floor(cell / 64)
      expect(fields!.velocity[0][cell + row]).toBeCloseTo(0.9, 3)
      expect(fields!.velocity[1][cell]).toBeCloseTo(0.6, 3)
    }
  })

  it('comes off a ceiling that cuts through cells, with g', async () => {
    // Deep down to the wall, whose contacts have their centres on either side of it.
    for (const ceiling of [0.94, 0.953]) {
      const setting = settingOf([40, 40], 1 / 40, {
        liquid: [body(halfSpace([0, 0.55], [0, -1]))],
        solids: [solid(complement(halfSpace([0, ceiling], [0, 1])))],
      })
      const simulation = await simulate(setting, 3, { time: { fps: 50 }, volume: { correction: false } })
      const [, before] = centreOf(simulation.capture())
      for (let n = 0; n < 6; n++) await simulation.advance()
      const frame = simulation.capture()
      const fallen = before - centreOf(frame)[1]
      expect(fallen).toBeGreaterThan(0.9 * 0.5 * 9.81 * 0.12 ** 2)
      expect(fallen).toBeLessThan(1.5 * 0.5 * 9.81 * 0.12 ** 2)
      const row = Math.floor(ceiling * 40) - 1
      for (let i = 0; i < 40; i++) expect(frame.liquid[i + 40 * row]).toBeGreaterThan(0)
    }
  })

  it('goes on turning in a full drum about as long as with particles', async () => {
    const drum = solid(complement(sphere([0.5, 0.5], 0.45)))
    const spin = { phi: sphere([0.5, 0.5], 0.5), velocity: (x: number, y: number) => [4 * (0.5 - y), 4 * (x - 0.5), 0] as const }
    const energies = async (band: number) => {
      const simulation = await simulate(settingOf([48, 48], 1 / 48, { liquid: [spin], solids: [drum] }), band)
      const start = (await simulation.advance()).energy.kinetic
      for (let n = 0; n < 22; n++) await simulation.advance()
      return (await simulation.advance()).energy.kinetic / start
    }
    const [particles, grid] = [await energies(0), await energies(3)]
    expect(grid).toBeGreaterThan(0.9 * particles)
    expect(grid).toBeLessThan(1)
  })
})

describe('a saved state', () => {
  const pool = (n: number) => settingOf([n, n], 1 / n, { liquid: [body(box([0.3, 0.4], [0.3, 0.4]))] })

  it('holds deep liquid, and is not gone on from without a band or on another grid', async () => {
    const simulation = await simulate(pool(32), 3)
    await simulation.advance()
    const state = simulation.save()
    expect(state.deep!.carried.filter(depth => depth > 3 * 16).length).toBeGreaterThan(100)
    expect(state.deep!.velocity[1].some(v => v < -0.01)).toBe(true)
    await expect(simulate(pool(32), 0, {}, state)).rejects.toThrow('particles.band')
    await expect(simulate(pool(24), 3, {}, state)).rejects.toThrow('another grid')
  })

  it.each([1, 2, 13, 3.5])('is not made with a band of %d cells', async band => {
    await expect(simulate(pool(8), band)).rejects.toThrow('particles.band must be 0 or a whole number from 3 to 12')
  })
})
