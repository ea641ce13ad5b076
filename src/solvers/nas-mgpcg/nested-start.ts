/** Where the iteration on a level starts: from the pressure that the solve was given if that is near the answer, else from the answer on the
 *  next coarser level, found to a loose tolerance by the same iteration. */
import type { Levels } from '../../multigrid/levels.js'
import type { Ending, Step, Verdict } from '../running/subject.js'

/** A given pressure is worth keeping if the best multiple of it is near itself. After an impact it is not. */
const WORTH_KEEPING = { min: 0.5, max: 1.5 }
/** Coarse answers are starting points: this share of their residual may stay. */
const NESTED_TOLERANCE = 3e-2
const MAX_NESTED_ITERATIONS = 40
/** Levels whose longest side is not above this start from 0. */
const MIN_NESTED_SIDE = 16
/** Projected sweeps after the coarse answer is carried up: they find out which contacts are pinned. */
const PROJECTED_SWEEPS = 3

export interface Nesting<Vector> {
  readonly levels: Levels<Vector>
  /** Whether to start from the answer on coarser levels. */
  readonly nested: boolean
  iterate(at: number, target: number): Generator<Step, Ending, Verdict>
  /** Given the matrix non-zeros touched. */
  count(nonZeros: number): void
}

/** Finds a start on level `at` and pins the contacts that are pinned there. */
export function startLevel<Vector>(nesting: Nesting<Vector>, at: number, target: number): void {
  const { levels, nested, count } = nesting
  const { shape, nonZeros } = levels.sizes[at]
  levels.restore(at)
  if (at > 0 || !isWorthKeeping(levels)) {
    levels.reset(at)
    if (at === 0) levels.loadRightSide(0)
    if (nested && Math.max(...shape) > MIN_NESTED_SIDE && at + 1 < levels.sizes.length) startFromCoarser(nesting, at, target)
  }
  levels.startSet(at)
  count(4 * nonZeros)
}

/** α = −b·p / p·Ap is 1 for the answer of the linear problem and far from 1 for a pressure that belongs to another one. */
function isWorthKeeping<Vector>(levels: Levels<Vector>): boolean {
  const { energy, work } = levels.startEnergy()
  const alpha = -work / energy
  return energy > 0 && alpha > WORTH_KEEPING.min && alpha < WORTH_KEEPING.max
}

function startFromCoarser<Vector>({ levels, iterate, count }: Nesting<Vector>, at: number, target: number): void {
  levels.loadRightSide(at + 1)
  const ofZero = levels.residualOfZero(at + 1)
  // Free fall: nothing to find out.
  if (ofZero <= target) return
  const goal = Math.max(target, NESTED_TOLERANCE * ofZero)
  const iteration = iterate(at + 1, goal)
  for (let step = 0; step < MAX_NESTED_ITERATIONS; step++) {
    const next = iteration.next('continue')
    if (next.done || next.value.residual <= goal) break
  }
  levels.restore(at)
  levels.carryUp(at)
  levels.smoothProjected(at, PROJECTED_SWEEPS)
  count((PROJECTED_SWEEPS + 0.5) * levels.sizes[at].nonZeros)
}
