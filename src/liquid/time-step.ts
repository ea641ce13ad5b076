/** How long a substep is: particles cross at most `cfl` cells, within bounds on the number of substeps of a frame. */
import type { Grid } from '../grid/grid.js'
import type { SceneSolid, Vector } from '../scene/setting.js'

export interface TimeOptions {
  readonly fps: number
  /** Cells a particle may cross in a substep. */
  readonly cfl: number
  readonly minSubsteps: number
  readonly maxSubsteps: number
}

/** Seconds. `speed` in m/s; `remaining` until the end of the frame, `done` substeps of it already. */
export function chooseStep(
  time: TimeOptions,
  spacing: number,
  speed: number,
  gravity: Vector,
  remaining: number,
  done: number,
): number {
  // What rests now will fall within the step.
  const fall = Math.sqrt(time.cfl * spacing * Math.hypot(...gravity))
  const wanted = Math.min((time.cfl * spacing) / (speed + fall), 1 / (time.fps * time.minSubsteps))
  const least = remaining / Math.max(1, time.maxSubsteps - done)
  const dt = Math.max(wanted, least)
  if (dt >= 0.999 * remaining) return remaining
  // No sliver at the end of a frame.
  return Math.min(dt, remaining / 2)
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
