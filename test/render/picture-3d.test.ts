import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGrid } from '../../src/grid/grid.js'
import { box, complement, halfSpace, intersection, sphere } from '../../src/grid/shapes.js'
import { createPainter, type Painter, type Picture3D } from '../../src/render/picture-3d.js'
import { EVERYWHERE, frameOf, NOWHERE } from '../support/frames.js'

const grid = createGrid([32, 32, 32], 1 / 32)
const patchy = (x: number, y: number) => (x + y > 2 ? Number.NaN : y > 1 ? -Infinity : 0.5 - x)
const ball = frameOf(grid, sphere([0.5, 0.5, 0.5], 0.3))

let painter: Painter
beforeAll(async () => {
  painter = await createPainter()
})
afterAll(() => painter.dispose())

const hits = ({ surface }: Picture3D) => surface!.filter((distance, at) => at % 4 === 0 && distance > 0).length

/** Of the ray through the middle of a pixel. */
function direction({ camera, width, height }: Picture3D, column: number, row: number): number[] {
  const right = (2 * (column + 0.5)) / width - 1
  const up = 1 - (2 * (row + 0.5)) / height
  const d = [0, 1, 2].map(axis => camera.forward[axis] + right * camera.right[axis] + up * camera.up[axis])
  const length = Math.hypot(...d)
  return d.map(part => part / length)
}

