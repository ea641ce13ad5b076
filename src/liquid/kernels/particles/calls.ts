/** What the host calls on particles, in the order of a step. */
export { createLiquid, reserveParticles } from '../create'
export { moveParticles, shiftParticles } from './advect'
export { keepBand } from './band'
export { sortParticles } from './sort'
export { keepVelocity } from './speed'
export { findExcess } from './spread'
export { particlesToGrid } from './to-grid'
