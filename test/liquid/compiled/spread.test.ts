/** Particles that are too many move apart, and nothing else about them changes. */
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

/** One substep at rest: only spreading moves anything. */
function spread({ machine, address }: TestLiquid, perCell: number, times = 1): void {
  for (let n = 0; n < times; n++) {
    machine.kernels.sortParticles(address)
    machine.kernels.findExcess(address, perCell)
    machine.kernels.moveParticles(address, 0.1, 1, 1, 1)
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
])('spreading, $name', ({ shape, perCell }) => {
  const deep = shape.length === 3

  it('does nothing where cells hold what fills them, nor at the surface above', async () => {
    const particles = filled(shape, 2, 1).filter(({ at }) => at[1] < 5)
    const liquid = await liquidOf(shape, particles)
    spread(liquid, perCell)
    expect(byVelocity(liquid.particles()).map(({ at }) => at)).toEqual(particles.map(({ at }) => at))
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
    spread(liquid, perCell, 40)
    const after = counts(liquid)
    expect(before).toEqual({ cells: 1, most: 12 * perCell })
    expect(after.most).toBeLessThan(0.5 * before.most)
    expect(after.cells).toBeGreaterThanOrEqual(5)
    const moved = byVelocity(liquid.particles())
    expect(moved.map(({ velocity }) => velocity)).toEqual(clump.map(({ velocity }) => velocity))
    for (let axis = 0; axis < shape.length; axis++) {
      const mean = moved.reduce((sum, { at }) => sum + at[axis] / moved.length, 0)
      expect(Math.abs(mean - middle[axis])).toBeLessThan(0.2)
    }
  })

  it('moves nothing further than a quarter of a cell along an axis', async () => {
    const clump = Array.from({ length: 200 * perCell }, (_, n): TestParticle => {
      const near = (axis: number) => Math.fround(3.3 + 0.6 * random(4, n, axis))
      return { at: [near(0), near(1), deep ? near(2) : 0.5], velocity: [n, 0, 0] }
    })
    const liquid = await liquidOf(shape, clump)
    spread(liquid, perCell)
    byVelocity(liquid.particles()).forEach(({ at }, n) => {
      for (let axis = 0; axis < 3; axis++) expect(Math.abs(at[axis] - clump[n].at[axis])).toBeLessThan(0.25 + 1e-5)
    })
  })

  it('gives the same bits for any number of threads', async () => {
    const crowded = [...filled(shape, 2, 1), ...filled(shape.map(n => Math.ceil(n / 2)).slice(0, shape.length), 2, 2)]
    const results = []
    for (const options of [{ threads: 1 }, { threads: 2 }, { threads: 3 }, { threads: 1, share: false }]) {
      const liquid = await liquidOf(shape, crowded, options)
      spread(liquid, perCell, 3)
      results.push(liquid.particles())
    }
    expect(results[0].some(({ at }, n) => at[0] !== crowded[n].at[0])).toBe(true)
    for (const other of results.slice(1)) expect(other).toEqual(results[0])
  })
})
