/** 2D frames painted by compiled loops: what is where, and in which colours. */
import { describe, expect, it } from 'vitest'
import type { ScalarFunction } from '../../src/grid/field.js'
import { createGrid } from '../../src/grid/grid.js'
import type { Frame } from '../../src/liquid/frame.js'
import { paintModule } from '../../src/machine/generated/paint.js'
import { startMachine } from '../../src/machine/machine.js'
import { createFlatPainter } from '../../src/paint/compiled/flat.js'
import { createPainter } from '../../src/paint/painter.js'
import { DARK, LIGHT } from '../../src/paint/palette.js'
import type { FlatView } from '../../src/paint/view.js'
import { EVERYWHERE, frameOf, NOWHERE } from '../support/frames.js'

describe('a painter of 2D frames', () => {
  const disc = frame([64, 64], (x, y) => Math.hypot(x - 0.4, y - 0.6) - 0.2)
  const basin = frame(
    [40, 30],
    (_, y) => y - 0.4,
    (x, y) => 0.3 - Math.hypot(x - 0.5, y - 0.35),
  )

  it('draws a disc of liquid where it is, as large as it is', async () => {
    const side = 1 / 180
    const pixels = await paint(disc, view({ width: 200, height: 220, side, origin: [-0.05, -0.1] }))
    let [count, sumX, sumY] = [0, 0, 0]
    for (let row = 0; row < 220; row++)
      for (let column = 0; column < 200; column++) {
        const [r, , b] = at(pixels, 200, column, row)
        if (b - r <= 60) continue
        count++
        sumX += (column + 0.5) * side - 0.05
        sumY += (219.5 - row) * side - 0.1
      }
    expect(sumX / count).toBeCloseTo(0.4, 2)
    expect(sumY / count).toBeCloseTo(0.6, 2)
    // With the line around it.
    expect(Math.sqrt((count * side ** 2) / Math.PI)).toBeGreaterThan(0.199)
    expect(Math.sqrt((count * side ** 2) / Math.PI)).toBeLessThan(0.205)
  })

  it.each([
    ['light', LIGHT],
    ['dark', DARK],
  ] as const)('has the colours of the %s palette', async (_, palette) => {
    const look = view({ width: 40, height: 40, side: 1 / 32, origin: [-0.125, -0.125], palette })
    const [air, water, stone] = await Promise.all(
      [frame([16, 16], () => 1), frame([16, 16], EVERYWHERE), frame([16, 16], () => 1, EVERYWHERE)].map(f => paint(f, look)),
    )
    for (const row of [8, 20, 30]) {
      const height = (39.5 - row) / 32 - 0.125
      expectColour(at(air, 40, 20, row), mixed(palette.air, height))
      expectColour(at(stone, 40, 20, row), mixed(palette.stone, height))
      expectColour(
        at(water, 40, 20, row),
        parts(palette.deep).map(part => part * (0.96 + 0.08 * height)),
      )
    }
    for (const picture of [air, water, stone]) {
      expectColour(at(picture, 40, 1, 20), parts(palette.air[0]))
      expect(picture.every((value, n) => n % 4 !== 3 || value === 255)).toBe(true)
    }
  })

  it.each([
    [1, 1],
    [7, 3],
    [2, 9],
    [33, 1],
  ])('paints %i × %i pixels as it paints them in a larger picture', async (width, height) => {
    const look = { side: 0.021, origin: [0.11, 0.3] as const }
    const small = await paint(basin, view({ ...look, width, height }))
    const large = await paint(basin, view({ ...look, width: 48, height }))
    expect(small.length).toBe(4 * width * height)
    for (let row = 0; row < height; row++)
      expect([...small.subarray(4 * width * row, 4 * width * (row + 1))]).toEqual([
        ...large.subarray(4 * 48 * row, 4 * (48 * row + width)),
      ])
  })

  it.each([
    [1, 1],
    [1, 9],
    [9, 1],
    [3, 2],
    [17, 31],
  ])('paints grids of %i × %i cells', async (nx, ny) => {
    const longest = Math.max(nx, ny)
    const look = view({ width: 50, height: 50, side: 1 / 48, origin: [-1 / 48, -1 / 48] })
    const full = await paint(frame([nx, ny], EVERYWHERE), look)
    const dry = await paint(
      frame([nx, ny], () => 1),
      look,
    )
    const [column, row] = [Math.floor(1 + (24 * nx) / longest), Math.floor(48 - (24 * ny) / longest)]
    const [wet, air] = [at(full, 50, column, row), at(dry, 50, column, row)]
    expect(wet[2] - wet[0]).toBeGreaterThan(80)
    expect(air[2] - air[0]).toBeLessThan(20)
  })

  it('is not harmed by what is not a number', async () => {
    const look = view({ width: 120, height: 90, side: 1 / 100, origin: [-0.1, -0.05] })
    const before = await paint(basin, look)
    const inAir = { ...basin, liquid: basin.liquid.slice(), solid: basin.solid.slice() }
    for (const [i, value] of [NaN, Infinity].entries()) inAir.liquid[19 + i + 40 * 22] = value
    expect(await paint(inAir, look)).toEqual(before)
    const inLiquid = { ...basin, liquid: basin.liquid.slice(), solid: basin.solid.slice() }
    inLiquid.liquid[20 + 40 * 13] = NaN
    inLiquid.solid[20 + 41 * 13] = NaN
    // A hole of one cell, and liquid around it that is not as deep as before.
    const hole = await paint(inLiquid, look)
    let changed = 0
    for (let pixel = 0; pixel < hole.length; pixel += 4) {
      expect(hole[pixel + 3]).toBe(255)
      if (Math.abs(hole[pixel] - before[pixel]) > 10) changed++
    }
    expect(changed).toBeGreaterThan(2)
    expect(changed).toBeLessThan(200)
    const nothing = { ...basin, liquid: basin.liquid.map(() => NaN), solid: basin.solid.map(() => NaN) }
    expect(await paint(nothing, look)).toEqual(
      await paint(
        frame([40, 30], () => 1),
        look,
      ),
    )
  })

  it('paints the same bytes as a new one, whatever it has painted before', async () => {
    const painter = await createPainter()
    const plain = { width: 90, height: 70, side: 1 / 80, origin: [-0.05, -0.04] as const }
    const moved = frame(
      [40, 30],
      (_, y) => y - 0.4,
      (x, y) => 0.3 - Math.hypot(x - 0.55, y - 0.35),
    )
    const other = { ...basin, liquid: basin.liquid.map(value => value + 0.05) }
    const steps: [Frame, FlatView][] = [
      [basin, view(plain)],
      [basin, view(plain)],
      [moved, view(plain)],
      [basin, view(plain)],
      [other, view(plain)],
      [other, view({ ...plain, palette: DARK })],
      [other, view({ ...plain, ball: { centre: [0.4, 0.3, 0], radius: 0.1 } })],
      [other, view({ ...plain, ball: { centre: [0.6, 0.4, 0], radius: 0.15 } })],
      [other, view(plain)],
      [other, view({ ...plain, origin: [0.2, 0.13] })],
      [other, view({ ...plain, side: 1 / 5 })],
      [other, view({ ...plain, side: 1 / 300, origin: [0.3, 0.3] })],
      [basin, view({ ...plain, width: 31, height: 33 })],
      [disc, view(plain)],
      [disc, view({ ...plain, side: 1 / 4 })],
      [basin, view(plain)],
      [{ ...basin, grid: createGrid([40, 30], 1 / 32) }, view(plain)],
      [basin, view(plain)],
    ]
    const seen = new Set<string>()
    for (const [n, [frame, look]] of steps.entries()) {
      if (frame !== steps[n - 1]?.[0]) painter.show(frame)
      const painted = painter.paint(look)
      expect(painted, `step ${n}`).toEqual(await paint(frame, look))
      expect(painted.buffer).toBeInstanceOf(ArrayBuffer)
      seen.add([look.width, ...painted].join())
    }
    // No two are equal but for those that must be.
    expect(seen.size).toBe(steps.length - 5)
    painter.dispose()
  })

  it('paints the same in memory that threads share', async () => {
    const look = view({ width: 50, height: 40, side: 1 / 40, origin: [0, 0] })
    const pictures: Uint8ClampedArray[] = []
    for (const isShared of [true, false]) {
      const painter = createFlatPainter(await startMachine(paintModule, 1, 0, isShared))
      painter.show(basin)
      const painted = painter.paint(look)
      expect(painted.buffer).toBeInstanceOf(ArrayBuffer)
      pictures.push(painted)
    }
    expect(pictures[0]).toEqual(pictures[1])
  })

  it('paints some picture of places that are not numbers, and none of no pixels', async () => {
    const nowhere = await paint(basin, view({ width: 9, height: 5, side: NaN, origin: [NaN, Infinity] }))
    expect(nowhere.length).toBe(180)
    expect(nowhere.every((value, n) => n % 4 !== 3 || value === 255)).toBe(true)
    expect((await paint(basin, view({ width: 0, height: 0, side: 1, origin: [0, 0] }))).length).toBe(0)
    const far = await paint(basin, view({ width: 9, height: 5, side: 1e6, origin: [-4.5e6, -2.5e6] }))
    expectColour(at(far, 9, 1, 1), parts(LIGHT.air[0]))
  })

  it('paints nothing before there is a frame', async () => {
    const painter = await createPainter()
    const painted = painter.paint(view({ width: 3, height: 2, side: 1, origin: [0, 0] }))
    expect([...painted]).toEqual(Array(24).fill(0))
    painter.dispose()
  })

  it('refuses a camera with an eye', async () => {
    const painter = await createPainter()
    painter.show(basin)
    const camera = { eye: [0, 0, 5], forward: [0, 0, -1], right: [1, 0, 0], up: [0, 1, 0] } as const
    expect(() => painter.paint({ width: 3, height: 2, camera, palette: LIGHT })).toThrow(/flat camera/)
    painter.dispose()
  })
})

