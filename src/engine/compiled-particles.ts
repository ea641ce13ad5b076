/** The particles of a liquid in the memory of a machine, and the compiled loops over them. Positions in cells, velocities in m/s. */
import { InputError } from '../input-error.js'
import type { CompiledLiquid } from './compiled-liquid.js'
import type { Machine } from './kernels.js'

/** One array a coordinate, one entry a particle: x y z, velocity, and with APIC nine gradients in 1/s. */
export type ParticleColumns = readonly Float32Array[]

export interface CompiledParticles {
  readonly count: number
  /** As they lie in memory now; do not keep them. */
  columns(): ParticleColumns
  /** Adds particles from columns of equal length; missing gradients are 0. */
  append(columns: ParticleColumns): void
  /** The next sort drops it. */
  remove(particle: number): void
  /** Into the order of cells; `arrays.cellStart` then says where each begins. */
  sort(): void
  /** Velocities on faces, from sorted particles and, where there are none or hardly any, from deep liquid; `layerX` … say where any are. */
  toGrid(): void
  /** Remembers the velocities of the grid in `beforeX` …, 0 on faces beyond what is known or extrapolated. Returns speeds
   *  on known faces. */
  keepVelocity(how: SpeedOptions): FaceSpeeds
  /** Where particles are too many, for the next `advect`; they must be sorted. */
  findExcess(perCell: number): void
  /** Drops particles below the band that the liquid's word `band` tells, and fills up what it has come to reach, after a solve; they must be
   *  sorted. `jitter` as at the start; `salt`, 32 bits, makes every substep seed differently. Seeds get their velocity by the next `move`.
   *  Returns by how many there will be more after the next sort. */
  keepBand(perCell: number, jitter: number, salt: number): number
  /** Takes over velocities from the pairs and moves by them. Returns how many left through open sides. */
  move(dt: number, how: MoveOptions): number
  /** Moves by the velocities of the pairs and keeps its own. Returns how many left through open sides. */
  shift(dt: number): number
}

export interface SpeedOptions {
  /** m/s, to which the usual speed is found; where it is more than 1023 of them, the largest one stands for it. */
  readonly step: number
  /** Of the known faces, those that may be faster than usual. */
  readonly share: number
}

/** m/s, of components on faces; NaN if any is. */
export interface FaceSpeeds {
  readonly largest: number
  readonly usual: number
}

export interface MoveOptions {
  /** Between PIC (0) and FLIP (1); not for particles with gradients. */
  readonly flipRatio: number
  /** Of the time integration. */
  readonly order: 2 | 3
  /** Apart where they are too many, by the last `findExcess`. */
  readonly spreads: boolean
}

/** Cells that a band of particles is wide: less and the surface would see its lower end, more and depths would not fit a byte. */
export const LEAST_BAND = 3
export const MOST_BAND = 12

/** Every column that particles have, in the order of a state. */
const COLUMNS = ['px', 'py', 'pz', 'vx', 'vy', 'vz'] as const
const GRADIENTS = 9

/** Below what the sort takes for a place, see assembly/particle-sort.ts. */
export const GONE = -2e8

export function createCompiledParticles(machine: Machine, liquid: CompiledLiquid, affine: boolean): CompiledParticles {
  const { kernels } = machine
  const { address } = liquid
  const views = (count: number): Float32Array[] => {
    const columns: Float32Array[] = COLUMNS.map(name => liquid.arrays[name].subarray(0, count))
    const capacity = liquid.word('capacity')
    if (affine)
      for (let part = 0; part < GRADIENTS; part++)
        columns.push(liquid.arrays.affine.subarray(part * capacity, part * capacity + count))
    return columns
  }
  function orTooMany<Result>(count: number, reserving: () => Result): Result {
    try {
      return reserving()
    } catch (error) {
      if (!kernels.isExhausted()) throw error
      throw new InputError(
        `${count} particles do not fit into the memory that this host gives; take a coarser grid or fewer a cell.`,
      )
    }
  }
  const reserve = (count: number) => orTooMany(count, () => kernels.reserveParticles(address, count, affine ? 1 : 0))
  return {
    get count() {
      return liquid.word('count')
    },
    columns: () => views(liquid.word('count')),
    append(columns) {
      const before = liquid.word('count')
      const count = before + columns[0].length
      // Room to spare, so that sources do not move everything at every step.
      if (count > liquid.word('capacity')) reserve(before === 0 ? Math.max(1, count) : Math.ceil(1.5 * count))
      liquid.setWord('count', count)
      views(count).forEach((column, n) => {
        if (columns[n]) column.set(columns[n], before)
        else column.fill(0, before)
      })
    },
    remove(particle) {
      liquid.arrays.px[particle] = GONE
    },
    sort: () => kernels.sortParticles(address),
    toGrid: () => kernels.particlesToGrid(address),
    keepVelocity({ step, share }) {
      const largest = kernels.keepVelocity(address, 1 / step)
      return { largest, usual: Math.min(largest, step * kernels.usualSpeed(address, share)) }
    },
    keepBand(perCell, jitter, salt) {
      const parts = Math.ceil(perCell ** (1 / liquid.grid.dims) - 1e-9)
      return orTooMany(liquid.word('count'), () => kernels.keepBand(address, perCell, parts, jitter, salt))
    },
    findExcess: perCell => kernels.findExcess(address, perCell),
    move: (dt, { flipRatio, order, spreads }) =>
      kernels.moveParticles(address, dt, flipRatio, spreads ? 1 : 0, order === 3 ? 1 : 0),
    shift: dt => kernels.shiftParticles(address, dt),
  }
}
