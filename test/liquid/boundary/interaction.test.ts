/** What a hand does to a liquid that runs. */
import { afterEach, describe, expect, it } from 'vitest'
import { halfSpace, sphere } from '../../../src/grid/shapes.js'
import type { Influence } from '../../../src/liquid/boundary/interaction.js'
import { sampleNodal } from '../../../src/liquid/boundary/solids.js'
import { hasConverged } from '../../../src/liquid/records.js'
import { createSimulation, type Simulation } from '../../../src/liquid/simulation.js'
import type { Vector } from '../../../src/scene/setting.js'
import { body, settingOf, solid } from '../../support/settings.js'

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

function meanVelocity(simulation: Simulation): Vector {
  const { velocity } = simulation.capture({ particles: true }).particles!
  const mean = [0, 0, 0]
  velocity.forEach((u, at) => {
    mean[at % 3] += (3 * u) / velocity.length
  })
  return [mean[0], mean[1], mean[2]]
}

type Parts = Parameters<typeof settingOf>[2]
const pool2D = (parts: Parts = {}) => settingOf([48, 32], 1 / 32, { liquid: [body(halfSpace([0, 0.5], [0, 1]))], ...parts })
const pool3D = (parts: Parts = {}) =>
  settingOf([20, 16, 12], 1 / 16, { liquid: [body(halfSpace([0, 0.5, 0], [0, 1, 0]))], ...parts })
/** Where liquid at rest has no reason to move at all. */
const weightless: Parts = { gravity: () => [0, 0, 0] }

describe('another gravity', () => {
  const drop = () => settingOf([64, 64], 1 / 64, { liquid: [body(sphere([0.5, 0.5], 0.1))] })

  it('changes free fall at once, and the one of the scene comes back', async () => {
    const simulation = await simulate(drop(), { time: { fps: 100 } })
    const expected = [0, 0]
    for (const [gravity, [x, y]] of [
      [undefined, [0, -9.81]],
      [
        [3, 4, 0],
        [3, 4],
      ],
      [null, [0, -9.81]],
    ] as const) {
      simulation.influence({ gravity })
      await simulation.advance()
      // Velocities are of the middle of the last substep, and a substep is completed by the gravity at its end.
      const seconds = simulation.frame === 1 ? 0.005 : 0.01
      expected[0] += x * seconds
      expected[1] += y * seconds
      const [u, v] = meanVelocity(simulation)
      expect(u).toBeCloseTo(expected[0], 3)
      expect(v).toBeCloseTo(expected[1], 3)
    }
  })

  it('lasts until it is ended, whatever else is changed', async () => {
    const simulation = await simulate(drop(), { time: { fps: 100 } })
    simulation.influence({ gravity: [5, 0, 0] })
    await simulation.advance()
    simulation.influence({ stir: null })
    await simulation.advance()
    expect(meanVelocity(simulation)[0]).toBeCloseTo(0.075, 3)
  })
})

