/** Functions of the particles of a liquid that the host calls. */
export { createLiquid, reserveParticles } from '../create'
export { moveParticles, shiftParticles } from './advect'
export { keepBand } from './band'
export { findExcess } from './excess'
export { separateParticles } from './separate'
export { sortParticles } from './sort'
export { keepVelocity } from './speed'
export { particlesToGrid } from './to-grid'
