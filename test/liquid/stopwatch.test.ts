import { expect, it } from 'vitest'
import { createStopwatch, STAGES } from '../../src/liquid/stopwatch.js'

const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

it('books time to the stage that runs, and none while it pauses', async () => {
  const watch = createStopwatch()
  watch.begin('sort')
  await wait(20)
  watch.begin('solve')
  await wait(20)
  watch.pause()
  await wait(50)
  watch.begin('emit')
  const seconds = watch.read()
  expect(Object.keys(seconds)).toEqual([...STAGES])
  expect(seconds.sort).toBeGreaterThan(0.01)
  expect(seconds.solve).toBeGreaterThan(0.01)
  // What was done while it paused is in none of them.
  const sum = STAGES.reduce((total, stage) => total + seconds[stage], 0)
  expect(seconds.emit).toBeLessThan(0.03)
  expect(sum - seconds.sort - seconds.solve).toBeLessThan(0.03)
  expect(watch.read().sort).toBe(0)
})
