import { describe, expect, it } from 'vitest'
import { type ScalarFunction, sampleCells, sampleNodes } from '../../../src/grid/field.js'
import { createGrid } from '../../../src/grid/grid.js'
import { InputError } from '../../../src/input-error.js'
import { surfaceMesh } from '../../../src/liquid/surface/surface-mesh.js'
import { random } from '../../../src/random.js'
import { eulerCharacteristic, expectClosedManifold, meshArea, meshVolume } from '../../support/meshes.js'

const frameOf = (shape: readonly number[], spacing: number, liquid: ScalarFunction, solid: ScalarFunction = () => 1) => {
  const grid = createGrid(shape, spacing)
  const single = (values: Float64Array) => Float32Array.from(values)
  return { grid, index: 0, time: 0, liquid: single(sampleCells(grid, liquid)), solid: single(sampleNodes(grid, solid)) }
}
const ball =
  (cx: number, cy: number, cz: number, r: number): ScalarFunction =>
  (x, y, z) =>
    Math.hypot(x - cx, y - cy, z - cz) - r

describe('the surface of', () => {
  it('a ball is closed, has its volume and area, and points outwards', () => {
    const n = 48
    const mesh = surfaceMesh(frameOf([n, n, n], 1 / n, ball(0.5, 0.52, 0.49, 0.31)))
    expectClosedManifold(mesh)
    expect(eulerCharacteristic(mesh)).toBe(2)
    expect(Math.abs(meshVolume(mesh) / ((4 / 3) * Math.PI * 0.31 ** 3) - 1)).toBeLessThan(4e-3)
    expect(Math.abs(meshArea(mesh) / (4 * Math.PI * 0.31 ** 2) - 1)).toBeLessThan(4e-3)
    for (let at = 0; at < mesh.positions.length; at += 3) {
      const outwards = [mesh.positions[at] - 0.5, mesh.positions[at + 1] - 0.52, mesh.positions[at + 2] - 0.49]
      const cosine = outwards.reduce((sum, value, axis) => sum + (value / 0.31) * mesh.normals[at + axis], 0)
      expect(cosine).toBeGreaterThan(0.995)
      expect(Math.abs(Math.hypot(...outwards) - 0.31)).toBeLessThan(0.02 / n)
    }
  })

  it('a ball has an error in volume that falls with the square of the spacing', () => {
    const errors = [16, 32, 64].map(n => {
      const volume = meshVolume(surfaceMesh(frameOf([n, n, n], 1 / n, ball(0.5, 0.5, 0.5, 0.37))))
      return Math.abs(volume / ((4 / 3) * Math.PI * 0.37 ** 3) - 1)
    })
    expect(errors[0] / errors[1]).toBeGreaterThan(3)
    expect(errors[1] / errors[2]).toBeGreaterThan(3)
  })

  it.each([
    { shape: [12, 10, 8], spacing: 0.37 },
    { shape: [12, 10, 8], spacing: 0.5 },
    { shape: [12, 10], spacing: 0.5 },
  ])('liquid at walls that run exactly through centres of cells is closed: %j', ({ shape, spacing }) => {
    // A corner of walls, each with the liquid on one side, and a slope through centres along a diagonal.
    const corner: ScalarFunction = (x, y) => Math.min(x - 3.5 * spacing, y - 2.5 * spacing)
    const slope: ScalarFunction = (x, y) => (x + y - 8 * spacing) / Math.SQRT2
    for (const solid of [corner, slope]) {
      const mesh = surfaceMesh(frameOf(shape, spacing, (_x, y) => y - 7.5 * spacing, solid))
      expectClosedManifold(mesh)
      expect(meshVolume(mesh)).toBeGreaterThan(0)
    }
  })

  it('a ring has one hole', () => {
    const ring: ScalarFunction = (x, y, z) => Math.hypot(Math.hypot(x - 0.5, y - 0.5) - 0.28, z - 0.5) - 0.12
    const mesh = surfaceMesh(frameOf([40, 40, 40], 1 / 40, ring))
    expectClosedManifold(mesh)
    expect(eulerCharacteristic(mesh)).toBe(0)
    expect(Math.abs(meshVolume(mesh) / (2 * Math.PI ** 2 * 0.28 * 0.12 ** 2) - 1)).toBeLessThan(0.02)
  })

  it('a full box is the box but for its edges, closed along the border', () => {
    const mesh = surfaceMesh(frameOf([10, 12, 14], 0.1, () => -9))
    expectClosedManifold(mesh)
    expect(eulerCharacteristic(mesh)).toBe(2)
    const extent = [0, 1, 2].map(axis => mesh.positions.filter((_, at) => at % 3 === axis))
    for (const [axis, side] of [1, 1.2, 1.4].entries()) {
      expect(Math.min(...extent[axis])).toBeCloseTo(0, 6)
      expect(Math.max(...extent[axis])).toBeCloseTo(side, 6)
    }
    expect(meshVolume(mesh) / (1 * 1.2 * 1.4)).toBeGreaterThan(0.98)
    expect(meshVolume(mesh) / (1 * 1.2 * 1.4)).toBeLessThan(1)
  })

  it('nothing is nothing', () => {
    const mesh = surfaceMesh(frameOf([4, 4, 4], 0.1, () => 1))
    expect(mesh.positions.length + mesh.normals.length + mesh.indices.length).toBe(0)
  })

  it('a disc in 2D is a prism one cell deep', () => {
    const mesh = surfaceMesh(frameOf([64, 64], 1 / 64, (x, y) => Math.hypot(x - 0.5, y - 0.5) - 0.3))
    expectClosedManifold(mesh)
    expect(eulerCharacteristic(mesh)).toBe(2)
    expect(Math.abs((meshVolume(mesh) * 64) / (Math.PI * 0.3 ** 2) - 1)).toBeLessThan(2e-3)
    expect(new Set(mesh.positions.filter((_, at) => at % 3 === 2))).toEqual(new Set([0, Math.fround(1 / 64)]))
  })

  it('liquid over a slanting floor ends at the floor', () => {
    const floor: ScalarFunction = (x, y) => (y - 0.2 - 0.3 * x) / Math.hypot(1, 0.3)
    const frame = frameOf([32, 32, 32], 1 / 32, (_, y) => y - 0.7, floor)
    const mesh = surfaceMesh(frame)
    expectClosedManifold(mesh)
    // 1 × 1 × (0.7 − 0.35) without what the rounded edges lack.
    expect(Math.abs(meshVolume(mesh) / 0.35 - 1)).toBeLessThan(0.03)
    for (let at = 0; at < mesh.positions.length; at += 3)
      expect(floor(mesh.positions[at], mesh.positions[at + 1], 0)).toBeGreaterThan(-0.5 / 32)
    expect(meshVolume(surfaceMesh(frame, { inSolids: true })) / 0.7).toBeGreaterThan(0.97)
  })
})

