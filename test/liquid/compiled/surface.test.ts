/** The surface that the compiled loops find from particles: against a plain sum over all particles, and against planes, gaps and walls. */
import { afterAll, describe, expect, it } from 'vitest'
import { liquidModule } from '../../../src/machine/generated/liquid.js'
import { startMachine } from '../../../src/machine/machine.js'
import { random } from '../../../src/random.js'
import { ball, type Distance, type PlacedLiquid, placeLiquid, placeParticles, seedParticles } from '../../support/liquids.js'

const REACH = 1.5
const machines = [
  startMachine(liquidModule, 1),
  startMachine(liquidModule, 2),
  startMachine(liquidModule, 3),
  startMachine(liquidModule, 1, 0, false),
]
afterAll(async () => {
  for (const machine of machines) (await machine).dispose()
})

async function placeSeeded(
  shape: readonly number[],
  inside: Parameters<typeof seedParticles>[1],
  solid?: Distance,
  machine = 0,
  perAxis = 2,
) {
  const solids = solid ? [{ phi: solid }] : []
  const placed = placeLiquid(await machines[machine], { shape, liquid: () => 1, solids, spacing: 0.5 })
  const count = seedParticles(placed, inside, perAxis)
  placed.liquid.openGeometry()
  placed.liquid.arrays.phi.fill(99)
  placed.liquid.surface(perAxis ** placed.grid.dims)
  return { ...placed, count, phi: placed.liquid.arrays.phi, volume: placed.liquid.measureCellVolume() / 0.5 ** placed.grid.dims }
}

function centre({ grid }: Pick<PlacedLiquid, 'grid'>, cell: number): [number, number, number] {
  const [nx, ny] = grid.shape
  const z = grid.dims === 3 ? Math.floor(cell / (nx * ny)) + 0.5 : 0.5
  return [(cell % nx) + 0.5, (Math.floor(cell / nx) % ny) + 0.5, z]
}

/** Share of REACH by which the mean of a half space lies below a point when its surface lies h · REACH above that, for 4001 h from −1 to 1. */
function meansOfHalfSpaces(dims: number): number[] {
  let [area, moment] = [0, 0]
  const means = [1]
  for (let n = 0; n < 4000; n++) {
    const z = -1 + (n + 0.5) / 2000
    const slice = (1 - z * z) ** ((dims + 5) / 2)
    area += slice
    moment += slice * z
    means.push(-moment / area)
  }
  return means
}

const MEANS: Record<number, number[]> = { 2: meansOfHalfSpaces(2), 3: meansOfHalfSpaces(3) }

function distanceOfMean(mean: number, dims: number): number {
  const above = MEANS[dims].findIndex(value => value <= mean)
  if (above <= 0) return above < 0 ? -REACH : REACH
  const [high, low] = [MEANS[dims][above - 1], MEANS[dims][above]]
  return -REACH * (-1 + (above - 1 + (high - mean) / (high - low)) / 2000)
}

/** Where along an axis a coordinate is seen, itself and its images. */
type Images = (value: number, axis: number) => number[]

/** By all particles and images that are seen. */
function plainSum({ liquid, grid, count }: PlacedLiquid & { count: number }, at: readonly number[], seen: Images): number {
  const { px, py, pz } = liquid.arrays
  const near = (value: number, axis: number) => seen(value, axis).filter(image => Math.abs(image - at[axis]) < REACH)
  let [weight, spread] = [0, 0]
  const sum = [0, 0, 0]
  for (let n = 0; n < count; n++) {
    for (const x of near(px[n], 0)) {
      for (const y of near(py[n], 1)) {
        for (const z of near(pz[n], 2)) {
          const d = [x - at[0], y - at[1], z - at[2]]
          const square = d[0] ** 2 + d[1] ** 2 + d[2] ** 2
          const w = Math.max(0, 1 - square / REACH ** 2) ** 3
          weight += w
          spread += w * w * square
          for (let a = 0; a < 3; a++) sum[a] += w * d[a]
        }
      }
    }
  }
  if (weight < 1e-12) return REACH
  const square = (sum[0] ** 2 + sum[1] ** 2 + sum[2] ** 2 - 0.25 * spread) / weight ** 2
  return distanceOfMean(Math.sqrt(Math.max(0, square)) / REACH, grid.dims)
}

