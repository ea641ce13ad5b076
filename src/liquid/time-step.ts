/** How long a substep is: liquid crosses at most `cfl` cells, spray twice as many, within bounds on the number of substeps of a frame. */
import type { Grid } from '../grid/grid.js'
import type { SceneSolid } from '../scene/setting.js'
import type { FaceSpeeds, SpeedOptions } from './loops.js'

export interface TimeOptions {
  readonly fps: number
  /** Cells that liquid may cross in a substep. */
  readonly cfl: number
  readonly minSubsteps: number
  readonly maxSubsteps: number
}

/** Share of the faces of a liquid that counts as spray, and how much further than the rest it may go. A larger share shows in the volume. */
const SPRAY = 0.001
const SPRAY_REACH = 2

/** Share of a substep that is not worth another one. */
const NEGLIGIBLE = 5e-4

/** Parts of the speed that needs one substep a frame. Speeds are rounded up to them, so fewer would make substeps that nobody needs. */
const SPEED_STEPS = 32

/** How well speeds have to be known. */
export function speedsToKnow({ cfl, fps }: TimeOptions, spacing: number): SpeedOptions {
  return { step: (cfl * spacing * fps) / SPEED_STEPS, share: SPRAY }
}

/** m/s, of the liquid that says how long a substep is. */
export function decisiveSpeed({ largest, usual }: FaceSpeeds): number {
  return Math.max(usual, largest / SPRAY_REACH)
}

/** Seconds: what remains of the frame in equal parts, as few as may be, so that liquid that gets a little faster meanwhile needs no further
 *  one. `speed` in m/s, `acceleration` in m/s²; `remaining` until the end of the frame, `done` substeps of it already. */
export function chooseStep(
  time: TimeOptions,
  spacing: number,
  speed: number,
  acceleration: number,
  remaining: number,
  done: number,
): number {
  const way = time.cfl * spacing
  // What moves gets faster within the step: u t + a t² / 2 is at most the way.
  const longest = (2 * way) / (speed + Math.sqrt(speed * speed + 2 * way * acceleration))
  const wanted = Math.min(longest, 1 / (time.fps * time.minSubsteps))
  const least = remaining / Math.max(1, time.maxSubsteps - done)
  return remaining / Math.ceil((remaining / Math.max(wanted, least)) * (1 - NEGLIGIBLE))
}

/** m/s, of any point of a moving solid inside the domain. */
export function largestWallSpeed(grid: Grid, solids: readonly SceneSolid[], time: number): number {
  let largest = 0
  for (const solid of solids) {
    if (!solid.isMoving) continue
    const { linear, angular } = solid.motionAt(time)
    const [low, high] = solid.boundsAt(time, 0)
    for (let corner = 0; corner < 8; corner++) {
      const at = [0, 1, 2].map(axis => {
        const x = (corner >> axis) & 1 ? high[axis] : low[axis]
        return Math.min(Math.max(x, 0), grid.shape[axis] * grid.spacing)
      })
      const u = linear[0] + angular[1] * at[2] - angular[2] * at[1]
      const v = linear[1] + angular[2] * at[0] - angular[0] * at[2]
      const w = linear[2] + angular[0] * at[1] - angular[1] * at[0]
      largest = Math.max(largest, Math.hypot(u, v, w))
    }
  }
  return largest
}
