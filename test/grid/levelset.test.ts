import { describe, expect, it } from 'vitest'
import { sampleNodes } from '../../src/grid/field.js'
import { createGrid, faceShape } from '../../src/grid/grid.js'
import { openCellFractions, openFaceFractions, snapToSurface } from '../../src/grid/levelset.js'

describe('open fractions', () => {
  it('are exact for planes in 2D', () => {
    const grid = createGrid([6, 5], 0.2)
    const open = openFaceFractions(
      grid,
      sampleNodes(grid, (_, y) => y - 0.33),
    )
    // Row j spans [0.2 j, 0.2 (j + 1)]; the x-faces of row 1 are open above 0.33.
    expect(open[0][1 * 7 + 3]).toBeCloseTo((0.4 - 0.33) / 0.2, 12)
    expect(open[0][0 * 7 + 3]).toBe(0)
    expect(open[0][2 * 7 + 3]).toBe(1)
  })

  it('are exact for slanted planes in 3D: the sum over a closed cell surface balances the cut', () => {
    // Divergence theorem for the linear function: Σ ± open over opposite faces is the projection of the cut area.
    const grid = createGrid([4, 4, 4], 0.25)
    const normal = [0.48, 0.6, 0.64]
    const phi = sampleNodes(grid, (x, y, z) => normal[0] * (x - 0.5) + normal[1] * (y - 0.5) + normal[2] * (z - 0.5))
    const open = openFaceFractions(grid, phi)
    const cell = [1, 2, 1]
    const difference = [0, 1, 2].map(axis => {
      const [fx, fy] = faceShape(grid, axis as 0 | 1 | 2)
      const lower = cell[0] + fx * (cell[1] + fy * cell[2])
      return open[axis][lower + [1, fx, fx * fy][axis]] - open[axis][lower]
    })
    const area = Math.hypot(...difference)
    expect(area).toBeGreaterThan(0.1)
    for (const axis of [0, 1, 2]) expect(difference[axis] / area).toBeCloseTo(normal[axis], 10)
  })

  it('close a wall that lies on a grid plane, whatever rounding does to it', () => {
    const grid = createGrid([8, 3, 3], 0.1)
    for (const noise of [0, 1e-17, -1e-17, 1e-9]) {
      const open = openFaceFractions(
        grid,
        snapToSurface(
          grid,
          sampleNodes(grid, x => x - 0.3 + noise),
        ),
      )
      expect(open[0][3]).toBe(0)
      expect(open[0][4]).toBe(1)
      expect(open[1][3]).toBe(1)
    }
  })

  it('of cells equal the volume under a plane and its mirror image', () => {
    const grid = createGrid([1, 1, 1], 1)
    const volume = (phi: (x: number, y: number, z: number) => number) => openCellFractions(grid, sampleNodes(grid, phi))[0]
    expect(volume(x => x - 0.3)).toBeCloseTo(0.7, 12)
    expect(volume((x, y) => x + y - 1)).toBeCloseTo(0.5, 12)
    // A corner cut off at distance a along each edge has volume a³/6.
    expect(volume((x, y, z) => 0.6 - x - y - z)).toBeCloseTo(0.6 ** 3 / 6, 12)
    expect(volume((x, y, z) => 0.6 - (1 - x) - y - z)).toBeCloseTo(0.6 ** 3 / 6, 12)
    expect(volume((x, y, z) => x + y + z - 1.5)).toBeCloseTo(0.5, 12)
    expect(volume(() => 1)).toBeCloseTo(1, 14)
    expect(volume(() => -1)).toBe(0)
  })
})
