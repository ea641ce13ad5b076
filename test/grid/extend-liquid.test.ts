import { describe, expect, it } from 'vitest'
import { extendIntoSolids } from '../../src/grid/extend-liquid.js'
import { type ScalarFunction, sampleCells, sampleNodes } from '../../src/grid/field.js'
import { cellIndex, createGrid, type Grid } from '../../src/grid/grid.js'

const grid = createGrid([10, 8, 6], 0.1)

/** Cells whose centre is solid although part of them is open. */
function cutCells(of: Grid, solid: ScalarFunction): number[] {
  const nodes = sampleNodes(of, solid)
  const [nx, ny] = of.shape
  return [...Array(of.cells).keys()].filter(cell => {
    const node = (cell % nx) + (nx + 1) * ((Math.floor(cell / nx) % ny) + (ny + 1) * Math.floor(cell / (nx * ny)))
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map(q => nodes[node + (q & 1) + (nx + 1) * (((q >> 1) & 1) + (ny + 1) * (q >> 2))])
    return corners.reduce((sum, phi) => sum + phi, 0) < 0 && corners.some(phi => phi > 0)
  })
}

function extend(of: Grid, liquid: ScalarFunction, solid: ScalarFunction, inSolids: number): Float64Array {
  const given = sampleCells(of, liquid)
  for (const cell of cutCells(of, solid)) given[cell] = inSolids
  return extendIntoSolids(of, given, sampleNodes(of, solid))
}

describe('liquid extended into solids', () => {
  it.each([2, 3] as const)(
    'continues a flat surface exactly along slanted walls, whatever is given in the solid, in %dD',
    dims => {
      const of = dims === 3 ? grid : createGrid([10, 8], 0.1)
      const wall = (x: number, y: number, z: number) => 0.6 * (x - 0.37) + 0.7 * (y - 0.2) + (dims === 3 ? 0.39 * (z - 0.3) : 0)
      const surface = (x: number, y: number, z: number) =>
        0.8 * (y - 0.41) - 0.5 * (x - 0.3) + (dims === 3 ? 0.33 * (z - 0.3) : 0)
      const cut = cutCells(of, wall)
      expect(cut.length).toBeGreaterThan(4)
      const exact = sampleCells(of, surface)
      for (const inSolids of [-0.3, 0, 0.04, 0.3]) {
        const extended = extend(of, surface, wall, inSolids)
        for (const cell of cut) expect(extended[cell]).toBeCloseTo(exact[cell], 7)
      }
    },
  )

  it('leaves cells outside and cells that are solid all over as they are', () => {
    const wall = (x: number) => x - 0.37
    const given = sampleCells(grid, (x, y) => y - 0.4 + x * x)
    const extended = extendIntoSolids(grid, given, sampleNodes(grid, wall))
    const cut = new Set(cutCells(grid, wall))
    given.forEach((phi, cell) => {
      if (!cut.has(cell)) expect(extended[cell]).toBe(phi)
    })
  })

  it('reaches half a cell into walls at which the liquid was cut off, or which it does not quite reach', () => {
    const wall = (x: number, y: number) => 0.8 * x + 0.6 * y - 0.55
    const cut = cutCells(grid, wall)
    // The gap is 0, 0.3 and 0.7 cells wide.
    for (const [gap, expected] of [
      [0, true],
      [0.03, true],
      [0.07, false],
    ] as const) {
      const extended = extend(grid, (x, y) => gap - wall(x, y), wall, 0.02)
      for (const cell of cut) expect(extended[cell] < 0, `gap ${gap}`).toBe(expected)
      if (expected) for (const cell of cut) expect(extended[cell]).toBeCloseTo(-0.05, 12)
    }
  })

  it('does not look at what is behind a thin wall', () => {
    // Liquid to the left of a plate from 0.42 to 0.57, which is thinner than two cells, air to its right.
    const plate = (x: number) => Math.abs(x - 0.495) - 0.075
    const extended = extend(grid, x => (x < 0.495 ? -0.2 : 0.2), plate, 0)
    for (let j = 0; j < 8; j++) {
      expect(extended[cellIndex(grid, 4, j, 2)]).toBeCloseTo(-0.2, 12)
      expect(extended[cellIndex(grid, 5, j, 2)]).toBeCloseTo(0.2, 12)
    }
  })

  it('uses the given distance where no centre around is outside', () => {
    // A gap around a plane of nodes, 0.4 cells wide.
    const channel = (_x: number, y: number) => 0.02 - Math.abs(y - 0.4)
    const cut = cutCells(grid, channel)
    expect(cut.length).toBeGreaterThan(0)
    const of = (inSolids: number) => extend(grid, () => -1, channel, inSolids)
    for (const cell of cut) {
      expect(of(0.04)[cell]).toBeCloseTo(-0.05, 14)
      expect(of(-0.2)[cell]).toBe(-0.2)
      expect(of(0.06)[cell]).toBe(0.06)
    }
  })
})
