/** How the liquid is cut into tiles and dealt out. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TileTable } from '../../src/cluster/tile-packing.js'
import { compareMorton, cutTiles, shareEfficiency, shareTiles, tilesOf } from '../../src/cluster/tiles.js'
import { findRuns } from '../../src/multigrid/aggregate/load-problem.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import { DRY, type PressureProblem } from '../../src/pressure/problem.js'
import { randomBlock } from '../support/lattices.js'

/** Number, place and box of every tile, read from the bytes. */
function readTable({ size, count, bytes }: TileTable, shape: readonly number[]) {
  const across = shape.map(side => Math.ceil(side / size))
  const view = new DataView(bytes.buffer)
  return Array.from({ length: count }, (_, at) => {
    const id = view.getInt32(12 * at, true)
    const place = [id % across[0], Math.floor(id / across[0]) % across[1], Math.floor(id / across[0] / across[1])]
    const [low, high] = [bytes.slice(12 * at + 4, 12 * at + 7), bytes.slice(12 * at + 7, 12 * at + 10)]
    return {
      id,
      place,
      low: place.map((tile, axis) => tile * size + low[axis]),
      high: place.map((tile, axis) => tile * size + high[axis]),
    }
  })
}

/** One bit of each coordinate in turn, the highest first. */
const curve = (place: readonly number[]) => {
  let key = 0n
  for (let bit = 20; bit >= 0; bit--) for (const value of [...place].reverse()) key = 2n * key + BigInt((value >> bit) & 1)
  return key
}

const block = galleryProblem('half-ball', { size: 40, dims: 3 }).problem as PressureProblem

describe('tiles', () => {
  it.each([
    [block, 16],
    [block, 8],
    [galleryProblem('spray', { size: 60 }).problem as PressureProblem, 32],
    [randomBlock([33, 1, 9], 3), 16],
  ])('hold every unknown once, and their boxes are as small as can be', (problem, size) => {
    const { grid, kind } = problem
    const table = tilesOf(grid.shape, findRuns(problem).runs, size)
    const owner = new Int32Array(grid.cells).fill(-1)
    readTable(table, grid.shape).forEach(({ low, high }, tile) => {
      const touched = [false, false, false, false, false, false]
      for (let k = low[2]; k <= high[2]; k++)
        for (let j = low[1]; j <= high[1]; j++)
          for (let i = low[0]; i <= high[0]; i++) {
            const cell = i + grid.shape[0] * (j + grid.shape[1] * k)
            expect(owner[cell]).toBe(-1)
            owner[cell] = tile
            if (kind[cell] === DRY) continue
            ;[i, j, k].forEach((at, axis) => {
              if (at === low[axis]) touched[axis] = true
              if (at === high[axis]) touched[3 + axis] = true
            })
          }
      expect(touched).not.toContain(false)
      expect(table.cells[tile]).toBe(high.reduce((cells, top, axis) => cells * (top - low[axis] + 1), 1))
    })
    kind.forEach((what, cell) => {
      if (what !== DRY) expect(owner[cell]).toBeGreaterThanOrEqual(0)
    })
  })

  it('stand in Morton order', () => {
    const places = readTable(tilesOf(block.grid.shape, findRuns(block).runs, 8), block.grid.shape).map(({ place }) =>
      curve(place),
    )
    expect(places).toEqual([...places].sort((a, b) => (a < b ? -1 : 1)))
    const coordinates = fc.tuple(fc.nat(5000), fc.nat(5000), fc.nat(5000))
    fc.assert(
      fc.property(coordinates, coordinates, (a, b) => {
        const [one, other] = [curve(a), curve(b)]
        expect(Math.sign(compareMorton(a, b))).toBe(one < other ? -1 : one > other ? 1 : 0)
      }),
    )
  })

  it('are large for one rank and small enough for many', () => {
    const { runs } = findRuns(block)
    expect(cutTiles(block.grid.shape, runs, 1).size).toBe(32)
    expect(cutTiles(block.grid.shape, runs, 4).size).toBe(16)
  })
})

describe('ranks', () => {
  it('get contiguous runs, and no rank more than its share and a tile', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 4096 }), { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1, max: 40 }),
        (list, ranks) => {
          const cells = Int32Array.from(list)
          const starts = shareTiles(cells, ranks)
          expect(starts).toHaveLength(ranks + 1)
          expect([starts[0], starts[ranks]]).toEqual([0, cells.length])
          const total = list.reduce((sum, count) => sum + count, 0)
          for (let rank = 0; rank < ranks; rank++) {
            expect(starts[rank + 1]).toBeGreaterThanOrEqual(starts[rank])
            const mine = cells.subarray(starts[rank], starts[rank + 1]).reduce((sum, count) => sum + count, 0)
            expect(mine).toBeLessThanOrEqual(total / ranks + Math.max(...list) + 1e-9)
          }
        },
      ),
    )
  })

  it('are balanced well where tiles are full', () => {
    const cells = new Int32Array(64).fill(512)
    expect(shareEfficiency(cells, shareTiles(cells, 8), 64 * 512)).toBe(1)
    expect(shareEfficiency(cells, shareTiles(cells, 8), 32 * 512)).toBe(0.5)
  })
})
