/** Names the sums over a liquid that the loops return as a list of numbers. */
import type { Vector } from '../../scene/setting.js'
import type { Moments } from '../loops.js'
import { ANGULAR_SUM, COUNT_SUM, ENERGY_SUM, NOISE_SUM, POSITION_SUM, THIN_SUM, VELOCITY_SUM } from '../shared-constants.js'

export function momentsFrom(sums: Float64Array): Moments {
  const vector = (at: number): Vector => [sums[at], sums[at + 1], sums[at + 2]]
  return {
    count: sums[COUNT_SUM],
    position: vector(POSITION_SUM),
    velocity: vector(VELOCITY_SUM),
    angular: vector(ANGULAR_SUM),
    energy: sums[ENERGY_SUM],
    noise: sums[NOISE_SUM],
    thin: sums[THIN_SUM],
  }
}
