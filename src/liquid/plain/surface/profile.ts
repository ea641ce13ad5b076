/** Signed distance of a point to the surface of a half space full of particles, as a function of its distance to their weighted mean. It turns
 *  the mean position of Zhu and Bridson (2005) into a signed distance that is exact for planes. */
import { REACH } from '../../shared-constants.js'
import { f32, mix } from '../arithmetic.js'

/** Entries of the table, and steps of the integration. */
const ENTRIES = 256
const STEPS = 8192

/** The distance in cells for means 0, 1/256 … 1 in units of REACH, from −REACH to REACH. */
export function createProfile(dims: number): Float32Array {
  const table = new Float32Array(ENTRIES + 2)
  // The weight of a slice of the ball at height z is (1 − z²)ⁿ up to a factor; lengths are in units of REACH.
  const slice = (z: number) => {
    const q = Math.max(0, 1 - z * z)
    return dims === 3 ? q * q * q * q : q * q * q * Math.sqrt(q)
  }
  const exponent = dims === 3 ? 4 : 3.5
  const step = 2 / STEPS
  let entry = ENTRIES
  let area = 0
  let before = 1
  // With the surface h above the point, ∫ z (1 − z²)ⁿ over all below it is −(1 − h²)ⁿ⁺¹ / (2 (n + 1)). The mean sinks as h grows.
  for (let n = 1; n <= STEPS; n++) {
    const h = -1 + n * step
    area += (step / 6) * (slice(h - step) + 4 * slice(h - 0.5 * step) + slice(h))
    const mean = n === STEPS ? 0 : ((1 - h * h) * slice(h)) / (2 * (exponent + 1) * area)
    for (; entry >= 0 && entry / ENTRIES >= mean; entry--) {
      const share = (before - entry / ENTRIES) / (before - mean)
      table[entry] = -(h - step + share * step) * REACH
    }
    before = mean
  }
  table[ENTRIES + 1] = REACH
  return table
}

/** `mean` in cells. */
export function distanceFor(profile: Float32Array, mean: number): number {
  const place = Math.min(f32(mean * f32(ENTRIES / REACH)), ENTRIES)
  const entry = Math.floor(place)
  return mix(profile[entry], profile[entry + 1], place - entry)
}
