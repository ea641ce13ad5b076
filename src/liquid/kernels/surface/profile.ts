/** Signed distance of a point to the surface of a half space full of particles, as a function of its distance to their weighted mean. It turns
 *  the mean position of Zhu and Bridson (2005) into a signed distance that is exact for planes. */
import { REACH } from '../../shared-constants'
import { mixTwo } from '../grid/interpolate-four'
import { two } from '../grid/velocity'
import { allocate } from '../../../machine/kernels/memory'

/** Entries of the table from 0 to REACH, and steps of the integration. */
const ENTRIES: i32 = 256
const STEPS: i32 = 8192

/** f32: the distance in cells for means 0, 1/256 … 1 in units of REACH, from −REACH to REACH. */
export function createProfile(dims: i32): usize {
  const table = allocate((<usize>ENTRIES + 2) << 2)
  // h: height of the surface above the point, in units of REACH. The mean sinks as the surface rises.
  const exponent = dims == 3 ? 4.0 : 3.5
  let entry = ENTRIES
  let area = 0.0
  let before = 1.0
  const step = 2.0 / <f64>STEPS
  for (let n = 1; n <= STEPS; n++) {
    const h = -1 + <f64>n * step
    area += (step / 6) * (slice(h - step, dims) + 4 * slice(h - 0.5 * step, dims) + slice(h, dims))
    const mean = n == STEPS ? 0 : ((1 - h * h) * slice(h, dims)) / (2 * (exponent + 1) * area)
    for (; entry >= 0 && <f64>entry / <f64>ENTRIES >= mean; entry--) {
      const share = (before - <f64>entry / <f64>ENTRIES) / (before - mean)
      store<f32>(table + ((<usize>entry) << 2), <f32>(-(h - step + share * step) * REACH))
    }
    before = mean
  }
  store<f32>(table + ((<usize>(ENTRIES + 1)) << 2), <f32>REACH)
  return table
}

/** Integral of the weights over a slice of the ball at height z, up to a factor. */
function slice(z: f64, dims: i32): f64 {
  const q = max(0, 1 - z * z)
  return dims == 3 ? q * q * q * q : q * q * q * sqrt(q)
}

@inline
export function distanceFor(profile: usize, mean: f32): f32 {
  const place = min(mean * (<f32>ENTRIES / <f32>REACH), <f32>ENTRIES)
  const entry = <i32>place
  const at = profile + ((<usize>entry) << 2)
  const lower = load<f32>(at)
  return lower + (place - <f32>entry) * (load<f32>(at, 4) - lower)
}

/** As `distanceFor`, for four means. */
@inline
export function distancesFor(profile: usize, means: v128): v128 {
  const places = v128.min<f32>(v128.mul<f32>(means, v128.splat<f32>(<f32>ENTRIES / <f32>REACH)), v128.splat<f32>(<f32>ENTRIES))
  const entries = v128.floor<f32>(places)
  const offsets = v128.shl<i32>(v128.trunc_sat<i32>(entries), 2)
  const ab = two(profile + <usize>v128.extract_lane<i32>(offsets, 0), profile + <usize>v128.extract_lane<i32>(offsets, 1))
  const cd = two(profile + <usize>v128.extract_lane<i32>(offsets, 2), profile + <usize>v128.extract_lane<i32>(offsets, 3))
  return mixTwo(v128.shuffle<i32>(ab, cd, 0, 2, 4, 6), v128.shuffle<i32>(ab, cd, 1, 3, 5, 7), v128.sub<f32>(places, entries))
}
