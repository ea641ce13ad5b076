/** When contacts change sides: after every iteration, those that miss by enough to be worth it. */
import type { Levels } from '../../multigrid/levels.js'

/** Contacts change sides only if they miss by more than this share of the present residual. */
const CAUTION = 0.1
/** When the system of the present set is solved, pinned contacts are freed that are pressed by more than this share of the target. */
const SOLVED = 0.3
/** When more than this share of the contacts change sides at once, the old search direction belongs to another problem. */
const FRESH_START = 0.02

/** - same: no contact has changed sides.
 *  - patched: residual and direction were patched around those that have.
 *  - replaced: so many have that the search should start over. */
export type SetChange = 'same' | 'patched' | 'replaced'

export interface SetLimits {
  /** Largest |r| now, and the one to reach, 1/s. */
  readonly largest: number
  readonly target: number
  /** Whether the set may change only between solved systems, as in policy iteration. */
  readonly frozen: boolean
}

/** Must come after `levels.natural`. `count` is given the matrix non-zeros touched. */
export function updatePinnedSet<Vector>(
  levels: Levels<Vector>,
  at: number,
  { largest, target, frozen }: SetLimits,
  count: (nonZeros: number) => void,
): SetChange {
  const solved = largest <= target
  if (frozen && !solved) return 'same'
  const release = solved ? SOLVED * target : CAUTION * largest
  const pin = solved ? 0 : CAUTION * largest
  const { changed, touched } = levels.changeSet(at, release, pin)
  if (changed === 0) return 'same'
  count(touched + 3 * levels.sizes[at].unknowns)
  return changed > FRESH_START * levels.contacts(at) ? 'replaced' : 'patched'
}
