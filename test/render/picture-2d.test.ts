import { describe, expect, it } from 'vitest'
import { createGrid, type Grid } from '../../src/grid/grid.js'
import { sphere, union } from '../../src/grid/shapes.js'
import type { Frame } from '../../src/liquid/frame.js'
import type { Picture } from '../../src/liquid/picture.js'
import { CONTACT, LIQUID } from '../../src/pressure/problem.js'
import { drawFrame2D } from '../../src/render/picture-2d.js'
import { EVERYWHERE, frameOf, NOWHERE } from '../support/frames.js'

/** Pixels whose middle is nearer to the ink than to the paper. */
const inked = ({ pixels }: Picture) => pixels.filter((red, at) => at % 4 === 0 && red < 140).length

function mirrored({ width, height, pixels }: Picture): Uint8ClampedArray {
  const result = new Uint8ClampedArray(pixels.length)
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++)
      for (let part = 0; part < 4; part++)
        result[4 * (column + width * row) + part] = pixels[4 * (width - 1 - column + width * row) + part]
  return result
}

function largestDifference(a: Uint8ClampedArray, b: Uint8ClampedArray): number {
  return a.reduce((most, value, at) => Math.max(most, Math.abs(value - b[at])), 0)
}

function withFields(frame: Frame, pressureOf: (cell: number) => number): Frame {
  const { cells, shape } = frame.grid
  const [nx, ny] = shape
  const kind = Uint8Array.from({ length: cells }, (_, cell) => (frame.liquid[cell] >= 0 ? 0 : cell < nx ? CONTACT : LIQUID))
  const pressure = Float32Array.from({ length: cells }, (_, cell) => pressureOf(cell))
  const faces = [new Float32Array((nx + 1) * ny).fill(3), new Float32Array(nx * (ny + 1)).fill(4), new Float32Array(2 * cells)]
  return { ...frame, fields: { pressure, kind, velocity: faces as [Float32Array, Float32Array, Float32Array] } }
}

const isPlain = ({ pixels }: Picture) => pixels.every((value, at) => at % 4 < 3 || value === 255)
const grid: Grid = createGrid([40, 30], 0.05)

