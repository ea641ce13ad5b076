/** Corrects volume that errors of many substeps have added or removed, at the end of a frame. One more pressure problem asks for nothing but
 *  the missing divergence; particles follow its flow and keep their velocities, so a correction moves the surface without driving the liquid. */
import type { SolveResult } from '../solvers/contract/solver.js'
import { fillPaths } from './fill-paths.js'
import type { LiquidLoops, ParticleLoops } from './loops.js'
import type { ArrayBackup } from './saving/array-backup.js'

/** Share of the volume that may be missing while liquid moves by a cell in a frame. At rest more may: there only chance moves the surface,
 *  and corrections would stir the liquid. */
const TOLERATED = 0.005
const TOLERATED_AT_REST = 0.0075
/** Share of the volume per correction. */
const MAX_SHARE = 0.1
/** Share by which cells may hold too much so that the surface holds enough. What is missing beyond that is spray, which no surface can show
 *  and no other liquid can replace. */
const MAX_EXCESS_IN_CELLS = 0.08
/** Share of the missing divergence to which a correction is solved. */
const ACCURACY = 0.01
/** Layers of faces around the liquid in which particles are moved along. */
const MOVED_LAYERS = 3

/** Share by which the volume inside the surface has to grow, 0 if it is near enough. `travel`: m that the fastest liquid moves in a frame. */
export function missingVolume(liquid: LiquidLoops, expected: number, travel: number): number {
  const volume = liquid.measureVolume()
  if (!(volume > 0 && expected > 0)) return 0
  const missing = expected / volume - 1
  if (Math.abs(missing) < (travel < liquid.grid.spacing ? TOLERATED_AT_REST : TOLERATED)) return 0
  if (missing < 0) return Math.max(-MAX_SHARE, missing)
  const room = ((1 + MAX_EXCESS_IN_CELLS) * expected) / liquid.measureCellVolume() - 1
  return Math.max(0, Math.min(MAX_SHARE, missing, room))
}

export interface CorrectedLiquid {
  readonly liquid: LiquidLoops
  readonly particles: ParticleLoops
  /** Arrays that a correction must leave as they were. */
  readonly visible: ArrayBackup
}

/** Moves particles so that the liquid grows by a share of its volume. `solve` is called for the problem in the arrays, with a tolerance in
 *  1/s. Afterwards the surface has to be found again. `gone`: particles that left through open sides. */
export async function correctVolume(
  { liquid, particles, visible }: CorrectedLiquid,
  missing: number,
  density: number,
  solve: (tolerance: number) => Promise<SolveResult>,
): Promise<{ readonly result: SolveResult; readonly gone: number }> {
  visible.save()
  // All of it within one second, in which nothing else happens.
  liquid.assembleGrowth(density, missing)
  const result = await solve(ACCURACY * Math.abs(missing))
  liquid.project(1, density)
  liquid.extrapolate(MOVED_LAYERS)
  fillPaths(liquid, 1)
  const gone = particles.shift(1)
  liquid.clearProblem()
  visible.restore()
  return { result, gone }
}
