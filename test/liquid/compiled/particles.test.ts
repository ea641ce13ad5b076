/** The compiled loops over particles: against plain sums, exact where mathematics says so, and the same for any number of threads. */
import { afterEach, describe, expect, it } from 'vitest'
import { random } from '../../../src/random.js'
import { createTestLiquid, type LiquidOptions, type TestLiquid, type TestParticle } from '../../support/particles.js'

const SHAPES = [
  [7, 5, 6],
  [1, 1, 1],
  [9, 1, 2],
  [1, 12, 3],
  [13, 11],
  [1, 9],
  [33, 2],
]

const open: TestLiquid[] = []
afterEach(() => {
  for (const liquid of open.splice(0)) liquid.machine.dispose()
})

async function liquidOf(shape: readonly number[], options?: LiquidOptions): Promise<TestLiquid> {
  const liquid = await createTestLiquid(shape, options)
  open.push(liquid)
  return liquid
}

type Point = readonly [number, number, number]
const zero: Point = [0, 0, 0]

/** Anywhere in the grid, at z = ½ in 2D. */
function scattered(
  shape: readonly number[],
  count: number,
  seed: number,
  velocity: (at: Point) => Point = () => zero,
): TestParticle[] {
  return Array.from({ length: count }, (_, n) => {
    const coordinate = (axis: number) => Math.fround((shape[axis] ?? 1) * random(seed, n, axis))
    const at: Point = [coordinate(0), coordinate(1), shape.length === 2 ? 0.5 : coordinate(2)]
    return { at, velocity: velocity(at) }
  })
}

const wild = (at: Point): Point => [Math.sin(3 * at[0] + at[1]), Math.cos(2 * at[1] - at[2]), Math.sin(at[2] + 4 * at[0])]

/** Weighted sums in f64, written as directly as can be. */
function referenceVelocity(
  liquid: TestLiquid,
  particles: readonly TestParticle[],
  axis: number,
): { u: Float64Array; weight: Float64Array } {
  const { shape, dims, spacing } = liquid.grid
  const points = shape.map((n, a) => n + (a === axis ? 1 : 0))
  const u = new Float64Array(liquid.faces(axis))
  const weight = new Float64Array(u.length)
  for (const { at, velocity, gradient } of particles) {
    const place = at.map((x, a) => Math.min(Math.max(a === axis ? x : x - 0.5, 0), points[a] - 1))
    const low = place.map((x, a) => Math.min(Math.floor(x), Math.max(0, points[a] - 2)))
    for (let corner = 0; corner < 8; corner++) {
      const offset = [corner & 1, (corner >> 1) & 1, corner >> 2]
      let w = 1
      let value = velocity[axis]
      for (let a = 0; a < 3; a++) {
        const f = place[a] - low[a]
        w *= offset[a] ? f : 1 - f
        if (gradient && a < dims) value += gradient[3 * axis + a] * spacing * (offset[a] - f)
      }
      if (w === 0) continue
      const face = low[0] + offset[0] + points[0] * (low[1] + offset[1] + points[1] * (low[2] + offset[2]))
      weight[face] += w
      u[face] += w * value
    }
  }
  return { u: u.map((sum, face) => (weight[face] > 0 ? sum / weight[face] : 0)), weight }
}

const VELOCITY = ['ux', 'uy', 'uz'] as const
const LAYER = ['layerX', 'layerY', 'layerZ'] as const
const PAIR = ['pairX', 'pairY', 'pairZ'] as const

/** Velocities given at the places of faces (in cells) where the pairs were, and a change behind them. */
function setPairs(liquid: TestLiquid, velocity: (at: Point) => Point, change: (at: Point) => Point = () => zero): void {
  const { shape, dims } = liquid.grid
  for (let axis = 0; axis < dims; axis++) {
    const points = shape.map((n, a) => n + (a === axis ? 1 : 0))
    const pairs = liquid.floats(PAIR[axis], 2 * liquid.faces(axis))
    let face = 0
    for (let k = 0; k < points[2]; k++)
      for (let j = 0; j < points[1]; j++)
        for (let i = 0; i < points[0]; i++, face++) {
          const at = [i, j, k].map((n, a) => (a === axis ? n : n + 0.5)) as unknown as Point
          pairs[face] = velocity(at)[axis]
          pairs[liquid.faces(axis) + face] = change(at)[axis]
        }
  }
}

