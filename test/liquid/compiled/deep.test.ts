/** Deep liquid: how deep cells lie, what is carried where, and the particles that go and come at the lower end of the band. */
import { afterEach, describe, expect, it } from 'vitest'
import { random } from '../../../src/random.js'
import { createTestLiquid, type TestLiquid, type TestParticle } from '../../support/particles.js'

const LAYER = 16
const BAND = 3
const DEEPEST = LAYER * (BAND + 2)

const open: TestLiquid[] = []
afterEach(() => {
  for (const liquid of open.splice(0)) liquid.machine.dispose()
})

/** All cells liquid under pressure, no particles. */
async function fullLiquid(shape: readonly number[], particles: readonly TestParticle[] = [], threads = 1): Promise<TestLiquid> {
  const liquid = await createTestLiquid(shape, { threads })
  open.push(liquid)
  const { kernels } = liquid.machine
  const { cells } = liquid.grid
  kernels.liquidOpenGeometry(liquid.address)
  liquid.record.band = BAND
  liquid.setParticles(particles)
  kernels.sortParticles(liquid.address)
  liquid.floats('phi', cells).fill(-1)
  liquid.bytes('kind', cells).fill(1)
  liquid.doubles('pressure', cells).fill(1)
  return liquid
}

const keep = ({ machine, address }: TestLiquid, perCell: number, parts: number, salt = 7) =>
  machine.kernels.keepBand(address, perCell, parts, 1, salt)

/** Steps to the nearest of some cells, diagonals like straight ones, in LAYERs. */
function depths({ grid }: TestLiquid, isShallow: (cell: number) => boolean): number[] {
  const [nx, ny, nz] = grid.shape
  const found: number[][] = []
  for (let k = 0, cell = 0; k < nz; k++)
    for (let j = 0; j < ny; j++) for (let i = 0; i < nx; i++, cell++) if (isShallow(cell)) found.push([i, j, k])
  return Array.from({ length: grid.cells }, (_, cell) => {
    const at = [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny))]
    const steps = found.map(other => Math.max(...other.map((index, axis) => Math.abs(index - at[axis]))))
    return Math.min(DEEPEST, LAYER * Math.min(BAND + 2, ...steps))
  })
}

describe.each(
  [
    [37, 11],
    [16, 20],
    [21, 13, 9],
    [33, 8, 10],
  ].map(shape => ({ shape })),
)('depths on $shape', ({ shape }) => {
  it('count cells to the nearest air', async () => {
    const liquid = await fullLiquid(shape)
    const phi = liquid.floats('phi', liquid.grid.cells)
    for (let cell = 0; cell < phi.length; cell++) if (random(3, cell) < 0.01) phi[cell] = 0.3
    keep(liquid, 8, 2)
    expect(Array.from(liquid.bytes('depth', phi.length))).toEqual(depths(liquid, cell => phi[cell] >= 0))
  })

  it('count pinned contacts and places where particles are kept as air, contacts under pressure not', async () => {
    const liquid = await fullLiquid(shape)
    const { cells } = liquid.grid
    const special = [1, 5, cells - 9, cells - 3]
    const [kind, pressure] = [liquid.bytes('kind', cells), liquid.doubles('pressure', cells)]
    for (const cell of special) kind[cell] = 2
    pressure[special[0]] = 0
    pressure[special[2]] = 0
    liquid.bytes('kept', cells)[special[3]] = 1
    keep(liquid, 8, 2)
    const shallow = [special[0], special[2], special[3]]
    expect(Array.from(liquid.bytes('depth', cells))).toEqual(depths(liquid, cell => shallow.includes(cell)))
  })

  it('begin at open sides', async () => {
    const liquid = await fullLiquid(shape)
    const [nx] = liquid.grid.shape
    liquid.integers('sides', 6)[0] = 0
    keep(liquid, 8, 2)
    expect(Array.from(liquid.bytes('depth', liquid.grid.cells))).toEqual(depths(liquid, cell => cell % nx === 0))
  })
})

