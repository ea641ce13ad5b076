/** What a stage computes before it draws. */
import type { BufferAttribute } from 'three'
import { describe, expect, it } from 'vitest'
import { createGrid } from '../../src/grid/grid.js'
import type { Frame } from '../../src/liquid/frame.js'
import { sampleNodal } from '../../src/liquid/solids.js'
import { random } from '../../src/random.js'
import { mapColour, twoSidedColour } from '../../src/render/colour.js'
import { createFieldReader, largestValue, NOTHING, PINNED_VALUES, steadyBound } from '../../src/web/stage/field-values.js'
import { describeLegend, PINNED_LEGEND, scaleLegend } from '../../src/web/stage/legend.js'
import { createQualityChooser } from '../../src/web/stage/quality.js'
import { createShadowCaster } from '../../src/web/stage/shadow.js'
import { createWaterPoints, DEEP } from '../../src/web/stage/water-points.js'
import { EVERYWHERE, frameOf } from '../support/frames.js'
import { knownFrame, SIZE } from './stage-page/frames.js'

describe.each([2, 3] as const)('values of fields in %iD', dims => {
  const frame = knownFrame({ dims, everywhere: true })
  const read = createFieldReader()
  const cellAt = (i: number, j: number) => i + SIZE * j + (dims === 3 ? SIZE * SIZE * (SIZE / 2) : 0)

  it('are those of the frame, at the centres of cells', () => {
    const h = 1 / SIZE
    const x = (4 + 0.5) * h
    expect(read.read(frame, 'pressure')![cellAt(4, 7)]).toBeCloseTo(5000 * 7.5 * h, 3)
    expect(read.read(frame, 'speed')![cellAt(4, 7)]).toBeCloseTo(x * x + (h * h) / 4, 6)
    expect(read.read(frame, 'divergence')![cellAt(4, 7)]).toBeCloseTo(2 * x, 5)
  })

  it('tell what touches walls from what lets go of them', () => {
    const values = read.read(frame, 'pinned')!
    expect([3, 7, 12].map(i => values[cellAt(i, 7)])).toEqual([PINNED_VALUES.pressed, PINNED_VALUES.liquid, PINNED_VALUES.pinned])
  })

  it('are nothing where there is no liquid, and do not count there', () => {
    const ball = knownFrame({ dims })
    const values = read.read(ball, 'pressure')!
    expect(values[cellAt(0, 0)]).toBe(NOTHING)
    expect(largestValue(values)).toBe(Math.max(...ball.fields!.pressure))
  })

  it('follow walls: nothing flows through what is closed', () => {
    const { fields, ...rest } = knownFrame({ dims, everywhere: true })
    const closed = { ...rest, fields, solid: rest.solid.map(() => -1) }
    expect(largestValue(read.read(closed, 'divergence')!)).toBe(0)
    expect(largestValue(read.read(frame, 'divergence')!)).toBeGreaterThan(1.9)
  })

  it('come in the same memory every time, unless there are none', () => {
    expect(read.read(frame, 'speed')).toBe(read.read(frame, 'pinned'))
    expect(read.read(knownFrame({ dims, fields: false }), 'speed')).toBeUndefined()
  })
})

describe('the bound of a scale', () => {
  it('is a round number above all values', () => {
    for (const largest of [1e-7, 0.013, 0.99, 1, 1.01, 4.2, 777, 3e8]) {
      const bound = steadyBound(largest, 0)
      expect(bound).toBeGreaterThanOrEqual(largest)
      expect(bound).toBeLessThanOrEqual(1.7 * largest)
      expect(Number(bound.toPrecision(2))).toBeCloseTo(bound, 12)
    }
  })

  it('stays while it fits', () => {
    expect(steadyBound(3.5, 10)).toBe(10)
    expect(steadyBound(10.1, 10)).toBe(15)
    expect(steadyBound(2, 10)).toBe(2)
    expect(steadyBound(0, 10)).toBe(10)
    expect(steadyBound(Number.NaN, 0)).toBe(1)
  })
})

