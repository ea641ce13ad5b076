/** A run as it was before a frame, so that a frame that is given up half way leaves no trace. Copies are made into memory that is kept from
 *  frame to frame, because fresh memory costs more than copying. */
import { copyProblem } from '../../pressure/problem.js'
import type { LiquidArray } from '../arrays.js'
import { findSurface, type LiquidRun } from '../liquid-run.js'
import type { LiquidLoops, ParticleLoops } from '../loops.js'
import { createAside, SEEN } from './array-backup.js'

const PROBLEM = ['diagonal', 'linkX', 'linkY', 'linkZ', 'b'] as const satisfies LiquidArray[]
const DEEP_ARRAYS = ['carried', 'beforeX', 'beforeY', 'beforeZ'] as const satisfies LiquidArray[]

export interface Rewind {
  /** Returns a function that makes everything as it is now, until the next call. */
  remember(): () => void
}

export function createRewind(run: LiquidRun): Rewind {
  const { liquid, particles, state, interaction, options } = run
  let copy: LiquidCopy | undefined
  return {
    remember() {
      findSurface(run)
      copy ??= createLiquidCopy(liquid, particles, options.particles.band)
      copy.take()
      const putBallBack = interaction.remember()
      const stateThen: typeof state = { ...state }
      const problemThen = state.isCorrected && run.problemBefore ? copyProblem(run.problemBefore) : undefined
      return () => {
        // Absent keys have to become absent again.
        Object.assign(state, { sealed: undefined, unfinished: undefined }, stateThen)
        if (problemThen) run.problemBefore = problemThen
        run.thrown = undefined
        copy?.putParticlesBack()
        putBallBack()
        run.walls.renew(state.time)
        run.isSorted = false
        findSurface(run)
        copy?.putArraysBack()
        // Time of a frame that is given up counts towards no other.
        run.watch.read()
      }
    },
  }
}

/** A copy of the particles, and of all arrays that are not made from them. */
interface LiquidCopy {
  take(): void
  /** Particles have to be sorted again. */
  putParticlesBack(): void
  /** After that, because finding the surface writes into some of them. */
  putArraysBack(): void
}

function createLiquidCopy(liquid: LiquidLoops, particles: ParticleLoops, band: number): LiquidCopy {
  const seen = createAside(liquid, [...SEEN, ...PROBLEM])
  // Put back with the particles, because the surface of deep liquid is found from `carried`.
  const deep = createAside(liquid, band > 0 ? DEEP_ARRAYS : [])
  let columns: Float32Array[] = []
  let count = 0
  return {
    take() {
      seen.take()
      deep.take()
      const now = particles.columns()
      count = particles.count
      if (columns.length === 0 || columns[0].length < count) columns = now.map(() => new Float32Array(Math.ceil(1.1 * count)))
      now.forEach((column, n) => {
        columns[n].set(column)
      })
    },
    putParticlesBack() {
      particles.clear()
      particles.append(columns.map(column => column.subarray(0, count)))
      deep.putBack()
    },
    putArraysBack: () => seen.putBack(),
  }
}
