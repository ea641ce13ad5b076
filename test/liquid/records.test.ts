/** What records say a liquid has in total: momentum, angular momentum, energy and volume, against what is known of it. */
import { afterEach, describe, expect, it } from 'vitest'
import { box, halfSpace, sphere } from '../../src/grid/shapes.js'
import type { SimulationOptions } from '../../src/liquid/options.js'
import type { FrameRecord } from '../../src/liquid/records.js'
import { createSimulation, type Simulation } from '../../src/liquid/simulation.js'
import type { SceneSetting, Vector } from '../../src/scene/setting.js'
import { body, settingOf } from '../support/settings.js'

const open: Simulation[] = []
afterEach(() => {
  for (const simulation of open.splice(0)) simulation.dispose()
})

const DENSITY = 700
const WEIGHTLESS = { gravity: (): Vector => [0, 0, 0] }

async function simulate(setting: SceneSetting, options: SimulationOptions = {}): Promise<Simulation> {
  const simulation = await createSimulation(setting, { seed: 3, density: DENSITY, engine: 'wasm', ...options })
  open.push(simulation)
  return simulation
}

async function recordsOf(setting: SceneSetting, frames: number, options: SimulationOptions = {}): Promise<FrameRecord[]> {
  const simulation = await simulate(setting, options)
  const records: FrameRecord[] = []
  while (records.length < frames) records.push(await simulation.advance())
  return records
}

const METHODS = [
  { name: 'FLIP', particles: { method: 'flip' } },
  { name: 'APIC', particles: { method: 'apic' } },
  { name: 'a band', particles: { method: 'flip', band: 3 } },
] as const

describe.each(METHODS)('with $name', ({ particles }) => {
  it.each([
    { shape: [40, 40], centre: [0.4, 0.5, 0], velocity: [1.2, -0.7, 0] },
    { shape: [24, 20, 22], centre: [0.42, 0.41, 0.45], velocity: [1.2, -0.7, 0.4] },
  ] as const)('a drifting body has the momentum m v, and m r × v about the middle: %j', async ({ shape, centre, velocity }) => {
    const spacing = 1 / shape[0]
    const setting = settingOf(shape, spacing, { ...WEIGHTLESS, liquid: [body(sphere([...centre], 0.3), [...velocity])] })
    const fps = 60
    const [record] = (await recordsOf(setting, 3, { particles, time: { fps } })).slice(-1)
    const mass = DENSITY * record.particleVolume
    const r = centre.map((x, axis) => (axis < shape.length ? x + (velocity[axis] * 3) / fps - 0.5 * shape[axis] * spacing : 0))
    const [u, v, w] = velocity
    const angular = [r[1] * w - r[2] * v, r[2] * u - r[0] * w, r[0] * v - r[1] * u]
    const speed = Math.hypot(...velocity)
    for (let axis = 0; axis < 3; axis++) {
      expect(Math.abs(record.momentum[axis] - mass * velocity[axis])).toBeLessThan(1e-3 * mass * speed)
      // Particles at the rim are seeded at random: the centre is off by some hundredths of a cell.
      expect(Math.abs(record.angularMomentum[axis] - mass * angular[axis])).toBeLessThan(0.05 * spacing * mass * speed)
    }
    expect(record.energy.kinetic / (0.5 * mass * speed ** 2)).toBeCloseTo(1, 2)
    expect(record.energy.noise).toBeLessThan(1e-4 * record.energy.kinetic)
    expect(record.energy.potential).toBe(0)
    const true3D = (4 / 3) * Math.PI * 0.3 ** 3
    expect(Math.abs(record.particleVolume / (shape.length === 2 ? Math.PI * 0.09 : true3D) - 1)).toBeLessThan(0.02)
  })

  it('a disc that turns has the angular momentum I ω', async () => {
    const [rate, radius] = [2, 0.42]
    const disc = {
      phi: sphere([0.5, 0.5, 0], radius),
      velocity: (x: number, y: number): Vector => [-rate * (y - 0.5), rate * (x - 0.5), 0],
    }
    // Nothing has happened yet after so short a time, except that velocities went through the grid.
    const setting = settingOf([64, 64], 1 / 64, { ...WEIGHTLESS, liquid: [disc] })
    const [{ angularMomentum, energy, momentum, particleVolume }] = await recordsOf(setting, 1, {
      particles,
      time: { fps: 1000 },
    })
    const inertia = 0.5 * DENSITY * Math.PI * radius ** 4
    expect(angularMomentum[0]).toBe(0)
    expect(angularMomentum[1]).toBe(0)
    expect(Math.abs(angularMomentum[2] / (inertia * rate) - 1)).toBeLessThan(0.01)
    expect(Math.abs(energy.kinetic / (0.5 * inertia * rate ** 2) - 1)).toBeLessThan(0.015)
    expect(Math.hypot(...momentum)).toBeLessThan(1e-3 * DENSITY * particleVolume * rate * radius)
  })

  it('a block that falls turns potential energy into kinetic energy', async () => {
    const gravity: Vector = [3, -9, 0]
    const setting = settingOf([40, 40], 1 / 40, { gravity: () => gravity, liquid: [body(box([0.4, 0.6, 0], [0.2, 0.2, 1]))] })
    const fps = 100
    const records = await recordsOf(setting, 8, { particles, time: { fps } })
    const start = DENSITY * 0.16 * (-gravity[0] * 0.4 - gravity[1] * 0.6)
    for (const { energy, momentum, particleVolume, time } of records) {
      const mass = DENSITY * particleVolume
      const middle = time - 0.5 / fps
      const total = (energy.kinetic + energy.potential) * ((0.16 * DENSITY) / mass)
      expect(Math.abs(total - start)).toBeLessThan(0.005 * start)
      // A band drops particles and seeds others, by chance.
      expect(Math.abs(particleVolume / 0.16 - 1)).toBeLessThan('band' in particles ? 0.03 : 1e-6)
      expect(momentum[0] / (mass * gravity[0] * middle)).toBeCloseTo(1, 2)
      expect(momentum[1] / (mass * gravity[1] * middle)).toBeCloseTo(1, 2)
    }
    expect(records[7].energy.kinetic).toBeGreaterThan(0.05 * start)
  })
})

