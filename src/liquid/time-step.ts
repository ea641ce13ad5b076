/** Length of a substep: liquid crosses at most `cfl` cells, spray twice as many, within bounds on the number of substeps of a frame. */
import type { Grid } from '../grid/grid.js'
import type { SceneSolid } from '../scene/setting.js'
import { largestWay } from './boundary/wall-frames.js'
import type { FaceSpeeds, SpeedOptions } from './loops.js'

export interface TimeOptions {
  readonly fps: number
  /** Cells that liquid may cross in a substep. */
  readonly cfl: number
  readonly minSubsteps: number
  readonly maxSubsteps: number
}

/** Cells that are crossed in a substep: by liquid, except for spray, and by the fastest wall. */
export interface Travel {
  readonly liquid: number
  readonly walls: number
}

/** Share of the faces of a liquid that counts as spray, and how much farther than the rest it may move. A larger share degrades the volume. */
const SPRAY = 0.001
const SPRAY_REACH = 2

/** Longest substep in units of √(h/a), a the acceleration: Verlet's method is stable for ω dt < 2, and the shortest waves that a grid carries, of
 *  two cells, have ω² = a π/h. Longer substeps would shake a surface at rest. */
const WAVE_LIMIT = 2 / Math.sqrt(Math.PI)

/** Share of a substep that does not justify another one. */
const NEGLIGIBLE = 5e-4

/** Resolution of speeds: parts of the speed that needs one substep per frame. Speeds are rounded up, so a coarser one causes needless substeps. */
const SPEED_STEPS = 32

/** Required resolution of speeds. */
export function speedsToKnow({ cfl, fps }: TimeOptions, spacing: number): SpeedOptions {
  return { step: (cfl * spacing * fps) / SPEED_STEPS, share: SPRAY }
}

/** Speed that determines the length of a substep, m/s. */
export function decisiveSpeed({ largest, usual }: FaceSpeeds): number {
  return Math.max(usual, largest / SPRAY_REACH)
}

/** Length in seconds: the rest of the frame is divided into equal parts, as few as possible, so that liquid that becomes a little faster needs
 *  no additional one. `speed` in m/s, `acceleration` in m/s²; `remaining`: seconds until the end of the frame; `done`: its substeps so
 *  far. */
export function chooseStep(
  time: TimeOptions,
  spacing: number,
  speed: number,
  acceleration: number,
  remaining: number,
  done: number,
): number {
  const distance = time.cfl * spacing
  // Liquid accelerates within the substep: u t + a t² / 2 is at most the distance.
  const longest = (2 * distance) / (speed + Math.sqrt(speed * speed + 2 * distance * acceleration))
  const waves = WAVE_LIMIT * Math.sqrt(spacing / acceleration)
  const wanted = Math.min(longest, waves, 1 / (time.fps * time.minSubsteps))
  const least = remaining / Math.max(1, time.maxSubsteps - done)
  return remaining / Math.ceil((remaining / Math.max(wanted, least)) * (1 - NEGLIGIBLE))
}

/** Share of its velocity that a particle keeps for so long, where `flipRatio` is the share that it keeps for a 24th of a second, whatever
 *  the number of substeps. */
export function keptShare(flipRatio: number, seconds: number): number {
  return flipRatio ** (24 * seconds)
}

/** Cells that are crossed within `dt` seconds at a speed in m/s that grows by `acceleration` m/s². */
export function cellsCrossed(spacing: number, speed: number, acceleration: number, dt: number): number {
  return (speed * dt + 0.5 * acceleration * dt * dt) / spacing
}

/** Whether a substep crosses more cells than `cfl` allows, because `maxSubsteps` allows no shorter one. */
export function isOverlong({ cfl }: TimeOptions, { liquid, walls }: Travel): boolean {
  // A substep may be longer by a negligible share, and the way of what accelerates by twice that share.
  return Math.max(liquid, walls) > cfl * (1 + 3 * NEGLIGIBLE)
}

/** Parts of the rest of a frame in each of which the mean speed of walls is found. */
const WALL_SAMPLES = 8

/** Largest speed of a point of a moving solid inside the domain from `time` to `end`, m/s: that of its displacement in parts of this time, so that
 *  neither a start from rest nor a jump is missed. */
export function largestWallSpeed(grid: Grid, solids: readonly SceneSolid[], time: number, end: number): number {
  const part = (end - time) / WALL_SAMPLES
  let largest = 0
  for (const solid of solids) {
    if (!solid.isMoving) continue
    for (let n = 0; n < WALL_SAMPLES; n++)
      largest = Math.max(largest, largestWay(grid, solid, time + n * part, time + (n + 1) * part) / part)
  }
  return largest
}