/** The definition: all particles, and where they touch a side also their images beyond it. */
function plainDistance(placed: PlacedLiquid & { count: number }, cell: number): number {
  const { dims, shape } = placed.grid
  const at = centre(placed, cell)
  const alone = plainSum(placed, at, value => [value])
  if (alone >= 0) return alone
  return plainSum(placed, at, (value, axis) => (axis < dims ? [value, -value, 2 * shape[axis] - value] : [value]))
}

it('has its zero on the plane where particles fill half of space: the mean of the half ball', () => {
  expect(MEANS[3][2000]).toBeCloseTo(0.2461, 4)
  expect(MEANS[2][2000]).toBeCloseTo(0.2587, 4)
})

it.each([
  ['a ball', [12, 11, 10], ball(5, 6, 5, 3.3), 2],
  ['a ball in 2D', [18, 17], (x: number, y: number) => Math.hypot(x - 8, y - 7) - 5.2, 2],
  ['liquid along all sides', [8, 7, 9], (x: number, y: number, z: number) => 2.2 - Math.hypot(x - 4, y - 3, z - 5), 2],
  ['a row', [20, 1, 1], (x: number) => x - 9.7, 2],
  ['a column in 2D', [1, 19], (_x: number, y: number) => 8.1 - y, 2],
  ['one full cell', [1, 1, 1], () => -1, 2],
  ['scattered particles', [9, 8, 7], (x: number, y: number, z: number) => random(31, 1e4 * x, 1e4 * y, 1e4 * z) - 0.05, 2],
  ['a ball of many particles', [8, 8, 7], ball(4, 4.2, 3.1, 2.2), 5],
] as const)('is what a sum over all particles gives: %s', async (_, shape, liquid, perAxis) => {
  const placed = await placeSeeded(shape, (x, y, z) => liquid(x, y, z) < 0, undefined, 0, perAxis)
  expect(placed.count).toBeGreaterThan(5)
  let near = 0
  for (let cell = 0; cell < placed.grid.cells; cell++) {
    const expected = plainDistance(placed, cell)
    const phi = placed.phi[cell]
    // A cell that holds its full share of particles is not far from liquid, wherever in it they are.
    if (phi === 0.5) expect(expected, `cell ${cell}`).toBeGreaterThan(0.5)
    // A half full cell with air at one face only is a filled hole.
    else if (phi < 0 && expected >= 0) expect(-phi - expected, `cell ${cell}`).toBeCloseTo(1e-3, 2)
    else if (phi > -1) {
      near++
      expect(Math.abs(phi - expected), `cell ${cell}`).toBeLessThan(4e-3)
    }
    // Beside a side a cell counts as full with three quarters of its particles, whose mean is less certain.
    else expect(expected, `cell ${cell}`).toBeLessThan(-0.4)
  }
  if (placed.grid.cells > 1) expect(near).toBeGreaterThan(5)
})

it('is far away where there is no particle, and around a lone one', async () => {
  expect((await placeSeeded([5, 6, 7], () => false)).phi.every(phi => phi === REACH)).toBe(true)
  for (const shape of [
    [9, 9, 9],
    [9, 9],
  ]) {
    const machine = await machines[0]
    const { liquid, grid } = placeLiquid(machine, { shape, liquid: () => 1 })
    const cell = 4 + 9 * (4 + (grid.dims === 3 ? 9 * 4 : 0))
    const z = grid.dims === 3 ? 4.4 : 0.5
    placeParticles(liquid, [[4.6, 4.4, z]], [...new Array(cell + 1).fill(0), ...new Array(grid.cells - cell).fill(1)])
    liquid.openGeometry()
    liquid.surface(8)
    expect(Array.from(liquid.arrays.phi.keys()).filter(at => liquid.arrays.phi[at] < 0)).toEqual([cell])
  }
})

