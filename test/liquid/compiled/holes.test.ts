/** Which gaps among particles are filled, and which are bubbles. */
import { afterAll, describe, expect, it } from 'vitest'
import { liquidModule } from '../../../src/machine/generated/liquid.js'
import { startMachine } from '../../../src/machine/machine.js'
import type { Sides } from '../../../src/pressure/walls.js'
import { type Distance, placeLiquid, seedParticles } from '../../support/liquids.js'

const machines = [startMachine(liquidModule, 1), startMachine(liquidModule, 3)]
afterAll(async () => {
  for (const machine of machines) (await machine).dispose()
})

type Cell = readonly [number, number, number]

/** The surface of liquid that fills everything but some cells. */
async function surfaceWithout(
  shape: readonly number[],
  emptied: readonly Cell[],
  { sides, solid, machine = 0 }: { sides?: Sides; solid?: Distance; machine?: number } = {},
) {
  const solids = solid ? [{ phi: solid }] : []
  const placed = placeLiquid(await machines[machine], { shape, liquid: () => 1, solids, sides, spacing: 0.5 })
  const [nx, ny] = placed.grid.shape
  const isEmpty = new Set(emptied.map(([i, j, k]) => i + nx * (j + ny * k)))
  const inside = (x: number, y: number, z: number, cell: number) => !isEmpty.has(cell) && (solid?.(x, y, z) ?? 1) > 0
  seedParticles(placed, inside)
  placed.liquid.openGeometry()
  placed.liquid.surface(2 ** placed.grid.dims)
  const { phi } = placed.liquid.arrays
  return { phi, at: ([i, j, k]: Cell) => phi[i + nx * (j + ny * k)] }
}

const cube = (low: number, size: number, deep: boolean): Cell[] =>
  Array.from({ length: size ** (deep ? 3 : 2) }, (_, n) => [
    low + (n % size),
    low + (Math.floor(n / size) % size),
    deep ? low + Math.floor(n / size ** 2) : 0,
  ])

describe.each([
  { name: '2D', shape: [14, 13], k: 0 },
  { name: '2D, more than sixteen in a row', shape: [19, 13], k: 0 },
  { name: '3D', shape: [12, 13, 11], k: 5 },
])('a hole in the midst of liquid, $name', ({ shape, k }) => {
  const holes: Record<string, Cell[]> = {
    'one cell': [[5, 5, k]],
    'a pair': [
      [5, 5, k],
      [6, 5, k],
    ],
    'an L of three': [
      [5, 5, k],
      [6, 5, k],
      [6, 6, k],
    ],
  }
  it.each(Object.entries(holes))('is filled: %s', async (_, cells) => {
    const { at } = await surfaceWithout(shape, cells)
    for (const cell of cells) expect(at(cell)).toBeLessThan(0)
  })

  it('is filled beside a closed side', async () => {
    const { at } = await surfaceWithout(shape, [[0, 5, k]])
    expect(at([0, 5, k])).toBeLessThan(0)
  })

  it('is air beyond an open side', async () => {
    const beside = cube(0, 2, shape.length === 3).map(([i, j, n]): Cell => [i, j + 5, n + k])
    const closed = await surfaceWithout(shape, beside)
    expect(closed.at([0, 5, k])).toBeLessThan(0)
    const open = await surfaceWithout(shape, beside, { sides: { x: ['open', 'separating'] } })
    expect(open.at([0, 5, k])).toBeGreaterThan(0)
  })

  it('is filled beside a wall', async () => {
    // The wall cuts cells of column 3 in half; column 4 is the first whole one.
    const solid: Distance = x => x - 3.5
    const hole: Cell[] = [
      [3, 5, k],
      [4, 5, k],
    ]
    const { at } = await surfaceWithout(shape, hole, { solid })
    for (const cell of hole) expect(at(cell)).toBeLessThan(0)
  })

  it('stays a bubble if it is three cells wide', async () => {
    const bubble = cube(4, 3, shape.length === 3)
    const { at } = await surfaceWithout(shape, bubble)
    const middle = shape.length === 3 ? 5 : 0
    expect(at([5, 5, middle])).toBeGreaterThan(0)
    expect(at([4, 5, middle])).toBeGreaterThan(0)
  })

  it('is the same for any number of threads', async () => {
    const cells = [...holes['an L of three'], ...cube(8, 2, false).map(([i, j]): Cell => [i, j, k])]
    const one = (await surfaceWithout(shape, cells)).phi.slice()
    expect((await surfaceWithout(shape, cells, { machine: 1 })).phi).toEqual(one)
  })
})

describe('the air above a surface', () => {
  it('is no hole, however deep the dent', async () => {
    // A shaft one cell wide, open above.
    const shaft = Array.from({ length: 8 }, (_, n): Cell => [6, 4 + n, 0])
    const above = Array.from({ length: 14 }, (_, i): Cell => [i, 12, 0])
    const { at } = await surfaceWithout([14, 13], [...shaft, ...above])
    expect(at([6, 12, 0])).toBeGreaterThan(0)
    expect(at([3, 12, 0])).toBeGreaterThan(0)
  })
})
