/** Moves one particle by a displacement, as far as solids and sides of the grid allow. */
import { SLACK } from '../../shared-constants'
import { Liquid } from '../liquid'
import { farthestOf, framesOf } from './move-job'
import { distanceAt, GAP, lengthOf, NO_SOLID, stayInside, step, stopAtSolid } from './solids'
import { GONE } from './sort'
import { walk } from './walk-along'

/** `displacement` in cells. Returns 1 if the particle left through an open side; particles that have left before are ignored. */
export function displace(liquid: Liquid, at: usize, from: v128, displacement: v128, size: v128): i32 {
  if (f32x4.extract_lane(from, 0) <= GONE) return 0
  const length = lengthOf(displacement)
  let to = step(from, displacement, 1)
  // A signed distance changes by no more than the displacement, but across a hole of a mesh it jumps.
  const away = liquid.hasSolids ? distanceAt(liquid, from, size) : NO_SOLID
  if (away < <f32>SLACK * (length + farthestOf(liquid)) + 4 * GAP || (away < NO_SOLID && distanceAt(liquid, to, size) < GAP)) {
    to = walk(liquid, from, to, length, framesOf(liquid), size)
    stopAtSolid(liquid, at, to, size)
  }
  to = stayInside(liquid, at, to, size)
  store<f32>(liquid.px + at, f32x4.extract_lane(to, 0))
  store<f32>(liquid.py + at, f32x4.extract_lane(to, 1))
  store<f32>(liquid.pz + at, f32x4.extract_lane(to, 2))
  return i32(f32x4.extract_lane(to, 0) <= GONE)
}
