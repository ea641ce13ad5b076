/** Pictures as the command line writes them: all of the domain, captions, marks, smooth edges, large sizes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGrid, type Grid } from '../../src/grid/grid.js'
import { sphere, union } from '../../src/grid/shapes.js'
import type { Frame } from '../../src/liquid/frame.js'
import type { Picture } from '../../src/liquid/picture.js'
import { averageDown } from '../../src/paint/average-down.js'
import { fitSpace, frameBox } from '../../src/paint/camera.js'
import { createPainter, type Painter } from '../../src/paint/painter.js'
import { LIGHT } from '../../src/paint/palette.js'
import { drawPicture } from '../../src/paint/picture.js'
import { paintInWindows } from '../../src/paint/windows.js'
import { CONTACT, LIQUID } from '../../src/pressure/problem.js'
import type { LiquidColours } from '../../src/scene/liquid-colours.js'
import { EVERYWHERE, frameOf, NOWHERE } from '../support/frames.js'

let painter: Painter
beforeAll(async () => {
  painter = await createPainter()
})
afterAll(() => painter.dispose())

const grid: Grid = createGrid([40, 30], 0.05)
const space = createGrid([24, 24, 24], 1 / 24)
const ball = frameOf(space, sphere([0.5, 0.5, 0.5], 0.3))

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

/** Liquid in the lowest row touches the floor. */
function withFields(frame: Frame, pressureOf: (cell: number) => number): Frame {
  const { cells, shape } = frame.grid
  const [nx, ny] = shape
  const kind = Uint8Array.from({ length: cells }, (_, cell) => (frame.liquid[cell] >= 0 ? 0 : cell < nx ? CONTACT : LIQUID))
  const pressure = Float32Array.from({ length: cells }, (_, cell) => pressureOf(cell))
  const faces = [new Float32Array((nx + 1) * ny).fill(3), new Float32Array(nx * (ny + 1)).fill(4), new Float32Array(2 * cells)]
  return { ...frame, fields: { pressure, kind, velocity: faces as [Float32Array, Float32Array, Float32Array] } }
}

describe('a picture of a 2D frame', () => {
  it.each([40, 160, 300])('shows a circle of the right area, %i pixels wide', size => {
    // Pixels are counted whole, which evens out over places of the circle within a pixel.
    const scale = size / 40
    const radius = 0.42
    let sum = 0
    for (let place = 0; place < 25; place++) {
      const shift = (step: number) => (step / 5) * (grid.spacing / scale)
      const circle = sphere([1 + shift(place % 5), 0.75 + shift(Math.floor(place / 5))], radius)
      const { pixels } = drawPicture(painter, frameOf(grid, circle), { size })
      sum += pixels.filter((red, at) => at % 4 === 0 && pixels[at + 2] - red > 60).length
    }
    // With half of the line around it.
    const expected = Math.PI * ((radius / grid.spacing) * scale + 0.55) ** 2
    expect(Math.abs(sum / 25 / expected - 1)).toBeLessThan(0.03)
  })

  it('has the shape of the domain', () => {
    const { width, height } = drawPicture(painter, frameOf(grid, EVERYWHERE), { size: 101 })
    expect([width, height]).toEqual([101, 76])
    const tall = drawPicture(painter, frameOf(createGrid([1, 9]), EVERYWHERE), { size: 90 })
    expect([tall.width, tall.height]).toEqual([10, 90])
  })

  it('is upright: liquid at the bottom of the domain is at the bottom of the picture', () => {
    const { pixels, width, height } = drawPicture(
      painter,
      frameOf(grid, (_, y) => y - 0.5),
      { size: 200 },
    )
    const red = (row: number) => pixels[4 * (width * row + width / 2)]
    expect(red(Math.round(height * 0.1))).toBeGreaterThan(200)
    expect(red(Math.round(height * 0.9))).toBeLessThan(120)
  })

  it('has its solids where the mirrored frame has them mirrored', () => {
    // Light falls on liquid from one side; stone has none.
    const solid = union(sphere([0.53, 0.7], 0.3), sphere([1.2, 0.3], 0.2))
    const left = drawPicture(painter, frameOf(grid, NOWHERE, solid), { size: 200 })
    const right = drawPicture(
      painter,
      frameOf(grid, NOWHERE, (x, y, z) => solid(2 - x, y, z)),
      { size: 200 },
    )
    expect(largestDifference(left.pixels, mirrored(right))).toBeLessThanOrEqual(1)
  })

  it('has liquid reach the wall it touches', () => {
    // The level set is known outside of the solid only, and far off inside of it, as particles leave it.
    const wall = 1.02
    const frame = frameOf(
      grid,
      (x, y) => (x > wall ? x - wall + 0.04 : Math.max(y - 0.7, x - wall - 0.01)),
      x => wall - x,
    )
    const { pixels, width, height } = drawPicture(painter, frame, { size: 400 })
    const column = Math.floor(((wall - 0.004) / 2) * width)
    expect(pixels[4 * (column + width * Math.round(height * 0.8))]).toBeLessThan(120)
  })

  it('marks cells that let go and no others', () => {
    const frame = frameOf(grid, (_, y) => y - 0.5)
    const orange = ({ pixels }: Picture) => pixels.filter((red, at) => at % 4 === 0 && red > 120 && pixels[at + 2] < 90).length
    const [pressed, released] = [0, 20].map(count => withFields(frame, cell => (cell < count ? 0 : 5)))
    // Letters that explain the marks are orange, too.
    const letters = orange(drawPicture(painter, pressed, { size: 320 }))
    const marked = orange(drawPicture(painter, released, { size: 320 })) - letters
    expect(Math.abs(marked / (20 * Math.PI * (0.38 * 8) ** 2) - 1)).toBeLessThan(0.15)
    expect(orange(drawPicture(painter, released, { size: 320, pinned: false }))).toBe(0)
    expect(() => drawPicture(painter, frame, { size: 320, pinned: true })).toThrow(/Frame 0 does not hold .* keep fields/)
  })
})