describe('a brush', () => {
  it.each([
    { name: '2D', setting: pool2D, place: [0.75, 0.25, 7], direction: [1, 0, 0] },
    { name: '3D, along x', setting: pool3D, place: [0.6, 0.25, 0.4], direction: [-1, 0, 0] },
    { name: '3D, along z', setting: pool3D, place: [0.6, 0.25, 0.4], direction: [0, 0, 1] },
  ] as const)('gives liquid momentum in its direction, $name', async ({ setting, place, direction }) => {
    const at: Vector = [place[0], place[1], place[2]]
    const velocity: Vector = [direction[0], direction[1], direction[2]]
    const simulation = await simulate(setting(weightless))
    simulation.influence({ stir: { place: at, velocity, radius: 0.2 } })
    expect(hasConverged(await simulation.advance())).toBe(true)
    // Most of what is pushed comes back along the walls, so it is the liquid under the brush that tells.
    const { position, velocity: all } = simulation.capture({ particles: true }).particles!
    const sum = [0, 0, 0]
    let count = 0
    for (let p = 0; p < position.length; p += 3) {
      const flat = simulation.grid.dims === 2 ? 0 : position[p + 2] - at[2]
      if (Math.hypot(position[p] - at[0], position[p + 1] - at[1], flat) > 0.1) continue
      count++
      for (const axis of [0, 1, 2]) sum[axis] += all[p + axis]
    }
    const along = (sum[0] * velocity[0] + sum[2] * velocity[2]) / count
    const across = Math.hypot(...sum.map((part, axis) => part / count - along * velocity[axis]))
    expect(along).toBeGreaterThan(0.2)
    expect(along).toBeLessThan(1)
    expect(across).toBeLessThan(0.1 * along)
  })

  it('does nothing where it is not', async () => {
    const simulation = await simulate(pool2D(weightless))
    simulation.influence({ stir: { place: [0.75, 0.9, 0], velocity: [1, 0, 0], radius: 0.2 } })
    const { largestSpeed } = await simulation.advance()
    expect(largestSpeed).toBeLessThan(1e-3)
  })

  it('that comes during a substep is for the next one', async () => {
    let stirs = true
    // Gravity is asked for within a substep, before the brush acts.
    const gravity = (): Vector => {
      if (stirs) simulation.influence({ stir: { place: [0.75, 0.25, 0], velocity: [1, 0, 0], radius: 0.2 } })
      stirs = false
      return [0, 0, 0]
    }
    const simulation = await simulate(pool2D({ gravity }))
    expect((await simulation.advance()).largestSpeed).toBeLessThan(1e-3)
    expect((await simulation.advance()).largestSpeed).toBeGreaterThan(0.1)
  })

  it('is never faster than its time step bears', async () => {
    const simulation = await simulate(pool2D(), { time: { maxSubsteps: 64 } })
    simulation.influence({ stir: { place: [0.75, 0.25, 0], velocity: [1e9, 0, 0], radius: 0.2 } })
    const { substeps, particles } = await simulation.advance()
    expect(substeps.length).toBeGreaterThanOrEqual(8)
    expect(substeps.length).toBeLessThan(64)
    expect(particles).toBe(simulation.particles)
    expect(meanVelocity(simulation).every(Number.isFinite)).toBe(true)
  })
})

/** Particles that are in a solid, and how far, in cells. */
function deepest(simulation: Simulation): number {
  const { grid } = simulation
  const { solid: phi, particles } = simulation.capture({ particles: true })
  const { position } = particles!
  let least = 1
  for (let p = 0; p < position.length; p += 3) {
    const [x, y, z] = [0, 1, 2].map(axis => position[p + axis] / grid.spacing)
    least = Math.min(least, sampleNodal(grid, phi, x, y, z) / grid.spacing)
  }
  return least
}

/** Where the ball is: the mean of the nodes in it. */
function ballAt(simulation: Simulation): { centre: number[]; nodes: number } {
  const { shape, spacing } = simulation.grid
  const { solid: phi } = simulation.capture()
  const sum = [0, 0]
  let nodes = 0
  phi.forEach((distance, node) => {
    if (distance >= 0) return
    nodes++
    sum[0] += (node % (shape[0] + 1)) * spacing
    sum[1] += (Math.floor(node / (shape[0] + 1)) % (shape[1] + 1)) * spacing
  })
  return { centre: sum.map(value => value / nodes), nodes }
}

