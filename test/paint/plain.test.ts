/** The contract of painters: compiled loops paint what the plain definition does, on random small frames from random views. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ScalarFunction } from '../../src/grid/field.js'
import { createGrid } from '../../src/grid/grid.js'
import type { Frame } from '../../src/liquid/frame.js'
import { fitFlat, fitSpace } from '../../src/paint/camera.js'
import { createPainter, type Painter } from '../../src/paint/painter.js'
import { DARK, LIGHT } from '../../src/paint/palette.js'
import type { View } from '../../src/paint/view.js'
import { random } from '../../src/random.js'
import { frameOf } from '../support/frames.js'

let compiled: Painter
let plain: Painter
beforeAll(async () => {
  compiled = await createPainter({ engine: 'compiled', threads: 2 })
  plain = await createPainter({ engine: 'plain' })
})
afterAll(() => compiled.dispose())

/** From `from` to `to`, the same for the same seed and name. */
const between = (seed: number, name: number, from: number, to: number) => from + (to - from) * random(seed, name)

/** A few balls and waves in a unit box, as a level set that is nearly a distance. */
function blobs(seed: number, count: number, radius: number, depth: number): ScalarFunction {
  const balls = Array.from({ length: count }, (_, ball) => {
    const at = (axis: number) => between(seed, 10 * ball + axis, 0.1, 0.9)
    return [at(0), at(1), at(2), between(seed, 10 * ball + 3, 0.4 * radius, radius)]
  })
  const level = between(seed, 991, -0.3, 0.4)
  const [a, b] = [between(seed, 992, 3, 11), between(seed, 993, 3, 11)]
  return (x, y, z) => {
    const pool = 0.9 * (y - level - 0.03 * Math.sin(a * x) * Math.cos(b * z))
    return Math.min(pool, ...balls.map(([p, q, r, size]) => Math.hypot(x - p, y - q, depth * (z - r)) - size))
  }
}

const SHAPES: readonly (readonly number[])[] = [
  [19, 16],
  [33, 12],
  [14, 13, 15],
  [9, 17, 12],
]

function randomFrame(seed: number, shape: readonly number[]): Frame {
  // 2D frames are flat: there is no z.
  const depth = shape.length - 2
  const ball = blobs(seed + 1000, 1, 0.25, depth)
  const inside: ScalarFunction = (x, y, z) => 0.45 - Math.hypot(x - 0.5, y - 0.5, depth * (z - 0.5))
  // Without solids, with a solid ball, or in a round container.
  const solid: ScalarFunction = seed % 3 === 0 ? () => 1 : seed % 3 === 1 ? (x, y, z) => Math.max(ball(x, y, z), y - 0.7) : inside
  const frame = frameOf(createGrid(shape, 1 / Math.max(...shape)), blobs(seed, 4, 0.22, depth), solid)
  // As simulations leave them: distances are known near the surface only.
  const { spacing } = frame.grid
  return { ...frame, liquid: frame.liquid.map(phi => Math.min(Math.max(phi, -spacing), 1.5 * spacing)) }
}

function randomView(seed: number, { grid }: Frame): View {
  const [width, height] = [70, 54]
  const palette = seed % 2 === 0 ? LIGHT : DARK
  const centre = [0.3, 0.5, grid.dims === 2 ? 0 : 0.6] as const
  const ball = seed % 4 === 3 ? { centre, radius: 0.12 } : null
  if (grid.dims === 2) {
    const { origin, pixel } = fitFlat(grid, width, height)
    const near = between(seed, 994, 0.3, 1.4)
    return { width, height, camera: { origin: [origin[0] - 0.05, origin[1] - 0.05], pixel: near * pixel }, palette, ball }
  }
  const azimuth = between(seed, 995, -180, 180)
  const camera = fitSpace(grid, width, height, {
    azimuth,
    elevation: between(seed, 996, 5, 60),
    zoom: between(seed, 997, 0.8, 1.5),
  })
  return { width, height, camera, palette, ball, lineWidth: 1 + (seed % 2) }
}

/** Largest difference of a channel, for every pixel. */
function differences(a: Uint8ClampedArray, b: Uint8ClampedArray): number[] {
  expect(a.length).toBe(b.length)
  return Array.from({ length: a.length / 4 }, (_, pixel) => {
    const parts = [0, 1, 2, 3].map(part => Math.abs(a[4 * pixel + part] - b[4 * pixel + part]))
    return Math.max(...parts)
  })
}

describe.each(SHAPES.map(shape => ({ shape })))('compiled and plain painters of $shape cells', ({ shape }) => {
  it.each(Array.from({ length: 12 }, (_, seed) => seed))('agree on random frame %i', seed => {
    const frame = randomFrame(seed, shape)
    const view = randomView(seed, frame)
    const [painted, defined] = [compiled, plain].map(painter => {
      painter.show(frame)
      return painter.paint(view).slice()
    })
    const apart = differences(painted, defined)
    expect(new Set(defined).size).toBeGreaterThan(20)
    const beyond = (most: number) => apart.filter(value => value > most).length / apart.length
    if (frame.grid.dims === 2) {
      // Where level sets are flat, the place of their surface hangs on the last bits.
      expect(beyond(2)).toBeLessThanOrEqual(0.002)
      expect(beyond(16)).toBe(0)
    } else {
      // Rays walk in other steps: liquid that is thinner than those is met by one and not by the other.
      expect(beyond(3)).toBeLessThanOrEqual(0.02)
      expect(apart.reduce((sum, value) => sum + value, 0) / apart.length).toBeLessThan(1)
    }
  })
})

describe('a part of a picture', () => {
  it.each(['compiled', 'plain'] as const)('is the same by itself, but for what is bent to beyond its border: %s', engine => {
    const painter = engine === 'compiled' ? compiled : plain
    const frame = randomFrame(4, [14, 13, 15])
    const view = randomView(4, frame)
    painter.show(frame)
    const whole = painter.paint(view).slice()
    const [left, top, width, height] = [16, 8, 40, 32]
    const part = painter.paint({ ...view, width, height, window: { left, top, width: view.width, height: view.height } })
    let other = 0
    for (let row = 1; row < height - 1; row++)
      for (let column = 1; column < width - 1; column++) {
        const a = whole.subarray(4 * (column + left + view.width * (row + top)))
        const b = part.subarray(4 * (column + width * row))
        if ([0, 1, 2].some(channel => Math.abs(a[channel] - b[channel]) > 1)) other++
      }
    expect(other / (width * height)).toBeLessThan(0.06)
  })
})