describe('sorting particles', () => {
  it.each(SHAPES)('brings them into the order of their cells and loses none: %s × %s × %s', async (...shape) => {
    const size = shape.filter(n => n !== undefined)
    const liquid = await liquidOf(size)
    const [nx, ny, nz] = liquid.grid.shape
    const particles = scattered(size, 5000, 3).map((particle, n) => ({ ...particle, velocity: [n, 0, 0] as Point }))
    liquid.setParticles(particles)
    liquid.machine.kernels.sortParticles(liquid.address)
    const cellOf = ({ at }: TestParticle) =>
      Math.min(nx - 1, Math.floor(at[0])) + nx * (Math.min(ny - 1, Math.floor(at[1])) + ny * Math.min(nz - 1, Math.floor(at[2])))
    const expected = particles
      .map((particle, n) => ({ particle, n }))
      .sort((a, b) => cellOf(a.particle) - cellOf(b.particle) || a.n - b.n)
    const sorted = liquid.particles()
    expect(sorted.map(({ velocity }) => velocity[0])).toEqual(expected.map(({ n }) => n))
    expect(sorted.map(({ at }) => at)).toEqual(expected.map(({ particle }) => particle.at))
    const starts = liquid.integers('cellStart', liquid.grid.cells + 1)
    for (let cell = 0; cell < liquid.grid.cells; cell++)
      for (let n = starts[cell]; n < starts[cell + 1]; n++) expect(cellOf(sorted[n])).toBe(cell)
    expect(starts[liquid.grid.cells]).toBe(5000)
  })

  it('drops those that have left and keeps gradients with their particles', async () => {
    const liquid = await liquidOf([4, 4, 4])
    const particles = scattered([4, 4, 4], 300, 8).map((particle, n) => ({
      at: n % 3 === 0 ? ([-2e8, 1, 1] as Point) : particle.at,
      velocity: [n, 2, 3] as Point,
      gradient: [n, 1, 2, 3, 4, 5, 6, 7, -n],
    }))
    liquid.setParticles(particles, true)
    liquid.machine.kernels.sortParticles(liquid.address)
    const sorted = liquid.particles()
    expect(sorted).toHaveLength(200)
    for (const { velocity, gradient } of sorted) {
      expect(velocity[0] % 3).not.toBe(0)
      expect(gradient).toEqual([velocity[0], 1, 2, 3, 4, 5, 6, 7, -velocity[0]])
    }
  })
})

function expectSums(liquid: TestLiquid, particles: readonly TestParticle[]): void {
  for (let axis = 0; axis < liquid.grid.dims; axis++) {
    const { u, weight } = referenceVelocity(liquid, particles, axis)
    const found = liquid.doubles(VELOCITY[axis], u.length)
    const layer = liquid.bytes(LAYER[axis], u.length)
    for (let face = 0; face < u.length; face++) {
      if (Math.abs(weight[face] - 1e-4) < 1e-5) continue
      expect(layer[face]).toBe(weight[face] > 1e-4 ? 0 : 255)
      // f32 sums of up to some hundred particles, divided by a weight that may be small.
      if (layer[face] === 0) expect(Math.abs(found[face] - u[face])).toBeLessThan(4e-6 * Math.max(1, 1 / weight[face]))
      else expect(found[face]).toBe(0)
    }
  }
}