describe('a ball moved by hand', () => {
  it.each([
    { name: '2D', setting: pool2D, depth: 0, radius: 0.12 },
    { name: '3D', setting: pool3D, depth: 0.375, radius: 0.16 },
  ])(
    'is drawn through a pool, in and out of it: nothing is lost, nothing is in it, $name',
    async ({ setting, depth, radius }) => {
      const simulation = await simulate(setting())
      const start = simulation.particles
      const { expectedVolume } = await simulation.advance()
      const way = (n: number): Vector => [1.9 - 0.1 * n, 0.3 + 0.15 * Math.sin(n), depth]
      let volume = 0
      for (let n = 0; n < 24; n++) {
        simulation.influence({ obstacle: { centre: way(n), radius } })
        const record = await simulation.advance()
        expect(hasConverged(record), `frame ${record.index}`).toBe(true)
        expect(deepest(simulation)).toBeGreaterThan(-1e-3)
        volume = record.volume
      }
      expect(simulation.particles).toBe(start)
      expect(Math.abs(volume / expectedVolume - 1)).toBeLessThan(0.06)
    },
  )

  it('grows where it is set down in liquid, which gives way and rises', async () => {
    const simulation = await simulate(pool2D())
    const start = simulation.particles
    simulation.influence({ obstacle: { centre: [0.75, 0.25, 0], radius: 0.15 } })
    const sizes: number[] = []
    for (let n = 0; n < 20; n++) {
      expect(hasConverged(await simulation.advance())).toBe(true)
      expect(deepest(simulation)).toBeGreaterThan(-1e-3)
      sizes.push(ballAt(simulation).nodes)
    }
    expect(sizes[0]).toBeLessThan(sizes[19] / 4)
    // Two layers of nodes in 2D.
    expect(sizes[19] / 2 / 32 ** 2).toBeCloseTo(Math.PI * 0.15 ** 2, 2)
    expect(simulation.particles).toBe(start)
    const { liquid, grid } = simulation.capture()
    const wet = liquid.filter(phi => phi < 0).length / 48 - (Math.PI * 0.15 ** 2 * 32 ** 2) / 48
    // Cells that the ball covers count as liquid there, so they are taken off.
    expect(Math.abs(wet * grid.spacing - 0.5)).toBeLessThan(0.05)
  })

  it('is where it was sent at the end of a frame, or as near as its speed allows', async () => {
    const simulation = await simulate(settingOf([48, 32], 1 / 32, { gravity: () => [0, 0, 0] }))
    const radius = 0.15
    simulation.influence({ obstacle: { centre: [0.3, 0.5, 0], radius } })
    for (let n = 0; n < 20; n++) await simulation.advance()
    simulation.influence({ obstacle: { centre: [0.5, 0.6, 0], radius } })
    await simulation.advance()
    expect(ballAt(simulation).centre[0]).toBeCloseTo(0.5, 1)
    expect(ballAt(simulation).centre[1]).toBeCloseTo(0.6, 1)
    simulation.influence({ obstacle: { centre: [1.3, 0.6, 0], radius } })
    await simulation.advance()
    // Eight substeps of three cells each.
    expect(ballAt(simulation).centre[0]).toBeCloseTo(0.5 + 24 / 32, 1)
    await simulation.advance()
    expect(ballAt(simulation).centre[0]).toBeCloseTo(1.3, 1)
  })

  it('is a distance all around, as far as particles go in a step', async () => {
    const simulation = await simulate(settingOf([48, 32], 1 / 32))
    simulation.influence({ obstacle: { centre: [0.7, 0.5, 0], radius: 0.1 } })
    for (let n = 0; n < 12; n++) await simulation.advance()
    const { solid: phi } = simulation.capture()
    for (const [i, j] of [
      [30, 16],
      [22, 22],
      [22, 9],
    ])
      expect(phi[i + 49 * j]).toBeCloseTo(Math.hypot(i / 32 - 0.7, j / 32 - 0.5) - 0.1, 4)
  })

  it('pushes liquid in the very substep in which it starts', async () => {
    const simulation = await simulate(pool2D(weightless), { time: { fps: 200 } })
    simulation.influence({ obstacle: { centre: [0.5, 0.25, 0], radius: 0.1 } })
    for (let n = 0; n < 12; n++) await simulation.advance()
    const before = meanVelocity(simulation)[0]
    simulation.influence({ obstacle: { centre: [0.51, 0.25, 0], radius: 0.1 } })
    const { substeps, largestSpeed } = await simulation.advance()
    expect(substeps).toHaveLength(1)
    expect(before).toBeCloseTo(0, 2)
    expect(largestSpeed).toBeGreaterThan(0.5 * 0.01 * 200)
  })

  it('pushes liquid ahead of it at its own speed, and is gone without a trace', async () => {
    const liquid = [body(halfSpace([0, 0.5], [0, 1]))]
    const post = solid(sphere([1.3, 0.9], 0.1))
    const simulation = await simulate(settingOf([48, 32], 1 / 32, { liquid, solids: [post] }))
    const before = simulation.capture().solid
    for (let n = 0; n < 12; n++) {
      simulation.influence({ obstacle: { centre: [0.5 + Math.max(0, n - 9) * 0.04, 0.25, 0], radius: 0.1 } })
      await simulation.advance()
    }
    const { position, velocity } = simulation.capture({ particles: true }).particles!
    let [sum, count] = [0, 0]
    for (let p = 0; p < position.length; p += 3) {
      if (Math.hypot(position[p] - 0.7, position[p + 1] - 0.25) > 0.04) continue
      sum += velocity[p]
      count++
    }
    expect(count).toBeGreaterThan(5)
    expect(sum / count).toBeGreaterThan(0.35 * 0.04 * 24)
    expect(sum / count).toBeLessThan(1.1 * 0.04 * 24)
    simulation.influence({ obstacle: null })
    await simulation.advance()
    expect(simulation.capture().solid).toEqual(before)
  })

  it('holds liquid where its walls stick, and lets it go where they separate', async () => {
    const sides = { x: ['sticking', 'sticking'], y: ['sticking', 'sticking'] } as const
    const lifted = async (walls: 'separating' | 'sticking') => {
      const simulation = await simulate(pool2D({ sides }))
      let pinned = 0
      for (let n = 0; n < 24; n++) {
        const lift = Math.max(0, n - 16) * 0.06
        simulation.influence({ obstacle: { centre: [0.75, 0.5 + lift, 0], radius: 0.2, walls } })
        const { substeps } = await simulation.advance()
        if (n > 16) for (const { solve } of substeps) pinned += solve.pinned
      }
      return pinned
    }
    expect(await lifted('sticking')).toBe(0)
    expect(await lifted('separating')).toBeGreaterThan(0)
  })
})

