/** The particles that a simulation starts with. */
import type { SceneSetting } from '../../scene/setting.js'
import { sampleNodal } from '../boundary/solids.js'
import type { LiquidLoops, ParticleLoops } from '../loops.js'
import type { CompleteOptions } from '../options.js'
import { fitSurface } from './fit-surface.js'
import { seedBodies } from './seed.js'

/** Fills the bodies of a scene, outside of the solids in the arrays of the liquid. */
export function seedLiquid(
  { grid, liquid: bodies }: SceneSetting,
  liquid: LiquidLoops,
  particles: ParticleLoops,
  options: CompleteOptions,
): void {
  // A copy, because memory that grows with the particles leaves earlier views behind.
  const solid = liquid.arrays.solid.slice()
  const solidAt = (x: number, y: number, z: number) => sampleNodal(grid, solid, x, y, z)
  const seeding = { ...options.particles, seed: options.seed }
  const columns = seedBodies(grid, bodies, solidAt, seeding)
  const surfaceOf = (seeds: readonly Float32Array[]) => {
    particles.clear()
    particles.append(seeds)
    particles.sort()
    liquid.surface(seeding.perCell)
    return liquid.arrays.phi
  }
  fitSurface({ grid, bodies, solidAt, surfaceOf }, columns, seeding)
  particles.clear()
  particles.append(columns)
}
