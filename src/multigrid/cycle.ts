/** The multigrid cycle as a preconditioner. As a V-cycle it is symmetric, because every post-smoothing sweep mirrors a
 *  pre-smoothing one (red, black down; black, red up), and positive definite on the free rows.
 *  By default small levels are not visited once but solved by two steps of conjugate gradients around their own cycle (a K-cycle,
 *  Notay and Vassilevski 2008): this costs little there, and without it networks of rooms, whose coarse graphs are far from a grid,
 *  converge slowly. It makes the cycle nonlinear, which the outer iteration must allow for. */
import { KRYLOV_STEPS, MAX_STEP_LENGTH } from './k-cycle.js'
import type { CoarseCycle, LevelSize, Levels, Preconditioned, ProductDots } from './levels.js'

export interface CycleOptions {
  /** Red-black sweeps before and after the coarse correction on the level the cycle starts from, and below it. */
  readonly topSweeps: number
  readonly coarseSweeps: number
  readonly cycle: 'V' | 'K'
}

export interface Cycle<Vector> {
  /** z = M r on level `top`, and Az = A z. Returns z·r, z·Az and z·q, and the matrix non-zeros touched for z. */
  apply(top: number, r: Vector): Preconditioned
}

/** A level is visited twice only if all its visits together touch at most this share of the finest rows. */
const SHARE_OF_FINEST = 1 / 6

export function createCycle<Vector>(
  levels: Pick<Levels<Vector>, 'sizes' | 'precondition'>,
  { topSweeps, coarseSweeps, cycle }: CycleOptions,
): Cycle<Vector> {
  const twice = cycle === 'K' ? visitTwice(levels.sizes) : levels.sizes.map(() => false)
  const below = { sweeps: coarseSweeps, twice }
  return { apply: (top, r) => levels.precondition(top, topSweeps, r, below) }
}

/** The operations that a cycle consists of. */
export type CycleLoops<Vector> = Pick<
  Levels<Vector>,
  | 'sizes'
  | 'dense'
  | 'vectors'
  | 'clear'
  | 'dot'
  | 'multiply'
  | 'smooth'
  | 'smoothRedFromZero'
  | 'restrictResidual'
  | 'prolong'
  | 'finishProduct'
  | 'update'
  | 'solveCoarsest'
>

/** The cycle itself, loop by loop: the definition, which compiled levels run in one call. */
export function preconditionBy<Vector>(levels: CycleLoops<Vector>): Levels<Vector>['precondition'] {
  const { sizes } = levels
  const last = sizes.length - 1

  let touched = 0

  /** The way down and the levels below; returns their correction, with which the way up begins. */
  function descend(at: number, right: Vector, solution: Vector, sweeps: number, below: CoarseCycle): Vector {
    const { f, x } = levels.vectors(at + 1)
    levels.smoothRedFromZero(at, right, solution)
    levels.smooth(at, 'black', right, solution)
    for (let sweep = 1; sweep < sweeps; sweep++) {
      levels.smooth(at, 'red', right, solution)
      levels.smooth(at, 'black', right, solution)
    }
    levels.restrictResidual(at, right, solution, f)
    if (below.twice[at + 1]) solveBySteps(at + 1, below)
    else if (at + 1 === last) solveLast(f, x)
    else ascend(at + 1, below.sweeps, descend(at + 1, f, x, below.sweeps, below), f, x)
    touched += sizes[at].nonZeros * 2 * sweeps
    return x
  }

  function ascend(at: number, sweeps: number, correction: Vector, right: Vector, solution: Vector): void {
    levels.prolong(at, correction, solution)
    for (let sweep = 0; sweep < sweeps; sweep++) {
      levels.smooth(at, 'black', right, solution)
      levels.smooth(at, 'red', right, solution)
    }
  }

  /** The coarsest of a hierarchy that does not end in few rows has no links: one sweep is exact. */
  function solveLast(right: Vector, solution: Vector): void {
    if (levels.dense) {
      levels.solveCoarsest(right, solution)
      touched += sizes[last].unknowns ** 2
      return
    }
    levels.smoothRedFromZero(last, right, solution)
    levels.smooth(last, 'black', right, solution)
    touched += sizes[last].nonZeros
  }

  function precondition(at: number, r: Vector, sweeps: number, below: CoarseCycle): ProductDots {
    const { z, Az, q } = levels.vectors(at)
    if (at < last) {
      ascend(at, sweeps, descend(at, r, z, sweeps, below), r, z)
      return levels.finishProduct(at, r)
    }
    solveLast(r, z)
    levels.multiply(at, z, Az)
    return { zr: levels.dot(at, z, r), zAz: levels.dot(at, z, Az), zq: levels.dot(at, z, q) }
  }

  /** x = a few flexible conjugate gradient steps for A x = f, each preconditioned by a cycle; f is used up. */
  function solveBySteps(at: number, below: CoarseCycle): void {
    const { f, x, d, q } = levels.vectors(at)
    for (const vector of [d, q, x]) levels.clear(at, vector)
    let dAd = 0
    for (let step = 0; step < KRYLOV_STEPS; step++) {
      touched += 7 * sizes[at].unknowns
      const { zr, zAz, zq } = precondition(at, f, below.sweeps, below)
      const beta = dAd > 0 ? -zq / dAd : 0
      const curvature = zAz + 2 * beta * zq + beta * beta * dAd
      if (!(zr > 0 && curvature > 0 && zr <= MAX_STEP_LENGTH * curvature)) break
      levels.update(at, zr / curvature, beta, f)
      dAd = curvature
    }
  }

  return (at, sweeps, r, below) => {
    touched = 0
    const dots = precondition(at, r, sweeps, below)
    return { ...dots, touched }
  }
}

/** The dense level is exact and needs no second visit; the two finest are too large for one. */
function visitTwice(sizes: readonly LevelSize[]): boolean[] {
  let visits = 1
  return sizes.map((size, at) => {
    const again = at >= 2 && at < sizes.length - 1 && 2 * visits * size.unknowns <= SHARE_OF_FINEST * sizes[0].unknowns
    if (again) visits *= KRYLOV_STEPS
    return again
  })
}