describe.each([
  { name: '2D', shape: [24, 24], perCell: 4 },
  { name: '3D', shape: [20, 18, 14], perCell: 8 },
])('what is carried, $name', ({ shape }) => {
  it('moves with the flow, and brings along velocities that vary as a square to the last bit but rounding', async () => {
    const liquid = await fullLiquid(shape)
    const { kernels } = liquid.machine
    const { grid, address } = liquid
    const [nx, ny] = grid.shape
    const cells = grid.cells
    const dt = 0.7 * grid.spacing
    // Along x evenly; along y as a square of x.
    const along = (x: number) => 1e-3 * (x - 40) ** 2
    liquid.floats('pairX', 2 * liquid.faces(0)).fill(1)
    const kicked = liquid.floats('beforeY', liquid.faces(1))
    for (let face = 0; face < liquid.faces(1); face++) kicked[face] = along(face % nx)
    const depth = liquid.bytes('depth', cells)
    for (let cell = 0; cell < cells; cell++) depth[cell] = cell % nx < 8 ? 0 : DEEPEST
    kernels.carryDeep(address, dt)
    const carried = liquid.bytes('carried', cells)
    const before = liquid.floats('beforeY', liquid.faces(1))
    for (let cell = 0; cell < cells; cell++) {
      const i = cell % nx
      // 0.7 cells further on, linear between the last that was not deep and the first that was.
      expect(carried[cell]).toBe(i < 8 ? 0 : i === 8 ? Math.round(0.3 * DEEPEST) : DEEPEST)
      const j = Math.floor(cell / nx) % ny
      const face = i + nx * (j + (ny + 1) * Math.floor(cell / (nx * ny)))
      if (i < 8) expect(before[face]).toBe(0)
      else if (i > 9 && i < nx - 2 && j > 2 && j < ny - 2 && isInner(cell)) expect(before[face]).toBeCloseTo(along(i - 0.7), 5)
    }
    function isInner(cell: number): boolean {
      const k = Math.floor(cell / (nx * ny))
      return grid.dims === 2 || (k > 1 && k < grid.shape[2] - 2)
    }
  })

  it('has lain between the depths of the cells around, be they the same or not', async () => {
    const liquid = await fullLiquid(shape)
    const { grid, address } = liquid
    const [nx, ny] = grid.shape
    liquid.floats('pairX', 2 * liquid.faces(0)).fill(1)
    liquid.floats('pairY', 2 * liquid.faces(1)).fill(0.5)
    const depth = liquid.bytes('depth', grid.cells)
    // Stretches of five cells, so that four and the next may be the same, or all but any of them.
    const depthAt = (i: number, j: number) => [0, 2 * LAYER, DEEPEST][Math.floor((i + Math.floor(j / 4)) / 5) % 3]
    for (let cell = 0; cell < grid.cells; cell++) depth[cell] = depthAt(cell % nx, Math.floor(cell / nx) % ny)
    liquid.machine.kernels.carryDeep(address, 0.75 * grid.spacing)
    const between = (low: number, high: number, share: number) => low + share * (high - low)
    const expected = Array.from(depth, (_, cell) => {
      const x = Math.max(0, (cell % nx) - 0.75)
      const y = Math.max(0, (Math.floor(cell / nx) % ny) - 0.375)
      const [i, j] = [Math.floor(x), Math.floor(y)]
      const along = (row: number) => between(depthAt(i, row), depthAt(i + 1, row), x - i)
      return Math.floor(between(along(j), along(j + 1), y - j) + 0.5)
    })
    expect(Array.from(liquid.bytes('carried', grid.cells))).toEqual(expected)
  })
})

