/** The iteration of NAS-MGPCG on any level: the same code solves the given problem and, to a loose tolerance, its coarser
 *  versions for a start. */
import { type CycleOptions, createCycle } from '../../multigrid/cycle.js'
import type { Levels, ProductDots } from '../../multigrid/levels.js'
import type { Ending, Step, Verdict } from '../running/subject.js'
import { startLevel } from './nested-start.js'
import { updatePinnedSet } from './pinned-set.js'

export interface NestedOptions extends Omit<CycleOptions, 'topSweeps'> {
  /** On the level that is solved; 0: as many as pay. */
  readonly sweeps: number
  readonly nested: boolean
  readonly freezeAfter: number
}

/** With two sweeps a third fewer iterations are needed than with one, which pays, since an iteration is more than its sweeps. Not where
 *  more than this share of the cells are contacts: finding the pinned contacts needs iterations there, and sweeps do not help. */
const MOSTLY_CONTACTS = 1 / 2
/** Drift out of the range of a singular matrix is removed this often. */
const PROJECT_EVERY = 4
/** When the residual has fallen by this factor it is recomputed: recurrences in single precision have no more digits. */
const REFRESH = 1e-3
/** If a recomputed residual exceeds this multiple of the expected one, the search starts over. */
const FORGIVEN = 2
/** A residual that has fallen by this factor at once is rounding of the one before. */
const DROWNED = 1e-5
/** Cycles without a correction, in a row, after which there is nothing to free either. */
const MAX_FRUITLESS = 3

/** Solves the finest level to `target`, the largest residual there. `count` is given the matrix non-zeros touched. */
export function iterateNested<Vector>(
  levels: Levels<Vector>,
  chosen: NestedOptions,
  target: number,
  count: (nonZeros: number) => void,
): Generator<Step, Ending, Verdict> {
  const { sizes } = levels
  const topSweeps = chosen.sweeps || (levels.contacts(0) > MOSTLY_CONTACTS * sizes[0].unknowns ? 1 : 2)
  const cycle = createCycle(levels, { ...chosen, topSweeps })
  const nesting = { levels, nested: chosen.nested, iterate, count }

  function* iterate(at: number, target: number): Generator<Step, Ending, Verdict> {
    const { unknowns, nonZeros } = sizes[at]
    const { r, d, q } = levels.vectors(at)
    const recompute = () => {
      count(nonZeros)
      return levels.recomputeResidual(at)
    }
    let dAd = 0
    let dr = 0
    const startOver = () => {
      levels.clear(at, d)
      levels.clear(at, q)
      dAd = dr = 0
    }
    startLevel(nesting, at, target)
    startOver()
    let largest = recompute()
    let peak = largest
    let fruitless = 0
    for (let iterations = 0; ; iterations++) {
      if (at === 0 && iterations > 0 && (largest <= target || largest < REFRESH * peak)) {
        const expected = largest
        const drowned = expected < DROWNED * peak
        peak = largest = recompute()
        // Else the direction would be conjugate to rounding.
        if (drowned || !(largest <= FORGIVEN * expected)) startOver()
      }
      const step = levels.natural(at, largest)
      const frozen = iterations >= chosen.freezeAfter
      // A contact that is freed brings back a residual of its own size; while the set is frozen there is none.
      peak = Math.max(peak, frozen ? largest : step.residual)
      // A free contact needs its own p, r and diagonal, and its term again when the set changes; a pinned one reads its neighbours.
      count(4 * levels.contacts(at) + 6 * step.pinned)
      if (iterations > 0 || step.residual <= target) {
        const verdict = yield step
        if (verdict === 'recompute') peak = largest = recompute()
      }
      const change = updatePinnedSet(levels, at, { largest, target, frozen }, count)
      if (change === 'replaced') startOver()
      if (change === 'patched') {
        dAd = levels.dot(at, d, q)
        dr = levels.dot(at, d, r)
      }
      const preconditioned = cycle.apply(at, r)
      count(preconditioned.touched + 0.5 * nonZeros + 6 * unknowns)
      const { beta, curvature, slope } = conjugateTo(preconditioned, dAd, dr)
      if (!(curvature > 0)) {
        // With every contact pinned nothing may be left to solve for, but contacts to free.
        if (slope !== 0 || ++fruitless > MAX_FRUITLESS) return noCurvature(slope)
        peak = largest = recompute()
        startOver()
        continue
      }
      fruitless = 0
      largest = levels.update(at, slope / curvature, beta, r)
      dAd = curvature
      dr = 0
      if (at === 0 && iterations % PROJECT_EVERY === PROJECT_EVERY - 1) largest = levels.projectSingular(largest)
    }
  }

  return iterate(0, target)
}

/** The direction z + βd that is conjugate to d, with its curvature and its product with r; z alone where that leads nowhere. */
function conjugateTo({ zr, zAz, zq }: ProductDots, dAd: number, dr: number) {
  const beta = dAd > 0 ? -zq / dAd : 0
  const curvature = zAz + 2 * beta * zq + beta * beta * dAd
  const slope = zr + beta * dr
  return curvature > 0 && slope > 0 ? { beta, curvature, slope } : { beta: 0, curvature: zAz, slope: zr }
}

function noCurvature(slope: number): Ending {
  return slope === 0
    ? { status: 'stagnated', message: 'The residual is too small to go on from.' }
    : { status: 'diverged', message: 'A is not positive definite on the free rows: conjugate gradients met no curvature.' }
}
