/** How long a substep is. */
import { describe, expect, it } from 'vitest'
import { createGrid } from '../../src/grid/grid.js'
import { box, sphere } from '../../src/grid/shapes.js'
import { chooseStep, decisiveSpeed, largestWallSpeed, speedsToKnow } from '../../src/liquid/time-step.js'
import type { Vector } from '../../src/scene/setting.js'
import { following, moving, solid, turning } from '../support/settings.js'

const time = { fps: 24, cfl: 3, minSubsteps: 1, maxSubsteps: 32 }
const weightless: Vector = [0, 0, 0]
const frame = 1 / 24

/** All substeps of a frame at a speed. */
function stepsOf(options: typeof time, spacing: number, speed: number, gravity = weightless): number[] {
  const steps: number[] = []
  for (let rest = 1 / options.fps; rest > 1e-12 && steps.length < 1000; rest -= steps.at(-1)!)
    steps.push(chooseStep(options, spacing, speed, Math.hypot(...gravity), rest, steps.length))
  return steps
}

describe('a substep', () => {
  it('is the frame where nothing moves', () => {
    expect(stepsOf(time, 0.1, 0)).toEqual([frame])
  })

  it('crosses at most cfl cells', () => {
    for (const speed of [1, 10, 50, 200]) {
      const steps = stepsOf(time, 0.1, speed)
      expect(steps.length).toBeGreaterThan((frame * speed) / 0.3 - 1e-9)
      for (const dt of steps) expect(dt * speed).toBeLessThanOrEqual(0.3 * 1.002)
    }
  })

  it('counts what gravity adds within it, keeps the shortest waves stable, and is no shorter', () => {
    // ω dt < 2 for ω² = g k and a wavelength of two cells.
    const longest = 2 / Math.sqrt((9.81 * Math.PI) / 0.001)
    for (const speed of [0, 0.02, 0.1, 0.5, 1.5]) {
      const way = (dt: number) => speed * dt + (9.81 * dt * dt) / 2
      const steps = stepsOf(time, 0.001, speed, [0, -9.81, 0])
      for (const dt of steps) {
        expect(way(dt)).toBeLessThanOrEqual(3 * 0.001 * 1.002)
        expect(dt).toBeLessThanOrEqual(longest * 1.002)
      }
      // One fewer would be too few.
      expect(steps.length).toBeGreaterThan(1)
      const next = frame / (steps.length - 1)
      expect(Math.max(way(next) / (3 * 0.001), next / longest)).toBeGreaterThan(1)
    }
  })

  it.each([1, 2, 5, 32])('is never one of more than %s, and together they are the frame', maxSubsteps => {
    const steps = stepsOf({ ...time, maxSubsteps }, 0.1, 1e9)
    expect(steps.length).toBeLessThanOrEqual(maxSubsteps)
    expect(steps.reduce((a, b) => a + b)).toBeCloseTo(frame, 12)
  })

  it('is one of at least minSubsteps', () => {
    for (const minSubsteps of [4, 100, 1000])
      expect(stepsOf({ ...time, minSubsteps, maxSubsteps: 2000 }, 0.1, 0).length).toBe(minSubsteps)
  })

  it('is an equal part of the frame, so that there is no sliver at its end', () => {
    for (let speed = 5; speed < 100; speed += 0.37) {
      const steps = stepsOf(time, 0.1, speed)
      for (const dt of steps) expect(dt).toBeCloseTo(frame / steps.length, 12)
    }
  })
})

describe('the speed that decides', () => {
  it('is the usual one where a few faces are faster, which cross twice as many cells at most', () => {
    expect(decisiveSpeed({ largest: 7, usual: 4 })).toBe(4)
    expect(decisiveSpeed({ largest: 12, usual: 4 })).toBe(6)
    expect(decisiveSpeed({ largest: 3, usual: 3 })).toBe(3)
    expect(decisiveSpeed({ largest: Number.NaN, usual: Number.NaN })).toBeNaN()
    for (const [largest, usual] of [
      [7, 4],
      [12, 4],
      [100, 1],
    ])
      for (const dt of stepsOf(time, 0.1, decisiveSpeed({ largest, usual }))) {
        expect(dt * usual).toBeLessThanOrEqual(0.3 * 1.002)
        expect(dt * largest).toBeLessThanOrEqual(0.6 * 1.002)
      }
  })

  it('is known to a part of what one more substep makes', () => {
    const { step, share } = speedsToKnow(time, 0.1)
    expect(stepsOf(time, 0.1, 7 + step).length - stepsOf(time, 0.1, 7).length).toBeLessThanOrEqual(1)
    expect(1023 * step).toBeGreaterThan(0.99 * 32 * time.cfl * 0.1 * time.fps)
    expect(share).toBeLessThanOrEqual(0.001)
  })
})

describe('the speed of walls', () => {
  const grid = createGrid([10, 10, 10], 0.1)
  const around = (x: number, y: number, z: number, r: number) =>
    [
      [x - r, y - r, z - r],
      [x + r, y + r, z + r],
    ] as const

  it('is that of the fastest solid, and of those that move only', () => {
    const ball = sphere([0.5, 0.5, 0.5], 0.1)
    expect(largestWallSpeed(grid, [solid(ball), moving(ball, [1, 2, 2]), moving(ball, [0, -1, 0])], 0, 0.01)).toBeCloseTo(3)
    expect(largestWallSpeed(grid, [solid(ball)], 0, 0.01)).toBe(0)
  })

  it('of a solid that turns is found at its far end, within the domain', () => {
    const plate = turning(box([0.5, 0.5], [0.3, 0.3]), 2, [0.5, 0.5])
    const near = { ...plate, boundsAt: () => around(0.5, 0.5, 0.5, 0.3) }
    expect(largestWallSpeed(grid, [near], 0, 0.01)).toBeCloseTo(2 * 0.3 * Math.SQRT2)
    // Without bounds: as far as the domain reaches.
    expect(largestWallSpeed(grid, [plate], 0, 0.01)).toBeCloseTo(2 * 0.5 * Math.SQRT2)
  })

  it('that start from rest, jump or pause counts over the whole time until the end of the frame', () => {
    const ball = sphere([0.5, 0.5, 0.5], 0.1)
    const accelerated = following(
      ball,
      t => [0.5 * 8 * t * t, 0, 0],
      t => [8 * t, 0, 0],
    )
    // At the end of 0.1 s it moves with 0.8 m/s, which the last eighth nearly has.
    expect(largestWallSpeed(grid, [accelerated], 0, 0.1)).toBeCloseTo(8 * (0.1 - 0.1 / 16))
    const jumping = following(
      ball,
      t => [t > 0.034 ? 0.2 : 0, 0, 0],
      () => [0, 0, 0],
    )
    expect(largestWallSpeed(grid, [jumping], 0, 0.08)).toBeCloseTo(0.2 / 0.01)
    expect(largestWallSpeed(grid, [jumping], 0.04, 0.08)).toBe(0)
  })
})