describe('particles to grid', () => {
  it.each(SHAPES.flatMap(shape => [[shape, false] as const, [shape, true] as const]))(
    'sums as one would by hand: %s, gradients %s',
    async (shape, affine) => {
      const liquid = await liquidOf(shape)
      const particles = scattered(shape, 700, 5, wild).map((particle, n) => ({
        ...particle,
        ...(affine && { gradient: Array.from({ length: 9 }, (_, part) => random(6, n, part) - 0.5) }),
      }))
      liquid.setParticles(particles, affine)
      liquid.machine.kernels.sortParticles(liquid.address)
      liquid.machine.kernels.particlesToGrid(liquid.address)
      expectSums(liquid, particles)
    },
  )

  it.each([[[70, 7, 6]], [[64, 5, 5]], [[1024, 6]], [[1100, 5]]])(
    'looks wherever a few particles reach, and nowhere else: %s',
    async shape => {
      const liquid = await liquidOf(shape)
      const { grid } = liquid
      // On both sides of where blocks of cells end, and at the ends of rows.
      const places = [0.1, 15.9, 16.1, 32.2, 47.6, grid.shape[0] - 0.2]
      const particles = places
        .map((x, n) => ({ ...scattered(shape, places.length, 17, wild)[n], x }))
        .map(({ at, velocity, x }) => ({ at: [x, at[1], at[2]] as Point, velocity }))
      // What an earlier step has left.
      for (let axis = 0; axis < grid.dims; axis++) {
        liquid.floats(PAIR[axis], 2 * liquid.faces(axis)).fill(NaN)
        liquid.doubles(VELOCITY[axis], liquid.faces(axis)).fill(7)
        liquid.bytes(LAYER[axis], liquid.faces(axis)).fill(3)
      }
      liquid.setParticles(particles, false)
      liquid.machine.kernels.sortParticles(liquid.address)
      liquid.machine.kernels.particlesToGrid(liquid.address)
      expectSums(liquid, particles)
    },
  )

  it('gives back a linear velocity exactly when particles carry its gradient', async () => {
    const liquid = await liquidOf([8, 8, 8], { spacing: 0.125 })
    const gradient = [0.5, -1, 2, 0, 1, 0.25, -3, 0.5, -1.5]
    const linear = (at: Point): Point =>
      [0, 1, 2].map(row => 0.3 * row + at.reduce((sum, x, a) => sum + gradient[3 * row + a] * x * 0.125, 0)) as unknown as Point
    liquid.setParticles(
      scattered([8, 8, 8], 6000, 11, linear)
        .filter(({ at }) => at.every(x => x > 0.5 && x < 7.5))
        .map(p => ({ ...p, gradient })),
      true,
    )
    liquid.machine.kernels.sortParticles(liquid.address)
    liquid.machine.kernels.particlesToGrid(liquid.address)
    const u = liquid.doubles('ux', liquid.faces(0))
    const layer = liquid.bytes('layerX', u.length)
    let checked = 0
    for (let k = 0, face = 0; k < 8; k++)
      for (let j = 0; j < 8; j++)
        for (let i = 0; i < 9; i++, face++) {
          if (layer[face]) continue
          expect(u[face]).toBeCloseTo(linear([i, j + 0.5, k + 0.5])[0], 4)
          checked++
        }
    expect(checked).toBeGreaterThan(300)
  })
})

