/** The loops over the particles of a liquid, compiled. */
import type { LiquidMachine } from '../../machine/generated/liquid.js'
import type { ParticleLoops } from '../loops.js'
import { momentsFrom } from '../particles/moments.js'
import { createParticleList } from '../particles/particle-list.js'
import { chanceOf } from '../plain/particles/excess.js'
import { MOMENT_SUMS } from '../shared-constants.js'
import { type CompiledLiquid, orTooMany } from './liquid.js'

export function createCompiledParticles(machine: LiquidMachine, liquid: CompiledLiquid, affine: boolean): ParticleLoops {
  const { kernels, memory } = machine
  const { address } = liquid
  const list = createParticleList(liquid, affine)
  return {
    get count() {
      return liquid.particleCount
    },
    columns: list.columns,
    append: list.append,
    remove: list.remove,
    clear: list.clear,
    sort: () => kernels.sortParticles(address),
    toGrid: () => kernels.particlesToGrid(address),
    keepVelocity({ step, share }) {
      const largest = kernels.keepVelocity(address, 1 / step, share)
      return { largest, usual: Math.min(largest, step * machine.results[1]) }
    },
    keepBand(perCell, jitter, salt) {
      const parts = Math.ceil(perCell ** (1 / liquid.grid.dims) - 1e-9)
      return orTooMany(machine, liquid.particleCount, () => kernels.keepBand(address, perCell, parts, jitter, salt))
    },
    findExcess(perCell) {
      const crowded = kernels.findExcess(address, perCell, chanceOf(liquid.grid.dims, perCell))
      const [, sparse, maybeCrowded, maybeSparse, room, fullest] = machine.results
      return { crowded, sparse, maybeCrowded, maybeSparse, room, fullest }
    },
    move: (dt, { ratio, order }) => kernels.moveParticles(address, dt, ratio, order === 3 ? 1 : 0),
    separate: perCell => kernels.separateParticles(address, perCell ** (-1 / liquid.grid.dims), perCell),
    shift: dt => kernels.shiftParticles(address, dt),
    measure: perCell => momentsFrom(new Float64Array(memory.buffer, kernels.measureMoments(address, perCell), MOMENT_SUMS)),
  }
}
