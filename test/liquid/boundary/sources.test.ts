/** Sources and drains, one call at a time. */
import { afterEach, describe, expect, it } from 'vitest'
import { box, halfSpace, sphere } from '../../../src/grid/shapes.js'
import { createEmitter } from '../../../src/liquid/boundary/sources.js'
import { createCompiledLiquid } from '../../../src/liquid/compiled/liquid.js'
import { createCompiledParticles } from '../../../src/liquid/compiled/particles.js'
import { completeOptions } from '../../../src/liquid/options.js'
import { seedBodies } from '../../../src/liquid/particles/seed.js'
import { type LiquidMachine, liquidModule } from '../../../src/machine/generated/liquid.js'
import { startMachine } from '../../../src/machine/machine.js'
import type { SceneSetting } from '../../../src/scene/setting.js'
import { body, settingOf } from '../../support/settings.js'

const machines: LiquidMachine[] = []
afterEach(() => {
  for (const machine of machines.splice(0)) machine.dispose()
})

async function emitterOf(setting: SceneSetting) {
  const machine = await startMachine(liquidModule, 1)
  machines.push(machine)
  const options = completeOptions(setting.grid, { seed: 2 })
  const liquid = createCompiledLiquid(machine, setting.grid)
  const particles = createCompiledParticles(machine, liquid, false)
  liquid.openGeometry()
  particles.append(seedBodies(setting.grid, setting.liquid, () => 1e6, { ...options.particles, seed: 2 }))
  particles.sort()
  return { ...createEmitter(setting, options, liquid, particles), particles, liquid, h: setting.grid.spacing }
}

const at = (time: number, substep: number) => ({ time, substep, exchange: { owed: [] } })
const always = { from: 0, until: Infinity }
const ball = sphere([0.5, 0.5], 0.2)
/** Four particles in each of 256 cells to the square metre. */
const FULL = 4 * 256 * Math.PI * 0.2 ** 2

describe('a source', () => {
  const source = { ...body(ball, [1, -2, 0]), ...always }

  it('fills its shape, with its velocity, and then has nothing to add', async () => {
    const { emit, particles, h } = await emitterOf(settingOf([16, 16], 1 / 16, { sources: [source] }))
    const { added, removed } = emit(at(0, 0))
    expect(removed).toBe(0)
    expect(Math.abs(added / FULL - 1)).toBeLessThan(0.1)
    expect(particles.count).toBe(added)
    const [x, y, , u, v] = particles.columns()
    x.forEach((_, n) => {
      expect(ball(x[n] * h, y[n] * h, 0)).toBeLessThan(1e-6)
      expect([u[n], v[n]]).toEqual([1, -2])
    })
    particles.sort()
    expect(emit(at(0, 0)).added).toBe(0)
  })

  it('gives its velocity to what is there, and leaves the rest alone', async () => {
    const { emit, particles, h } = await emitterOf(settingOf([16, 16], 1 / 16, { liquid: [body(() => -1)], sources: [source] }))
    emit(at(0, 0))
    const [x, y, , u] = particles.columns()
    x.forEach((_, n) => {
      expect(u[n]).toBe(ball(x[n] * h, y[n] * h, 0) < 0 ? 1 : 0)
    })
  })

  it('adds nothing in the midst of liquid, nor in liquid without air', async () => {
    const full = await emitterOf(settingOf([16, 16], 1 / 16, { liquid: [body(() => -1)], sources: [source] }))
    expect(full.emit(at(0, 0)).added).toBe(0)
    const empty = await emitterOf(settingOf([16, 16], 1 / 16, { sources: [source] }))
    expect(empty.emit({ ...at(0, 0), sealed: new Uint8Array(256).fill(1) }).added).toBe(0)
  })

  it('runs from one time until another', async () => {
    const { emit } = await emitterOf(settingOf([16, 16], 1 / 16, { sources: [{ ...source, from: 1, until: 2 }] }))
    expect(emit(at(0.99, 0)).added).toBe(0)
    expect(emit(at(2, 0)).added).toBe(0)
    expect(emit(at(1, 0)).added).toBeGreaterThan(0)
  })

  it('fills up what has left in other places each time', async () => {
    const { emit, particles } = await emitterOf(settingOf([16, 16], 1 / 16, { sources: [source] }))
    const places: number[][] = []
    for (const substep of [0, 1]) {
      emit(at(0, substep))
      places.push([...particles.columns()[0]])
      for (let n = 0; n < particles.count; n++) particles.remove(n)
      particles.sort()
    }
    expect(places[0]).not.toEqual(places[1])
  })
})

describe('a drain', () => {
  it('takes what is in its shape and no more', async () => {
    const phi = box([0.5, 0.25], [0.2, 0.1])
    const liquid = [body(halfSpace([0, 0.5], [0, 1]))]
    const { emit, particles, h } = await emitterOf(settingOf([16, 16], 1 / 16, { liquid, drains: [{ phi, ...always }] }))
    const before = particles.count
    const { added, removed } = emit(at(0, 0))
    particles.sort()
    expect(added).toBe(0)
    expect(particles.count).toBe(before - removed)
    expect(Math.abs(removed / (4 * 256 * 0.4 * 0.2) - 1)).toBeLessThan(0.1)
    const [x, y] = particles.columns()
    x.forEach((_, n) => {
      expect(phi(x[n] * h, y[n] * h, 0)).toBeGreaterThan(-1e-6)
    })
  })

  it('takes nothing twice where it overlaps another one', async () => {
    const drain = { phi: halfSpace([0, 0.5, 0], [0, 1, 0]), ...always }
    const liquid = [body(() => -1)]
    const one = await emitterOf(settingOf([16, 16], 1 / 16, { liquid, drains: [drain] }))
    const two = await emitterOf(settingOf([16, 16], 1 / 16, { liquid, drains: [drain, drain] }))
    expect(two.emit(at(0, 0)).removed).toBe(one.emit(at(0, 0)).removed)
  })
})
