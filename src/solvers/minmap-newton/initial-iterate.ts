/** Initial iterates of the minimum-map Newton method: those that the paper compares. */
import { divergenceLeft } from '../../sparse/matrix.js'
import { sweep } from '../psor.js'
import type { Run } from '../running/on-rows.js'
import type { System } from '../running/system.js'

export const STARTS = ['given', 'zero', 'psor', 'projected-gradient'] as const

/** Steps of the cheap methods that may supply a starting iterate, as many as in the paper. */
const STARTING_STEPS = 10

export function setStart(start: (typeof STARTS)[number], system: System, p: Float64Array, { buffers }: Run): void {
  if (start === 'given') return
  p.fill(0)
  if (start === 'psor') for (let step = 0; step < STARTING_STEPS; step++) sweep(system, p, 1)
  if (start === 'projected-gradient')
    for (let step = 0; step < STARTING_STEPS; step++) projectedGradientStep(system, p, buffers.f64('newton.v', system.rows))
}

/** One diagonally scaled gradient step, projected: Jacobi's half step, which cannot overshoot for an M-matrix. `w` is scratch. */
function projectedGradientStep(system: System, p: Float64Array, w: Float64Array): void {
  divergenceLeft(system, p, w)
  for (let row = 0; row < system.rows; row++) p[row] -= (0.5 * w[row]) / system.values[system.diagonalAt[row]]
  for (const row of system.contacts) if (p[row] < 0) p[row] = 0
}
