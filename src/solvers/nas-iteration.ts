/** The iteration of NAS-MGPCG on any level: the same code solves the given problem and, to a loose tolerance, its coarser
 *  versions for a start. */
import type { ContactLevels } from '../engine/stack.js'
import { type CycleOptions, createCycle } from '../multigrid/cycle.js'
import type { Ending, Step, Verdict } from './driver.js'

export interface NestedOptions extends Omit<CycleOptions, 'topSweeps'> {
  /** On the level that is solved; 0: as many as pay. */
  readonly sweeps: number
  readonly nested: boolean
  readonly freezeAfter: number
}

/** With two sweeps a third fewer iterations are needed than with one, which pays, since an iteration is more than its sweeps. Not where
 *  more than this share of the cells are contacts: there it takes longer to find out who lets go, and sweeps do not help with that. */
const MOSTLY_CONTACTS = 1 / 2
/** Coarse answers are starting points: this share of their residual may stay. */
const NESTED_TOLERANCE = 3e-2
const NESTED_ITERATIONS = 40
/** Levels whose longest side is not above this start from 0. */
const NESTED_FROM = 16
/** Projected sweeps after the coarse answer is carried up: they tell which contacts are pinned. */
const PROJECTED_SWEEPS = 3
/** Drift out of the range of a singular matrix is taken out this often. */
const PROJECT_EVERY = 4
/** Contacts change sides only if they miss by more than this share of the present residual. */
const CAUTION = 0.1
/** When more than this share of the contacts change sides at once, the old search direction belongs to another problem. */
const FRESH_START = 0.02
/** When the residual has fallen by this factor it is computed anew: recurrences in single precision hold no more digits. */
const REFRESH = 1e-3
/** A residual computed anew may be this many times the expected one before the search starts over. */
const FORGIVEN = 2
/** A residual that has fallen by this factor in one go is rounding of the one before. */
const DROWNED = 1e-5

/** `count` is told the matrix non-zeros touched. */
export function createNestedSolver<Vector>(
  levels: ContactLevels<Vector>,
  chosen: NestedOptions,
  count: (nonZeros: number) => void,
): (target: number) => Generator<Step, Ending, Verdict> {
  const { sizes } = levels
  const topSweeps = chosen.sweeps || (levels.contacts(0) > MOSTLY_CONTACTS * sizes[0].unknowns ? 1 : 2)
  const cycle = createCycle(levels, { ...chosen, topSweeps })

  /** Finds a start and marks the contacts that are pinned there. */
  function start(at: number, target: number): void {
    const { shape, nonZeros } = sizes[at]
    levels.restore(at)
    if (at > 0 || !levels.isWorthKeeping()) {
      levels.forget(at)
      if (at === 0) levels.takeRightSide(0)
      if (chosen.nested && Math.max(...shape) > NESTED_FROM && at + 1 < sizes.length) startFromCoarser(at, target)
    }
    levels.startSet(at)
    count(4 * nonZeros)
  }

  function startFromCoarser(at: number, target: number): void {
    levels.takeRightSide(at + 1)
    const ofZero = levels.residualOfZero(at + 1)
    // Free fall: nothing to find out.
    if (ofZero <= target) return
    const goal = Math.max(target, NESTED_TOLERANCE * ofZero)
    const iteration = solveLevel(at + 1, goal)
    for (let step = 0; step < NESTED_ITERATIONS; step++) {
      const next = iteration.next('continue')
      if (next.done || next.value.residual <= goal) break
    }
    levels.restore(at)
    levels.carryUp(at)
    levels.smoothProjected(at, PROJECTED_SWEEPS)
    count((PROJECTED_SWEEPS + 0.5) * sizes[at].nonZeros)
  }

  function* solveLevel(at: number, target: number): Generator<Step, Ending, Verdict> {
    const { unknowns, nonZeros } = sizes[at]
    const vectors = levels.vectors(at)
    const { r, d, q } = vectors
    const refresh = () => {
      count(nonZeros)
      return levels.refresh(at)
    }
    let dAd = 0
    let dr = 0
    const startOver = () => {
      levels.clear(at, d)
      levels.clear(at, q)
      dAd = dr = 0
    }
    start(at, target)
    startOver()
    let largest = refresh()
    let peak = largest
    for (let iterations = 0; ; iterations++) {
      if (at === 0 && iterations > 0 && (largest <= target || largest < REFRESH * peak)) {
        const expected = largest
        const drowned = expected < DROWNED * peak
        peak = largest = refresh()
        // Else the direction would be conjugate to rounding.
        if (drowned || !(largest <= FORGIVEN * expected)) startOver()
      }
      const step = levels.look(at, largest)
      // A contact that is let free brings back a residual of its own size.
      peak = Math.max(peak, step.residual)
      // A free contact needs its own p, r and diagonal, and its term again when the set changes; a pinned one looks at its neighbours.
      count(4 * levels.contacts(at) + 6 * step.pinned)
      if (iterations > 0 || step.residual <= target) {
        const verdict = yield step
        if (verdict === 'recompute') peak = largest = refresh()
      }
      const settled = largest <= target
      if (settled || iterations < chosen.freezeAfter) {
        const { changed, touched } = levels.changeSet(
          at,
          settled ? 0.3 * target : CAUTION * largest,
          settled ? 0 : CAUTION * largest,
        )
        if (changed > 0) {
          count(touched + 3 * unknowns)
          if (changed > FRESH_START * levels.contacts(at)) {
            startOver()
          } else {
            dAd = levels.dot(at, d, q)
            dr = levels.dot(at, d, r)
          }
        }
      }
      const { zr, zAz, zq, touched } = cycle.apply(at, vectors)
      count(touched + 0.5 * nonZeros + 6 * unknowns)
      let beta = dAd > 0 ? -zq / dAd : 0
      let curvature = zAz + 2 * beta * zq + beta * beta * dAd
      let slope = zr + beta * dr
      if (!(curvature > 0 && slope > 0)) {
        beta = 0
        curvature = zAz
        slope = zr
      }
      if (!(curvature > 0)) return noCurvature(zr)
      largest = levels.update(at, slope / curvature, beta, vectors)
      dAd = curvature
      dr = 0
      if (at === 0 && iterations % PROJECT_EVERY === PROJECT_EVERY - 1 && levels.projectSingular())
        largest = levels.largestResidual()
    }
  }

  return target => solveLevel(0, target)
}

function noCurvature(zr: number): Ending {
  return zr === 0
    ? { status: 'stagnated', message: 'The residual is too small to go on from.' }
    : { status: 'diverged', message: 'A is not positive definite on the free rows: conjugate gradients met no curvature.' }
}