describe('a simulation without influences', () => {
  it('has the same bits whether it was told so or not', async () => {
    const columns = async (...changes: Influence[]) => {
      const simulation = await simulate(pool2D())
      for (const change of changes) simulation.influence(change)
      for (let n = 0; n < 3; n++) await simulation.advance()
      return simulation.save().columns
    }
    const nothing = { gravity: null, stir: null, obstacle: null }
    const stir = { place: [0.5, 0.2, 0], velocity: [1, 0, 0], radius: 0.1 } as const
    expect(await columns({}, nothing)).toEqual(await columns())
    expect(await columns({ stir }, nothing)).toEqual(await columns())
    expect(await columns({ stir })).not.toEqual(await columns())
  })
})

describe('influences that make no sense', () => {
  it.each([
    [{ gravity: [0, Number.NaN, 0] }, 'The influence gravity must be three finite numbers'],
    [
      { stir: { place: [0, 0, 0], velocity: [1, 0, 0], radius: 0 } },
      'The influence stir.radius must be a length above 0, not 0.',
    ],
    [{ obstacle: { centre: [0, 0, 0], radius: 2 } }, 'at most 0.5 m, half of the shortest side, not 2.'],
    [{ obstacle: { centre: [0, 0], radius: 0.1 } }, 'The influence obstacle.centre must be three finite numbers, not [0, 0].'],
  ])('%j is refused', async (influence, message) => {
    const simulation = await simulate(pool2D())
    expect(() => simulation.influence(influence as unknown as Influence)).toThrow(message)
  })
})
