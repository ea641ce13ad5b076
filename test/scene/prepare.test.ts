import { describe, expect, it } from 'vitest'
import { random } from '../../src/random.js'
import { prepareScene } from '../../src/scene/prepare.js'
import type { Shape } from '../../src/scene/schema/shape.js'
import { buildShape } from '../../src/scene/shapes/build.js'
import { validateScene } from '../../src/scene/validate.js'

const noMeshes = () => {
  throw new Error('no mesh here')
}
const build = (shape: Shape) => buildShape(shape, 0.1, noMeshes)

const ball = { shape: 'sphere', centre: [0.5, 0.4, 0.3], radius: 0.3 } as const
const brick = { shape: 'box', min: [0.1, 0.2, 0.3], max: [0.9, 0.5, 0.6] } as const
const shapes: Shape[] = [
  ball,
  brick,
  { shape: 'halfSpace', point: [0.5, 0.5, 0.5], normal: [0, -2, 0] },
  { shape: 'halfSpace', point: [0.5, 0.5, 0.5], normal: [1, -2, 0] },
  { shape: 'capsule', from: [0, 0, 0], to: [0.5, 1, 0.3], radius: 0.2 },
  { shape: 'cylinder', from: [0, 0, 0], to: [0.5, 1, 0.3], radius: 0.2 },
  { shape: 'torus', centre: [0.5, 0.4, 0.3], axis: [1, 1, 1], radius: 0.4, thickness: 0.1 },
  { shape: 'everything' },
  { shape: 'union', of: [ball, brick] },
  { shape: 'intersection', of: [ball, brick] },
  { shape: 'difference', of: [ball, brick] },
  { shape: 'complement', of: ball },
  { shape: 'shell', of: ball, thickness: 0.1 },
  { shape: 'shell', of: { shape: 'difference', of: [ball, brick] }, thickness: 0.2, scale: 1.4, pivot: [1, 0, 0] },
  { ...brick, rotate: { axis: [1, 2, 3], angle: 70 }, pivot: [0.5, 0.2, 0.4], translate: [0.1, -0.3, 0.2], scale: 0.7 },
  { shape: 'union', of: [{ ...ball, scale: 0.5 }], rotate: { axis: [0, 0, 1], angle: 200 } },
]

describe('buildShape', () => {
  it.each(shapes.map(shape => [JSON.stringify(shape), shape] as const))('%s lies in its bounds', (_, shape) => {
    const { phi, bounds } = build(shape)
    let [met, outside] = [0, 0]
    for (let n = 0; n < 20_000; n++) {
      const margin = 0.3 * random(1, n) - 0.05
      const point = [2, 3, 4].map(axis => 3 * random(axis, n) - 1)
      if (phi(point[0], point[1], point[2]) >= margin) continue
      met++
      const [low, high] = bounds(margin)
      if (point.some((value, axis) => value < low[axis] - 1e-12 || value > high[axis] + 1e-12)) outside++
    }
    expect(outside).toBe(0)
    expect(met).toBeGreaterThan(20)
  })

  it('has tight bounds for tight shapes', () => {
    expect(build(brick).bounds(0)).toEqual([
      [0.1, 0.2, 0.3],
      [0.9, 0.5, 0.6],
    ])
    expect(build(shapes[2]).bounds(0.1)[0]).toEqual([-Infinity, 0.4, -Infinity])
    expect(build({ shape: 'sphere', centre: [1, 2], radius: 1 }).bounds(1)).toEqual([
      [-1, 0, -Infinity],
      [3, 4, Infinity],
    ])
  })

  it('scales and turns about the pivot, then moves', () => {
    const { phi } = build({
      shape: 'box',
      min: [1, 1],
      max: [3, 2],
      scale: 2,
      rotate: 90,
      pivot: [1, 1],
      translate: [0, 10],
    })
    // The corner (3, 2) goes to (5, 3), to (−1, 5), to (−1, 15).
    expect(phi(-1, 15, 0)).toBeCloseTo(0, 12)
    expect(phi(0, 13, 0)).toBeCloseTo(-1, 12)
    expect(phi(2, 13, 0)).toBeCloseTo(1, 12)
    expect(phi(0, 11.5, 0)).toBeCloseTo(-0.5, 12)
  })

  it('turns about an axis as a right hand does', () => {
    const { phi } = build({ shape: 'sphere', centre: [1, 0, 0], radius: 0.1, rotate: { axis: [0, 7, 0], angle: 90 } })
    expect(phi(0, 0, -1)).toBeCloseTo(-0.1, 12)
  })
})

