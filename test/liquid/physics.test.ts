/** What every liquid has to do, whatever the numbers look like. */
import { afterEach, describe, expect, it } from 'vitest'
import { box, complement, halfSpace, intersection, rotate, sphere } from '../../src/grid/shapes.js'
import { sampleNodal } from '../../src/liquid/boundary/solids.js'
import type { Frame } from '../../src/liquid/frame.js'
import type { SimulationOptions } from '../../src/liquid/options.js'
import { hasConverged } from '../../src/liquid/records.js'
import { createSimulation, type Simulation } from '../../src/liquid/simulation.js'
import type { SceneSetting } from '../../src/scene/setting.js'
import { body, EARTH, settingOf, solid } from '../support/settings.js'

const open: Simulation[] = []
afterEach(() => {
  for (const simulation of open.splice(0)) simulation.dispose()
})

async function simulate(setting: SceneSetting, options: SimulationOptions = {}): Promise<Simulation> {
  const simulation = await createSimulation(setting, { threads: 1, seed: 1, ...options })
  open.push(simulation)
  return simulation
}

/** Mean position and velocity of all particles, m and m/s. */
function means({ particles }: Frame): { position: number[]; velocity: number[] } {
  const { position, velocity } = particles!
  const mean = (values: Float32Array, axis: number) => {
    let sum = 0
    for (let n = axis; n < values.length; n += 3) sum += values[n]
    return sum / (values.length / 3)
  }
  return { position: [0, 1, 2].map(axis => mean(position, axis)), velocity: [0, 1, 2].map(axis => mean(velocity, axis)) }
}

/** J/kg: mean of |u|²/2 over particles. */
function meanEnergy({ particles }: Frame): number {
  const { velocity } = particles!
  let sum = 0
  for (const value of velocity) sum += value * value
  return sum / 2 / (velocity.length / 3)
}

const withParticles = { particles: true }

describe('a tank at rest', () => {
  const h = 1 / 32
  // Half a cell above a cell border, so that the surface cuts cells.
  const level = 0.5 + 0.5 * h
  const tilt = 0.3
  const cases = [
    { name: 'straight, 2D', setting: settingOf([32, 32], h, { liquid: [body(halfSpace([0, level], [0, 1]))] }), normal: [0, 1] },
    {
      name: 'tilted, 2D',
      // A rotated box inside the domain, gravity straight down: cut cells on all sides.
      setting: settingOf([32, 32], h, {
        liquid: [body(halfSpace([0, level], [0, 1]))],
        solids: [solid(complement(rotate(box([0.5, 0.5], [0.35, 0.3]), tilt, [0.5, 0.5])))],
      }),
      normal: [0, 1],
    },
    {
      name: 'straight, 3D',
      setting: settingOf([16, 16, 16], 1 / 16, { liquid: [body(halfSpace([0, 0.53, 0], [0, 1, 0]))] }),
      normal: [0, 1],
    },
  ]
  it.each(cases)('stays at rest: $name', async ({ setting }) => {
    const simulation = await simulate(setting, { time: { fps: 100, minSubsteps: 1 } })
    const { spacing } = simulation.grid
    const oneCellFall = 9.81 * spacing
    const surface = (frame: Frame) => surfaceHeights(frame)
    const before = surface(simulation.capture())
    let energy = 0
    for (let n = 0; n < 200; n++) {
      const record = await simulation.advance()
      expect(hasConverged(record)).toBe(true)
      energy = Math.max(energy, meanEnergy(simulation.capture(withParticles)))
    }
    expect(energy).toBeLessThan(1e-3 * oneCellFall)
    const after = surface(simulation.capture())
    after.forEach((height, column) => {
      if (Number.isFinite(height) && Number.isFinite(before[column]))
        expect(Math.abs(height - before[column])).toBeLessThan(0.5 * spacing)
    })
  })
})

/** Height of the uppermost zero of the level set in every column, metres; NaN where there is none or a solid is near. */
function surfaceHeights({ grid, liquid, solid: phi }: Frame): number[] {
  const [nx, ny, nz] = grid.shape
  const heights: number[] = []
  for (let k = 0; k < nz; k++)
    for (let i = 0; i < nx; i++) {
      let height = Number.NaN
      for (let j = ny - 2; j >= 0; j--) {
        const lower = liquid[i + nx * (j + ny * k)]
        const upper = liquid[i + nx * (j + 1 + ny * k)]
        if (!(lower < 0 && upper >= 0)) continue
        if (sampleNodal(grid, phi, i + 0.5, j + 1, k + 0.5) > 1.5 * grid.spacing)
          height = (j + 0.5 + lower / (lower - upper)) * grid.spacing
        break
      }
      heights.push(height)
    }
  return heights
}

