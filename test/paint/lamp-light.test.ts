/** Light of the lamp on the ground below liquid, against Snell's law and the law of Beer and Lambert. */
import { describe, expect, it } from 'vitest'
import type { ScalarFunction } from '../../src/grid/field.js'
import { createGrid } from '../../src/grid/grid.js'
import { createGroundLight, groundLightOf, groundMapOf } from '../../src/paint/ground/ground-light.js'
import { followLamp, takeBody } from '../../src/paint/ground/lamp-light.js'
import { LAMP_SHARE, REFRACTIVE_INDEX } from '../../src/paint/rendering-constants.js'
import { TO_SUN } from '../../src/paint/space-colours.js'
import type { Vector } from '../../src/paint/vector.js'

const CELLS = 32
const GRID = createGrid([CELLS, CELLS, CELLS], 1 / CELLS)

/** `liquid` and `solid` in cells. */
function frameOf(liquid: ScalarFunction, solid: ScalarFunction = () => CELLS) {
  const nodes = CELLS + 1
  const at = (count: number, offset: number, phi: ScalarFunction) =>
    Float32Array.from({ length: count ** 3 }, (_, n) => {
      const place = [n % count, Math.floor(n / count) % count, Math.floor(n / count ** 2)].map(index => index + offset)
      return phi(place[0], place[1], place[2]) / CELLS
    })
  return { grid: GRID, index: 0, time: 0, liquid: at(CELLS, 0.5, liquid), solid: at(nodes, 0, solid) }
}

/** The three planes, and how to read them. */
function lampOn(frame: ReturnType<typeof frameOf>, absorbed: Vector) {
  const map = groundMapOf(GRID.shape)
  const body = new Float32Array(frame.liquid.length)
  const flux = new Float32Array(3 * map.width * map.height)
  followLamp(body, GRID.shape, takeBody(frame, body)!, absorbed, map, flux)
  const placeOf = (x: number) => Math.floor((x + map.margin) * map.perCell)
  return {
    map,
    flux,
    at: (x: number, z: number, colour = 0) => flux[colour * map.width * map.height + placeOf(x) + map.width * placeOf(z)],
  }
}

/** Cosine of the angle to the vertical of light in liquid under a level surface. */
const cosineWithin = Math.sqrt(1 - (1 - TO_SUN[1] ** 2) / REFRACTIVE_INDEX ** 2)

