/** Particles that are too near each other move apart, and nothing else about them changes. */
import { afterEach, describe, expect, it } from 'vitest'
import { random } from '../../../src/random.js'
import { createTestLiquid, type LiquidOptions, type TestLiquid, type TestParticle } from '../../support/particles.js'

const open: TestLiquid[] = []
afterEach(() => {
  for (const liquid of open.splice(0)) liquid.machine.dispose()
})

async function liquidOf(
  shape: readonly number[],
  particles: readonly TestParticle[],
  options?: LiquidOptions,
): Promise<TestLiquid> {
  const liquid = await createTestLiquid(shape, options)
  open.push(liquid)
  liquid.machine.kernels.liquidOpenGeometry(liquid.address)
  liquid.setParticles(particles)
  return liquid
}

function separate({ machine, address }: TestLiquid, perCell: number, dims: number, times = 1): void {
  for (let n = 0; n < times; n++) {
    machine.kernels.sortParticles(address)
    machine.kernels.separateParticles(address, perCell ** (-1 / dims), perCell)
  }
  machine.kernels.sortParticles(address)
}

/** `perAxis` along each axis of every cell, shaken, with velocities to tell them apart. */
function filled(shape: readonly number[], perAxis: number, seed: number): TestParticle[] {
  const [nx, ny, nz = 1] = shape
  const deep = shape.length === 3
  const parts = [perAxis, perAxis, deep ? perAxis : 1]
  const particles: TestParticle[] = []
  for (let k = 0; k < nz * parts[2]; k++)
    for (let j = 0; j < ny * perAxis; j++)
      for (let i = 0; i < nx * perAxis; i++) {
        const shaken = (index: number, axis: number) => Math.fround((index + 0.02 + 0.96 * random(seed, i, j, k, axis)) / perAxis)
        const n = particles.length
        particles.push({ at: [shaken(i, 0), shaken(j, 1), deep ? shaken(k, 2) : 0.5], velocity: [n, -n, deep ? 2 * n : 0] })
      }
  return particles
}

/** Cells with particles in them, and the most that one has. */
function counts(liquid: TestLiquid): { cells: number; most: number } {
  const starts = liquid.integers('cellStart', liquid.grid.cells + 1)
  const each = Array.from({ length: liquid.grid.cells }, (_, cell) => starts[cell + 1] - starts[cell])
  return { cells: each.filter(count => count > 0).length, most: Math.max(...each) }
}

const byVelocity = (particles: readonly TestParticle[]) => [...particles].sort((a, b) => a.velocity[0] - b.velocity[0])

describe.each([
  { name: '2D', shape: [12, 10], perCell: 4 },
  { name: '3D', shape: [9, 8, 7], perCell: 8 },
])('separation, $name', ({ shape, perCell }) => {
  const deep = shape.length === 3

  it('leaves a lattice as it is', async () => {
    const particles = filled(shape, 2, 1).filter(({ at }) => at[1] < 5)
    const lattice = particles.map(({ at, velocity }): TestParticle => {
      const [x, y, z] = at.map(value => 0.25 + 0.5 * Math.floor(2 * value))
      return { at: [x, y, deep ? z : 0.5], velocity }
    })
    const liquid = await liquidOf(shape, lattice)
    separate(liquid, perCell, shape.length)
    expect(byVelocity(liquid.particles()).map(({ at }) => at)).toEqual(lattice.map(({ at }) => at))
  })

  it('leaves no pair of a shaken liquid nearer than three quarters of a lattice, and its surface where it is', async () => {
    const particles = filled(shape, 2, 1).filter(({ at }) => at[1] < 5)
    const nearest = (all: readonly TestParticle[]) => {
      let least = Infinity
      for (const { at: a } of all)
        for (const { at: b } of all) if (a !== b) least = Math.min(least, Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]))
      return least
    }
    const mean = (all: readonly TestParticle[]) => all.reduce((sum, { at }) => sum + at[1] / all.length, 0)
    const liquid = await liquidOf(shape, particles)
    separate(liquid, perCell, shape.length, 40)
    const after = liquid.particles()
    expect(nearest(particles)).toBeLessThan(0.25)
    expect(nearest(after)).toBeGreaterThan(0.375)
    expect(Math.max(...after.map(({ at }) => at[1]))).toBeLessThan(5.05)
    // Nothing is lifted.
    expect(mean(after) - mean(particles)).toBeLessThan(1e-3)
  })

  it('diffuses a clump, keeps its middle and every velocity', async () => {
    const middle = shape.map(n => Math.floor(n / 2) + 0.5)
    const clump = Array.from({ length: 12 * perCell }, (_, n): TestParticle => {
      const near = (axis: number) => Math.fround(middle[axis] + 0.9 * (random(4, n, axis) - 0.5))
      return { at: [near(0), near(1), deep ? near(2) : 0.5], velocity: [n, 3 * n, deep ? 1 : 0] }
    })
    const liquid = await liquidOf(shape, clump)
    liquid.machine.kernels.sortParticles(liquid.address)
    const before = counts(liquid)
    separate(liquid, perCell, shape.length, 40)
    const after = counts(liquid)
    expect(before).toEqual({ cells: 1, most: 12 * perCell })
    expect(after.most).toBeLessThanOrEqual(2 * perCell)
    expect(after.cells).toBeGreaterThanOrEqual(9)
    const moved = byVelocity(liquid.particles())
    expect(moved.map(({ velocity }) => velocity)).toEqual(clump.map(({ velocity }) => velocity))
    for (let axis = 0; axis < shape.length; axis++) {
      const mean = moved.reduce((sum, { at }) => sum + at[axis] / moved.length, 0)
      expect(Math.abs(mean - middle[axis])).toBeLessThan(0.2)
    }
  })

  it('moves nothing further than half the distance of particles', async () => {
    const clump = Array.from({ length: 200 * perCell }, (_, n): TestParticle => {
      const near = (axis: number) => Math.fround(3.3 + 0.6 * random(4, n, axis))
      return { at: [near(0), near(1), deep ? near(2) : 0.5], velocity: [n, 0, 0] }
    })
    const liquid = await liquidOf(shape, clump)
    separate(liquid, perCell, shape.length)
    byVelocity(liquid.particles()).forEach(({ at }, n) => {
      const from = clump[n].at
      expect(Math.hypot(at[0] - from[0], at[1] - from[1], at[2] - from[2])).toBeLessThan(0.25 + 1e-5)
    })
  })

  it('gives the same bits for any number of threads', async () => {
    const crowded = [...filled(shape, 2, 1), ...filled(shape.map(n => Math.ceil(n / 2)).slice(0, shape.length), 2, 2)]
    const results = []
    for (const options of [{ threads: 1 }, { threads: 2 }, { threads: 3 }, { threads: 1, share: false }]) {
      const liquid = await liquidOf(shape, crowded, options)
      separate(liquid, perCell, shape.length, 3)
      results.push(liquid.particles())
    }
    expect(results[0].some(({ at }, n) => at[0] !== crowded[n].at[0])).toBe(true)
    for (const other of results.slice(1)) expect(other).toEqual(results[0])
  })
})