describe('grid to particles', () => {
  it.each([0, 0.5, 0.97, 1])('keeps the share %s of the velocity and adds the change', async ratio => {
    const liquid = await liquidOf([6, 7, 5])
    const particles = scattered([6, 7, 5], 500, 21, wild).filter(({ at }) =>
      at.every((x, a) => x > 0.5 && x < [6, 7, 5][a] - 0.5),
    )
    liquid.setParticles(particles)
    const velocity = (at: Point): Point => [1 + at[0] - 2 * at[1], 0.5 * at[2], at[0] + at[1] + at[2]]
    const change = (at: Point): Point => [0.1 * at[2], 0.2, -0.3 * at[0]]
    setPairs(liquid, velocity, change)
    liquid.machine.kernels.moveParticles(liquid.address, 0, ratio, 0)
    liquid.particles().forEach((particle, n) => {
      const added = change(particle.at)
      for (let a = 0; a < 3; a++) expect(particle.velocity[a]).toBeCloseTo(ratio * particles[n].velocity[a] + added[a], 4)
    })
  })

  it.each([[[6, 7, 5]], [[6, 7]]])('finds velocity and gradient of a linear field: %s', async shape => {
    const liquid = await liquidOf(shape, { spacing: 0.5 })
    const particles = scattered(shape, 300, 22).filter(({ at }) =>
      at.every((x, a) => a >= shape.length || (x > 0.5 && x < shape[a] - 0.5)),
    )
    liquid.setParticles(particles, true)
    const gradient = shape.length === 3 ? [1, -2, 0.5, 0.25, 3, -1, 2, 1, -4] : [1, -2, 0, 0.25, 3, 0, 0, 0, 0]
    const velocity = (at: Point): Point =>
      [0, 1, 2].map(row =>
        at.reduce((sum, x, a) => sum + (a < shape.length ? gradient[3 * row + a] * 0.5 * x : 0), 0),
      ) as unknown as Point
    setPairs(liquid, () => zero, velocity)
    liquid.machine.kernels.moveParticles(liquid.address, 0, 0, 0)
    for (const particle of liquid.particles()) {
      const expected = velocity(particle.at)
      for (let a = 0; a < shape.length; a++) expect(particle.velocity[a]).toBeCloseTo(expected[a], 4)
      for (let part = 0; part < 9; part++) expect(particle.gradient![part]).toBeCloseTo(gradient[part], 4)
    }
  })
})

