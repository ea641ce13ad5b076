/** The loops over the particles of a liquid in plain TypeScript: the definition that the compiled loops agree with. Positions in cells,
 *  velocities in m/s. */
import type { ParticleLoops } from '../loops.js'
import { momentsFrom } from '../particles/moments.js'
import { createParticleList } from '../particles/particle-list.js'
import type { PlainLiquid } from './liquid.js'
import { advectParticles } from './particles/advect.js'
import { keepBand } from './particles/band.js'
import { findExcess } from './particles/excess.js'
import { keepVelocity } from './particles/face-speeds.js'
import { updateAffine, updateFlip } from './particles/from-grid.js'
import { measureMoments } from './particles/moments.js'
import { separateParticles } from './particles/separate.js'
import { sortParticles } from './particles/sort.js'
import { particlesToGrid } from './particles/to-grid.js'

/** `affine`: particles carry the gradient of their velocity (APIC). */
export function createPlainParticles(liquid: PlainLiquid, affine: boolean): ParticleLoops {
  const { state } = liquid
  const list = createParticleList(liquid, affine)
  return {
    get count() {
      return state.particleCount
    },
    columns: list.columns,
    append: list.append,
    remove: list.remove,
    clear: list.clear,
    sort: () => sortParticles(state, list.columns()),
    toGrid: () => particlesToGrid(state, affine),
    keepVelocity: how => keepVelocity(state, how),
    findExcess: perCell => findExcess(state, perCell),
    keepBand: (perCell, jitter, salt) => keepBand(state, { perCell, jitter, salt }, list.append),
    move(dt, { ratio, order }) {
      if (affine) updateAffine(state)
      else updateFlip(state, ratio)
      return advectParticles(state, dt, { order, hasFrames: dt > 0 })
    },
    separate: perCell => separateParticles(state, perCell),
    shift: dt => advectParticles(state, dt, { order: 2, hasFrames: false }),
    measure: perCell => momentsFrom(measureMoments(state, perCell)),
  }
}
