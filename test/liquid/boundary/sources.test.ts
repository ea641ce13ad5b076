/** Sources and drains, one call at a time. */
import { afterEach, describe, expect, it } from 'vitest'
import { box, halfSpace, sphere, union } from '../../../src/grid/shapes.js'
import { createInteraction } from '../../../src/liquid/boundary/interaction.js'
import { createEmitter } from '../../../src/liquid/boundary/sources.js'
import { createWalls } from '../../../src/liquid/boundary/walls.js'
import { createCompiledLiquid } from '../../../src/liquid/compiled/liquid.js'
import { createCompiledParticles } from '../../../src/liquid/compiled/particles.js'
import { REMOVED } from '../../../src/liquid/loops.js'
import { completeOptions } from '../../../src/liquid/options.js'
import { seedBodies } from '../../../src/liquid/particles/seed.js'
import type { ExchangeState } from '../../../src/liquid/saving/state.js'
import { type LiquidMachine, liquidModule } from '../../../src/machine/generated/liquid.js'
import { startMachine } from '../../../src/machine/machine.js'
import type { SceneSetting, Source } from '../../../src/scene/setting.js'
import { body, settingOf, solid } from '../../support/settings.js'

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
  createWalls(liquid, setting, createInteraction(setting, options.time)).move(0)
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

  it('without a velocity fills up what has left, in other places each time', async () => {
    const { emit, particles } = await emitterOf(settingOf([16, 16], 1 / 16, { sources: [{ ...body(ball), ...always }] }))
    const places: number[][] = []
    for (const substep of [0, 1]) {
      emit(at(0, substep))
      places.push([...particles.columns()[0]])
      for (let n = 0; n < particles.count; n++) particles.remove(n)
      particles.sort()
    }
    expect(places[0]).not.toEqual(places[1])
  })

  it('without a velocity leaves that of its liquid alone', async () => {
    const falling = { liquid: [body(() => -1, [0, -3, 0])], sources: [{ ...body(ball), ...always }] }
    const { emit, particles } = await emitterOf(settingOf([16, 16], 1 / 16, falling))
    emit(at(0, 0))
    expect(particles.columns()[4].every(v => v === -3)).toBe(true)
  })

  it('without a velocity leaves alone what is nearly full', async () => {
    const full = { liquid: [body(ball)], sources: [{ ...body(ball), ...always }] }
    const { emit, particles } = await emitterOf(settingOf([16, 16], 1 / 16, full))
    for (let n = 0; n < particles.count; n += 10) particles.remove(n)
    particles.sort()
    // One edge cell, of which little is inside.
    expect(emit(at(0, 0)).added).toBeLessThan(0.01 * FULL)
  })
})

/** Particles that sources add and drains remove at some times, as if all liquid had gone on each time. */
async function exchangeAt(setting: SceneSetting, times: readonly number[], refill = false) {
  const { emit, particles, h } = await emitterOf(setting)
  const before = particles.columns().map(column => column.slice())
  let exchange: ExchangeState = { owed: setting.drains.map(() => 0) }
  const counts: { added: number; removed: number }[] = []
  const positions: [number, number][] = []
  for (const [substep, time] of times.entries()) {
    const count = particles.count
    const result = emit({ time, substep, exchange })
    exchange = result.exchange
    counts.push(result)
    const [x, y] = particles.columns()
    for (let n = count; n < particles.count; n++) positions.push([x[n] * h, y[n] * h])
    particles.clear()
    if (refill) particles.append(before)
    particles.sort()
  }
  const total = (key: 'added' | 'removed') => counts.reduce((sum, each) => sum + each[key], 0)
  return { added: total('added'), removed: total('removed'), positions, exchange }
}

/** From 0 to `end`, in so many parts of different lengths. */
const parts = (end: number, count: number) => Array.from({ length: count + 1 }, (_, n) => end * (n / count) ** 1.3)
const [N, H] = [32, 1 / 32]
const PER_AREA = 4 / H ** 2
const flowing = (parts: Partial<Source>, rest: Partial<SceneSetting> = {}) =>
  settingOf([N, N], H, { sources: [{ ...body(ball, [0.6, -0.8, 0]), ...always, ...parts }], ...rest })