describe('moving particles', () => {
  it.each([
    { order: 2, low: 3.2, high: 5 },
    { order: 3, low: 6, high: 10 },
  ])('follows a rotation to order $order', async ({ order, low, high }) => {
    // Every trilinear sample of a rotation is exact, so the error is that of the rule alone.
    const liquid = await liquidOf([16, 16], { spacing: 1 })
    const start: TestParticle[] = [{ at: [11, 8, 0.5], velocity: zero }]
    const errorWith = (steps: number) => {
      liquid.setParticles(start)
      setPairs(liquid, at => [8 - at[1], at[0] - 8, 0])
      for (let n = 0; n < steps; n++) liquid.machine.kernels.moveParticles(liquid.address, 2 / steps, 1, order - 2)
      const [{ at }] = liquid.particles()
      return Math.hypot(at[0] - (8 + 3 * Math.cos(2)), at[1] - (8 + 3 * Math.sin(2)))
    }
    const ratio = errorWith(8) / errorWith(16)
    expect(ratio).toBeGreaterThan(low)
    expect(ratio).toBeLessThan(high)
    expect(errorWith(16)).toBeLessThan(0.03)
  })

  it.each([1, 9])('lets spray fly as far as it goes, beyond where velocities were continued, %d at once', async count => {
    const liquid = await liquidOf([24, 6], { spacing: 1 })
    const { kernels } = liquid.machine
    // A drop around x = 3, known there and continued over five layers.
    liquid.bytes('layerX', liquid.faces(0)).fill(255)
    liquid.bytes('layerY', liquid.faces(1)).fill(255)
    for (let j = 0; j < 6; j++) liquid.bytes('layerX', liquid.faces(0))[3 + 25 * j] = 0
    kernels.liquidExtrapolate(liquid.address, 5)
    const start = Array.from({ length: count }, (_, n) => ({
      at: [3.2, 1 + 0.4 * n, 0.5] as Point,
      velocity: [12, 0, 0] as Point,
    }))
    setPairs(liquid, at => [at[0] <= 8 ? 12 : 0, 0, 0])
    for (const isThird of [0, 1]) {
      liquid.setParticles(start)
      kernels.moveParticles(liquid.address, 1, 1, isThird)
      liquid.particles().forEach(({ at }, n) => {
        expect(at[0]).toBeCloseTo(15.2, 5)
        expect(at[1]).toBeCloseTo(start[n].at[1], 5)
      })
    }
  })

  const ball = (at: Point, shape: readonly number[]) =>
    3.3 - Math.hypot(at[0] - shape[0] / 2, at[1] - shape[1] / 2, shape.length === 3 ? at[2] - shape[2] / 2 : 0)

  /** A solid that leaves a ball free, or (sign −1) is one. */
  function setSolid(liquid: TestLiquid, shape: readonly number[], sign: number): void {
    const [nx, ny, nz] = liquid.grid.shape
    const solid = liquid.floats('solid', (nx + 1) * (ny + 1) * (nz + 1))
    let node = 0
    for (let k = 0; k <= nz; k++)
      for (let j = 0; j <= ny; j++) for (let i = 0; i <= nx; i++) solid[node++] = sign * ball([i, j, k], shape)
  }

  /** Distance to the solid as the grid has it. */
  function solidAt(liquid: TestLiquid, at: Point): number {
    const [nx, ny, nz] = liquid.grid.shape
    const solid = liquid.floats('solid', (nx + 1) * (ny + 1) * (nz + 1))
    let sum = 0
    const low = at.map((x, a) => Math.min(Math.floor(x), liquid.grid.shape[a] - 1))
    for (let corner = 0; corner < 8; corner++) {
      const offset = [corner & 1, (corner >> 1) & 1, corner >> 2]
      const weight = offset.reduce((w, o, a) => w * (o ? at[a] - low[a] : 1 - (at[a] - low[a])), 1)
      sum += weight * solid[low[0] + offset[0] + (nx + 1) * (low[1] + offset[1] + (ny + 1) * (low[2] + offset[2]))]
    }
    return sum
  }

  it.each([
    { shape: [10, 10, 10], sign: 1 },
    { shape: [10, 10, 10], sign: -1 },
    { shape: [10, 10], sign: 1 },
    { shape: [10, 10], sign: -1 },
  ])('never enters a solid, however fast: %j', async ({ shape, sign }) => {
    const liquid = await liquidOf(shape, { spacing: 1 })
    setSolid(liquid, shape, sign)
    liquid.setParticles(scattered(shape, 2000, 31).filter(({ at }) => solidAt(liquid, at) > 0.01))
    const before = liquid.record.count
    for (let n = 0; n < 10; n++) {
      setPairs(liquid, at => [9 * Math.sin(n + at[1]), 9 * Math.cos(2 * n - at[0]), 7 * Math.sin(n * at[2])])
      liquid.machine.kernels.moveParticles(liquid.address, 0.4, 1, 1)
      for (const { at } of liquid.particles()) {
        expect(solidAt(liquid, at)).toBeGreaterThan(-1e-6)
        expect(at.every((x, a) => x > 0 && x < (shape[a] ?? 1))).toBe(true)
      }
    }
    expect(liquid.record.count).toBe(before)
  })

  it.each([
    { shape: [10, 10, 10], sign: 1 },
    { shape: [11, 10, 9], sign: -1 },
    { shape: [12, 10], sign: 1 },
  ])('moves many at a time as one by one, near walls: %j', async ({ shape, sign }) => {
    const liquid = await liquidOf(shape, { spacing: 1 })
    const { kernels } = liquid.machine
    setSolid(liquid, shape, sign)
    kernels.liquidOpenGeometry(liquid.address)
    setPairs(liquid, at => wild([at[0] / 3, at[1] / 5, at[2] / 4]), wild)
    liquid.setParticles(scattered(shape, 6000, 77, wild).filter(({ at }) => solidAt(liquid, at) > 0.01))
    kernels.sortParticles(liquid.address)
    const before = liquid.particles()
    kernels.moveParticles(liquid.address, 0.9, 0.8, 1)
    const together = liquid.particles()
    for (const [n, particle] of before.entries()) {
      liquid.setParticles([particle])
      kernels.moveParticles(liquid.address, 0.9, 0.8, 1)
      expect(liquid.particles()).toEqual([together[n]])
    }
    expect(before.length).toBeGreaterThan(500)
  })

  it('does not jump over a thin wall', async () => {
    const liquid = await liquidOf([12, 6], { spacing: 1 })
    const solid = liquid.floats('solid', 13 * 7 * 2)
    for (let node = 0; node < solid.length; node++) solid[node] = Math.abs((node % 13) - 6) - 0.4
    liquid.setParticles(scattered([5, 6], 200, 41))
    setPairs(liquid, () => [8, 0, 0])
    liquid.machine.kernels.moveParticles(liquid.address, 1, 1, 1)
    for (const { at } of liquid.particles()) expect(at[0]).toBeLessThan(5.7)
  })

  it('pushes out what a moving solid has run over', async () => {
    const liquid = await liquidOf([10, 10], { spacing: 1 })
    liquid.setParticles(scattered([10, 10], 500, 43))
    setSolid(liquid, [10, 10], -1)
    setPairs(liquid, () => zero)
    liquid.machine.kernels.moveParticles(liquid.address, 0.1, 1, 1)
    for (const { at } of liquid.particles()) expect(solidAt(liquid, at)).toBeGreaterThan(-1e-6)
  })

  it('stops particles at walls, but not along them', async () => {
    const liquid = await liquidOf([12, 6], { spacing: 1 })
    const solid = liquid.floats('solid', 13 * 7 * 2)
    // A floor at y = 2 on the left half; on the right the side of the grid is the floor.
    for (let node = 0; node < solid.length; node++) solid[node] = Math.max((Math.floor(node / 13) % 7) - 2, (node % 13) - 6)
    const particles = [2.5, 9.5].map(x => ({ at: [x, 2.5, 0.5] as Point, velocity: [1, -3, 0] as Point }))
    liquid.setParticles(particles)
    setPairs(liquid, () => [0.1, -3, 0])
    liquid.machine.kernels.moveParticles(liquid.address, 1, 1, 1)
    const [onSolid, onSide] = liquid.particles()
    expect(onSolid.at[1]).toBeCloseTo(2, 1)
    expect(onSide.at[1]).toBeCloseTo(0, 1)
    for (const { velocity } of [onSolid, onSide]) {
      expect(velocity[0]).toBeCloseTo(1, 5)
      expect(velocity[1]).toBeCloseTo(0, 5)
    }
  })

  it('lets particles out through open sides only, and says how many', async () => {
    const liquid = await liquidOf([6, 6], { spacing: 1 })
    const { kernels } = liquid.machine
    liquid.setParticles(scattered([6, 6], 400, 51))
    liquid.integers('sides', 6)[1] = 0
    setPairs(liquid, () => [-10, 0, 0])
    expect(kernels.moveParticles(liquid.address, 1, 1, 1)).toBe(0)
    for (const { at } of liquid.particles()) expect(at[0]).toBeCloseTo(0.001, 5)
    setPairs(liquid, () => [10, 0, 0])
    expect(kernels.moveParticles(liquid.address, 1, 1, 1)).toBe(400)
    kernels.sortParticles(liquid.address)
    expect(liquid.record.count).toBe(0)
  })
})

describe('threads', () => {
  it.each([false, true])('give the same bits: gradients %s', async affine => {
    const shape = [21, 17, 25]
    const run = async (options: LiquidOptions) => {
      const liquid = await liquidOf(shape, options)
      const { kernels } = liquid.machine
      liquid.setParticles(scattered(shape, 20000, 61, wild), affine)
      for (let n = 0; n < 3; n++) {
        kernels.sortParticles(liquid.address)
        kernels.particlesToGrid(liquid.address)
        kernels.keepVelocity(liquid.address, 1, 0)
        setPairs(liquid, at => wild([at[0] / 3, at[1] / 5, at[2] / 4]))
        kernels.moveParticles(liquid.address, 0.05, 0.9, 1)
      }
      return {
        particles: liquid.particles(),
        u: [0, 1, 2].map(axis => liquid.doubles(VELOCITY[axis], liquid.faces(axis)).slice()),
      }
    }
    const one = await run({ threads: 1 })
    for (const threads of [2, 3, 8]) expect(await run({ threads })).toEqual(one)
    expect(await run({ share: false })).toEqual(one)
  })
})
