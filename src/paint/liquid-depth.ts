/** How deep liquid looks: the distance to its surface, also far from it, where level sets of frames only separate inside from
 *  outside. */
import type { Grid } from '../grid/grid.js'
import { redistance } from '../grid/redistance.js'
import { DEPTH_SMOOTHINGS } from './rendering-constants.js'

/** Of a 2D level set, in its units; < 0 inside, and no farther than the domain is long. */
export function liquidDepth(grid: Grid, liquid: Float32Array): Float32Array {
  const [nx, ny] = grid.shape
  const farthest = (nx + ny) * grid.spacing
  const distance = redistance(grid, grid.shape, Float64Array.from(liquid))
  const depth = new Float32Array(distance.length)
  for (let cell = 0; cell < depth.length; cell++) depth[cell] = Math.min(Math.max(distance[cell], -farthest), farthest)
  for (let round = 0; round < DEPTH_SMOOTHINGS; round++) {
    for (let cell = 1; cell < depth.length; cell++) if (cell % nx !== 0) depth[cell - 1] = 0.5 * (depth[cell - 1] + depth[cell])
    for (let cell = depth.length - 1; cell > 0; cell--) if (cell % nx !== 0) depth[cell] = 0.5 * (depth[cell - 1] + depth[cell])
    for (let cell = nx; cell < depth.length; cell++) depth[cell - nx] = 0.5 * (depth[cell - nx] + depth[cell])
    for (let cell = depth.length - 1; cell >= nx; cell--) depth[cell] = 0.5 * (depth[cell - nx] + depth[cell])
  }
  return depth
}
