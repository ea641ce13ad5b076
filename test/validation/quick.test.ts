/** All validations on coarse grids: `peel validate --quick`. */
import { describe, expect, it } from 'vitest'
import { VALIDATION_CASES } from '../../src/validation/cases.js'
import { missedBounds } from './bounds.js'

/** Cases that the liquid still misses. One that it no longer misses fails here until it is taken off the list. On so few cells two substeps a
 *  frame carry the jet of torricelli through the hole in one of them, in 3D: it is 6 % too slow, with 4 a frame 4 % too fast. */
const MISSED = ['torricelli', 'rigid-rotation', 'time-convergence', 'space-convergence']

describe('peel validate --quick', { timeout: 300_000 }, () => {
  for (const one of VALIDATION_CASES) {
    const test = MISSED.includes(one.name) ? it.fails : it
    test(`${one.title}: within bounds`, async () => {
      expect(await missedBounds(one)).toEqual([])
    })
  }
})