describe.each([
  [3, [20, 20, 20]],
  [2, [48, 48]],
] as const)('a plane through jittered particles in %iD', (dims, shape) => {
  const normals = [
    [0, 1, 0],
    [0.3, 1, 0],
    [1, 1, 0],
    [0.4, -0.7, 0.5],
  ].map(normal => {
    const used = normal.map((value, axis) => (axis < dims ? value : 0))
    return used.map(value => value / Math.hypot(...used))
  })

  it('lies where it lies: fractions along links and volume', async () => {
    const errors: number[] = []
    for (const normal of normals) {
      for (const height of [0, 0.2, 0.45, 0.7, 0.9]) {
        const middle = shape[0] / 2
        const plane = (x: number, y: number, z: number) =>
          normal[0] * (x - middle) + normal[1] * (y - middle) + (dims === 3 ? normal[2] * (z - middle) : 0) - height
        const placed = await placeSeeded(shape, (x, y, z) => plane(x, y, z) < 0)
        const { grid, phi } = placed
        const strides = [1, shape[0], shape[0] * shape[1]]
        let exact = 0
        for (let cell = 0; cell < grid.cells; cell++) {
          const at = centre(placed, cell)
          const own = plane(...at)
          exact += Math.min(1, Math.max(0, 0.5 - own))
          expect(phi[cell] < 0 === own < 0 || Math.abs(own) < 0.5, `cell ${cell}`).toBe(true)
          for (let axis = 0; axis < dims; axis++) {
            if (at[axis] > shape[axis]! - 1) continue
            const other = own + normal[axis]
            const next = cell + strides[axis]
            if (own < 0 === other < 0 || phi[cell] < 0 === phi[next] < 0) continue
            const fraction = (a: number, b: number) => (a < 0 ? a / (a - b) : b / (b - a))
            errors.push(fraction(phi[cell], phi[next]) - fraction(own, other))
          }
        }
        expect(Math.abs(placed.volume / exact - 1), `volume for normal ${normal} at ${height}`).toBeLessThan(0.006)
      }
    }
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length
    const size = errors.reduce((sum, error) => sum + Math.abs(error), 0) / errors.length
    expect(Math.abs(mean)).toBeLessThan(0.03)
    expect(size).toBeLessThan(dims === 3 ? 0.08 : 0.12)
  })

  it('leaves no holes below where cells are empty by chance', async () => {
    const { grid, phi } = await placeSeeded(shape, (_x, y, _z, cell) => y < 12.3 && random(32, cell) > 0.03)
    for (let cell = 0; cell < grid.cells; cell++) {
      const at = centre({ grid }, cell).slice(0, dims)
      // A cell that is empty along a side is a gap between wall and liquid.
      if (at.some((x, axis) => x < 1 || x > shape[axis]! - 1) || at[1] > 11) continue
      expect(phi[cell], `cell ${cell}`).toBeLessThan(0)
    }
  })
})