describe('legends', () => {
  it('can be read aloud', () => {
    expect(describeLegend(scaleLegend('speed', 0, 0.5))).toBe('Speed: colours from 0 m/s to 500 mm/s.')
    expect(describeLegend(scaleLegend('divergence', -0.005, 0.005))).toBe('Divergence: colours from -0.005 1/s to 0.005 1/s.')
    expect(describeLegend(PINNED_LEGEND)).toContain('touches a wall in rgb(23 92 160)')
  })

  it('have the colours of what they explain', () => {
    expect(scaleLegend('pressure', 0, 1).scale!.colourOf(0.3)).toEqual(mapColour(0.3))
    expect(scaleLegend('divergence', -1, 1).scale!.colourOf(0)).toEqual(twoSidedColour(-1))
  })
})

describe('colours of two sides', () => {
  const lightness = ([r, g, b]: readonly number[]) => 0.3 * r + 0.59 * g + 0.11 * b

  it('get darker from 0 to both, blue below and red above', () => {
    for (const sign of [-1, 1])
      for (let step = 0; step < 10; step++)
        expect(lightness(twoSidedColour((sign * step) / 10))).toBeGreaterThan(lightness(twoSidedColour((sign * (step + 1)) / 10)))
    const [blue, white, red] = [-1, 0, 1].map(twoSidedColour)
    expect(blue[2]).toBeGreaterThan(blue[0] + 60)
    expect(red[0]).toBeGreaterThan(red[2] + 60)
    expect(Math.max(...white) - Math.min(...white)).toBeLessThan(2)
    expect(twoSidedColour(7)).toEqual(red)
    expect(twoSidedColour(Number.NaN)).toEqual(white)
  })
})

