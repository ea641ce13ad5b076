/** Restores a run to its state before a frame, so that an aborted frame leaves no trace. The memory of the copy is reused from frame to frame,
 *  because allocating it costs more than copying. */
import { copyProblem } from '../../pressure/problem.js'
import type { LiquidArray } from '../arrays.js'
import { findSurface, type LiquidRun } from '../liquid-run.js'
import type { LiquidLoops, ParticleLoops } from '../loops.js'
import { createArrayBackup, VISIBLE_ARRAYS } from './array-backup.js'

const PROBLEM = ['diagonal', 'linkX', 'linkY', 'linkZ', 'b'] as const satisfies LiquidArray[]
const STEP_ARRAYS = ['kickPressure', 'lastPressure', 'earlierPressure', 'earliestPressure'] as const satisfies LiquidArray[]
const DEEP_ARRAYS = ['carried', 'beforeX', 'beforeY', 'beforeZ'] as const satisfies LiquidArray[]

export interface Rewind {
  /** Returns a function that restores the current state; valid until the next call. */
  snapshot(): () => void
}

export function createRewind(run: LiquidRun): Rewind {
  const { liquid, particles, state, interaction, options } = run
  let copy: LiquidCopy | undefined
  return {
    snapshot() {
      findSurface(run)
      copy ??= createLiquidCopy(liquid, particles, options.particles.band)
      copy.save()
      const restoreBall = interaction.snapshot()
      const stateThen: typeof state = { ...state }
      const problemThen = state.isCorrected && run.problemBefore ? copyProblem(run.problemBefore) : undefined
      return () => {
        // Absent keys have to become absent again.
        Object.assign(state, { sealed: undefined, unfinished: undefined }, stateThen)
        if (problemThen) run.problemBefore = problemThen
        run.thrown = undefined
        copy?.restoreParticles()
        restoreBall()
        run.walls.renew(state.time)
        run.isSorted = false
        findSurface(run)
        copy?.restoreArrays()
        // Discards the time of the aborted frame.
        run.watch.read()
      }
    },
  }
}

/** A copy of the particles, and of all arrays that are not computed from them. */
interface LiquidCopy {
  save(): void
  /** Particles must be sorted again afterwards. */
  restoreParticles(): void
  /** Call after the surface was found, which overwrites some of them. */
  restoreArrays(): void
}

function createLiquidCopy(liquid: LiquidLoops, particles: ParticleLoops, band: number): LiquidCopy {
  const visible = createArrayBackup(liquid, [...VISIBLE_ARRAYS, ...PROBLEM, ...STEP_ARRAYS])
  // Restored with the particles, because the surface of deep liquid is found from `carried`.
  const deep = createArrayBackup(liquid, band > 0 ? DEEP_ARRAYS : [])
  let columns: Float32Array[] = []
  let count = 0
  return {
    save() {
      visible.save()
      deep.save()
      const now = particles.columns()
      count = particles.count
      if (columns.length === 0 || columns[0].length < count) columns = now.map(() => new Float32Array(Math.ceil(1.1 * count)))
      now.forEach((column, n) => {
        columns[n].set(column)
      })
    },
    restoreParticles() {
      particles.clear()
      particles.append(columns.map(column => column.subarray(0, count)))
      deep.restore()
    },
    restoreArrays: () => visible.restore(),
  }
}
