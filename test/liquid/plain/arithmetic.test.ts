/** Arithmetic that the plain loops share. */
import { expect, it } from 'vitest'
import { roundToEven } from '../../../src/liquid/plain/arithmetic.js'

it('rounds to the nearest whole number, and from the middle to the even one', () => {
  const rounded = [-1.5, -0.6, 0.4, 0.5, 0.6, 1.5, 2, 2.5, 3.5].map(value => roundToEven(value))
  expect(rounded).toEqual([-2, -1, 0, 0, 1, 2, 2, 2, 4])
})
