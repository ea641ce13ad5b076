/** Some validations on coarse grids, for every run of the tests; quick.test.ts has all of them. */
import { expect, it } from 'vitest'
import { chooseCases } from '../../src/validation/cases.js'
import { runValidation } from '../../src/validation/validate.js'
import { missedBounds } from './bounds.js'

it.each(chooseCases(['archimedes', 'dam-break', 'free-fall', 'separation']))('$title: within bounds', async one => {
  expect(await missedBounds(one)).toEqual([])
})

it('is the same for any number of threads', async () => {
  const [fall] = chooseCases(['free-fall'])
  const [one, two] = [await runValidation(fall, 'quick', { threads: 1 }), await runValidation(fall, 'quick', { threads: 2 })]
  expect(two).toEqual(one)
})

it('ends between two frames when asked to', async () => {
  let frames = 0
  const betweenFrames = async () => {
    if (++frames === 3) throw new Error('enough')
  }
  await expect(runValidation(chooseCases(['free-fall'])[0], 'quick', { betweenFrames })).rejects.toThrow('enough')
})
