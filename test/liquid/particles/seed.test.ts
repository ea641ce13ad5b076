/** Where particles begin. */
import { describe, expect, it } from 'vitest'
import { createGrid } from '../../../src/grid/grid.js'
import { halfSpace, sphere } from '../../../src/grid/shapes.js'
import { createList, placeInCell, seedBodies } from '../../../src/liquid/particles/seed.js'
import { body } from '../../support/settings.js'

const nowhere = () => 1e6
const seeding = { perCell: 4, jitter: 1, seed: 3 }

describe('places in a cell', () => {
  it.each([
    { dims: 2, perCell: 4 },
    { dims: 2, perCell: 9 },
    { dims: 3, perCell: 8 },
    { dims: 3, perCell: 27 },
  ])('are one in every part of it: $perCell in $dims D', ({ dims, perCell }) => {
    const grid = createGrid(dims === 2 ? [4, 4] : [4, 4, 4], 0.1)
    const parts = Math.round(perCell ** (1 / dims))
    for (const jitter of [0, 0.5, 1]) {
      const taken = new Set<string>()
      for (let part = 0; part < perCell; part++) {
        const at = placeInCell(grid, { perCell, jitter, seed: 1 }, 5, part, 0)
        const inParts = at.slice(0, dims).map(x => x * parts)
        for (const x of inParts) expect(Math.abs((x % 1) - 0.5)).toBeLessThanOrEqual(0.5 * jitter + 1e-9)
        if (dims === 2) expect(at[2]).toBe(0.5)
        taken.add(inParts.map(Math.floor).join())
      }
      expect(taken.size).toBe(perCell)
    }
  })

  it.each([1, 3, 5, 7])('are in different parts where there are more parts than %s particles', perCell => {
    const grid = createGrid([8, 8, 8], 1)
    const parts = Math.ceil(perCell ** (1 / 3) - 1e-9)
    for (let cell = 0; cell < 50; cell++) {
      const places = Array.from({ length: perCell }, (_, part) =>
        placeInCell(grid, { perCell, jitter: 1, seed: 2 }, cell, part, 0),
      )
      expect(new Set(places.map(at => at.map(x => Math.floor(x * parts)).join())).size).toBe(perCell)
    }
  })

  it('are others in another cell, another round and with another seed, and the same again', () => {
    const grid = createGrid([4, 4], 1)
    const first = placeInCell(grid, seeding, 5, 0, 0)
    expect(placeInCell(grid, seeding, 5, 0, 0)).toEqual(first)
    for (const other of [
      placeInCell(grid, seeding, 6, 0, 0),
      placeInCell(grid, seeding, 5, 0, 1),
      placeInCell(grid, { ...seeding, seed: 4 }, 5, 0, 0),
    ])
      expect(other).not.toEqual(first)
  })
})

describe('bodies', () => {
  const grid = createGrid([20, 20], 0.1)

  it('are filled to their edge with as many particles as their volume has', () => {
    const ball = sphere([1, 1], 0.63)
    const [x, y] = seedBodies(grid, [body(ball)], nowhere, { ...seeding, perCell: 64 })
    x.forEach((_, n) => {
      expect(ball(0.1 * x[n], 0.1 * y[n], 0)).toBeLessThan(1e-6)
    })
    expect(x.length / 64 / ((Math.PI * 0.63 ** 2) / 0.01)).toBeCloseTo(1, 2)
  })

  it('leave out solids', () => {
    const solidAt = (x: number) => x - 10
    const [x] = seedBodies(grid, [body(() => -1)], solidAt, seeding)
    expect(x.length).toBe(4 * 10 * 20)
    for (const value of x) expect(value).toBeGreaterThan(10)
  })

  it('that overlap are filled once, and the first one gives the velocity', () => {
    const left = body(halfSpace([1.2, 0], [1, 0]), [1, 2, 0])
    const right = body(halfSpace([0.8, 0], [-1, 0]), [3, 4, 0])
    const [x, , , vx, vy] = seedBodies(grid, [left, right], nowhere, seeding)
    expect(x.length).toBe(4 * 400)
    x.forEach((value, n) => {
      expect([vx[n], vy[n]]).toEqual(value < 12 ? [1, 2] : [3, 4])
    })
  })

  it('get the same particles whatever else there is', () => {
    const ball = body(sphere([0.5, 0.5], 0.3))
    const alone = seedBodies(grid, [ball], nowhere, seeding)
    const beside = seedBodies(grid, [ball, body(sphere([1.5, 1.5], 0.3))], nowhere, seeding)
    expect(beside[0].subarray(0, alone[0].length)).toEqual(alone[0])
  })
})

describe('a list', () => {
  it('grows and keeps what it has', () => {
    const list = createList()
    for (let n = 0; n < 5000; n++) list.add(n, 2 * n, 3 * n, [4 * n, 5 * n, 6 * n])
    const columns = list.finish()
    for (const n of [0, 1023, 1024, 4999]) expect(columns.map(column => column[n])).toEqual([1, 2, 3, 4, 5, 6].map(k => k * n))
    expect(columns.every(column => column.length === 5000)).toBe(true)
  })
})
