/** What the host calls on particles, in the order of a step. */
import { largestOf, setPointer } from './jobs'
import { Liquid } from './liquid'
import { KEEP_VELOCITY } from './particle-pieces'
import { FACE_PIECES } from './particle-to-grid'
import { run } from './pool'

export { createLiquid, reserveParticles } from './liquid'
export { moveParticles, shiftParticles } from './particle-advect'
export { keepBand } from './particle-band'
export { sortParticles } from './particle-sort'
export { findExcess } from './particle-spread'
export { particlesToGrid } from './particle-to-grid'

/** To be called when velocities are as particles gave them, extrapolated ones included. Returns the largest component on known faces, NaN if
 *  any is. */
export function keepVelocity(liquid: Liquid): f64 {
  setPointer(0, changetype<usize>(liquid))
  run(KEEP_VELOCITY, FACE_PIECES)
  return largestOf(FACE_PIECES, 0)
}
