/** The first half of two thousand adversarial problems, on all solvers; the second half runs beside it. */
import { it } from 'vitest'
import { attackHalf } from './half.js'

it('no solver claims what is not so, and the default one hardly ever fails', () => attackHalf(0))
