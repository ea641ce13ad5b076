/** What a stage computes before it draws. */
import { Box3, type BufferAttribute, PerspectiveCamera, Vector3, Vector4 } from 'three'
import { describe, expect, it } from 'vitest'
import { createGrid } from '../../src/grid/grid.js'
import { sampleNodal } from '../../src/liquid/boundary/solids.js'
import type { Frame } from '../../src/liquid/frame.js'
import { mapColour, twoSidedColour } from '../../src/paint/colour.js'
import { random } from '../../src/random.js'
import { createFieldReader, largestValue, NOTHING, PINNED_VALUES, steadyBound } from '../../src/view/stage/fields/field-values.js'
import { describeLegend, PINNED_LEGEND, scaleLegend } from '../../src/view/stage/fields/legend.js'
import { createQualityChooser } from '../../src/view/stage/quality.js'
import { BALL_RADIUS } from '../../src/view/stage/water/balls.js'
import { DEEP_DISTANCE } from '../../src/view/stage/water/deep-cells.js'
import { createWaterPoints } from '../../src/view/stage/water/points.js'
import { farthestIn, screenBounds } from '../../src/view/stage/water/screen-bounds.js'
import { frameOf } from '../support/frames.js'
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

describe('quality', () => {
  it('goes down where pictures take long, and not up again to what was too slow', () => {
    const chooser = createQualityChooser({ start: 'high', tooSlow: 34, fast: 7 })
    for (let picture = 0; picture < 6; picture++) chooser.observe(80)
    expect(chooser.quality).toBe('medium')
    for (let picture = 0; picture < 6; picture++) chooser.observe(80)
    expect(chooser.quality).toBe('low')
    for (let picture = 0; picture < 50; picture++) chooser.observe(80)
    for (let picture = 0; picture < 1000; picture++) chooser.observe(1)
    expect(chooser.quality).toBe('low')
  })

  it('bears single slow pictures, and goes up where all are fast', () => {
    const chooser = createQualityChooser({ start: 'medium', tooSlow: 34, fast: 7 })
    for (let picture = 0; picture < 50; picture++) chooser.observe(picture % 5 === 0 ? 200 : 16)
    expect(chooser.quality).toBe('medium')
    for (let picture = 0; picture < 90; picture++) chooser.observe(2)
    expect(chooser.quality).toBe('high')
  })
})

