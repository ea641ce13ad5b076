/** The multigrid cycle as a preconditioner. As a V-cycle it is symmetric, because every post-smoothing sweep mirrors a
 *  pre-smoothing one (red, black down; black, red up), and positive definite on the rows that are on.
 *  By default small levels are not only visited once but solved by two steps of conjugate gradients around their own cycle (a
 *  K-cycle, Notay and Vassilevski 2008): next to free of charge there, and it keeps networks of rooms, whose coarse graphs are
 *  far from a grid, from slowing the whole down. That makes it nonlinear, which the outer iteration must allow for. */
import type { LevelSize, Levels } from '../engine/stack.js'

export interface CycleOptions {
  /** Red-black sweeps before and after the coarse correction on the level the cycle starts from, and below it. */
  readonly topSweeps: number
  readonly coarseSweeps: number
  readonly cycle: 'V' | 'K'
}

export interface Cycle<Vector> {
  /** z = M r on level `top`. Returns the matrix non-zeros touched. */
  apply(top: number, r: Vector, z: Vector): number
}

/** Conjugate gradient steps on a level of a K-cycle. */
const STEPS = 2

/** A level is visited twice only if all its visits together touch at most this share of the finest rows. */
const SHARE_OF_FINEST = 1 / 6

export function createCycle<Vector>(levels: Levels<Vector>, { topSweeps, coarseSweeps, cycle }: CycleOptions): Cycle<Vector> {
  const { sizes } = levels
  const last = sizes.length - 1
  const vectors = sizes.map((_, at) => levels.vectors(at))
  const twice = cycle === 'K' ? visitTwice(sizes) : sizes.map(() => false)

  function descend(at: number, right: Vector, solution: Vector, sweeps: number): number {
    if (at === last && levels.dense) {
      levels.solveCoarsest(right, solution)
      return sizes[at].unknowns ** 2
    }
    const perSweep = sizes[at].nonZeros
    levels.smoothRedFromZero(at, right, solution)
    levels.smooth(at, 'black', right, solution)
    // The coarsest of a hierarchy that does not end in few rows has no links: this was exact.
    if (at === last) return perSweep
    for (let sweep = 1; sweep < sweeps; sweep++) {
      levels.smooth(at, 'red', right, solution)
      levels.smooth(at, 'black', right, solution)
    }
    const { f, x } = vectors[at + 1]
    levels.restrictResidual(at, right, solution, f)
    const below = twice[at + 1] ? solveBySteps(at + 1) : descend(at + 1, f, x, coarseSweeps)
    levels.prolong(at, x, solution)
    for (let sweep = 0; sweep < sweeps; sweep++) {
      levels.smooth(at, 'black', right, solution)
      levels.smooth(at, 'red', right, solution)
    }
    return perSweep * 2 * sweeps + below
  }

  /** x = a few flexible conjugate gradient steps for A x = f, each preconditioned by a cycle; f is used up. */
  function solveBySteps(at: number): number {
    const { f, x, z, Az, d, q } = vectors[at]
    for (const vector of [d, q, x]) levels.clear(at, vector)
    let dAd = 0
    let touched = 0
    for (let step = 0; step < STEPS; step++) {
      touched += descend(at, f, z, coarseSweeps) + 7 * sizes[at].unknowns
      const { zr, zAz, zq } = levels.finishProduct(at, z, f, q, Az)
      const beta = dAd > 0 ? -zq / dAd : 0
      const curvature = zAz + 2 * beta * zq + beta * beta * dAd
      if (!(zr > 0 && curvature > 0)) break
      levels.update(at, zr / curvature, beta, { x, r: f, z, Az, d, q })
      dAd = curvature
    }
    return touched
  }

  return { apply: (top, r, z) => descend(top, r, z, topSweeps) }
}

/** The dense level is exact and needs no second visit; the two finest are too large for one. */
function visitTwice(sizes: readonly LevelSize[]): boolean[] {
  let visits = 1
  return sizes.map((size, at) => {
    const again = at >= 2 && at < sizes.length - 1 && 2 * visits * size.unknowns <= SHARE_OF_FINEST * sizes[0].unknowns
    if (again) visits *= STEPS
    return again
  })
}
