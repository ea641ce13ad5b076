/** Corrects the density of particles and the volume of the surface at the end of a frame: errors of many substeps crowd particles, and make
 *  the liquid lose or gain volume. One more pressure problem asks for the divergence that undoes this, as Kugelstadt, Longva, Thuerey and
 *  Bender (2019) do; particles follow its flow and keep their velocities, so a correction drives nothing. It acts where the density is wrong:
 *  crowded liquid grows, sparse liquid shrinks, and only what then is still missing is asked of all liquid. */
import type { SolveResult } from '../solvers/contract/solver.js'
import { fillPaths } from './fill-paths.js'
import type { Excess, Growth, LiquidLoops, ParticleLoops } from './loops.js'
import type { ArrayBackup } from './saving/array-backup.js'

/** Share of the volume that may be missing: where particles are by chance moves the surface by as much, and a correction costs or gives
 *  potential energy. */
const TOLERATED = 0.0075
/** Share of the volume per correction. */
const MAX_SHARE = 0.1
/** Share by which cells may hold too much so that the surface holds enough. What is missing beyond that is spray, which no surface can show
 *  and no other liquid can replace. */
const MAX_EXCESS_IN_CELLS = 0.08
/** Share of the liquid that may be crowded or sparse: a five hundredth of the cells at twice what they should hold. */
const TOLERATED_EXCESS = 0.002
/** Divergence to which a correction is solved, 1/s: hundredths of what is chance in a cell. */
const SOLVED_TO = 1e-3
/** Layers of faces around the liquid in which particles are moved along. */
const MOVED_LAYERS = 3

/** Shares by which the volume inside the surface may change at least and at most; both are 0 or above, or 0 or below, unless it is near
 *  enough already. */
export interface VolumeChange {
  readonly least: number
  readonly most: number
  /** Volume now, m³ (m² in 2D). */
  readonly volume: number
}

/** Change that brings the volume within what is tolerated. What spray lacks may come back where particles are crowded, but need not. */
export function neededChange(liquid: LiquidLoops, expected: number): VolumeChange {
  const volume = liquid.measureVolume()
  if (!(volume > 0 && expected > 0)) return { least: 0, most: 0, volume }
  const missing = Math.max(-MAX_SHARE, Math.min(MAX_SHARE, expected / volume - 1))
  // Half of what is tolerated remains for chance: else every correction of density would end in one of the volume.
  const spare = TOLERATED / 2
  if (Math.abs(missing) < TOLERATED) return { least: Math.min(0, missing - spare), most: Math.max(0, missing + spare), volume }
  if (missing < 0) return { least: missing, most: missing, volume }
  const room = ((1 + MAX_EXCESS_IN_CELLS) * expected) / liquid.measureCellVolume() - 1
  return { least: Math.max(0, Math.min(missing, room)), most: missing, volume }
}

/** Whether doing nothing would leave the volume wrong. */
export const isNeeded = ({ least, most }: VolumeChange): boolean => least > 0 || most < 0

/** Whether more particles are crowded, or too few, than may be. */
export function isUneven({ crowded, sparse, room }: Excess): boolean {
  return crowded - sparse > TOLERATED_EXCESS * room
}

/** Whether a cell holds more than chance gathers in one of a million cells, six deviations of particles that are placed independently of each
 *  other: that is an impact, and takes more than one correction. What else is crowded comes with the next frames' corrections, as fast as
 *  flow and a volume that has to shrink crowd it. */
export function isCrowded({ fullest }: Excess, perCell: number): boolean {
  return fullest > perCell + 6 * Math.sqrt(perCell)
}

/** Growth that corrects the excess and changes the volume by a number of cells within bounds. If the excess amounts to more or less, then first
 *  what may be chance makes up for it, which makes the density more even all the same, and last growth of all liquid. */
export function planGrowth({ crowded, sparse, maybeCrowded, maybeSparse, room }: Excess, least: number, most: number): Growth {
  const beyond = Math.min(1, (MAX_SHARE * room) / Math.max(crowded, -sparse, Number.MIN_VALUE))
  const excess = beyond * (crowded + sparse)
  const further = Math.min(most, Math.max(least, excess)) - excess
  const maybe = further > 0 ? maybeCrowded : maybeSparse
  const share = maybe === 0 ? 0 : Math.min(1, further / maybe)
  const left = further - share * maybe
  return {
    share: room === 0 ? 0 : left / room,
    beyond,
    maybeCrowded: further > 0 ? share : 0,
    maybeSparse: further > 0 ? 0 : share,
  }
}

export interface CorrectedLiquid {
  readonly liquid: LiquidLoops
  readonly particles: ParticleLoops
  /** Arrays that a correction must leave as they were. */
  readonly visible: ArrayBackup
}

/** Moves particles so that the excess that was found last is corrected and the volume changes within bounds. `solve` is
 *  called for the problem in the arrays, with a tolerance in 1/s. Afterwards the surface has to be found again. `gone`: particles that left
 *  through open sides. */
export async function correctVolume(
  { liquid, particles, visible }: CorrectedLiquid,
  change: VolumeChange,
  excess: Excess,
  density: number,
  solve: (tolerance: number) => Promise<SolveResult>,
): Promise<{ readonly result: SolveResult; readonly gone: number }> {
  const cells = change.volume / liquid.grid.spacing ** liquid.grid.dims
  visible.save()
  // All of it within one second, in which nothing else happens.
  liquid.assembleGrowth(density, planGrowth(excess, change.least * cells, change.most * cells))
  const result = await solve(SOLVED_TO)
  liquid.project(1, density)
  liquid.extrapolate(MOVED_LAYERS)
  fillPaths(liquid, 1)
  const gone = particles.shift(1)
  liquid.clearProblem()
  visible.restore()
  return { result, gone }
}