describe('free fall', () => {
  it.each([
    { name: 'a drop, 2D', setting: settingOf([32, 32], 1 / 32, { liquid: [body(sphere([0.5, 0.7], 0.12))] }) },
    { name: 'a drop, 3D', setting: settingOf([20, 20, 20], 1 / 20, { liquid: [body(sphere([0.5, 0.7, 0.5], 0.15))] }) },
    {
      name: 'a sheet under the ceiling, 2D',
      setting: settingOf([32, 32], 1 / 32, { liquid: [body(halfSpace([0, 0.85], [0, -1]))] }),
    },
    {
      name: 'a cap at the top of a ball, 3D',
      setting: settingOf([20, 20, 20], 1 / 20, {
        liquid: [body(halfSpace([0, 0.75, 0], [0, -1, 0]))],
        solids: [solid(complement(sphere([0.5, 0.5, 0.5], 0.46)))],
      }),
    },
  ])('$name falls with g', async ({ setting }) => {
    const simulation = await simulate(setting, { time: { fps: 50 }, volume: { correction: false } })
    const start = means(simulation.capture(withParticles))
    for (let n = 0; n < 8; n++) expect(hasConverged(await simulation.advance())).toBe(true)
    const end = means(simulation.capture(withParticles))
    // Velocities are of the middle of the last frame.
    expect(end.velocity[1]).toBeCloseTo(-9.81 * 0.15, 3)
    expect(start.position[1] - end.position[1]).toBeCloseTo(0.5 * 9.81 * 0.16 ** 2, 3)
    expect(Math.abs(end.velocity[0])).toBeLessThan(1e-2)
  })

  it('a sheet under a sticking ceiling hangs', async () => {
    const sides = { y: ['sticking', 'sticking'], x: ['sticking', 'sticking'] } as const
    const simulation = await simulate(settingOf([32, 32], 1 / 32, { sides, liquid: [body(halfSpace([0, 0.85], [0, -1]))] }), {
      time: { fps: 50 },
    })
    for (let n = 0; n < 8; n++) await simulation.advance()
    expect(means(simulation.capture(withParticles)).velocity[1]).toBeGreaterThan(-0.3)
  })
})

describe('a splash', () => {
  const splash = (dims: 2 | 3, n: number) => {
    const centre = dims === 2 ? ([0.5, 0.5] as const) : ([0.5, 0.5, 0.5] as const)
    const left = dims === 2 ? halfSpace([0.5, 0], [1, 0]) : halfSpace([0.5, 0, 0], [1, 0, 0])
    return settingOf(dims === 2 ? [n, n] : [n, n, n], 1 / n, {
      liquid: [body(intersection(left, sphere(centre, 0.46)))],
      solids: [solid(complement(sphere(centre, 0.46)))],
    })
  }

  it.each([
    { dims: 2, n: 40, method: 'flip' },
    { dims: 2, n: 40, method: 'apic' },
    { dims: 3, n: 20, method: 'flip' },
  ] as const)(
    'loses no particle, keeps them out of solids, and gains no energy: $dims D, $method',
    async ({ dims, n, method }) => {
      const simulation = await simulate(splash(dims, n), { particles: { method } })
      const count = simulation.particles
      let most = 9.81 * means(simulation.capture(withParticles)).position[1]
      for (let step = 0; step < 24; step++) {
        const record = await simulation.advance()
        expect(hasConverged(record)).toBe(true)
        const frame = simulation.capture(withParticles)
        expect(simulation.particles).toBe(count)
        const { position } = frame.particles!
        for (let p = 0; p < position.length; p += 3) {
          const [x, y, z] = [position[p], position[p + 1], position[p + 2]].map(value => value / frame.grid.spacing)
          expect(sampleNodal(frame.grid, frame.solid, x, y, dims === 2 ? 0.5 : z)).toBeGreaterThan(-1e-4)
        }
        const energy = (record.energy.kinetic + record.energy.potential) / (1000 * record.particleVolume)
        // Long substeps give up to 8 % of the fall while liquid gathers speed along the wall, on grids as coarse as these; half with cfl 1.
        expect(energy).toBeLessThan(most + 0.1 * 9.81 * 0.46)
        most = Math.min(most, energy)
      }
    },
  )

  it('keeps its volume within one per cent over 200 frames', async () => {
    const simulation = await simulate(splash(2, 64))
    let worst = 0
    for (let n = 0; n < 200; n++) {
      const { volume, expectedVolume } = await simulation.advance()
      worst = Math.max(worst, Math.abs(volume / expectedVolume - 1))
    }
    expect(worst).toBeLessThan(0.01)
  })

  it('of a mirrored scene is the mirrored splash, as far as particles are', async () => {
    const half = (sign: number) =>
      settingOf([40, 40], 1 / 40, { liquid: [body(box([0.5 + 0.25 * sign, 0.3], [0.15, 0.25]))], gravity: () => EARTH })
    // Other random numbers, other particles: alike to a fraction of a cell, and in the mean over four of them to four times the chance
    // that single ones have (0.023 m/s, over 16 seeds).
    let sum = 0
    for (let seed = 0; seed < 4; seed++) {
      const [left, right] = [await simulate(half(-1), { seed }), await simulate(half(1), { seed })]
      for (let n = 0; n < 10; n++) {
        await left.advance()
        await right.advance()
      }
      const a = means(left.capture(withParticles))
      const b = means(right.capture(withParticles))
      expect(Math.abs(a.position[0] - (1 - b.position[0]))).toBeLessThan(0.5 / 40)
      expect(Math.abs(a.position[1] - b.position[1])).toBeLessThan(0.5 / 40)
      sum += a.velocity[0] + b.velocity[0]
    }
    expect(Math.abs(sum / 4)).toBeLessThan(0.05)
  })
})

