import { expect, it } from 'vitest'
import { createStopwatch, STAGES } from '../../src/liquid/stopwatch.js'

const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

it('books time to the stage that runs, and none while it pauses', async () => {
  const watch = createStopwatch()
  const start = performance.now()
  watch.begin('sort')
  await wait(20)
  watch.begin('solve')
  await wait(20)
  watch.pause()
  const pause = performance.now()
  await wait(60)
  const paused = performance.now() - pause
  watch.begin('emit')
  const seconds = watch.read()
  const elapsed = performance.now() - start
  expect(Object.keys(seconds)).toEqual([...STAGES])
  expect(seconds.sort).toBeGreaterThan(0.01)
  expect(seconds.solve).toBeGreaterThan(0.01)
  // Measured rather than bounded, so that a busy machine changes nothing.
  const booked = 1000 * STAGES.reduce((total, stage) => total + seconds[stage], 0)
  expect(booked).toBeLessThanOrEqual(elapsed - paused + 1)
  expect(watch.read().sort).toBe(0)
})
