/** Volume that is lost or won by errors of many steps, brought back at the end of a frame. One more pressure problem asks for nothing but the
 *  divergence that is missing; particles follow its flow and keep their velocities, so mending moves the surface and drives nothing. */
import type { CompiledLiquid } from '../engine/compiled-liquid.js'
import type { CompiledParticles } from '../engine/compiled-particles.js'
import type { SolveResult } from '../solvers/solver.js'
import type { FieldsAside } from './capture.js'

/** Share of the volume that may be missing while liquid moves by a cell in a frame; at rest more, because there it is but chance that moves
 *  the surface, and mending would stir. */
const TOLERATED = 0.005
const TOLERATED_AT_REST = 0.0075
/** Share that is mended at once, at most. */
const LARGEST_MEND = 0.1
/** Share by which cells may hold too much so that the surface holds enough. What it cannot show is spray, and no other liquid can stand for it. */
const MOST_IN_CELLS = 0.08
/** Share of the missing divergence to which a mend is solved. */
const ACCURACY = 0.01
/** Of faces around the liquid, in which particles are moved along. */
const LAYERS = 3

/** Share by which the volume inside the surface has to grow, 0 if it is near enough. `way`: what the fastest moves by in a frame, m. */
export function missingVolume(liquid: CompiledLiquid, expected: number, way: number, volume = liquid.measureVolume()): number {
  if (!(volume > 0 && expected > 0)) return 0
  const missing = expected / volume - 1
  if (Math.abs(missing) < (way < liquid.grid.spacing ? TOLERATED_AT_REST : TOLERATED)) return 0
  if (missing < 0) return Math.max(-LARGEST_MEND, missing)
  const room = ((1 + MOST_IN_CELLS) * expected) / liquid.measureCellVolume() - 1
  return Math.max(0, Math.min(LARGEST_MEND, missing, room))
}

/** Moves particles so that the liquid grows by a share of its volume. `solve` is for the problem as it then is in the arrays, in 1/s. The
 *  surface has to be found again. `gone`: particles that left through open sides. */
export async function mendVolume(
  liquid: CompiledLiquid,
  particles: CompiledParticles,
  aside: FieldsAside,
  missing: number,
  density: number,
  solve: (tolerance: number) => Promise<SolveResult>,
): Promise<{ readonly result: SolveResult; readonly gone: number }> {
  aside.take()
  // All of it within a second, of a time in which nothing else happens.
  liquid.assembleGrowth(density, missing)
  const result = await solve(ACCURACY * Math.abs(missing))
  liquid.project(1, density)
  liquid.extrapolate(LAYERS)
  liquid.fillPairs()
  const gone = particles.shift(1)
  aside.putBack()
  return { result, gone }
}
