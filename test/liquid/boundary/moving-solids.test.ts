/** Solids that move, and the liquid that they take along. */
import { afterEach, describe, expect, it } from 'vitest'
import { box, complement, halfSpace, sphere } from '../../../src/grid/shapes.js'
import { hasConverged } from '../../../src/liquid/records.js'
import { createSimulation, type Simulation } from '../../../src/liquid/simulation.js'
import { body, moving, settingOf, turning } from '../../support/settings.js'

const open: Simulation[] = []
afterEach(() => {
  for (const simulation of open.splice(0)) simulation.dispose()
})

async function simulate(...given: Parameters<typeof createSimulation>): Promise<Simulation> {
  const [setting, options] = given
  const simulation = await createSimulation(setting, { threads: 1, seed: 1, ...options })
  open.push(simulation)
  return simulation
}

const velocities = (simulation: Simulation) => simulation.capture({ particles: true }).particles!

describe('a tank that is carried along', () => {
  it.each([
    { name: 'its liquid feels nothing', gravity: [0, 0, 0] as const },
    { name: 'its liquid rests on its floor', gravity: [0, -9.81, 0] as const },
  ])('$name', async ({ gravity }) => {
    const speed = 0.9
    const tank = moving(complement(box([0.5, 0.5], [0.3, 0.3])), [speed, 0, 0])
    const liquid = [body(halfSpace([0, 0.51], [0, 1]), [speed, 0, 0])]
    const setting = settingOf([96, 32], 1 / 32, { gravity: () => gravity, liquid, solids: [tank] })
    const simulation = await simulate(setting, { time: { fps: 50 } })
    for (let n = 0; n < 50; n++) expect(hasConverged(await simulation.advance())).toBe(true)
    const { velocity, position } = velocities(simulation)
    let [along, across, mean] = [0, 0, 0]
    for (let p = 0; p < velocity.length; p += 3) {
      along += ((velocity[p] - speed) ** 2 * 3) / velocity.length
      across += (velocity[p + 1] ** 2 * 3) / velocity.length
      mean += (3 * (position[p] - speed)) / position.length
    }
    // Cut cells change as walls cross the grid; what a cell's fall would make is a hundred times that.
    expect(Math.sqrt(along + across)).toBeLessThan(0.1 * Math.sqrt((2 * 9.81) / 32))
    expect(mean).toBeCloseTo(0.5, 2)
  })
})

describe('a tank that is carried along by two cells a substep', () => {
  it.each(['flip', 'apic'] as const)('leaves its liquid where it is in the tank, and as it is: %s', async method => {
    const speed = 3
    const tank = moving(complement(box([0.5, 0.5], [0.3, 0.3])), [speed, 0, 0])
    const liquid = [body(halfSpace([0, 0.51], [0, 1]), [speed, 0, 0])]
    const setting = settingOf([80, 32], 1 / 32, { gravity: () => [0, 0, 0], liquid, solids: [tank] })
    const simulation = await simulate(setting, { time: { fps: 48, maxSubsteps: 1 }, particles: { method } })
    const start = velocities(simulation).position.slice()
    for (let n = 0; n < 24; n++) expect(hasConverged(await simulation.advance())).toBe(true)
    const { velocity, position } = velocities(simulation)
    const mean = (values: Float32Array) => values.reduce((sum, value, at) => (at % 3 === 0 ? sum + value : sum), 0)
    const way = (mean(position) - mean(start)) / (start.length / 3)
    expect(Math.abs(way - speed * simulation.time)).toBeLessThan(0.01 / 32)
    let fastest = 0
    for (let p = 0; p < velocity.length; p += 3) fastest = Math.max(fastest, Math.hypot(velocity[p] - speed, velocity[p + 1]))
    expect(fastest).toBeLessThan(1e-4)
    expect(position.every((x, at) => at % 3 !== 0 || Math.abs(x - speed * simulation.time - 0.5) < 0.3 + 1e-4)).toBe(true)
  })
})

describe('a piston', () => {
  it.each([
    { name: '2D', shape: [48, 16], z: 0 },
    { name: '3D', shape: [36, 8, 6], z: 0.2 },
  ])('pushes liquid at its speed, $name', async ({ shape, z }) => {
    const speed = 0.5
    const h = 0.5 / 16
    const high = shape[1] * h
    // Liquid from wall to wall and from floor to ceiling, with nothing behind it to stop it.
    const piston = moving(box([0.1, 0.25, z], [0.1, 2, 2]), [speed, 0, 0])
    const liquid = [body(box([0.4, 0.25, z], [0.2, 2, 2]))]
    const setting = settingOf(shape, h, { gravity: () => [0, 0, 0], liquid, solids: [piston] })
    const simulation = await simulate(setting, { time: { fps: 50 } })
    for (let n = 0; n < 10; n++) expect(hasConverged(await simulation.advance())).toBe(true)
    const { velocity, position } = velocities(simulation)
    let mean = 0
    for (let p = 0; p < velocity.length; p += 3) {
      mean += (3 * velocity[p]) / velocity.length
      expect(position[p]).toBeGreaterThan(0.2 + speed * 0.2 - 1e-3)
      expect(position[p + 1]).toBeLessThan(high)
    }
    expect(mean).toBeCloseTo(speed, 2)
  })

  it('leaves liquid behind that it draws back from', async () => {
    const piston = moving(box([0.1, 0.25], [0.1, 2]), [-0.5, 0, 0])
    const liquid = [body(box([0.4, 0.25], [0.2, 2]))]
    const simulation = await simulate(settingOf([48, 16], 0.5 / 16, { gravity: () => [0, 0, 0], liquid, solids: [piston] }))
    for (let n = 0; n < 5; n++) await simulation.advance()
    const { velocity } = velocities(simulation)
    expect(Math.max(...velocity.map(Math.abs))).toBeLessThan(1e-3)
  })
})

describe('a drum that turns', () => {
  it('does not take along liquid that slips', async () => {
    // A ball about its own centre: its walls move along themselves only.
    const drum = turning(complement(sphere([0.5, 0.5], 0.4)), 3, [0.5, 0.5])
    const simulation = await simulate(
      settingOf([32, 32], 1 / 32, { liquid: [body(halfSpace([0, 0.4], [0, 1]))], solids: [drum] }),
    )
    for (let n = 0; n < 12; n++) expect(hasConverged(await simulation.advance())).toBe(true)
    const { velocity } = velocities(simulation)
    let energy = 0
    for (const u of velocity) energy += (0.5 * u * u * 3) / velocity.length
    expect(energy).toBeLessThan(0.02 * 0.5 * (3 * 0.4) ** 2)
  })
})