describe('a mesh on a finer grid', () => {
  it.each([2, 4])('of a ball is closed, and rounder: %d times as fine', refine => {
    const frame = frameOf([16, 16, 16], 1 / 16, ball(0.5, 0.52, 0.49, 0.31))
    const [coarse, fine] = [surfaceMesh(frame), surfaceMesh(frame, { refine })]
    expectClosedManifold(fine)
    const missing = (mesh: typeof fine) => Math.abs(meshVolume(mesh) / ((4 / 3) * Math.PI * 0.31 ** 3) - 1)
    expect(missing(fine)).toBeLessThan(0.5 * missing(coarse))
  })

  it('ends at solids and sides as the other does, and is as deep in 2D', () => {
    const floor: ScalarFunction = (x, y) => y - 0.2 - 0.1 * x
    for (const shape of [
      [16, 16],
      [16, 16, 6],
    ]) {
      const frame = frameOf(shape, 1 / 16, (_, y) => y - 0.7, floor)
      const [coarse, fine] = [surfaceMesh(frame), surfaceMesh(frame, { refine: 2 })]
      expectClosedManifold(fine)
      expect(Math.abs(meshVolume(fine) / meshVolume(coarse) - 1)).toBeLessThan(0.05)
      const highest = (mesh: typeof fine, axis: number) => Math.max(...mesh.positions.filter((_, at) => at % 3 === axis))
      for (const axis of [0, 1, 2]) expect(highest(fine, axis)).toBeCloseTo(highest(coarse, axis), 2)
    }
  })

  it('is 1, 2 or 4 times as fine, and fits into memory', () => {
    const frame = frameOf([4, 4, 4], 1, () => 1)
    for (const refine of [0, 3, 8, 1.5, Number.NaN]) expect(() => surfaceMesh(frame, { refine })).toThrow(InputError)
    const large = { ...frame, grid: createGrid([400, 400, 400], 1) }
    expect(() => surfaceMesh(large, { refine: 2 })).toThrow('refine it less')
  })
})