interface Place extends Partial<Pick<FlatView, 'palette' | 'ball'>> {
  readonly width: number
  readonly height: number
  /** Of a pixel, and the lower left corner of the picture. */
  readonly side: number
  readonly origin: readonly [number, number]
}

function view({ width, height, side, origin, palette = LIGHT, ball = null }: Place): FlatView {
  return { width, height, camera: { origin, pixel: side }, palette, ball }
}

/** By a painter of its own. */
async function paint(frame: Frame, look: FlatView): Promise<Uint8ClampedArray> {
  const painter = await createPainter()
  painter.show(frame)
  const pixels = painter.paint(look).slice()
  painter.dispose()
  return pixels
}

const at = (pixels: Uint8ClampedArray, width: number, column: number, row: number) => [
  ...pixels.subarray(4 * (column + width * row), 4 * (column + width * row) + 3),
]
const parts = (colour: number) => [colour >> 16, (colour >> 8) & 255, colour & 255]
const mixed = ([below, above]: readonly [number, number], height: number) =>
  parts(below).map((part, n) => part + height * (parts(above)[n] - part))

function expectColour(seen: readonly number[], wanted: readonly number[]): void {
  for (const [n, part] of wanted.entries()) expect(Math.abs(seen[n] - part)).toBeLessThanOrEqual(1)
}

function frame(shape: readonly [number, number], liquid: ScalarFunction, solid: ScalarFunction = NOWHERE): Frame {
  return frameOf(createGrid(shape, 1 / Math.max(...shape)), liquid, solid)
}