describe('energy', () => {
  it.each(['flip', 'apic'] as const)('does not grow in a closed tank over 200 frames: %s', async method => {
    const dam = settingOf([32, 32], 1 / 32, { liquid: [body(box([0.2, 0.3], [0.2, 0.3]))] })
    const simulation = await simulate(dam, { particles: { method } })
    const total = (frame: Frame) => meanEnergy(frame) + 9.81 * means(frame).position[1]
    const first = simulation.capture(withParticles)
    // What is there to be released: from a column to a pool a third as high.
    const released = 9.81 * (means(first).position[1] - 0.12)
    let least = total(first)
    for (let n = 0; n < 200; n++) {
      expect(hasConverged(await simulation.advance())).toBe(true)
      const energy = total(simulation.capture(withParticles))
      // A wave that runs up a wall swings between what particles and what the grid know of it: at 32 cells by 3 to 22 % with eight seeds, 10 %
      // in the mean, at 64 by 1 to 13 %, 5 % in the mean. What is gained so is lost again: the sum goes down.
      expect(energy).toBeLessThan(least + 0.25 * released)
      least = Math.min(least, energy)
    }
    expect(least).toBeLessThan(total(first) - 0.7 * released)
    expect(meanEnergy(simulation.capture(withParticles))).toBeLessThan(0.2 * released)
  })
})

describe('friction of a wall', () => {
  /** m/s along a floor of solid, of a shallow layer that began with 1 m/s, after 0.2 s. */
  async function slide(friction: number): Promise<number> {
    const floor = solid(halfSpace([0, 0.22], [0, 1]), { friction })
    const layer = body(box([0.4, 0.27], [0.25, 0.05]), [1, 0, 0])
    const simulation = await simulate(settingOf([48, 16], 1 / 32, { solids: [floor], liquid: [layer] }), { time: { fps: 50 } })
    for (let n = 0; n < 10; n++) await simulation.advance()
    return means(simulation.capture(withParticles)).velocity[0]
  }

  it('slows what slides along it, the more the rougher', async () => {
    const [smooth, rough, roughest] = [await slide(0), await slide(0.3), await slide(1)]
    expect(smooth).toBeGreaterThan(0.95)
    expect(rough).toBeLessThan(smooth - 0.05)
    expect(roughest).toBeLessThan(rough - 0.05)
    expect(roughest).toBeGreaterThanOrEqual(0)
  })
})

describe('momentum', () => {
  it('is kept where nothing pushes', async () => {
    const setting = settingOf([40, 40], 1 / 40, {
      gravity: () => [0, 0, 0],
      liquid: [body(sphere([0.4, 0.5], 0.15), [0.7, 0.3, 0])],
    })
    const simulation = await simulate(setting, { time: { fps: 50 }, volume: { correction: false } })
    for (let n = 0; n < 10; n++) await simulation.advance()
    const { velocity, position } = means(simulation.capture(withParticles))
    expect(velocity[0]).toBeCloseTo(0.7, 3)
    expect(velocity[1]).toBeCloseTo(0.3, 3)
    expect(position[0]).toBeCloseTo(0.4 + 0.7 * 0.2, 2)
  })
})