describe('a picture of a 3D frame', () => {
  it.each([0, 28, 200])('shows a sphere as large as it is, seen from %s degrees', azimuth => {
    const picture = painter.draw(ball, { width: 240, height: 180, azimuth, keepSurface: true })
    const radius = 0.3 * 32
    let inside = 0
    for (let row = 0; row < 180; row++) {
      for (let column = 0; column < 240; column++) {
        const d = direction(picture, column, row)
        const toCentre = picture.camera.eye.map(part => 16 - part)
        const along = toCentre.reduce((sum, part, axis) => sum + part * d[axis], 0)
        if (Math.hypot(...toCentre.map((part, axis) => part - along * d[axis])) < radius) inside++
      }
    }
    expect(inside).toBeGreaterThan(3000)
    expect(Math.abs(hits(picture) / inside - 1)).toBeLessThan(0.01)
  })

  it('meets the sphere where it is, with normals away from its middle', () => {
    const picture = painter.draw(ball, { width: 120, height: 90, keepSurface: true })
    for (let row = 0; row < 90; row++) {
      for (let column = 0; column < 120; column++) {
        const [distance, ...normal] = picture.surface!.slice(4 * (column + 120 * row), 4 * (column + 120 * row) + 4)
        if (distance === 0) continue
        const d = direction(picture, column, row)
        const out = d.map((part, axis) => (picture.camera.eye[axis] + distance * part - 16) / (0.3 * 32))
        expect(Math.abs(Math.hypot(...out) - 1)).toBeLessThan(0.02)
        expect(Math.hypot(...normal)).toBeCloseTo(1, 4)
        expect(normal.reduce((sum, part, axis) => sum + part * out[axis], 0)).toBeGreaterThan(0.99)
      }
    }
  })

  it('ends liquid at the wall of a solid, with the normal of the wall', () => {
    const bowl = frameOf(grid, EVERYWHERE, complement(sphere([0.5, 0.5, 0.5], 0.4)))
    const picture = painter.draw(bowl, { width: 80, height: 60, keepSurface: true })
    const at = 4 * (40 + 80 * 30)
    const [distance, ...normal] = picture.surface!.slice(at, at + 4)
    const d = direction(picture, 40, 30)
    const hit = d.map((part, axis) => (picture.camera.eye[axis] + distance * part) / 32 - 0.5)
    expect(Math.hypot(...hit)).toBeCloseTo(0.4, 2)
    expect(normal.reduce((sum, part, axis) => sum + (part * hit[axis]) / 0.4, 0)).toBeGreaterThan(0.99)
  })

  it('has the same pixels for any number of threads', async () => {
    const frame = frameOf(
      grid,
      intersection(halfSpace([0, 0.5, 0], [0.1, 1, 0.2]), box([0.5, 0.5, 0.5], [0.45, 0.5, 0.4])),
      sphere([0.3, 0.4, 0.5], 0.15),
    )
    const options = { width: 97, height: 61, samples: 2, keepSurface: true } as const
    const alone = painter.draw(frame, options)
    for (const threads of [2, 3]) {
      const together = await createPainter(threads)
      for (let turn = 0; turn < 3; turn++) {
        const picture = together.draw(frame, options)
        expect(picture.pixels).toEqual(alone.pixels)
        expect(picture.surface).toEqual(alone.surface)
      }
      together.dispose()
    }
  })

  it('has the same pixels again after other pictures', () => {
    const before = painter.draw(ball, { width: 60, height: 40 })
    painter.draw(frameOf(createGrid([50, 9, 9]), EVERYWHERE), { width: 200, height: 150 })
    expect(painter.draw(ball, { width: 60, height: 40 }).pixels).toEqual(before.pixels)
  })

  it('meets no liquid where there is none, and liquid all over the box where it is full', () => {
    const options = { width: 120, height: 90, keepSurface: true } as const
    expect(hits(painter.draw(frameOf(grid, NOWHERE), options))).toBe(0)
    expect(hits(painter.draw(frameOf(grid, EVERYWHERE, EVERYWHERE), options))).toBe(0)
    const full = painter.draw(frameOf(grid, EVERYWHERE), options)
    // All rays that pass the box by its corners and no others.
    let inside = 0
    for (let row = 0; row < 90; row++) {
      for (let column = 0; column < 120; column++) {
        const d = direction(full, column, row)
        const near = Math.max(
          ...d.map((part, axis) => Math.min(-full.camera.eye[axis] / part, (32 - full.camera.eye[axis]) / part)),
        )
        const far = Math.min(
          ...d.map((part, axis) => Math.max(-full.camera.eye[axis] / part, (32 - full.camera.eye[axis]) / part)),
        )
        if (near < far) inside++
      }
    }
    expect(Math.abs(hits(full) - inside)).toBeLessThanOrEqual(4)
  })

  it.each([
    [1, 1, 1],
    [1, 7, 2],
    [33, 1, 5],
  ])('holds on a grid of %s × %s × %s cells, whatever is in it', (...shape) => {
    const fields = [NOWHERE, EVERYWHERE, () => Number.NaN, () => 0, () => Infinity, halfSpace([0, 0.5, 0], [0, 1, 0]), patchy]
    for (const liquid of fields) {
      for (const solid of fields) {
        const picture = painter.draw(frameOf(createGrid(shape), liquid, solid), {
          width: 20,
          height: 14,
          samples: 2,
          keepSurface: true,
        })
        expect(picture.surface!.every(Number.isFinite)).toBe(true)
        // What is not a number would be drawn black.
        for (let at = 0; at < picture.pixels.length; at += 4) {
          expect(picture.pixels[at + 1]).toBeGreaterThan(20)
          expect(picture.pixels[at + 3]).toBe(255)
        }
      }
    }
  })

  it('loses no liquid to a single value that is not a number', () => {
    const options = { width: 60, height: 44, keepSurface: true } as const
    const spoilt = frameOf(grid, sphere([0.5, 0.5, 0.5], 0.3))
    spoilt.liquid[0] = Number.NaN
    expect(hits(painter.draw(spoilt, options))).toBe(hits(painter.draw(ball, options)))
  })

  it('takes red light away first, and more of it the deeper the liquid', () => {
    /** What is left of red and green light, compared with liquid that absorbs nothing; pixels hold square roots of light. */
    const left = (height: number) => {
      const frame = frameOf(grid, (_, y) => y - height)
      const [clear, murky] = [0, 1].map(depth => painter.draw(frame, { width: 60, height: 44, elevation: 60, depth }).pixels)
      const at = 4 * (30 + 60 * 22)
      return [0, 1].map(part => (murky[at + part] / clear[at + part]) ** 2)
    }
    const shallow = left(0.2)
    const deep = left(0.8)
    expect(deep[0]).toBeLessThan(0.4 * shallow[0])
    expect(deep[1]).toBeLessThan(0.8 * shallow[1])
    expect(Math.log(deep[0]) / Math.log(deep[1])).toBeGreaterThan(2)
  })

  it('says what it cannot draw', () => {
    expect(() => painter.draw(frameOf(createGrid([4, 4]), NOWHERE))).toThrow(/drawFrame2D/)
    expect(() => painter.draw(ball, { width: 0.5 })).toThrow(/0.5 × 480 pixels/)
    expect(() => painter.draw(ball, { samples: 0 })).toThrow(/1 to 8/)
  })

  it.each([
    [10, 10, 10],
    [40, 10, 10],
    [10, 40, 10],
  ])('frames a box of %s × %s × %s cells: inside of the picture, and nearly touching its border', (...shape) => {
    const { camera } = painter.draw(frameOf(createGrid(shape), NOWHERE), { width: 64, height: 48 })
    const places = Array.from({ length: 8 }, (_, corner) => {
      const c = shape.map((size, axis) => ((corner >> axis) & 1 ? size : 0) - camera.eye[axis])
      const dot = (v: readonly number[]) => v.reduce((sum, part, axis) => sum + part * c[axis], 0)
      const depth = dot(camera.forward)
      const squared = (v: readonly number[]) => v.reduce((sum, part) => sum + part * part, 0)
      return [dot(camera.right) / squared(camera.right) / depth, dot(camera.up) / squared(camera.up) / depth]
    }).flat()
    const widest = Math.max(...places.map(Math.abs))
    expect(widest).toBeGreaterThan(0.9)
    expect(widest).toBeLessThan(0.94)
  })
})
