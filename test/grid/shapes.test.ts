import { describe, expect, it } from 'vitest'
import type { ScalarFunction } from '../../src/grid/field.js'
import {
  box,
  capsule,
  complement,
  cylinder,
  difference,
  halfSpace,
  intersection,
  moveRigidly,
  polygon,
  rotate,
  scale,
  shell,
  sphere,
  torus,
  translate,
  union,
} from '../../src/grid/shapes.js'
import { random } from '../../src/random.js'

function gradientSize(phi: ScalarFunction, x: number, y: number, z: number): number {
  const e = 1e-6
  return Math.hypot(
    (phi(x + e, y, z) - phi(x - e, y, z)) / (2 * e),
    (phi(x, y + e, z) - phi(x, y - e, z)) / (2 * e),
    (phi(x, y, z + e) - phi(x, y, z - e)) / (2 * e),
  )
}

/** Points where the shape's gradient may be read off: those where it does not jump within a small distance. */
function smoothPoints(phi: ScalarFunction): [number, number, number][] {
  const points: [number, number, number][] = []
  for (let n = 0; n < 2000; n++) {
    const [x, y, z] = [0, 1, 2].map(axis => 2 * random(11, n, axis) - 0.5)
    const h = 1e-3
    const bend = [
      [h, 0, 0],
      [0, h, 0],
      [0, 0, h],
    ].some(([a, b, c]) => Math.abs(phi(x + a, y + b, z + c) + phi(x - a, y - b, z - c) - 2 * phi(x, y, z)) > 1e-4)
    if (!bend) points.push([x, y, z])
  }
  return points
}

const ball = sphere([0.5, 0.4, 0.6], 0.3)
const brick = box([0.5, 0.4, 0.6], [0.3, 0.2, 0.1])

/** Not convex. */
const arrow = [
  [0.2, 0.2],
  [0.8, 0.5],
  [0.2, 0.8],
  [0.4, 0.5],
] as const

const exact: [string, ScalarFunction][] = [
  ['sphere', ball],
  ['circle', sphere([0.5, 0.4], 0.3)],
  ['box', brick],
  ['rectangle', box([0.5, 0.4], [0.3, 0.2])],
  ['half space', halfSpace([0.5, 0.4, 0.6], [1, 2, 3])],
  ['half plane', halfSpace([0.5, 0.4], [3, -4])],
  ['capsule', capsule([0.2, 0.3, 0.4], [0.7, 0.8, 0.5], 0.15)],
  ['strip', capsule([0.2, 0.3], [0.7, 0.8], 0.15)],
  ['ball from a capsule', capsule([0.2, 0.3, 0.4], [0.2, 0.3, 0.4], 0.15)],
  ['complement', complement(brick)],
  ['shell', shell(ball, 0.05)],
  ['translated box', translate(brick, [0.1, -0.2, 0.3])],
  ['rotated box', rotate(brick, 0.4, [0.5, 0.5])],
  ['cylinder', cylinder([0.2, 0.3, 0.4], [0.7, 0.8, 0.5], 0.15)],
  ['torus', torus([0.5, 0.4, 0.6], [1, 2, -2], 0.3, 0.1)],
  ['polygon', polygon(arrow)],
  ['enlarged box', scale(brick, 1.5)],
  ['box moved rigidly', moveRigidly(brick, [0, 0, 1, 1, 0, 0, 0, 1, 0], [0.2, -0.1, 0.1])],
]