describe.each([
  { name: '2D', shape: [12, 30], perCell: 4, parts: 2 },
  { name: '3D', shape: [7, 20, 6], perCell: 8, parts: 2 },
  { name: '2D, odd', shape: [12, 30], perCell: 7, parts: 3 },
])('the band, $name', ({ shape, perCell, parts }) => {
  const [, height] = shape
  const top = height - 6

  /** Air above `top`, and particles in all cells below it that `has` tells. */
  async function pool(has: (j: number) => boolean, threads = 1): Promise<TestLiquid> {
    const [nx, ny, nz = 1] = shape
    const particles: TestParticle[] = []
    for (let k = 0; k < nz; k++)
      for (let j = 0; j < top; j++)
        for (let i = 0; i < nx; i++)
          for (let n = 0; n < perCell && has(j); n++) {
            const at = (axis: number) => random(1, i, j, k, n, axis)
            particles.push({ at: [i + at(0), j + at(1), shape.length === 3 ? k + at(2) : 0.5], velocity: [0, 0, 0] })
          }
    const liquid = await fullLiquid(shape, particles, threads)
    const phi = liquid.floats('phi', liquid.grid.cells)
    for (let cell = 0; cell < phi.length; cell++) if (Math.floor(cell / nx) % ny >= top) phi[cell] = 1
    return liquid
  }

  const perRow = (liquid: TestLiquid) => {
    const rows = new Array(height).fill(0)
    for (const { at } of liquid.particles()) rows[Math.floor(at[1])]++
    return rows.map(count => (count * height) / liquid.grid.cells)
  }

  it('drops what is deeper, and tells how much that is', async () => {
    const liquid = await pool(() => true)
    const before = liquid.record.count
    const change = keep(liquid, perCell, parts)
    liquid.machine.kernels.sortParticles(liquid.address)
    expect(change).toBe(liquid.record.count - before)
    expect(perRow(liquid)).toEqual(Array.from({ length: height }, (_, j) => (j < top && j >= top - BAND ? perCell : 0)))
  })

  it('fills up what comes from below it, and nothing else', async () => {
    const liquid = await pool(j => j >= top - 1)
    const [nx, ny] = liquid.grid.shape
    const carried = liquid.bytes('carried', liquid.grid.cells)
    // Two rows come from below; the lower half of a third does; the uppermost holds particles already.
    for (let cell = 0; cell < carried.length; cell++) {
      const j = Math.floor(cell / nx) % ny
      carried[cell] = j < top - 2 ? DEEPEST : j === top - 2 ? LAYER * (BAND + 0.5) : 0
    }
    const change = keep(liquid, perCell, parts)
    const before = liquid.record.count
    liquid.machine.kernels.moveParticles(liquid.address, 0.1, 1, 0)
    liquid.machine.kernels.sortParticles(liquid.address)
    expect(liquid.record.count).toBe(before)
    expect(change).toBeGreaterThan(0)
    const rows = perRow(liquid)
    expect(rows.slice(0, top - BAND).every(count => count === 0)).toBe(true)
    expect(rows[top - 3]).toBe(perCell)
    expect(Math.abs(rows[top - 2] - perCell / 2)).toBeLessThan(0.15 * perCell)
    expect(rows[top - 1]).toBe(perCell)
    expect(rows.slice(top).every(count => count === 0)).toBe(true)
  })

  it('is the same for any number of threads, and not the same twice', async () => {
    const seeded = async (threads: number, salt: number) => {
      const liquid = await pool(() => false, threads)
      liquid.bytes('carried', liquid.grid.cells).fill(DEEPEST)
      keep(liquid, perCell, parts, salt)
      return liquid.particles().map(({ at }) => at)
    }
    const expected = await seeded(1, 7)
    expect(expected.length).toBeGreaterThan(100)
    expect(await seeded(3, 7)).toEqual(expected)
    expect(await seeded(1, 8)).not.toEqual(expected)
  })

  it('seeds as much where there are no solids as where they are far away, even if parts of cells run out', async () => {
    const seeded = async (hasSolids: number) => {
      const liquid = await pool(j => j % 2 === 0)
      liquid.record.hasSolids = hasSolids
      liquid.bytes('carried', liquid.grid.cells).fill(DEEPEST)
      keep(liquid, 3 * perCell, parts)
      return liquid.particles().map(({ at }) => at)
    }
    const expected = await seeded(1)
    expect(expected.length).toBeGreaterThan((await pool(j => j % 2 === 0)).record.count)
    expect(await seeded(0)).toEqual(expected)
  })

  it('gives seeds the velocity after the kick', async () => {
    const liquid = await pool(() => false)
    liquid.bytes('carried', liquid.grid.cells).fill(DEEPEST)
    liquid.floats('beforeX', liquid.faces(0)).fill(0.25)
    keep(liquid, perCell, parts)
    liquid.floats('pairX', 2 * liquid.faces(0)).fill(100)
    liquid.machine.kernels.moveParticles(liquid.address, 1e-6, 0.97, 1)
    expect(liquid.particles().every(({ velocity }) => Math.abs(velocity[0] - 0.25) < 1e-6)).toBe(true)
  })
})
