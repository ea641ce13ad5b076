/** The full approximation scheme for N(p) = f with N(p) = min(A p + b, aᵢᵢ p) on contacts and A p + b elsewhere: Algorithm 3 of
 *  Lai 2020. Coarse levels solve for the full pressure R p, so that contacts can be pinned there, and return its change.
 *  With `literal` rows N(p) = min(A p + b, p), as the paper prints it: there a coarse right-hand side adds a divergence to a pressure,
 *  which is an error that grows with aᵢᵢ and so with the square of the resolution. */
import type { Buffers } from '../../sparse/buffers.js'
import type { ComplementarityRows, SweepOrder } from '../../sparse/sweeps.js'
import {
  COARSEST_CHANGE,
  COARSEST_SWEEPS,
  type CycleChoices,
  type GalerkinCycle,
  turned,
  visits,
  type WorkCounter,
  waysOf,
} from './cycle.js'
import type { GalerkinLevel } from './hierarchy.js'

export const ROW_SCALINGS = ['scaled', 'literal'] as const
export type RowForm = (typeof ROW_SCALINGS)[number]

export interface FasChoices extends CycleChoices {
  readonly rows: RowForm
}

interface Vectors extends ComplementarityRows {
  readonly p: Float64Array
  readonly r: Float64Array
  /** R p of the finer level, to compute the change. */
  readonly start: Float64Array
}

export interface FasCycle {
  run(p: Float64Array): void
  /** Sweeps on the finest level only, forward and backward in turns. */
  smooth(p: Float64Array, sweeps: number): void
}

/** One cycle improves p of the finest level in place. `project` removes the part of a finest residual that no pressure can change. */
export function createFasCycle(
  levels: readonly GalerkinLevel[],
  b: Float64Array,
  choices: FasChoices,
  buffers: Buffers,
  work: WorkCounter,
  project: (r: Float64Array) => void,
): FasCycle {
  const { cycle, preSweeps, postSweeps, order } = choices
  const literal = choices.rows === 'literal'
  const { loops } = buffers
  const vectors: Vectors[] = levels.map(({ A }, at) => {
    const vector = (name: string) => buffers.f64(`fas.${at}.${name}`, A.rows)
    return { p: vector('p'), f: vector('f'), b: at === 0 ? b : vector('b'), r: vector('r'), start: vector('start'), literal }
  })
  for (let at = 1; at < levels.length; at++) {
    const { P, restriction } = levels[at - 1]
    if (P) loops.restrictBy(P, restriction, vectors[at - 1].b, vectors[at].b)
  }
  vectors[0].f.fill(0)
  const { before, after } = waysOf(order)
  const back = turned(before)
  const sweep = (at: number, p: Float64Array, way: SweepOrder, sweeps: number) =>
    loops.sweepProjected(levels[at], vectors[at], p, way, sweeps)

  function solveCoarsest(at: number, p: Float64Array): void {
    let first = 0
    for (let done = 0; done < COARSEST_SWEEPS; done += 2) {
      const change = Math.max(sweep(at, p, before, 1), sweep(at, p, back, 1))
      work.add(2 * levels[at].A.rowStart[levels[at].A.rows])
      if (done === 0) first = change
      if (change <= COARSEST_CHANGE * first) return
    }
  }

  function descend(at: number, p: Float64Array, shape: GalerkinCycle): void {
    const level = levels[at]
    if (!level.P) {
      solveCoarsest(at, p)
      return
    }
    const { r } = vectors[at]
    const coarse = vectors[at + 1]
    sweep(at, p, before, preSweeps)
    const fine = vectors[at]
    loops.evaluate(level, fine, p, r)
    for (let row = 0; row < r.length; row++) r[row] = fine.f[row] - r[row]
    if (at === 0) project(r)
    loops.restrictBy(level.P, level.restriction, p, coarse.start)
    loops.restrictBy(level.P, level.restriction, r, coarse.r)
    loops.evaluate(levels[at + 1], coarse, coarse.start, coarse.f)
    for (let row = 0; row < coarse.f.length; row++) coarse.f[row] += coarse.r[row]
    coarse.p.set(coarse.start)
    for (const visit of visits(shape)) descend(at + 1, coarse.p, visit)
    for (let row = 0; row < coarse.p.length; row++) coarse.start[row] = coarse.p[row] - coarse.start[row]
    loops.addInterpolated(level.P, coarse.start, p)
    sweep(at, p, after, postSweeps)
    const { A } = levels[at + 1]
    work.add(
      (preSweeps + postSweeps + 1) * level.A.rowStart[level.A.rows] + A.rowStart[A.rows] + 3 * level.P.rowStart[level.P.rows],
    )
  }

  return {
    run: p => descend(0, p, cycle),
    smooth(p, sweeps) {
      for (let done = 0; done < sweeps; done++) sweep(0, p, done % 2 === 1 ? back : before, 1)
      work.add(sweeps * levels[0].A.rowStart[levels[0].A.rows])
    },
  }
}
