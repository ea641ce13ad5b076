import { describe, expect, it } from 'vitest'
import { createStopwatch, STAGES } from '../../src/liquid/stopwatch.js'

const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** As long as a stage that does not wait. */
function spin(ms: number): void {
  const start = performance.now()
  while (performance.now() - start < ms);
}

describe('a stopwatch', () => {
  it('counts time towards the stage that runs, and none between stages', async () => {
    const watch = createStopwatch()
    const start = performance.now()
    expect(watch.time('sort', () => [spin(20), 7][1])).toBe(7)
    await expect(watch.time('solve', () => wait(20))).resolves.toBeUndefined()
    const pause = performance.now()
    await wait(60)
    const paused = performance.now() - pause
    const seconds = watch.read()
    const elapsed = performance.now() - start
    expect(Object.keys(seconds)).toEqual([...STAGES])
    expect(seconds.sort).toBeGreaterThan(0.01)
    expect(seconds.solve).toBeGreaterThan(0.01)
    // Measured rather than bounded, so that a busy machine changes nothing.
    const counted = 1000 * STAGES.reduce((total, stage) => total + seconds[stage], 0)
    expect(counted).toBeLessThanOrEqual(elapsed - paused + 1)
    expect(watch.read().sort).toBe(0)
  })

  it('counts a stage within another towards the inner one alone', async () => {
    const watch = createStopwatch()
    let inner = 0
    const start = performance.now()
    await watch.time('emit', async () => {
      spin(20)
      const begun = performance.now()
      watch.time('sort', () => spin(40))
      inner = performance.now() - begun
      await wait(1)
      spin(20)
    })
    const elapsed = performance.now() - start
    const { emit, sort } = watch.read()
    expect(Math.abs(1000 * sort - inner)).toBeLessThan(1)
    expect(emit).toBeGreaterThan(0.039)
    expect(1000 * emit).toBeLessThanOrEqual(elapsed - inner + 1)
  })

  it('stops counting where a stage fails', async () => {
    const watch = createStopwatch()
    const fail = () => {
      throw new RangeError('no')
    }
    expect(() => watch.time('sort', fail)).toThrow(RangeError)
    await expect(watch.time('solve', async () => fail())).rejects.toThrow(RangeError)
    watch.read()
    spin(5)
    expect(Object.values(watch.read())).toEqual(STAGES.map(() => 0))
  })
})
