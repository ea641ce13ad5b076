/** How much memory of a machine a problem needs, and the refusal of what does not fit. */
import { InputError } from '../../input-error.js'
import type { PressureProblem } from '../../pressure/problem.js'

/** Maximum bytes per unknown while a problem is loaded, and during a solve. Measured on all kinds of problems: the
 *  finest level with its vectors, twice that for rows with coefficients of their own, and a seventh of it for all coarser levels. */
const LOADED_BYTES = 64
const SOLVE_BYTES = 130
const SPECIAL_BYTES = 210
const MEMORY = 2 ** 32 - 2 ** 24

/** What a problem is going to need if it is none of the worst. */
export function likelyBytes(unknowns: number): number {
  const kept = keepsProblem(unknowns) ? KEPT_UNKNOWN * unknowns : 0
  return Math.min(MEMORY, solveBytes(unknowns) + kept)
}

function solveBytes(unknowns: number): number {
  return (SOLVE_BYTES + SPECIAL_BYTES / 2) * unknowns + 2 ** 20
}

/** Up to this many bytes of a solve the problem stays in memory, where its yardstick is compiled. */
const KEPT_BYTES = 2 ** 30
/** Bytes per unknown of the problem as it was given. */
const KEPT_UNKNOWN = 49

export function keepsProblem(unknowns: number): boolean {
  return solveBytes(unknowns) + KEPT_UNKNOWN * unknowns <= KEPT_BYTES
}

/** Throws an InputError before anything is allocated that would not fit. `special`: unknowns that are not open liquid, if known yet. */
export function checkMemory(problem: PressureProblem, unknowns: number, runs: number, special: number | undefined): void {
  const loaded = LOADED_BYTES * unknowns + 40 * runs
  const needed = special === undefined ? loaded : SOLVE_BYTES * unknowns + SPECIAL_BYTES * special + 60 * runs
  if (needed <= MEMORY) return
  const shrink = (MEMORY / Math.max(needed, SOLVE_BYTES * unknowns)) ** (1 / problem.grid.dims)
  const fits = problem.grid.shape.slice(0, problem.grid.dims).map(n => Math.max(1, Math.floor(n * shrink)))
  throw new InputError(
    `${unknowns} unknowns need about ${(needed / 2 ** 30).toFixed(1)} GiB, and compiled loops can use 4; use a grid of at most ${fits.join(' × ')} cells, or --engine portable.`,
  )
}