describe('the flow of a source', () => {
  const volume = Math.PI * 0.2 ** 2
  const rate = 0.4

  it('is u A t, and the same to the particle for any number of substeps', async () => {
    const counts = await Promise.all([1, 3, 8, 50].map(async n => (await exchangeAt(flowing({}), parts(0.5, n))).added))
    expect(new Set(counts).size).toBe(1)
    expect(Math.abs(counts[0] / PER_AREA / (volume + 0.5 * rate) - 1)).toBeLessThan(0.01)
  })

  it('is u A t of the time in which it is active, also if substeps straddle its ends', async () => {
    const setting = flowing({ ...body(ball, [0.3, -0.4, 0]), from: 0.13, until: 0.61 })
    for (const n of [1, 2, 5, 13]) {
      const { added } = await exchangeAt(setting, parts(0.7, n))
      expect(Math.abs(added / PER_AREA / (volume + 0.48 * 0.5 * rate) - 1)).toBeLessThan(0.02)
    }
  })

  it('is as large if the source moves, however fast', async () => {
    for (const speed of [0, 1, 40]) {
      const path = {
        poseAt: (time: number) => ({
          R: [1, 0, 0, 0, 1, 0, 0, 0, 1] as const,
          shift: [0.2 * Math.sin(speed * time), 0, 0] as const,
        }),
        motionAt: (time: number) => ({ linear: [0.2 * speed * Math.cos(speed * time), 0, 0], angular: [0, 0, 0] }) as const,
      }
      const { added } = await exchangeAt(flowing({ path, ...body(ball, [0, -0.5, 0]) }), parts(0.4, 6))
      expect(Math.abs(added / PER_AREA / (volume + 0.4 * 0.5 * 0.4) - 1)).toBeLessThan(0.01)
    }
  })

  it('turns with the source, and has its velocity', async () => {
    const quarter = { R: [0, -1, 0, 1, 0, 0, 0, 0, 1] as const, shift: [1, 0, 0] as const }
    const path = { poseAt: () => quarter, motionAt: () => ({ linear: [3, 0, 0], angular: [0, 0, 2] }) as const }
    const off = body(sphere([0.5, 0.3], 0.1), [1, 0, 0])
    const { emit, particles } = await emitterOf(flowing({ path, ...off }))
    emit(at(0, 0))
    const [x, y, , u, v] = particles.columns()
    expect(particles.count).toBeGreaterThan(100)
    for (let n = 0; n < particles.count; n++) {
      expect(Math.hypot(x[n] * H - 0.7, y[n] * H - 0.5)).toBeLessThan(0.1 + 1e-6)
      expect(u[n]).toBeCloseTo(3 - 2 * y[n] * H, 5)
      expect(v[n]).toBeCloseTo(1 + 2 * x[n] * H, 5)
    }
  })

  it('is u A t where liquid passes the whole shape in less than a substep', async () => {
    const sheet = box([0.3, 0.5], [0.02, 0.15])
    for (const n of [1, 4, 20]) {
      const { added } = await exchangeAt(flowing(body(sheet, [1, 0, 0])), parts(0.5, n))
      expect(Math.abs(added / PER_AREA / (0.04 * 0.3 + 0.3 * 0.5) - 1)).toBeLessThan(0.01)
    }
  })

  it('comes out of walls and sides, and not in them', async () => {
    const wall = box([0, 0.5], [0.3, 1])
    const pipe = box([0, 0.5], [0.5, 0.15])
    const { added, positions } = await exchangeAt(flowing(body(pipe, [1, 0, 0]), { solids: [solid(wall)] }), parts(0.3, 7))
    expect(Math.abs(added / PER_AREA / (0.2 * 0.3 + 0.3 * 0.3) - 1)).toBeLessThan(0.02)
    expect(Math.min(...positions.map(([x]) => x))).toBeGreaterThan(0.3 - 1e-6)
    const beyond = await exchangeAt(flowing(body(box([0, 0.5], [0.2, 0.15]), [1, 0, 0])), parts(0.3, 7))
    expect(Math.abs(beyond.added / PER_AREA / (0.2 * 0.3 + 0.3 * 0.3) - 1)).toBeLessThan(0.02)
  })

  it('counts once where parts of a shape are one behind the other, or sources overlap', async () => {
    const two = union(sphere([0.3, 0.5], 0.1), sphere([0.6, 0.5], 0.1))
    const { added } = await exchangeAt(flowing(body(two, [1, 0, 0])), parts(0.2, 5))
    expect(Math.abs(added / PER_AREA / (2 * Math.PI * 0.1 ** 2 + 0.2 * 0.2) - 1)).toBeLessThan(0.03)
    const one = { ...body(ball, [0.6, -0.8, 0]), ...always }
    const both = await exchangeAt(flowing({}, { sources: [one, one] }), parts(0.5, 5))
    expect(both.added).toBe((await exchangeAt(flowing({}), parts(0.5, 5))).added)
  })

  it('is nothing where liquid turns in circles', async () => {
    const turning = { phi: ball, velocity: (x: number, y: number) => [2 * (0.5 - y), 2 * (x - 0.5), 0] as const }
    const { added } = await exchangeAt(flowing(turning), parts(1, 24))
    expect(Math.abs(added / PER_AREA / volume - 1)).toBeLessThan(0.02)
  })

  it('keeps its shape as full as liquid is', async () => {
    const { positions } = await exchangeAt(flowing({ ...body(box([0.5, 0.5], [0.3, 0.25]), [0.37, 0, 0]) }), [0])
    expect(Math.abs(positions.length / PER_AREA / (0.6 * 0.5) - 1)).toBeLessThan(0.01)
  })
})