it('counts the volume of all particles, whatever the surface shows', async () => {
  const setting = settingOf([24, 24], 1 / 24, { liquid: [body(box([0.3, 0.3, 0], [0.3, 0.3, 1]))] })
  for (const { particles, particleVolume } of await recordsOf(setting, 4, { particles: { perCell: 5 } }))
    expect(particleVolume).toBeCloseTo(particles / 5 / 24 ** 2, 12)
})

it.each([
  { shape: [48, 48], frames: 6 },
  { shape: [20, 24, 18], frames: 4 },
])('counts deep liquid, which has no particles, as if it had some: %j', async ({ shape, frames }) => {
  const [width, height] = shape.map(cells => cells / shape[0])
  const liquid = [body(box([0.25 * width, 0.4 * height, 0.5], [0.25 * width, 0.4 * height, 2]))]
  const setting = settingOf(shape, 1 / shape[0], { liquid })
  const time = { minSubsteps: 4, maxSubsteps: 4 }
  const [all, band] = await Promise.all([0, 3].map(band => recordsOf(setting, frames, { particles: { band }, time })))
  // Liquid that changes between having particles and having none is not quite the same: about 0.2 % more of it a frame.
  const bound = 0.015
  for (const [n, record] of band.entries()) {
    const wanted = all[n]
    expect(record.particles).toBeLessThan(0.8 * wanted.particles)
    expect(Math.abs(record.particleVolume / wanted.particleVolume - 1)).toBeLessThan(bound)
    expect(Math.abs(record.energy.potential / wanted.energy.potential - 1)).toBeLessThan(bound)
    const released = all[0].energy.potential + all[0].energy.kinetic
    expect(Math.abs(record.energy.kinetic - wanted.energy.kinetic)).toBeLessThan(bound * released)
    // If all of it moved the same way.
    const momentum = Math.sqrt(2 * DENSITY * wanted.particleVolume * wanted.energy.kinetic)
    for (let axis = 0; axis < 3; axis++) {
      expect(Math.abs(record.momentum[axis] - wanted.momentum[axis])).toBeLessThan(bound * momentum)
      expect(Math.abs(record.angularMomentum[axis] - wanted.angularMomentum[axis])).toBeLessThan(bound * momentum)
    }
  }
})

it('has the same bits with two threads and after a saved state', async () => {
  const setting = settingOf([20, 24, 18], 1 / 20, { liquid: [body(box([0.3, 0.4, 0.5], [0.3, 0.4, 1]))] })
  for (const band of [0, 3]) {
    const options = { particles: { band } }
    const one = await simulate(setting, options)
    const two = await simulate(setting, { ...options, engine: 'threads', threads: 2 })
    await one.advance()
    await two.advance()
    const resumed = await createSimulation(setting, { seed: 3, density: DENSITY, engine: 'wasm', ...options }, one.save())
    open.push(resumed)
    const [wanted, ...others] = [await one.advance(), await two.advance(), await resumed.advance()].map(
      ({ momentum, angularMomentum, energy, particleVolume, thinVolume }) => ({
        momentum,
        angularMomentum,
        energy,
        particleVolume,
        thinVolume,
      }),
    )
    for (const found of others) expect(found).toEqual(wanted)
  }
})

describe('thin liquid', () => {
  const still = { ...WEIGHTLESS }
  const thinShare = async (shape: readonly number[], liquid: SceneSetting['liquid'], parts: Partial<SceneSetting> = still) => {
    const [{ thinVolume, particleVolume }] = await recordsOf(settingOf(shape, 1 / 32, { liquid, ...parts }), 1)
    return thinVolume / particleVolume
  }

  it.each([
    [32, 32],
    [32, 32, 12],
  ])('is all of a sheet of half a cell, and none of one of two cells: %d × %d', async (...shape) => {
    for (const at of [0.5, 0.51, 0.515]) {
      expect(await thinShare(shape, [body(box([0.5, at, 0.2], [0.3, 0.25 / 32, 9]))])).toBeGreaterThan(0.95)
      expect(await thinShare(shape, [body(box([0.5, at, 0.2], [0.3, 1 / 32, 9]))])).toBeLessThan(0.1)
    }
  })

  it('is hardly any of a pool, whatever its level', async () => {
    for (const level of [0.3, 0.31, 0.32, 0.33])
      for (const shape of [
        [32, 24],
        [16, 24, 16],
      ])
        expect(await thinShare(shape, [body(halfSpace([0, level, 0], [0, 1, 0]))], {})).toBeLessThan(0.005)
  })

  it('is all of drops of a cell', async () => {
    const drops = [0.1, 0.3, 0.5, 0.7, 0.9].map(x => body(sphere([x, x, 0], 0.6 / 32)))
    expect(await thinShare([32, 32], drops)).toBe(1)
  })
})