describe('a picture of a 2D frame', () => {
  it.each([1, 4, 7.5])('shows a circle of the right area at %s pixels a cell', scale => {
    const radius = 0.42
    const options = { scale, field: 'pressure', range: [0, 1], legend: false } as const
    let sum = 0
    // Pixels are counted whole, which evens out over places of the circle within a pixel.
    for (let place = 0; place < 25; place++) {
      const shift = (step: number) => (step / 5) * (grid.spacing / scale)
      const circle = sphere([1 + shift(place % 5), 0.75 + shift(Math.floor(place / 5))], radius)
      sum += inked(
        drawFrame2D(
          withFields(frameOf(grid, circle), () => 0),
          options,
        ),
      )
    }
    const expected = Math.PI * (radius / grid.spacing) ** 2 * scale ** 2
    expect(Math.abs(sum / 25 / expected - 1)).toBeLessThan(0.01)
  })

  it('shows a solid circle of the right area', () => {
    const scale = 8
    const disc = drawFrame2D(frameOf(grid, NOWHERE, sphere([1, 0.75], 0.42)), { scale })
    const stone = disc.pixels.filter((value, at) => at % 4 === 0 && value < 165).length
    expect(Math.abs(stone / (Math.PI * (0.42 / 0.05) ** 2 * scale ** 2) - 1)).toBeLessThan(0.03)
  })

  it('is upright: liquid at the bottom of the domain is at the bottom of the picture', () => {
    const { pixels, width, height } = drawFrame2D(frameOf(grid, (_, y) => y - 0.5))
    const red = (row: number) => pixels[4 * (width * row + width / 2)]
    expect(red(Math.round(height * 0.1))).toBeGreaterThan(200)
    expect(red(Math.round(height * 0.9))).toBeLessThan(120)
  })

  it('of a mirror-symmetric frame is mirror-symmetric', () => {
    const liquid = union(sphere([0.6, 0.9], 0.25), sphere([1.4, 0.9], 0.25), (_, y) => y - 0.4)
    const picture = drawFrame2D(frameOf(grid, liquid, sphere([1, 0.4], 0.3)), { scale: 7 })
    expect(largestDifference(picture.pixels, mirrored(picture))).toBeLessThanOrEqual(1)
  })

  it('of the mirrored frame is the mirrored picture', () => {
    const left = drawFrame2D(frameOf(grid, sphere([0.53, 0.7], 0.3), sphere([1.2, 0.3], 0.2)), { scale: 5 })
    const right = drawFrame2D(frameOf(grid, sphere([1.47, 0.7], 0.3), sphere([0.8, 0.3], 0.2)), { scale: 5 })
    expect(largestDifference(left.pixels, mirrored(right))).toBeLessThanOrEqual(1)
  })

  it.each([
    ['nothing', NOWHERE, NOWHERE],
    ['liquid everywhere', EVERYWHERE, NOWHERE],
    ['solids everywhere', EVERYWHERE, EVERYWHERE],
    ['what is not a number', () => Number.NaN, NOWHERE],
  ])('holds with %s, also on a grid of one cell', (_, liquid, solid) => {
    for (const shape of [
      [1, 1],
      [1, 9],
      [40, 30],
    ])
      expect(isPlain(drawFrame2D(frameOf(createGrid(shape), liquid, solid)))).toBe(true)
  })

  it('has liquid reach the wall it touches', () => {
    // The level set is known outside of the solid only, and far off inside of it, as particles leave it.
    const wall = 1.02
    const frame = frameOf(
      grid,
      (x, y) => (x > wall ? x - wall + 0.04 : Math.max(y - 0.7, x - wall - 0.01)),
      x => wall - x,
    )
    const { pixels, width, height } = drawFrame2D(frame, { scale: 10 })
    const column = Math.floor(((wall - 0.004) / 2) * width)
    expect(pixels[4 * (column + width * Math.round(height * 0.8))]).toBeLessThan(120)
  })

  it('colours by pressure, evenly from the lowest to the highest', () => {
    const frame = withFields(frameOf(grid, EVERYWHERE), cell => 1000 * Math.floor(cell / 40))
    const { pixels, width, height } = drawFrame2D(frame, { field: 'pressure', scale: 8 })
    const lightness = [0.1, 0.3, 0.5, 0.7].map(share => {
      const at = 4 * (Math.round(height * share) * width + 40)
      return 0.21 * pixels[at] + 0.72 * pixels[at + 1] + 0.07 * pixels[at + 2]
    })
    expect(lightness).toEqual([...lightness].sort((a, b) => b - a))
    expect(new Set(lightness).size).toBe(4)
  })

  it('marks pinned cells and no others', () => {
    const frame = frameOf(grid, (_, y) => y - 0.5)
    const orange = (picture: Picture) =>
      picture.pixels.filter((red, at, all) => at % 4 === 0 && red > 230 && all[at + 2] < 90).length
    expect(
      orange(
        drawFrame2D(
          withFields(frame, () => 5),
          { pinned: true, scale: 8 },
        ),
      ),
    ).toBe(0)
    const released = drawFrame2D(
      withFields(frame, cell => (cell < 20 ? 0 : 5)),
      { pinned: true, scale: 8 },
    )
    expect(Math.abs(orange(released) / (20 * Math.PI * (0.38 * 8) ** 2) - 1)).toBeLessThan(0.2)
  })

  it('says what is missing', () => {
    const frame = frameOf(grid, NOWHERE)
    expect(() => drawFrame2D(frame, { field: 'speed' })).toThrow(/Frame 0 holds no speed; keep fields/)
    expect(() => drawFrame2D(frame, { particles: true })).toThrow(/holds no particles/)
    expect(() => drawFrame2D(frame, { scale: 0 })).toThrow(/pixels per cell/)
    expect(() => drawFrame2D(frameOf(createGrid([2, 2, 2]), NOWHERE))).toThrow(/createPainter/)
  })

  it('shows the speed of a uniform flow in one colour, and particles where they are', () => {
    const frame = withFields(frameOf(grid, EVERYWHERE), () => 0)
    const plain = drawFrame2D(frame, { field: 'speed', range: [0, 10], scale: 8 })
    const at = (column: number, row: number) => [
      ...plain.pixels.slice(4 * (column + plain.width * row), 4 * (column + plain.width * row) + 3),
    ]
    expect(at(20, 20)).toEqual(at(200, 100))
    const particles = { position: Float32Array.of(0.5, 1, 0), velocity: Float32Array.of(0, 0, 0) }
    const dotted = drawFrame2D({ ...frame, particles }, { field: 'speed', range: [0, 10], particles: true, scale: 8 })
    const changed = [...dotted.pixels.keys()].filter(index => dotted.pixels[index] !== plain.pixels[index])
    const columns = changed.map(index => (index >> 2) % plain.width)
    const rows = changed.map(index => Math.floor((index >> 2) / plain.width))
    expect(columns.reduce((a, b) => a + b) / columns.length + 0.5).toBeCloseTo(80, 0)
    expect(rows.reduce((a, b) => a + b) / rows.length + 0.5).toBeCloseTo(80, 0)
  })
})
