import { describe, expect, it } from 'vitest'
import { random } from '../../src/random.js'
import { createMotion } from '../../src/scene/motion.js'
import { prepareScene } from '../../src/scene/prepare.js'
import { multiply } from '../../src/scene/rotation.js'
import type { SceneMotion } from '../../src/scene/schema.js'
import type { SceneSolid, Vector } from '../../src/scene/setting.js'
import { validateScene } from '../../src/scene/validate.js'

const turns: SceneMotion = {
  keyframes: [
    { time: 0.5, position: [0, 0, 0], rotation: { axis: [0, 1, 0], angle: 0 } },
    { time: 1, position: [1, 0.5, -0.2], rotation: { axis: [1, 2, 0], angle: 200 } },
    { time: 2.5, position: [2, 0.4, -0.2], rotation: { axis: [0, 1, 3], angle: -500 } },
  ],
  interpolation: 'smooth',
  pivot: [0.3, -0.4, 0.7],
}
const motions: [string, SceneMotion][] = [
  ['smooth', turns],
  ['linear', { ...turns, interpolation: 'linear' }],
  ['smooth and repeated', { ...turns, repeat: 3 }],
  ['linear and repeated', { ...turns, interpolation: 'linear', repeat: 3.5 }],
  ['a single place', { ...turns, keyframes: turns.keyframes.slice(1, 2) }],
  ['a single place, repeated', { ...turns, keyframes: turns.keyframes.slice(1, 2), repeat: 1 }],
]

/** Where a point of the resting solid is at a time. */
function place(motion: SceneMotion, time: number, point: Vector): Vector {
  const { R, shift } = createMotion(motion).poseAt(time)
  const [x, y, z] = multiply(R, point)
  return [x + shift[0], y + shift[1], z + shift[2]]
}

describe('motion', () => {
  it.each(motions)('%s: the velocity is the derivative of the place', (_, motion) => {
    const { velocityAt } = createMotion(motion)
    const e = 1e-5
    for (let n = 0; n < 300; n++) {
      const time = 8 * random(3, n)
      const point: Vector = [random(4, n), random(5, n), random(6, n)]
      // Not across keyframes, where linear motion has no derivative.
      const keys = [0.5, 1, 2.5, 3.5, 4, 5.5, 6.5, 7, 4.5]
      if (keys.some(key => Math.abs(key - time) < 2 * e)) continue
      const [a, b] = [place(motion, time - e, point), place(motion, time + e, point)]
      const [x, y, z] = place(motion, time, point)
      const { linear, angular } = velocityAt(time)
      const u = [
        linear[0] + angular[1] * z - angular[2] * y,
        linear[1] + angular[2] * x - angular[0] * z,
        linear[2] + angular[0] * y - angular[1] * x,
      ]
      for (let axis = 0; axis < 3; axis++) expect(u[axis]).toBeCloseTo((b[axis] - a[axis]) / (2 * e), 5)
    }
  })

  it('stands where the keyframes say', () => {
    for (const interpolation of ['smooth', 'linear'] as const) {
      const motion: SceneMotion = {
        keyframes: [{ time: 0 }, { time: 1, position: [1, 0], rotation: 90 }, { time: 2, position: [3, 0], rotation: 90 }],
        interpolation,
        pivot: [1, 1],
      }
      expect(place(motion, 1, [2, 1, 0])[0]).toBeCloseTo(2, 12)
      expect(place(motion, 1, [2, 1, 0])[1]).toBeCloseTo(2, 12)
      expect(place(motion, 99, [2, 1, 0])[0]).toBeCloseTo(4, 12)
      expect(place(motion, -1, [2, 1, 0])).toEqual([2, 1, 0])
      expect(createMotion(motion).velocityAt(99)).toEqual({ linear: [0, 0, 0], angular: [0, 0, 0] })
    }
  })

  it('is smooth without jumps of velocity and without overshoot', () => {
    const motion: SceneMotion = {
      keyframes: [0, 1, 1.2, 0.2, 0].map((x, at) => ({ time: [0, 1, 1.5, 3, 3.1][at], position: [x, 0] })),
      interpolation: 'smooth',
      repeat: 4,
    }
    let before = createMotion(motion).velocityAt(-0.01).linear[0]
    for (let time = 0; time < 9; time += 1e-3) {
      const velocity = createMotion(motion).velocityAt(time).linear[0]
      expect(Math.abs(velocity - before)).toBeLessThan(0.12)
      before = velocity
      const x = place(motion, time, [0, 0, 0])[0]
      expect(x).toBeGreaterThanOrEqual(-1e-12)
      expect(x).toBeLessThanOrEqual(1.2 + 1e-12)
    }
  })

  it('repeats a full turn at constant speed', () => {
    const motion: SceneMotion = {
      keyframes: [
        { time: 0, rotation: 0 },
        { time: 2, rotation: 360 },
      ],
      interpolation: 'linear',
      pivot: [0.5, 0.5],
      repeat: 2,
    }
    for (const time of [0.1, 1.99, 2.01, 77.7]) expect(createMotion(motion).velocityAt(time).angular[2]).toBeCloseTo(Math.PI, 12)
    expect(place(motion, 6.5, [1, 0.5, 0])[1]).toBeCloseTo(1, 9)
  })
})

