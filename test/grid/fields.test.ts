import { describe, expect, it } from 'vitest'
import { createFaceMask, extrapolate } from '../../src/grid/extrapolate.js'
import { interpolate, sampleCells, sampleNodes } from '../../src/grid/field.js'
import { createGrid, nodeShape } from '../../src/grid/grid.js'
import { redistance } from '../../src/grid/redistance.js'
import { sphere } from '../../src/grid/shapes.js'
import { createFaceField, sampleFaces } from '../../src/grid/staggered.js'
import { random } from '../../src/random.js'

describe('grid', () => {
  it('refuses shapes and spacings that make no sense', () => {
    for (const shape of [[4], [4, 4, 4, 4], [0, 3], [2.5, 3], [-1, 2]]) expect(() => createGrid(shape)).toThrow(/side/)
    expect(() => createGrid([2, 2], 0)).toThrow(/spacing/)
    expect(() => createGrid([2, 2], NaN)).toThrow(/spacing/)
    expect(() => createGrid([2000, 2000, 2000])).toThrow(/too large/)
  })
})

describe('interpolation', () => {
  it('is exact for linear functions inside and clamps outside, in 2D and 3D and on one-cell grids', () => {
    const linear = (x: number, y: number, z: number) => 1 + 2 * x - 3 * y + 0.5 * z
    for (const shape of [
      [7, 5],
      [6, 4, 5],
      [1, 1],
      [1, 4, 1],
    ]) {
      const grid = createGrid(shape, 0.2)
      const nodes = sampleNodes(grid, linear)
      for (let trial = 0; trial < 20; trial++) {
        const [x, y, z] = [0, 1, 2].map(axis => random(1, trial, axis) * grid.shape[axis] * 0.2)
        const expected = linear(x, y, grid.dims === 2 ? 0 : z)
        expect(interpolate(grid, nodeShape(grid), [0, 0, 0], nodes, x, y, z)).toBeCloseTo(expected, 12)
      }
    }
    const grid = createGrid([4, 4], 1)
    const cells = sampleCells(grid, x => x)
    expect(interpolate(grid, grid.shape, [0.5, 0.5, 0.5], cells, -9, 2, 0)).toBe(0.5)
    expect(interpolate(grid, grid.shape, [0.5, 0.5, 0.5], cells, 99, 2, 0)).toBe(3.5)
  })
})

describe('redistancing', () => {
  it.each([2, 3] as const)('turns a distorted level set into a distance and keeps its zero, in %dD', dims => {
    const size = 32
    const grid = createGrid(new Array(dims).fill(size), 1 / size)
    const exact = sampleCells(grid, dims === 2 ? sphere([0.5, 0.5], 0.3) : sphere([0.5, 0.5, 0.5], 0.3))
    const result = redistance(
      grid,
      grid.shape,
      exact.map(phi => phi * (3 + 20 * Math.abs(phi))),
    )
    for (let cell = 0; cell < grid.cells; cell++) {
      expect(result[cell] < 0).toBe(exact[cell] < 0)
      // First order: a cell and a half at worst, far away and at the centre where characteristics meet.
      expect(Math.abs(result[cell] - exact[cell])).toBeLessThan(1.5 / size)
      // The distortion is not linear, so the crossings it implies are off by a fraction of a cell already.
      if (Math.abs(exact[cell]) < 1 / size) expect(Math.abs(result[cell] - exact[cell])).toBeLessThan(0.4 / size)
    }
  })

  it('is exact for planes', () => {
    const grid = createGrid([20, 6], 0.1)
    const exact = sampleCells(grid, x => x - 0.83)
    const result = redistance(
      grid,
      grid.shape,
      exact.map(phi => 5 * phi),
    )
    for (let cell = 0; cell < grid.cells; cell++) expect(result[cell]).toBeCloseTo(exact[cell], 12)
  })

  it('says how far it is where there is no surface', () => {
    const grid = createGrid([4, 4], 1)
    expect(redistance(grid, grid.shape, new Float64Array(16).fill(-2)).every(value => value === -Infinity)).toBe(true)
  })
})

describe('extrapolation', () => {
  it('continues a constant, keeps known faces, and stops after its layers', () => {
    const grid = createGrid([10, 8, 3], 0.1)
    const values = sampleFaces(grid, [() => 4, () => -2, () => 1])
    const known = createFaceMask(grid)
    const before = createFaceField(grid)
    for (const axis of [0, 1, 2] as const)
      for (let face = 0; face < values[axis].length; face++) {
        const near = face % (axis === 0 ? 11 : 10) < 3
        known[axis][face] = near ? 1 : 0
        if (!near) values[axis][face] = 99
        before[axis][face] = values[axis][face]
      }
    extrapolate(grid, values, known, 2)
    for (const axis of [0, 1, 2] as const)
      for (let face = 0; face < values[axis].length; face++) {
        const i = face % (axis === 0 ? 11 : 10)
        expect(values[axis][face]).toBe(i < 5 ? [4, -2, 1][axis] : 99)
      }
  })

  it('mirrors with its input', () => {
    const grid = createGrid([9, 7], 1)
    const left = sampleFaces(grid, [(x, y) => x * y, () => 0, () => 0])
    const right = sampleFaces(grid, [(x, y) => (9 - x) * y, () => 0, () => 0])
    const knownLeft = createFaceMask(grid)
    const knownRight = createFaceMask(grid)
    for (const [i, j] of [
      [2, 3],
      [3, 3],
      [4, 1],
    ]) {
      knownLeft[0][i + 10 * j] = 1
      knownRight[0][9 - i + 10 * j] = 1
    }
    extrapolate(grid, left, knownLeft, 20)
    extrapolate(grid, right, knownRight, 20)
    for (let j = 0; j < 7; j++) for (let i = 0; i < 10; i++) expect(left[0][i + 10 * j]).toBeCloseTo(right[0][9 - i + 10 * j], 12)
  })
})