describe('a closed surface comes', () => {
  const noise = (trial: number, shape: readonly number[], value: (at: number) => number) => {
    const grid = createGrid(shape, 0.01 + random(3, trial))
    const nodes = shape.reduce((product, side) => product * (side + 1), shape.length === 2 ? 2 : 1)
    return {
      grid,
      index: 0,
      time: 0,
      liquid: Float32Array.from({ length: grid.cells }, (_, at) => value(at)),
      solid: new Float32Array(nodes).fill(9),
    }
  }
  const shapes = [
    [1, 1, 1],
    [2, 3, 1],
    [5, 4, 6],
    [1, 1],
    [7, 5],
    [9, 9, 9],
  ] as const

  it('of random numbers', () => {
    for (let trial = 0; trial < 60; trial++)
      expectClosedManifold(surfaceMesh(noise(trial, shapes[trial % shapes.length], at => random(5, trial, at) - 0.5)))
  })

  it('of numbers that are often exactly 0, tiny, huge or infinite', () => {
    const values = [0, -0, 1, -1, 1e-38, -1e-38, 1e30, -1e30, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (let trial = 0; trial < 60; trial++) {
      const value = (at: number) => values[Math.floor(values.length * random(6, trial, at))]
      expectClosedManifold(surfaceMesh(noise(trial, shapes[trial % shapes.length], value)))
    }
  })

  it('of every way to fill a cube of eight cells', () => {
    for (let inside = 0; inside < 256; inside++)
      expectClosedManifold(surfaceMesh(noise(0, [2, 2, 2], at => ((inside >> at) & 1 ? -1 : 1))))
  })

  it('with every vertex between the two samples whose signs differ', () => {
    const frame = noise(1, [6, 6, 6], at => random(8, at) - 0.5)
    const { positions } = surfaceMesh(frame)
    const h = frame.grid.spacing
    for (let at = 0; at < positions.length; at += 3) {
      const places = [0, 1, 2].map(axis => positions[at + axis] / h - 0.5)
      const onSamples = places.filter(place => Math.abs(place - Math.round(place)) < 5e-4).length
      expect(onSamples).toBe(2)
    }
  })
})

describe('a finer surface of thin liquid', () => {
  /** Drops of about a cell, which a grid reads by chance of their place. */
  function spray(shape: readonly number[]) {
    const grid = createGrid(shape, 0.1)
    const drops = Array.from({ length: 60 }, (_, drop) => ({
      centre: [0, 1, 2].map(axis => (axis < shape.length ? (0.1 + 0.8 * random(71, drop, axis)) * shape[axis] : 0)),
      radius: 0.55 + 0.6 * random(72, drop),
    }))
    const level: ScalarFunction = (x, y, z) =>
      0.1 *
      Math.min(
        ...drops.map(({ centre, radius }) => {
          const depth = shape.length === 3 ? 10 * z - centre[2] : 0
          return Math.hypot(10 * x - centre[0], 10 * y - centre[1], depth) - radius
        }),
      )
    return {
      grid,
      index: 0,
      time: 0,
      liquid: Float32Array.from(sampleCells(grid, level)),
      solid: Float32Array.from(sampleNodes(grid, () => 1)),
    }
  }

  it.each([{ shape: [40, 40] }, { shape: [22, 22, 22] }])('has the volume of the coarser one: $shape', ({ shape }) => {
    const frame = spray(shape)
    const coarse = surfaceMesh(frame)
    const fine = surfaceMesh(frame, { refine: 2 })
    expectClosedManifold(fine)
    expect(meshVolume(fine) / meshVolume(coarse)).toBeGreaterThan(0.9)
    expect(meshVolume(fine) / meshVolume(coarse)).toBeLessThan(1.15)
  })
})
