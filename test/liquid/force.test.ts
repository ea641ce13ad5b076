/** A force of the caller's, against theory: uniform, balanced, and a spring. */
import { afterEach, describe, expect, it } from 'vitest'
import { box, sphere } from '../../src/grid/shapes.js'
import type { SimulationOptions } from '../../src/liquid/options.js'
import type { SimulationState } from '../../src/liquid/saving/state.js'
import { createSimulation, type Simulation } from '../../src/liquid/simulation.js'
import type { Force, SceneSetting, Vector } from '../../src/scene/setting.js'
import { body, EARTH, settingOf, solid } from '../support/settings.js'

const open: Simulation[] = []
afterEach(() => {
  for (const simulation of open.splice(0)) simulation.dispose()
})

async function simulate(setting: SceneSetting, options: SimulationOptions = {}, state?: SimulationState): Promise<Simulation> {
  const simulation = await createSimulation(setting, { threads: 1, seed: 3, ...options }, state)
  open.push(simulation)
  return simulation
}

const weightless = { gravity: (): Vector => [0, 0, 0] }

function mean(simulation: Simulation, axis: number): number {
  const { position } = simulation.capture({ particles: true }).particles!
  let sum = 0
  for (let at = axis; at < position.length; at += 3) sum += position[at]
  return sum / (position.length / 3)
}

/** In 3D the third component is the second once more. */
const point = (dims: number, x: number, y: number) => (dims === 2 ? ([x, y] as const) : ([x, y, y] as const))

/** Liquid that falls onto an obstacle and splashes: everything that a substep has to do. */
const splash = {
  2: settingOf([32, 24], 1 / 24, {
    liquid: [body(box([0.35, 0.6], [0.3, 0.3]))],
    solids: [solid(sphere([0.4, 0.15], 0.12))],
  }),
  3: settingOf([16, 16, 12], 1 / 12, {
    liquid: [body(box([0.5, 0.8, 0.5], [0.4, 0.4, 0.3]))],
    solids: [solid(sphere([0.5, 0.2, 0.5], 0.2))],
  }),
}

describe.each([2, 3] as const)('in %sD', dims => {
  it.each([
    ['portable', { engine: 'portable' }],
    ['wasm', { engine: 'wasm' }],
    ['threads', { engine: 'threads', threads: 2 }],
    ['wasm, with APIC', { engine: 'wasm', particles: { method: 'apic' } }],
    ['wasm, with deep liquid', { engine: 'wasm', particles: { band: 3 } }],
  ] as const)('a uniform force has the bits of the same gravity: %s', async (_, options) => {
    const pull: Vector = [1.5, -9.81, dims === 3 ? -0.5 : 0]
    const time = { fps: 30 }
    const pulled = await simulate({ ...splash[dims], gravity: () => pull }, { ...options, time })
    const forced = await simulate({ ...splash[dims], ...weightless }, { ...options, time, force: () => pull })
    // A force acts where liquid can be, gravity everywhere: later, single drops in corners whose faces are all slivers, so that none of them has a
    // velocity of its own, can tell the difference.
    for (let n = 0; n < (options.engine === 'portable' ? 3 : 8); n++) {
      const [a, b] = [await pulled.advance(), await forced.advance()]
      expect(b.substeps.map(({ dt }) => dt)).toEqual(a.substeps.map(({ dt }) => dt))
      expect(b.energy.kinetic).toBe(a.energy.kinetic)
    }
    expect(forced.save().columns).toEqual(pulled.save().columns)
  })

  it('a force against gravity holds liquid in the air', async () => {
    const setting = settingOf([24, 24, 24].slice(0, dims), 1 / 24, {
      liquid: [body(box(point(dims, 0.5, 0.6), point(dims, 0.2, 0.2)))],
    })
    const simulation = await simulate(setting, { time: { fps: 2 }, force: () => EARTH.map(part => -part) })
    expect(simulation.particles).toBeGreaterThan(100)
    const start = simulation.save().columns.map(column => column.slice())
    for (let n = 0; n < 8; n++) {
      const { substeps, largestSpeed } = await simulation.advance()
      // Nothing gets faster, so one substep is enough, although a fall in this time would need several.
      expect(substeps).toHaveLength(1)
      expect(largestSpeed).toBe(0)
    }
    const end = simulation.save().columns
    expect(end.slice(3)).toEqual(start.slice(3))
    // Particles move apart, but the liquid stays where it is.
    for (let axis = 0; axis < dims; axis++) {
      const meanOf = (column: Float32Array) => column.reduce((sum, value) => sum + value / column.length, 0)
      expect(Math.abs(meanOf(end[axis]) - meanOf(start[axis]))).toBeLessThan(0.02)
    }
  })

  it('a spring moves a drop as it moves a point', async () => {
    // Momentum is conserved inside the drop, and the mean of a linear force is that at the mean place: x'' = -ω² (x - c).
    const [centre, amplitude, omega] = [0.5, 0.2, 2 * Math.PI]
    const spring: Force = (x, y, z) => [x, y, z].map(place => -omega * omega * (place - centre))
    const resolution = dims === 2 ? 32 : 20
    const drop = sphere(point(dims, centre + amplitude, centre), 0.12)
    const setting = settingOf(Array(dims).fill(resolution), 1 / resolution, { liquid: [body(drop)], ...weightless })
    const largestError = async (fps: number, seed: number) => {
      const simulation = await simulate(setting, {
        seed,
        time: { fps },
        force: dims === 2 ? (x, y) => spring(x, y, 0.5, 0) : spring,
      })
      const offset = mean(simulation, 0) - centre
      let largest = 0
      while (simulation.time < 0.75) {
        await simulation.advance()
        largest = Math.max(largest, Math.abs(mean(simulation, 0) - centre - offset * Math.cos(omega * simulation.time)))
        expect(mean(simulation, 1)).toBeCloseTo(centre, 2)
      }
      return largest
    }
    // Second order: the period of velocity Verlet is too short by a share of (ω dt)²/24. What remains is the noise of the grid, which is up to
    // twice as large as usual for one of eight seeds.
    const bound = (fps: number) => (amplitude * omega * 0.75 * (omega / fps) ** 2) / 24 + 0.05 / resolution
    for (const fps of [32, 128]) {
      const errors = await Promise.all([1, 2, 3, 4].map(seed => largestError(fps, seed)))
      expect(errors.reduce((sum, error) => sum + error) / errors.length).toBeLessThan(bound(fps))
    }
  })

  it('is asked once per face, where there is liquid, at the start of each substep', async () => {
    const setting = settingOf([20, 20, 20].slice(0, dims), 0.1, {
      liquid: [body(box(point(dims, 0.5, 0.5), point(dims, 0.3, 0.3)))],
      ...weightless,
    })
    const calls: number[][] = []
    const simulation = await simulate(setting, {
      time: { fps: 20, minSubsteps: 2, maxSubsteps: 2 },
      force(...call) {
        calls.push(call)
        return [0, 0, 0]
      },
    })
    await simulation.advance()
    const places = new Set(calls.map(call => call.join(' ')))
    expect(places.size).toBe(calls.length)
    expect([...new Set(calls.map(call => call[3]))]).toEqual([0, 0.025])
    // Four cells beyond the liquid at most, and no face without a half: they are at the middle of faces.
    expect(Math.max(...calls.map(call => Math.max(...call.slice(0, dims))))).toBeLessThan(0.8 + 0.4)
    for (const [x, y, z] of calls) {
      const halves = [x, y, z].slice(0, dims).filter(place => Math.abs(((place / 0.1) % 1) - 0.5) < 1e-6)
      expect(halves).toHaveLength(dims - 1)
      if (dims === 2) expect(z).toBe(0)
    }
  })
})

