/** What the host calls on particles, in the order of a step. */
export { createLiquid, reserveParticles } from './liquid'
export { moveParticles, shiftParticles } from './particle-advect'
export { keepBand } from './particle-band'
export { sortParticles } from './particle-sort'
export { keepVelocity, usualSpeed } from './particle-speed'
export { findExcess } from './particle-spread'
export { particlesToGrid } from './particle-to-grid'
