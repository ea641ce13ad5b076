/** The multigrid cycle as a preconditioner. As a V-cycle it is symmetric, because every post-smoothing sweep mirrors a
 *  pre-smoothing one (red, black down; black, red up), and positive definite on the rows that are on.
 *  By default small levels are not only visited once but solved by two steps of conjugate gradients around their own cycle (a
 *  K-cycle, Notay and Vassilevski 2008): next to free of charge there, and it keeps networks of rooms, whose coarse graphs are
 *  far from a grid, from slowing the whole down. That makes it nonlinear, which the outer iteration must allow for. */
import type { Engine, Level } from '../engine/engine.js'
import { createDenseSolver } from './dense.js'

export interface CycleOptions {
  /** Red-black sweeps before and after the coarse correction on the level the cycle starts from, and below it. */
  readonly topSweeps: number
  readonly coarseSweeps: number
  readonly cycle: 'V' | 'K'
}

export interface Cycle {
  /** z = M r on level `top`. Returns the matrix non-zeros touched. */
  apply(top: number, r: Float64Array, z: Float64Array): number
  /** To be called whenever values of the coarsest level have changed. */
  refactor(): void
}

/** Levels of at most this many rows are solved densely. */
export const DENSE_ROWS = 64

/** Conjugate gradient steps on a level of a K-cycle. */
const STEPS = 2

/** A level is visited twice only if all its visits together touch at most this share of the finest rows. */
const SHARE_OF_FINEST = 1 / 6

export function createCycle(engine: Engine, levels: readonly Level[], { topSweeps, coarseSweeps, cycle }: CycleOptions): Cycle {
  const create = () => levels.map(level => new Float64Array(level.rows))
  const x = create()
  const f = create()
  const twice = cycle === 'K' ? visitTwice(levels) : levels.map(() => false)
  const inner = levels.map((level, at) => (twice[at] ? createInnerVectors(level.rows) : undefined))
  const last = levels.length - 1
  const coarsest = levels[last]
  const dense = coarsest.rows <= DENSE_ROWS ? createDenseSolver() : undefined

  function descend(at: number, right: Float64Array, solution: Float64Array, sweeps: number): number {
    const level = levels[at]
    if (at === last && dense) {
      dense.solve(right, solution)
      return level.rows * level.rows
    }
    const perSweep = level.rows + level.column.length
    engine.smoothRedFromZero(level, right, solution)
    engine.smooth(level, 'black', right, solution)
    // The coarsest of a hierarchy that does not end in few rows has no links: this was exact.
    if (at === last) return perSweep
    for (let sweep = 1; sweep < sweeps; sweep++) {
      engine.smooth(level, 'red', right, solution)
      engine.smooth(level, 'black', right, solution)
    }
    engine.restrictResidual(level, 'red', right, solution, f[at + 1])
    const below = inner[at + 1] ? solveBySteps(at + 1) : descend(at + 1, f[at + 1], x[at + 1], coarseSweeps)
    engine.prolong(level, 'red', x[at + 1], solution)
    for (let sweep = 0; sweep < sweeps; sweep++) {
      engine.smooth(level, 'black', right, solution)
      engine.smooth(level, 'red', right, solution)
    }
    return perSweep * 2 * sweeps + below
  }

  /** x = a few flexible conjugate gradient steps for A x = f, each preconditioned by a cycle; f is used up. */
  function solveBySteps(at: number): number {
    const level = levels[at]
    const { z, Az, d, q } = inner[at]!
    const vectors = { d, q, p: x[at], r: f[at] }
    for (const vector of [d, q, x[at]]) vector.fill(0)
    let dAd = 0
    let touched = 0
    for (let step = 0; step < STEPS; step++) {
      touched += descend(at, f[at], z, coarseSweeps) + 7 * level.rows
      const { zr, zAz, zq } = engine.finishProduct(level, z, f[at], q, Az)
      const beta = dAd > 0 ? -zq / dAd : 0
      const curvature = zAz + 2 * beta * zq + beta * beta * dAd
      if (!(zr > 0 && curvature > 0)) break
      engine.update(zr / curvature, beta, z, Az, vectors)
      dAd = curvature
    }
    return touched
  }

  return {
    apply: (top, r, z) => descend(top, r, z, topSweeps),
    refactor() {
      dense?.factor(coarsest.rows, (row, column) => denseEntry(coarsest, row, column))
    },
  }
}

/** The dense level is exact and needs no second visit; the two finest are too large for one. */
function visitTwice(levels: readonly Level[]): boolean[] {
  let visits = 1
  return levels.map((level, at) => {
    const again = at >= 2 && at < levels.length - 1 && 2 * visits * level.rows <= SHARE_OF_FINEST * levels[0].rows
    if (again) visits *= STEPS
    return again
  })
}

function createInnerVectors(rows: number) {
  const create = () => new Float64Array(rows)
  return { z: create(), Az: create(), d: create(), q: create() }
}

/** Rows that are off become rows of the identity, so that they stay at 0. */
function denseEntry({ rowStart, column, weight, diagonal, inverse }: Level, row: number, other: number): number {
  if (row === other) return inverse[row] === 0 ? 1 : diagonal[row]
  if (inverse[row] === 0 || inverse[other] === 0) return 0
  for (let at = rowStart[row]; at < rowStart[row + 1]; at++) if (column[at] === other) return -weight[at]
  return 0
}