describe('a picture of a 3D frame', () => {
  it('has smoother edges with more rays, and otherwise the same colours', () => {
    const [one, two] = [1, 2].map(samples => drawPicture(painter, ball, { size: 90, samples }))
    expect([two.width, two.height]).toEqual([90, 90])
    const apart = one.pixels.map((value, at) => Math.abs(value - two.pixels[at]))
    expect(apart.filter(value => value > 12).length / apart.length).toBeLessThan(0.03)
    expect(apart.filter(value => value > 3).length).toBeGreaterThan(50)
  })

  it('has edges of the domain as wide as with one ray', () => {
    const empty = frameOf(space, NOWHERE)
    const dark = ({ pixels }: Picture) => pixels.reduce((sum, red, at) => sum + (at % 4 === 0 && red < 215 ? 235 - red : 0), 0)
    const [one, three] = [1, 3].map(samples => dark(drawPicture(painter, empty, { size: 120, samples })))
    expect(three / one).toBeGreaterThan(0.75)
    expect(three / one).toBeLessThan(1.3)
  })

  it('is the same painted in parts, but for what is bent across their borders', () => {
    const frame = frameOf(
      space,
      union(sphere([0.5, 0.6, 0.5], 0.25), (_, y) => y - 0.25),
    )
    painter.show(frame)
    const view = { width: 120, height: 100, camera: fitSpace(space, 120, 100), palette: LIGHT }
    const whole = painter.paint(view).slice()
    const parts = paintInWindows(painter, view, 56)
    expect(parts.length).toBe(whole.length)
    let other = 0
    for (let at = 0; at < whole.length; at++) if (Math.abs(whole[at] - parts[at]) > 1) other++
    expect(other / whole.length).toBeLessThan(0.02)
  })

  it.each([
    [10, 10, 10],
    [40, 10, 10],
    [10, 40, 10],
  ])('frames a box of %s × %s × %s: inside of the picture, and nearly touching its border', (...size) => {
    const camera = frameBox(size, 64, 48)
    const places = Array.from({ length: 8 }, (_, corner) => {
      const c = size.map((side, axis) => ((corner >> axis) & 1 ? side : 0) - camera.eye[axis])
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

describe('pictures', () => {
  it('say when they cannot be drawn', () => {
    expect(() => drawPicture(painter, ball, { size: 0.5 })).toThrow(/0.5 pixels .* from 1 to 8192/)
    expect(() => drawPicture(painter, ball, { size: 8193 })).toThrow(/8193 pixels/)
    expect(() => drawPicture(painter, ball, { size: 10, samples: 0 })).toThrow(/1 to 8/)
  })

  it('of 2D and 3D frames come from one painter, in any order', async () => {
    const flat = frameOf(grid, sphere([1, 0.7], 0.4))
    const draw = (frame: Frame) => drawPicture(painter, frame, { size: 60, time: true }).pixels
    const [first, second] = [draw(flat), draw(ball)]
    expect(draw(flat)).toEqual(first)
    expect(draw(ball)).toEqual(second)
  })

  it('are the same for any number of threads', async () => {
    const together = await createPainter({ threads: 3 })
    for (const frame of [ball, frameOf(grid, sphere([1, 0.7], 0.4))])
      for (const samples of [1, 2])
        expect(drawPicture(together, frame, { size: 61, samples }).pixels).toEqual(
          drawPicture(painter, frame, { size: 61, samples }).pixels,
        )
    together.dispose()
  })

  it('become smaller by means of their pixels', () => {
    const pixels = Uint8ClampedArray.from({ length: 4 * 4 * 2 }, (_, at) => at)
    const { width, height, pixels: small } = averageDown({ width: 4, height: 2, pixels }, 2)
    expect([width, height]).toEqual([2, 1])
    // Rows are 16 bytes long.
    expect([...small]).toEqual([10, 11, 12, 13, 18, 19, 20, 21])
  })
})

describe('colours of liquid', () => {
  const middleOf = ({ width, height, pixels }: Picture) => {
    const at = 4 * ((width >> 1) + width * (height >> 1))
    return pixels.subarray(at, at + 3)
  }

  it.each([
    { dims: 2, frame: frameOf(grid, EVERYWHERE) },
    { dims: 3, frame: ball },
  ])('are those that are asked for, in $dimsD', ({ frame }) => {
    const seen = (colours?: LiquidColours) => [...middleOf(drawPicture(painter, frame, { size: 60, colours }))]
    const [red, green, blue] = [0, 1, 2].map(part => (colours?: LiquidColours) => seen(colours)[part])
    expect(blue('water')).toBeGreaterThan(red('water') + 60)
    expect(red('wine')).toBeGreaterThan(blue('wine') + 60)
    expect(green('algae')).toBeGreaterThan(Math.max(red('algae'), blue('algae')) + 30)
    expect(red('honey')).toBeGreaterThan(blue('honey') + 60)
    expect(Math.max(...seen('ink'))).toBeLessThan(Math.min(...seen('milk')))
    expect(seen()).toEqual(seen('water'))
  })

  it('are refused where there are none of that name', () => {
    expect(() => drawPicture(painter, ball, { size: 8, colours: 'mud' as LiquidColours })).toThrow(/colours.*mud/)
  })
})