describe('the flow of a drain', () => {
  const liquid = [body(() => -1)]
  const drain = { phi: ball, ...always, flowRate: 0.05 }

  it('is its rate, to the particle, for any number of substeps', async () => {
    for (const n of [1, 3, 40]) {
      const { removed, exchange } = await exchangeAt(settingOf([N, N], H, { liquid, drains: [drain] }), parts(1, n), true)
      expect(removed + exchange.owed[0]).toBeCloseTo(0.05 * PER_AREA, 6)
    }
  })

  it('lasts from one time until another', async () => {
    const setting = settingOf([N, N], H, { liquid, drains: [{ ...drain, from: 0.21, until: 0.77 }] })
    const { removed } = await exchangeAt(setting, parts(1, 4), true)
    expect(Math.abs(removed - 0.56 * 0.05 * PER_AREA)).toBeLessThanOrEqual(1)
  })

  it('removes no more than there is, and does not make up for it later', async () => {
    const setting = settingOf([N, N], H, { drains: [{ ...drain, flowRate: 100 }] })
    expect(await exchangeAt(setting, parts(1, 4))).toMatchObject({ removed: 0, exchange: { owed: [0] } })
  })

  it('comes from all of its shape', async () => {
    const { emit, particles } = await emitterOf(settingOf([N, N], H, { liquid, drains: [{ ...drain, flowRate: 0.05 }] }))
    const before = [...particles.columns()[1]]
    emit({ time: 1, substep: 3, exchange: { time: 0, owed: [0] } })
    const gone = before.filter((_, n) => particles.columns()[0][n] === REMOVED).map(y => y * H)
    expect(gone.filter(y => y > 0.5).length / gone.length).toBeCloseTo(0.5, 1)
  })

  it('removes what a moving drain without a rate passes over', async () => {
    const path = {
      poseAt: (time: number) => ({ R: [1, 0, 0, 0, 1, 0, 0, 0, 1] as const, shift: [0.6 * time, 0, 0] as const }),
      motionAt: () => ({ linear: [0.6, 0, 0], angular: [0, 0, 0] }) as const,
    }
    const passing = { phi: box([0.2, 0.5], [0.05, 0.1]), path, ...always }
    const { emit } = await emitterOf(settingOf([N, N], H, { liquid, drains: [passing] }))
    const { removed } = emit({ time: 1, substep: 3, exchange: { time: 0, owed: [0] } })
    // All but what it removed when it began.
    expect(Math.abs(removed / PER_AREA / ((0.7 - H) * 0.2) - 1)).toBeLessThan(0.02)
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
