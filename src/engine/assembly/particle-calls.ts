/** What the host calls on particles. */
export { createLiquid, reserveParticles } from './liquid'