describe('the part of the screen that a box is seen in', () => {
  const [width, height] = [300, 200]
  const camera = new PerspectiveCamera(28, width / height, 0.1, 100)
  camera.position.set(2, 1.5, 3)
  camera.lookAt(0.5, 0.5, 0.5)
  camera.updateMatrixWorld()
  const seenIn = (box: Box3): number[] => {
    const into = new Vector4()
    screenBounds(box, camera, width, height, into)
    return into.toArray()
  }

  it('holds all of it and no pixel more', () => {
    for (let n = 0; n < 50; n++) {
      const [a, b] = [0, 3].map(first => new Vector3(...[0, 1, 2].map(axis => random(5, 6 * n + first + axis))))
      const box = new Box3().setFromPoints([a, b])
      const corners = Array.from({ length: 8 }, (_, corner) =>
        new Vector3(...[1, 2, 4].map((bit, axis) => (corner & bit ? box.max : box.min).getComponent(axis))).project(camera),
      )
      const xs = corners.map(({ x }) => (0.5 + 0.5 * x) * width)
      const ys = corners.map(({ y }) => (0.5 + 0.5 * y) * height)
      const depths = corners.map(({ z }) => (2 * 0.1 * 100) / (100 + 0.1 - z * (100 - 0.1)))
      expect(farthestIn(box, camera)).toBeGreaterThan(Math.max(...depths))
      expect(farthestIn(box, camera)).toBeLessThan(Math.max(...depths) + box.min.distanceTo(box.max))
      const [left, bottom, wide, high] = seenIn(box)
      expect([left, left + wide]).toEqual([Math.floor(Math.max(Math.min(...xs), 0)), Math.ceil(Math.min(Math.max(...xs), width))])
      expect([bottom, bottom + high]).toEqual([
        Math.floor(Math.max(Math.min(...ys), 0)),
        Math.ceil(Math.min(Math.max(...ys), height)),
      ])
    }
  })

  it('is all of it for a box around the eye, and none for an empty one or one beside the screen', () => {
    expect(seenIn(new Box3(new Vector3(1.99, 1.49, -4), new Vector3(2.01, 1.51, 6)))).toEqual([0, 0, width, height])
    expect(seenIn(new Box3()).slice(2)).toEqual([0, 0])
    expect(seenIn(new Box3(new Vector3(-9, 0, 0), new Vector3(-8, 1, 1)))[2]).toBe(0)
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
  const drawn: number[][] = []
  for (let n = 0; n < 20_000; n++) {
    const [x, y, z] = [0, 1, 2].map(axis => side * random(7, 3 * n + axis))
    if (surface(x, y) < 0 && ball(x, y, z) > 0) drawn.push([x, y, z])
  }
  // By cell, as simulations have them.
  const cellOf = (place: readonly number[]) => place.reduceRight((sum, value) => N * sum + Math.floor(value / h), 0)
  const places = drawn.sort((a, b) => cellOf(a) - cellOf(b)).flat()
  const frameWith = (position: Float32Array): Frame => ({ ...bare, particles: { position, velocity: position } })
  type Points = ReturnType<typeof createWaterPoints>['balls']
  const pointsOf = ({ attributes, drawRange }: Points, name = 'position', size = attributes[name].itemSize) =>
    Array.from({ length: drawRange.count }, (_, n) => [...attributes[name].array.subarray(size * n, size * n + size)])

  /** m beyond the surface, walls and sides. */
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

  it('are a ball for every particle that could be seen, and none of them reaches beyond the surface, walls or sides', () => {
    const points = createWaterPoints()
    const position = Float32Array.from(places)
    points.update(frameWith(position))
    const seen = Array.from({ length: position.length / 3 }, (_, n) => [...position.subarray(3 * n, 3 * n + 3)]).filter(
      place => outsideAt(place) > -DEEP_DISTANCE * h,
    )
    const balls = pointsOf(points.balls).slice(0, seen.length)
    expect(seen.length).toBeLessThan(0.9 * (position.length / 3))
    let moved = 0
    let sticksOut = 0
    for (const [n, ball] of balls.entries()) {
      const way = Math.hypot(...ball.map((middle, axis) => middle - seen[n][axis]))
      if (way > 0.1 * h) moved++
      expect(way).toBeLessThan(1.05 * h)
      if (outsideAt(seen[n]) < -BALL_RADIUS * h) expect(way).toBeLessThan(1e-6)
      expect(outsideAt(ball)).toBeLessThan(0)
      if (outsideAt(ball) > -(BALL_RADIUS - 0.05) * h) sticksOut++
    }
    // Where surfaces and walls have corners.
    expect(sticksOut).toBeLessThan(0.03 * seen.length)
    expect(moved).toBeGreaterThan(0.2 * seen.length)
    const all = new Box3().setFromPoints(pointsOf(points.balls).map(middle => new Vector3(...middle)))
    all.expandByScalar(BALL_RADIUS * h)
    expect(points.bounds.min.distanceTo(all.min)).toBeLessThan(1e-6)
    expect(points.bounds.max.distanceTo(all.max)).toBeLessThan(1e-6)
  })

  it('are volumes that hold as much as the cells that are filled, where these are', () => {
    const points = createWaterPoints()
    points.update(frameWith(Float32Array.from(places)))
    const spread = pointsOf(points.volumes, 'spread')
    const volumes = spread.map(([volume]) => volume)
    const filled = [...liquid.entries()].filter(([, phi]) => phi < 0).map(([cell]) => cell)
    const total = volumes.reduce((sum, volume) => sum + volume, 0)
    expect(total / (filled.length * h ** 3)).toBeCloseTo(1, 5)
    expect(volumes.length).toBeLessThan(places.length / 3 / 4)
    // Wide ones are far enough below the surface not to blur its edges.
    const wide = pointsOf(points.volumes).filter((_, n) => spread[n][1] > 2 * h)
    expect(wide.length).toBeGreaterThan(20)
    for (const [x, y] of wide) expect(surface(x, y)).toBeLessThan(-3.2 * h)
    // In every block of some cells, away from the ball, which is not filled.
    const B = 6
    const held = new Float64Array((N / B) ** 3)
    const blockOf = (place: readonly number[]) => {
      const [i, j, k] = place.map(value => Math.floor(value / (B * h)))
      return i + (N / B) * (j + (N / B) * k)
    }
    for (const [n, place] of pointsOf(points.volumes).entries()) held[blockOf(place)] += volumes[n]
    const wanted = new Float64Array(held.length)
    for (const cell of filled)
      wanted[blockOf([cell % N, Math.floor(cell / N) % N, Math.floor(cell / N ** 2)].map(at => (at + 0.5) * h))] += h ** 3
    for (const [block, volume] of wanted.entries()) {
      if (block % (N / B) === 0) continue
      expect(Math.abs(held[block] - volume), `block ${block}`).toBeLessThan(0.12 * (B * h) ** 3)
    }
  })

  it('fill what lies at walls where there are few particles, and nothing within solids or at the surface', () => {
    const points = createWaterPoints()
    // Those of a band below the surface alone.
    const band = places.filter((_, at) => surface(places[3 * Math.floor(at / 3)], places[3 * Math.floor(at / 3) + 1]) > -0.4)
    const count = band.length / 3
    const bandPlaces = Array.from({ length: count }, (_, n) => [...Float32Array.from(band.slice(3 * n, 3 * n + 3))])
    points.update(frameWith(Float32Array.from(band)))
    const added = pointsOf(points.balls).slice(bandPlaces.filter(place => outsideAt(place) > -DEEP_DISTANCE * h).length)
    for (const [x, y, z] of added) {
      expect(surface(x, y)).toBeLessThan(-0.7 * h)
      expect(ball(x, y, z)).toBeGreaterThan(0.5 * h)
      expect(bandPlaces.filter(([u, v, w]) => Math.hypot(u - x, v - y, w - z) < 0.3 * h).length).toBeLessThan(4)
    }
    // On the floor, far below the surface and away from the ball, every place has one that touches it within half a cell.
    for (let n = 0; n < 200; n++) {
      const [x, z] = [1 + 0.7 * random(3, 2 * n), (side - 2 * BALL_RADIUS * h) * random(3, 2 * n + 1) + BALL_RADIUS * h]
      const nearest = Math.min(...added.map(([u, v, w]) => Math.hypot(u - x, v - BALL_RADIUS * h, w - z)))
      expect(nearest).toBeLessThan(0.5 * h)
    }
  })

  it('leave no gap at a wall where a cell has a single particle, and add nothing where it has many', () => {
    const floor = frameOf(grid, (_, y) => Math.min(Math.max(y - 0.9, -h), 1.5 * h))
    const touching = (count: number) => {
      const points = createWaterPoints()
      const inCell = Array.from({ length: 3 * count }, (_, at) => (at % 3 === 1 ? 0.9 * h : (9.1 + 0.8 * random(8, at)) * h))
      points.update({ ...floor, particles: { position: Float32Array.from(inCell), velocity: Float32Array.from(inCell) } })
      return pointsOf(points.balls).filter(
        ([x, y, z]) => y < (BALL_RADIUS + 0.01) * h && Math.floor(x / h) === 9 && Math.floor(z / h) === 9,
      ).length
    }
    expect(touching(1)).toBe(4)
    expect(touching(8)).toBe(0)
  })

  it('know which way balls face, but not where liquid is too thin to hide them', () => {
    const floor = frameOf(grid, (_, y) => Math.min(Math.max(y - 0.9, -h), 1.5 * h))
    const film = frameOf(grid, (_, y) => Math.min(Math.max(y - 0.12, -h), 1.5 * h))
    const facing = (frame: Frame, [x, y, z]: readonly number[]) => {
      const points = createWaterPoints()
      const position = Float32Array.of(x, y, z)
      points.update({ ...frame, particles: { position, velocity: position } })
      return pointsOf(points.balls, 'outward')[0].slice(0, 3)
    }
    expect(facing(floor, [0.9, 0.02, 0.93])).toEqual([0, -127, 0])
    expect(facing(floor, [0.9, 0.88, 0.93])).toEqual([0, 127, 0])
    expect(facing(floor, [side - 0.01, 0.5, 0.93])).toEqual([127, 0, 0])
    expect(facing(film, [0.9, 0.02, 0.93])).toEqual([0, 0, 0])
  })

  it('come in the same memory while they fit', () => {
    const points = createWaterPoints()
    points.update(frameWith(Float32Array.from(places)))
    const { array } = points.balls.attributes.position
    points.update(frameWith(Float32Array.from(places.slice(0, 300))))
    expect(points.balls.attributes.position.array === array).toBe(true)
    const { updateRanges } = points.balls.attributes.position as BufferAttribute
    expect(updateRanges).toEqual([{ start: 0, count: 3 * points.balls.drawRange.count }])
  })
})
