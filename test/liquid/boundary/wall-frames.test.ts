/** Rigid maps of walls within a substep. */
import { describe, expect, it } from 'vitest'
import { createGrid } from '../../../src/grid/grid.js'
import { box } from '../../../src/grid/shapes.js'
import { framesBetween, largestWay } from '../../../src/liquid/boundary/wall-frames.js'
import { motionBetween, moveAbout, multiply, rotationMatrix } from '../../../src/scene/rotation.js'
import type { Vector } from '../../../src/scene/setting.js'
import { following, moving, solid, turning } from '../../support/settings.js'

const grid = createGrid([20, 10], 0.1)
const shape = box([0.5, 0.5], [0.1, 0.1])

describe('the motion between two poses', () => {
  it('takes every point of a body to where it is then', () => {
    const before = moveAbout(rotationMatrix([0.3, -1, 0.4]), [1, 2, 3], [0.1, 0, -4])
    const after = moveAbout(rotationMatrix([0.5, -0.7, 2.4]), [1, 2, 3], [0.3, 1, -3.5])
    const { R, shift } = motionBetween(before, after)
    const at = (pose: typeof before, X: Vector) => multiply(pose.R, X).map((x, axis) => x + pose.shift[axis]) as unknown as Vector
    for (const point of [
      [0, 0, 0],
      [1, 0, 0],
      [-2, 3, 0.5],
    ] as const) {
      const moved = multiply(R, at(before, point))
      at(after, point).forEach((x, axis) => {
        expect(moved[axis] + shift[axis]).toBeCloseTo(x, 12)
      })
    }
  })

  it('is exactly none for a body at rest, however it is turned', () => {
    const pose = moveAbout(rotationMatrix([0.3, -1, 0.4]), [1, 2, 3], [0.1, 0, -4])
    expect(motionBetween(pose, pose)).toEqual({ R: [1, 0, 0, 0, 1, 0, 0, 0, 1], shift: [0, 0, 0] })
  })
})

describe('frames of a substep', () => {
  it('are shared by solids that move alike', () => {
    const solids = [solid(shape), moving(shape, [1, 0, 0]), turning(shape, 2, [0.5, 0.5]), moving(shape, [1, 0, 0])]
    const { frames, frameOf, farthest } = framesBetween(grid, solids, 0.1, 0.3)
    expect(frameOf).toEqual([0, 1, 2, 1])
    expect(frames).toHaveLength(2)
    expect(frames[0].shift[0]).toBeCloseTo(2)
    expect(frames[0].bend).toBe(0)
    // Bounds are infinite: the farthest point of the domain turns fastest.
    expect(farthest).toBeCloseTo((2 * Math.sin(0.2) * Math.hypot(1.5, 0.5)) / 0.1)
  })

  it('know how far an arc is off its chord', () => {
    const { frames } = framesBetween(grid, [turning(shape, 2, [0.5, 0.5])], 0, 0.4)
    const [radius, angle] = [3, 0.8]
    const chord = 2 * radius * Math.sin(angle / 2)
    expect((frames[0].bend / 4) * chord).toBeCloseTo(radius * (1 - Math.cos(angle / 2)), 12)
  })

  it('reach as far as walls do on their way', () => {
    const bounds = (time: number, margin: number) =>
      [
        [0.4 + time - margin, 0.4 - margin, -Infinity],
        [0.6 + time + margin, 0.6 + margin, Infinity],
      ] as const
    const { frames } = framesBetween(grid, [moving(shape, [1, 0, 0], { boundsAt: bounds })], 0, 0.5)
    const [low, high] = frames[0].bounds
    expect([low[0], high[0], low[1], high[1]].map(x => Math.round(10 * x) / 10)).toEqual([3, 12, 3, 7])
  })

  it('count what leaves the domain as well as what enters it', () => {
    const bounds = (time: number) =>
      [
        [10 * time, 0, 0],
        [0.1 + 10 * time, 0.1, 0],
      ] as const
    const leaving = following(
      shape,
      t => [10 * t, 0, 0],
      () => [10, 0, 0],
      { boundsAt: bounds },
    )
    expect(largestWay(grid, leaving, 0, 1)).toBeCloseTo(10)
    expect(largestWay(grid, leaving, -1, 0)).toBeCloseTo(10)
  })
})