describe('moving solids', () => {
  const solid = (dims: 2 | 3, entry: object): SceneSolid =>
    prepareScene(validateScene({ version: 1, domain: { size: Array(dims).fill(1), resolution: 8 }, solids: [entry] })).solids[0]

  it('carry their distance with them', () => {
    const { phiAt, isMoving } = solid(3, { shape: 'box', min: [0, 0, 0], max: [0.4, 0.2, 0.1], motion: turns })
    const rest = solid(3, { shape: 'box', min: [0, 0, 0], max: [0.4, 0.2, 0.1] })
    expect(isMoving).toBe(true)
    expect(rest.isMoving).toBe(false)
    for (let n = 0; n < 200; n++) {
      const point: Vector = [random(7, n), random(8, n), random(9, n)]
      const time = 3 * random(10, n)
      expect(phiAt(time)(...place(turns, time, point))).toBeCloseTo(rest.phiAt(0)(...point), 12)
    }
  })

  it.each([
    ['a box in 3D', 3, { shape: 'box', min: [0, 0, 0], max: [0.9, 0.7, 0.5], motion: turns }],
    ['a half space in 3D', 3, { shape: 'halfSpace', point: [0, 0.5, 0], normal: [0, 1, 0], motion: turns }],
    [
      'a polygon in 2D',
      2,
      {
        shape: 'polygon',
        corners: [
          [0.1, 0.1],
          [0.6, 0.2],
          [0.2, 0.5],
        ],
        motion: {
          pivot: [0.3, 0.3],
          keyframes: [
            { time: 0, rotation: 0 },
            { time: 2, rotation: 500, position: [0.3, 0.2] },
          ],
        },
      },
    ],
  ] as const)('%s lies in its bounds', (_, dims, entry) => {
    const { phiAt, boundsAt } = solid(dims, entry)
    let [met, outside] = [0, 0]
    for (let n = 0; n < 20_000; n++) {
      const time = 2 * random(11, n)
      const margin = 0.2 * random(12, n)
      const point: Vector = [4 * random(13, n) - 2, 4 * random(14, n) - 2, dims === 2 ? 0 : 4 * random(15, n) - 2]
      if (phiAt(time)(...point) >= margin) continue
      met++
      const [low, high] = boundsAt(time, margin)
      if (point.some((value, axis) => value < low[axis] - 1e-12 || value > high[axis] + 1e-12)) outside++
    }
    expect(outside).toBe(0)
    expect(met).toBeGreaterThan(20)
  })
})