describe('at walls', () => {
  const slope = (x: number, y: number) => 0.8 * (y - 6) - 0.6 * (x - 8) + 0.03

  it('liquid fills all cells that are open towards it', async () => {
    const placed = await placeSeeded([16, 16, 12], (x, y) => slope(x, y) > 0 && y < 11.4, slope)
    const { openCell, kind } = placed.liquid.arrays
    placed.liquid.assemble(0.01, 1000, false)
    let cut = 0
    for (let cell = 0; cell < placed.grid.cells; cell++) {
      const [, y] = centre(placed, cell)
      if (openCell[cell] === 0 || y > 10) continue
      if (openCell[cell] < 1) cut++
      if (openCell[cell] > 0.05) expect(kind[cell], `cell ${cell}`).not.toBe(0)
    }
    expect(cut).toBeGreaterThan(100)
    expect(Math.abs(placed.volume / (placed.count / 8) - 1)).toBeLessThan(0.01)
  })

  it.each([0.9, 1.3])('liquid that has left a wall by %f cells is not glued to it', async gap => {
    const placed = await placeSeeded([16, 16, 12], (x, y) => slope(x, y) > gap, slope)
    for (let cell = 0; cell < placed.grid.cells; cell++) {
      const away = slope(...(centre(placed, cell).slice(0, 2) as [number, number]))
      if (away < gap - 0.6 && away > -0.3) expect(placed.phi[cell], `cell ${cell}`).toBeGreaterThan(0)
      if (away > gap + 0.4) expect(placed.phi[cell], `cell ${cell}`).toBeLessThan(0)
    }
  })

  it('liquid that has left a side by most of a cell is not glued to it', async () => {
    const { grid, phi } = await placeSeeded([9, 12, 9], (_x, y) => y < 11.2)
    for (let cell = 0; cell < grid.cells; cell++) {
      const [, y] = centre({ grid }, cell)
      if (y > 11) expect(phi[cell]).toBeCloseTo(0.3, 0)
      if (y > 11) expect(phi[cell]).toBeGreaterThan(0)
      if (y < 11) expect(phi[cell]).toBeLessThan(0)
    }
  })

  it.each([2, 5])('a solid mirrors what touches it, with %i particles along an axis of a cell', async perAxis => {
    const [wall, top] = [3, 4.3]
    const placed = await placeSeeded(
      [8, 8, 7],
      (x, y) => x > wall && y < top,
      x => x - wall,
      0,
      perAxis,
    )
    let mirrored = 0
    for (let cell = 0; cell < placed.grid.cells; cell++) {
      const at = centre(placed, cell)
      const isAtSide = at.some((value, axis) => value < 1 || value > placed.grid.shape[axis] - 1)
      if (isAtSide || at[0] < wall || placed.phi[cell] === -0.25 || placed.phi[cell] === -1) continue
      const alone = plainSum(placed, at, value => [value])
      const isTouching = alone + at[0] - wall < 0.5
      const both = plainSum(placed, at, (value, axis) => (axis === 0 ? [value, 2 * wall - value] : [value]))
      if (isTouching && at[0] - wall < REACH) mirrored++
      expect(Math.abs(placed.phi[cell] - (isTouching ? both : alone)), `cell ${cell}`).toBeLessThan(4e-3)
    }
    expect(mirrored).toBeGreaterThan(2)
  })

  it('a level surface stays level up to the wall', async () => {
    const steep = (x: number, y: number) => 0.96 * (x - 5.3) + 0.28 * (y - 8)
    let sum = 0
    let count = 0
    for (const level of [9.1, 10.85, 11.35, 12.6]) {
      const placed = await placeSeeded([18, 16, 20], (x, y) => steep(x, y) > 0 && y < level, steep)
      for (let cell = 0; cell < placed.grid.cells; cell++) {
        const [x, y] = centre(placed, cell)
        if (placed.liquid.arrays.openCell[cell] < 0.05 || Math.abs(y - level) > 0.7 || steep(x, y) > 0.7) continue
        sum += placed.phi[cell] - (y - level)
        count++
      }
    }
    expect(count).toBeGreaterThan(100)
    expect(Math.abs(sum / count)).toBeLessThan(0.13)
  })
})

it('has the same bits for 1, 2 and 3 threads, with memory shared or not', async () => {
  const all: Buffer[] = []
  const volumes = new Set<number>()
  for (const machine of machines.keys()) {
    const shape = [23, 21, 19]
    const { phi, volume } = await placeSeeded(
      shape,
      (x, y, z) => y < 9.3 || ball(9, 14, 9, 3)(x, y, z) < 0,
      ball(14, 3, 8, 6),
      machine,
    )
    all.push(Buffer.from(Float32Array.from(phi).buffer))
    volumes.add(volume)
  }
  for (const bytes of all) expect(bytes.equals(all[0])).toBe(true)
  expect(volumes.size).toBe(1)
})