describe('the light of the lamp', () => {
  it('is that of bare ground without liquid', () => {
    const { values } = createGroundLight()(
      frameOf(() => 1),
      [0.1, 0.1, 0.1],
    )
    expect(values.every(value => value === 1)).toBe(true)
  })

  it.each([3.5, 8.25, 20.5])('is absorbed along its bent way through a pool of %d cells', depth => {
    const absorbed: Vector = [0.2, 0.05, 0]
    const { at } = lampOn(
      frameOf((_x, y) => y - depth),
      absorbed,
    )
    // Light that comes in by the sides of the domain does not reach this place.
    for (let colour = 0; colour < 3; colour++)
      expect(at(24.3, 7, colour)).toBeCloseTo(Math.exp((-absorbed[colour] * depth) / cosineWithin), 2)
  })

  it('is mirrored by the side of a block that it would leave by, and falls where Snell has it', () => {
    const depth = 16
    const { at } = lampOn(
      frameOf((x, y) => Math.max(y - depth, x - 30)),
      [0.05, 0.05, 0.05],
    )
    const aside = (depth * -TO_SUN[0]) / REFRACTIVE_INDEX / cosineWithin
    const through = Math.exp((-0.05 * depth) / cosineWithin)
    // Of light from the surface, what would go beyond the side falls before it, a second time.
    const mean = (from: number, to: number) => {
      const places = Array.from({ length: 4 * (to - from) }, (_, n) => at(from + n / 4 + 0.1, 6))
      return places.reduce((sum, value) => sum + value, 0) / places.length
    }
    // Around the upper edge, which is a cell wide, light is bent otherwise.
    expect(mean(31 - aside, 29) / through).toBeGreaterThan(1.8)
    expect(mean(31 - aside, 29) / through).toBeLessThan(2.2)
    expect(mean(27 - aside, 29 - aside)).toBeCloseTo(through, 1)
    // Straight light passes over the block.
    expect(mean(31, 36)).toBe(0)
    expect(at(30 - (depth * TO_SUN[0]) / TO_SUN[1] + 1.5, 6)).toBe(1)
  })

  it('keeps its sum where nothing is absorbed, whatever the waves', () => {
    const waves: ScalarFunction = (x, y, z) => 0.9 * (y - 9 - 0.8 * Math.sin(0.5 * x) * Math.cos(0.4 * z))
    const { flux, map } = lampOn(frameOf(waves), [0, 0, 0])
    const places = map.width * map.height
    const sum = flux.subarray(0, places).reduce((total, value) => total + value, 0)
    // Some light leaves the map, or is too flat to be followed.
    expect(sum / places).toBeGreaterThan(0.985)
    expect(sum / places).toBeLessThan(1 + 1e-6)
  })

  it('has caustics where rays through a wave meet', () => {
    // Waves along x, rays in the plane of x and y of their own: binned as finely as the map, 200 for each place.
    const [mean, height, number] = [9, 0.7, (2 * Math.PI) / 8]
    const surface = (x: number) => mean + height * Math.sin(number * x)
    const { at, map } = lampOn(
      frameOf((x, y) => (y - surface(x)) / Math.hypot(1, height * number * Math.cos(number * x))),
      [0, 0, 0],
    )
    const perPlace = 200
    const places = map.perCell * CELLS
    const expected = new Float64Array(places)
    for (let ray = -8 * map.perCell * perPlace; ray < places * perPlace; ray++) {
      const ground = (ray + 0.5) / perPlace / map.perCell
      // Where it meets the surface.
      let y = mean
      for (let turn = 0; turn < 60; turn++) y = surface(ground + (y * TO_SUN[0]) / TO_SUN[1])
      const x = ground + (y * TO_SUN[0]) / TO_SUN[1]
      const slope = height * number * Math.cos(number * x)
      const normal = [-slope, 1, 0].map(part => part / Math.hypot(1, slope))
      const down = TO_SUN.map(part => -part)
      const along = -(normal[0] * down[0] + normal[1] * down[1])
      const ratio = 1 / REFRACTIVE_INDEX
      const bent = down.map(
        (part, axis) => ratio * part + (ratio * along - Math.sqrt(1 - ratio ** 2 * (1 - along ** 2))) * normal[axis],
      )
      const place = Math.floor((x + (y * bent[0]) / -bent[1]) * map.perCell)
      if (place >= 0 && place < places) expected[place] += 1 / perPlace
    }
    const binomial = (values: readonly number[]) =>
      values.map((value, n) => 0.25 * ((values[n - 1] ?? value) + 2 * value + (values[n + 1] ?? value)))
    const twice = (values: readonly number[]) => binomial(binomial(values))
    const found = Array.from({ length: places }, (_, place) => at((place + 0.5) / map.perCell, 6))
    // Light that comes in by the sides does not reach the middle.
    const [here, there] = [twice(found), twice([...expected])].map(values => values.slice(24, places - 8))
    expect(Math.max(...there)).toBeGreaterThan(1.5)
    expect(Math.min(...there)).toBeLessThan(0.8)
    const error = Math.sqrt(here.reduce((sum, value, n) => sum + (value - there[n]) ** 2, 0) / here.length)
    expect(error).toBeLessThan(0.1)
  })

  it('is not bent within solids, where there is no liquid', () => {
    // All the liquid is said to be in a solid.
    const all = frameOf(
      (_x, y) => y - 8,
      (_x, y) => y - 12,
    )
    expect(createGroundLight()(all, [1, 1, 1]).values.every(value => value === 1)).toBe(true)
  })
})

describe('light on the ground', () => {
  it('is that of the lamp and of the studio, which is softer and darker below liquid', () => {
    const frame = frameOf((x, y, z) => Math.hypot(x - 16, y - 16, z - 16) - 8)
    const at = groundLightOf(frame, [0.12, 0.04, 0.02])
    const beside = at(-9, 40)
    expect(beside.every(value => value > 0.97 && value <= 1 + 1e-6)).toBe(true)
    // Straight below, where light of the lamp arrives unhindered, some of the studio is hidden: of red most.
    const [red, green, blue] = at(16, 16).map(
      (value, colour) => (value - LAMP_SHARE * lampOn(frame, [0.12, 0.04, 0.02]).at(16, 16, colour)) / (1 - LAMP_SHARE),
    )
    expect(red).toBeLessThan(green)
    expect(green).toBeLessThan(blue)
    expect(blue).toBeLessThan(0.98)
  })

  it('is brighter than without liquid in the focus of a ball, and darker around it', () => {
    const at = groundLightOf(
      frameOf((x, y, z) => Math.hypot(x - 16, y - 12, z - 16) - 7),
      [0, 0, 0],
    )
    const [x, z] = [16 - (12 * TO_SUN[0]) / TO_SUN[1], 16 - (12 * TO_SUN[2]) / TO_SUN[1]]
    expect(at(x, z)[0]).toBeGreaterThan(1.3)
    expect(at(x + 7, z)[0]).toBeLessThan(0.75)
  })
})
