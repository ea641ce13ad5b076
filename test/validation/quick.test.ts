/** All validations on coarse grids: `peel validate --quick`. */
import { describe, expect, it } from 'vitest'
import { VALIDATION_CASES } from '../../src/validation/cases.js'
import { missedBounds } from './bounds.js'

describe('peel validate --quick', () => {
  for (const one of VALIDATION_CASES) {
    it(`${one.title}: within bounds`, async () => {
      expect(await missedBounds(one)).toEqual([])
    })
  }
})