describe('prepareScene', () => {
  const prepare = (more: object, dims = 2) =>
    prepareScene(validateScene({ version: 1, domain: { size: Array(dims).fill(1), resolution: 4 }, ...more }))

  it('closes sides as the scene says, unless they say otherwise themselves', () => {
    const domain = { size: [1, 1], resolution: 4, sides: { left: 'open', bottom: 'separating', top: 'closed' } }
    expect(prepare({ domain, walls: 'sticking' }).sides).toEqual({ x: ['open', 'sticking'], y: ['separating', 'sticking'] })
    expect(prepare({}, 3).sides.z).toEqual(['separating', 'separating'])
  })

  it('gives solids the walls of the scene, unless they have their own', () => {
    const solids = [{ shape: 'everything' }, { shape: 'everything', walls: 'separating', name: 'lid', friction: 0.3 }]
    const [first, second] = prepare({ solids, walls: 'sticking' }).solids
    expect(first).toMatchObject({ name: 'solids[0]', walls: 'sticking', friction: 0, isMoving: false })
    expect(second).toMatchObject({ name: 'lid', walls: 'separating', friction: 0.3 })
  })

  it('has the pivot of a motion or a shape as the point of torques, moved along', () => {
    const shape = 'everything'
    const turned = [
      { time: 0, position: [0, 0], rotation: 0 },
      { time: 1, position: [1, 0], rotation: 90 },
    ]
    const shifted = [{ time: 0 }, { time: 1, position: [0, 2] }]
    const { solids } = prepare({
      solids: [
        { shape },
        { shape, motion: { keyframes: shifted } },
        { shape, pivot: [0.2, 0.3], translate: [0.1, 0] },
        { shape, pivot: [0.2, 0.3], translate: [0.1, 0], motion: { keyframes: shifted } },
        { shape, pivot: [0.2, 0.3], motion: { pivot: [0.5, 0.4], keyframes: turned } },
      ],
    })
    expect(solids.slice(0, 2).map(({ pivotAt }) => pivotAt)).toEqual([undefined, undefined])
    const wanted = [
      [0.3, 0.3, 0],
      [0.3, 1.3, 0],
      [1, 0.4, 0],
    ]
    for (const [n, at] of wanted.entries())
      solids[n + 2].pivotAt!(0.5).forEach((value, axis) => {
        expect(value).toBeCloseTo(at[axis], 12)
      })
  })

  it('changes gravity linearly between keyframes', () => {
    const { gravity } = prepare({
      gravity: [
        { time: 1, value: [0, -10] },
        { time: 3, value: [4, -2] },
      ],
    })
    expect(gravity(0)).toEqual([0, -10, 0])
    expect(gravity(2)).toEqual([2, -6, 0])
    expect(gravity(3)).toEqual([4, -2, 0])
    expect(gravity(9)).toEqual([4, -2, 0])
    expect(prepare({ gravity: [1, 2] }).gravity(7)).toEqual([1, 2, 0])
  })

  it('spins liquid about a centre', () => {
    const spin = { centre: [0.5, 0.5], rate: 2 }
    const [body] = prepare({ liquid: [{ shape: 'everything', velocity: [1, 0], spin }] }).liquid
    expect(body.velocity(0.5, 0.5, 0)).toEqual([1, 0, 0])
    expect(body.velocity(0.75, 0.5, 0)).toEqual([1, 0.5, 0])
    const deep = { centre: [0, 0, 0], rate: [0, 3, 0] }
    const [other] = prepare({ liquid: [{ shape: 'everything', spin: deep }] }, 3).liquid
    expect(other.velocity(1, 5, 0)).toEqual([0, 0, -3])
  })

  it('times sources and drains, also those with ends of their own', () => {
    const pipe = { shape: 'capsule', from: [0, 0], to: [0, 1], radius: 0.1 }
    const { sources, drains } = prepare({ sources: [{ ...pipe, velocity: [1, 0], after: 1, until: 2 }], drains: [pipe] })
    expect(sources[0]).toMatchObject({ from: 1, until: 2 })
    expect(sources[0].phi(0, 0.5, 0)).toBeCloseTo(-0.1, 12)
    expect(drains[0]).toMatchObject({ from: 0, until: Infinity })
  })

  it('moves sources and drains by keyframes', () => {
    const motion = { keyframes: [{ time: 0 }, { time: 2, position: [1, 0] }], interpolation: 'linear' }
    const pipe = { shape: 'box', min: [0, 0], max: [0.1, 0.1], motion }
    const { sources, drains } = prepare({ sources: [{ ...pipe, velocity: [1, 0] }], drains: [{ ...pipe, flowRate: 0.5 }] })
    for (const { path } of [sources[0], drains[0]]) {
      expect(path!.poseAt(1).shift).toEqual([0.5, 0, 0])
      expect(path!.motionAt(1).linear).toEqual([0.5, 0, 0])
    }
    expect(drains[0].flowRate).toBe(0.5)
  })

  const speed = (source: object, dims: 2 | 3 = 2, rest: object = {}) =>
    Math.hypot(...prepare({ sources: [source], ...rest }, dims).sources[0].velocity(0.5, 0.5, 0.5))

  it('finds the speed of a flow rate from the shadow of the shape', () => {
    const along = { direction: [3, 4], flowRate: 0.2 }
    const into = { direction: [0, 0, -2], flowRate: 0.2 }
    expect(speed({ shape: 'box', min: [0.2, 0.2], max: [0.5, 0.6], ...along, direction: [0, -7] })).toBeCloseTo(0.2 / 0.3, 6)
    expect(speed({ shape: 'sphere', centre: [0.5, 0.5], radius: 0.2, ...along })).toBeCloseTo(0.2 / 0.4, 2)
    // A square as seen at an angle.
    expect(speed({ shape: 'box', min: [0.3, 0.3], max: [0.5, 0.5], ...along })).toBeCloseTo(0.2 / (0.2 * 1.4), 2)
    expect(speed({ shape: 'sphere', centre: [0.5, 0.5, 0.5], radius: 0.2, ...into }, 3)).toBeCloseTo(0.2 / (Math.PI * 0.04), 1)
    const pipe = { shape: 'cylinder', from: [0.5, 0.2, 0.5], to: [0.5, 0.8, 0.5], radius: 0.1 }
    expect(speed({ ...pipe, ...into }, 3)).toBeCloseTo(0.2 / (0.2 * 0.6), 2)
    expect(speed({ ...pipe, ...into, direction: [0, 1, 0] }, 3) * Math.PI * 0.01).toBeCloseTo(0.2, 2)
    const ring = { shape: 'torus', centre: [0.5, 0.5, 0.5], axis: [0, 0, 1], radius: 0.3, thickness: 0.1 }
    expect(speed({ ...ring, ...into }, 3) * Math.PI * (0.16 - 0.04)).toBeCloseTo(0.2, 2)
    const balls = [0.2, 0.7].map(x => ({ shape: 'sphere', centre: [x, 0.5], radius: 0.1 }))
    expect(speed({ shape: 'union', of: balls, direction: [1, 0], flowRate: 0.2 })).toBeCloseTo(0.2 / 0.2, 2)
  })

  it('finds the speed from the part in the domain and outside of solids at rest', () => {
    const low = { shape: 'box', min: [0.2, -0.3], max: [0.5, 0.4], direction: [1, 0], flowRate: 0.2 }
    expect(speed(low)).toBeCloseTo(0.2 / 0.4, 6)
    const floor = { shape: 'box', min: [-1, -1], max: [2, 0.1] }
    expect(speed(low, 2, { solids: [floor] })).toBeCloseTo(0.2 / 0.3, 2)
    expect(speed({ ...low, motion: { keyframes: [{ time: 0 }] } }, 2, { solids: [floor] })).toBeCloseTo(0.2 / 0.7, 6)
    expect(speed({ shape: 'everything', direction: [1, 0], flowRate: 0.2 })).toBeCloseTo(0.2, 6)
  })

  it('refuses flow rates that no liquid can have', () => {
    const ball = { shape: 'sphere', centre: [0.5, 0.5], radius: 1e-3, direction: [1, 0] }
    expect(() => speed({ ...ball, flowRate: 1e3 })).toThrow(
      /^sources\[0\]\.flowRate: 1000 m²\/s through .+ make the shape larger/,
    )
    expect(() => speed({ ...ball, centre: [-3, 0.5], flowRate: 1 })).toThrow(/^sources\[0\]\.flowRate: nothing of the shape/)
  })

  it('asks for meshes that were not handed over', () => {
    expect(() => prepare({ solids: [{ mesh: 'a.obj' }] }, 3)).toThrow(/mesh a\.obj of the scene was not passed/)
  })
})