it('a strong force shortens substeps before anything moves', async () => {
  const setting = settingOf([32, 32], 1 / 32, { liquid: [body(box([0.3, 0.5], [0.2, 0.2]))], ...weightless })
  const simulation = await simulate(setting, { time: { fps: 24, maxSubsteps: 1000 }, force: () => [1000, 0] })
  const { substeps } = await simulation.advance()
  expect((1000 * substeps[0].dt ** 2) / 2).toBeLessThanOrEqual((3 / 32) * 1.002)
  expect(substeps.length).toBeGreaterThan(3)
})

it('a run continued from a saved state has the bits of one that was not', async () => {
  const force: Force = (x, y, _, time) => [5 * Math.sin(7 * time) - x, 3 * y, 0]
  const first = await simulate(splash[2], { force })
  for (let n = 0; n < 3; n++) await first.advance()
  const second = await simulate(splash[2], { force }, first.save())
  for (let n = 0; n < 3; n++) expect((await second.advance()).energy.kinetic).toBe((await first.advance()).energy.kinetic)
  expect(second.save().columns).toEqual(first.save().columns)
})

describe('what is no force', () => {
  it.each([7, 'down', {}, [0, -9.81]])('%s is refused', async force => {
    await expect(simulate(splash[2], { force: force as never })).rejects.toThrow(
      'The options of the simulation: force must be a function',
    )
  })

  it.each([
    ['NaN', [Number.NaN, 0], '[NaN, 0]'],
    ['an infinity', [0, Number.NEGATIVE_INFINITY], '[0, -Infinity]'],
    ['too few numbers', [1], '[1]'],
    ['a number', 3, '3'],
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
  ])('%s ends the frame with a sentence that names the place', async (_, found, shown) => {
    const simulation = await simulate(splash[2], { force: (x, _y, _z, time) => (time > 0 && x > 0.4 ? found : [0, 0]) as never })
    await simulation.advance()
    const failure = await simulation.advance().catch(error => error)
    expect(failure.name).toBe('InputError')
    expect(failure.message).toMatch(/^The force at \(0\.\d+, 0\.\d+\) m and 0\.041\d+ s must be 2 finite numbers in m\/s², not /)
    expect(failure.message).toContain(`not ${shown}.`)
  })

  it('leaves the simulation as it was if the frame can be given up', async () => {
    let isBroken = false
    const force: Force = () => (isBroken ? [Number.NaN, 0] : [1, 0])
    const [simulation, other] = [await simulate(splash[2], { force }), await simulate(splash[2], { force: () => [1, 0] })]
    const { signal } = new AbortController()
    await simulation.advance({ signal })
    isBroken = true
    await expect(simulation.advance({ signal })).rejects.toThrow('The force at')
    isBroken = false
    await simulation.advance({ signal })
    for (let n = 0; n < 2; n++) await other.advance()
    expect(simulation.save().columns).toEqual(other.save().columns)
  })
})