describe('shapes', () => {
  it.each(exact)('%s has a gradient of length 1 away from its edges', (_, phi) => {
    const points = smoothPoints(phi)
    expect(points.length).toBeGreaterThan(1000)
    for (const [x, y, z] of points) expect(gradientSize(phi, x, y, z)).toBeCloseTo(1, 5)
  })

  it.each(exact)('%s changes by no more than the way between two points', (_, phi) => {
    for (let n = 0; n < 2000; n++) {
      const [x, y, z, u, v, w] = [0, 1, 2, 3, 4, 5].map(c => 2 * random(12, n, c) - 0.5)
      expect(Math.abs(phi(x, y, z) - phi(u, v, w))).toBeLessThanOrEqual(Math.hypot(x - u, y - v, z - w) + 1e-12)
    }
  })

  it('knows inside from outside', () => {
    expect(ball(0.5, 0.4, 0.6)).toBeCloseTo(-0.3, 12)
    expect(ball(0.5, 0.4, 1.1)).toBeCloseTo(0.2, 12)
    expect(brick(0.5, 0.4, 0.6)).toBeCloseTo(-0.1, 12)
    // Nearest point is a corner of the box.
    expect(brick(0.9, 0.7, 0.8)).toBeCloseTo(Math.hypot(0.1, 0.1, 0.1), 12)
    expect(halfSpace([0, 1], [0, 5])(7, 3, 9)).toBeCloseTo(2, 12)
    expect(halfSpace([0, 1], [0, 5])(7, 0.5, 9)).toBeCloseTo(-0.5, 12)
    expect(capsule([0, 0, 0], [1, 0, 0], 0.1)(0.5, 0.3, 0)).toBeCloseTo(0.2, 12)
    expect(capsule([0, 0, 0], [1, 0, 0], 0.1)(1.3, 0, 0.4)).toBeCloseTo(0.4, 12)
    expect(shell(ball, 0.05)(0.5, 0.4, 0.9)).toBeCloseTo(-0.05, 12)
  })

  it('knows inside from outside of cylinders, rings, polygons and what is moved', () => {
    const can = cylinder([0, 0, 0], [0, 0, 2], 0.5)
    expect(can(0.2, 0, 1)).toBeCloseTo(-0.3, 12)
    expect(can(0, 0, 1.9)).toBeCloseTo(-0.1, 12)
    expect(can(0.8, 0, 2.4)).toBeCloseTo(0.5, 12)
    const ring = torus([0, 0, 0], [0, 3, 0], 1, 0.2)
    expect(ring(0, 0, 1)).toBeCloseTo(-0.2, 12)
    expect(ring(0, 0, 0)).toBeCloseTo(0.8, 12)
    for (const corners of [arrow, [...arrow].reverse()]) {
      expect(polygon(corners)(0.5, 0.5, 7)).toBeCloseTo(-0.1, 12)
      expect(polygon(corners)(0.3, 0.5, 7)).toBeGreaterThan(0)
      expect(polygon(corners)(0.9, 0.5, 7)).toBeCloseTo(0.1, 12)
    }
    expect(scale(ball, 2)(1, 0.8, 1.2)).toBeCloseTo(-0.6, 12)
    // x to y, y to z, z to x, then along.
    const moved = moveRigidly(sphere([1, 2, 3], 0.1), [0, 0, 1, 1, 0, 0, 0, 1, 0], [10, 0, 0])
    expect(moved(13, 1, 2)).toBeCloseTo(-0.1, 12)
  })

  it('ignores z where points have two coordinates', () => {
    for (const phi of [
      sphere([0.5, 0.4], 0.3),
      box([0.5, 0.4], [0.3, 0.2]),
      halfSpace([0.5, 0.4], [1, 2]),
      capsule([0.2, 0.3], [0.7, 0.8], 0.1),
    ])
      expect(phi(0.1, 0.2, 0)).toBe(phi(0.1, 0.2, 17))
  })

  it('turns from x towards y and moves by what it is told', () => {
    const bar = box([0, 0], [1, 0.1])
    const turned = rotate(bar, 0.4, [0, 0])
    expect(turned(Math.cos(0.4), Math.sin(0.4), 0)).toBeCloseTo(0, 12)
    expect(turned(Math.cos(0.4), -Math.sin(0.4), 0)).toBeGreaterThan(0.3)
    expect(rotate(ball, 0.7, [0.5, 0.4])(0.6, 0.6, 0.6)).toBeCloseTo(ball(0.6, 0.6, 0.6), 12)
    expect(translate(ball, [1, 2, 3])(1.5, 2.4, 3.6)).toBeCloseTo(-0.3, 12)
  })

  it('combines by sign as sets do', () => {
    const a = sphere([0.4, 0.5, 0.5], 0.3)
    const b = box([0.6, 0.5, 0.5], [0.2, 0.3, 0.2])
    const c = halfSpace([0.5, 0.6, 0.5], [0, 1, 0])
    const cases: [ScalarFunction, (a: boolean, b: boolean, c: boolean) => boolean][] = [
      [union(a, b, c), (p, q, r) => p || q || r],
      [intersection(a, b, c), (p, q, r) => p && q && r],
      [difference(a, b, c), (p, q, r) => p && !q && !r],
      [complement(a), p => !p],
      [union(), () => false],
    ]
    for (const [combined, expected] of cases)
      for (let n = 0; n < 2000; n++) {
        const [x, y, z] = [0, 1, 2].map(axis => random(13, n, axis))
        expect(combined(x, y, z) < 0).toBe(expected(a(x, y, z) < 0, b(x, y, z) < 0, c(x, y, z) < 0))
      }
  })

  it('keeps the exact distance outside a union and inside an intersection', () => {
    const a = sphere([0.3, 0.5], 0.2)
    const b = sphere([0.7, 0.5], 0.3)
    // Below the dent between both circles the nearest point lies on one of them.
    expect(union(a, b)(0.45, 0.8, 0)).toBeCloseTo(Math.min(Math.hypot(0.15, 0.3) - 0.2, Math.hypot(0.25, 0.3) - 0.3), 12)
    expect(intersection(a, b)(0.45, 0.5, 0)).toBeCloseTo(-0.05, 12)
  })
})
