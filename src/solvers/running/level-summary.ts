/** The hierarchy of a solve, for its result. */
import type { LevelSize } from '../../multigrid/levels.js'
import type { LevelSummary } from '../contract/solver.js'

export function summarise(sizes: readonly LevelSize[], dims: number): LevelSummary[] {
  return sizes.map(({ shape, unknowns, nonZeros }) => ({ shape: shape.slice(0, dims), unknowns, nonZeros }))
}