describe('shadows', () => {
  it('hold all liquid above the ground, spread around it', () => {
    const grid = createGrid([10, 6, 8], 0.1)
    const cast = createShadowCaster()
    const all = cast(frameOf(grid, EVERYWHERE))
    const { width, height, margin, values } = all
    expect([width, height]).toEqual([10 + 2 * margin, 8 + 2 * margin])
    const total = values.reduce((sum, value) => sum + value, 0)
    expect(total).toBeCloseTo(10 * 8 * 6 * 0.1, 3)
    expect(values[margin + 5 + width * (margin + 4)]).toBeCloseTo(0.6, 2)
    expect(values[0]).toBeLessThan(0.01)
    const left = cast(frameOf(grid, x => x - 0.35))
    expect(left.values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(3 * 8 * 6 * 0.1, 3)
  })
})

describe('quality', () => {
  it('goes down where pictures take long, and not up again to what was too slow', () => {
    const chooser = createQualityChooser('high')
    for (let picture = 0; picture < 6; picture++) chooser.observe(80)
    expect(chooser.quality).toBe('medium')
    for (let picture = 0; picture < 6; picture++) chooser.observe(80)
    expect(chooser.quality).toBe('low')
    for (let picture = 0; picture < 50; picture++) chooser.observe(80)
    for (let picture = 0; picture < 1000; picture++) chooser.observe(1)
    expect(chooser.quality).toBe('low')
  })

  it('bears single slow pictures, and goes up where all are fast', () => {
    const chooser = createQualityChooser('medium')
    for (let picture = 0; picture < 50; picture++) chooser.observe(picture % 5 === 0 ? 200 : 16)
    expect(chooser.quality).toBe('medium')
    for (let picture = 0; picture < 90; picture++) chooser.observe(2)
    expect(chooser.quality).toBe('high')
  })
})

describe('points that water is drawn from', () => {
  const N = 18
  const h = 0.1
  const grid = createGrid([N, N, N], h)
  const side = N * h
  /** Liquid below a plane with a step in it, a solid ball in its corner; distances as far as a cell and a half. */
  const surface = (x: number, y: number) => Math.min(y - (x < 0.9 ? 0.87 : 1.37), 1.5 * h)
  const ball = (x: number, y: number, z: number) => Math.hypot(x - 0.5, y - 0.5, z - 0.5) - 0.33
  const bare = frameOf(grid, (x, y) => Math.max(surface(x, y), -1.5 * h), ball)
  const { liquid, solid } = bare
  const places: number[] = []
  for (let n = 0; n < 20_000; n++) {
    const [x, y, z] = [0, 1, 2].map(axis => side * random(7, 3 * n + axis))
    if (surface(x, y) < 0 && ball(x, y, z) > 0) places.push(x, y, z)
  }
  const frameWith = (position: Float32Array): Frame => ({ ...bare, particles: { position, velocity: position } })
  const pointsOf = ({ attributes, drawRange }: ReturnType<typeof createWaterPoints>['near']) =>
    Array.from({ length: drawRange.count }, (_, n) => [...attributes.position.array.subarray(3 * n, 3 * n + 3)])

  /** As the shader of balls finds it: m beyond the surface, walls and sides. */
  function outsideAt([x, y, z]: readonly number[]): number {
    const at = [x, y, z].map(value => Math.min(Math.max(value / h - 0.5, 0), N - 1))
    const base = at.map(value => Math.min(Math.floor(value), N - 2))
    let phi = 0
    for (let corner = 0; corner < 8; corner++) {
      const steps = [corner & 1, (corner >> 1) & 1, corner >> 2]
      const share = steps.reduce((product, step, axis) => product * Math.abs(1 - step - (at[axis] - base[axis])), 1)
      phi += share * liquid[base[0] + steps[0] + N * (base[1] + steps[1] + N * (base[2] + steps[2]))]
    }
    const toSide = Math.min(x, y, z, side - x, side - y, side - z)
    return Math.max(phi, -Math.min(toSide, sampleNodal(grid, solid, x / h, y / h, z / h)))
  }

  it('leave out only particles that cannot be seen, and hold as much as the cells that are filled', () => {
    const points = createWaterPoints()
    const position = Float32Array.from(places)
    points.update(frameWith(position))
    const near = pointsOf(points.near)
    const isNear = new Set(near.map(String))
    let hidden = 0
    for (let n = 0; n < position.length; n += 3) {
      const place = [...position.subarray(n, n + 3)]
      if (isNear.has(String(place))) continue
      hidden++
      expect(outsideAt(place)).toBeLessThan(-DEEP * h)
    }
    expect(hidden).toBeGreaterThan(0.1 * (position.length / 3))
    const deep = pointsOf(points.deep)
    expect(deep.length).toBeGreaterThan(200)
    for (const place of deep) expect(outsideAt(place)).toBeLessThan(-DEEP * h)
    const filled = liquid.reduce((count, phi) => count + (phi < 0 ? 1 : 0), 0)
    expect(near.length * points.nearVolume + deep.length * h ** 3).toBeCloseTo(filled * h ** 3, 9)
  })

  it('fill what lies at walls where there are no particles, and nothing within solids or at the surface', () => {
    const points = createWaterPoints()
    // Those of a band below the surface alone.
    const band = places.filter((_, at) => surface(places[3 * Math.floor(at / 3)], places[3 * Math.floor(at / 3) + 1]) > -0.4)
    points.update(frameWith(Float32Array.from(band)))
    const isParticle = new Set(
      Array.from({ length: band.length / 3 }, (_, n) => String([...Float32Array.from(band.slice(3 * n, 3 * n + 3))])),
    )
    const added = pointsOf(points.near).filter(place => !isParticle.has(String(place)))
    const cellOf = (place: readonly number[]) => String(place.map(value => Math.floor(value / h)))
    const isTaken = new Set(Array.from({ length: band.length / 3 }, (_, n) => cellOf(band.slice(3 * n, 3 * n + 3))))
    for (const [x, y, z] of added) {
      expect(surface(x, y)).toBeLessThan(-0.7 * h)
      expect(isTaken.has(cellOf([x, y, z]))).toBe(false)
      expect(ball(x, y, z)).toBeGreaterThan(0)
    }
    // On the floor, far below the surface and away from the ball, every place has one within half a cell.
    for (let n = 0; n < 200; n++) {
      const [x, z] = [1 + 0.7 * random(3, 2 * n), side * random(3, 2 * n + 1)]
      expect(Math.min(...added.map(([u, v, w]) => Math.hypot(u - x, v - 0.25 * h, w - z)))).toBeLessThan(0.5 * h)
    }
  })

  it('come in the same memory while they fit', () => {
    const points = createWaterPoints()
    points.update(frameWith(Float32Array.from(places)))
    const { array } = points.near.attributes.position
    points.update(frameWith(Float32Array.from(places.slice(0, 300))))
    expect(points.near.attributes.position.array === array).toBe(true)
    const { updateRanges } = points.near.attributes.position as BufferAttribute
    expect(updateRanges).toEqual([{ start: 0, count: 3 * points.near.drawRange.count }])
  })
})
