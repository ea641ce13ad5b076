/** The list of particles, shared by all implementations of their loops: the first `particleCount` elements of the liquid's arrays. */
import { type LiquidLoops, type ParticleColumns, type ParticleLoops, REMOVED } from '../loops.js'

/** Columns of every particle, in the order of a saved state. */
export const COLUMNS = ['px', 'py', 'pz', 'vx', 'vy', 'vz'] as const
/** Gradients of a particle with APIC: ∂u/∂x, ∂u/∂y, ∂u/∂z, then those of v and w. */
export const GRADIENTS = 9

type ParticleList = Pick<ParticleLoops, 'count' | 'columns' | 'append' | 'remove' | 'clear'>

export function createParticleList(liquid: LiquidLoops, affine: boolean): ParticleList {
  function columnsOf(count: number): ParticleColumns {
    const columns = COLUMNS.map(name => liquid.arrays[name].subarray(0, count))
    if (!affine) return columns
    const { capacity } = liquid
    const gradients = Array.from({ length: GRADIENTS }, (_, part) =>
      liquid.arrays.affine.subarray(part * capacity, part * capacity + count),
    )
    return [...columns, ...gradients]
  }

  return {
    get count() {
      return liquid.particleCount
    },
    columns: () => columnsOf(liquid.particleCount),
    append(columns) {
      const before = liquid.particleCount
      const count = before + columns[0].length
      // Room to spare, so that sources do not copy all particles in every substep.
      if (count > liquid.capacity) liquid.reserveParticles(before === 0 ? Math.max(1, count) : Math.ceil(1.5 * count), affine)
      liquid.particleCount = count
      columnsOf(count).forEach((column, n) => {
        if (columns[n]) column.set(columns[n], before)
        else column.fill(0, before)
      })
    },
    remove(particle) {
      liquid.arrays.px[particle] = REMOVED
    },
    clear() {
      liquid.particleCount = 0
    },
  }
}
