/** The surface of a liquid as frames have it: what is drawn, stored and exported. The pressure solve has a level set of its own, `phi`, which is as
 *  rough as particles are random. */
import type { Grid } from '../../grid/grid.js'
import type { LiquidLoops } from '../loops.js'

/** Rounds of smoothing by dimensions on CUBE cells a side: the least that brings normals of a sphere there within 2°. A curve has fewer cells to
 *  take a mean of than a surface. */
const ROUNDS = { 2: 5, 3: 3 }
const CUBE = 32
/** More rounds would read more of the level set where it is cut off (WIDEST), and make normals worse. */
const MAX_ROUNDS = 12

/** Signed distance at cell centres, m. `phi` must be up to date. Overwrites the pairs. */
export function pictureSurface(liquid: LiquidLoops): Float32Array {
  const { spacing } = liquid.grid
  const cells = liquid.pictureSurface(roundsOf(liquid.grid))
  const metres = new Float32Array(cells.length)
  for (let n = 0; n < cells.length; n++) metres[n] = cells[n] * spacing
  return metres
}

/** Particles are rough by a share of a cell at any resolution, so normals converge only if the surface is smoothed over more and more cells. The
 *  length of the smoothing is √rounds cells: it grows as N^⅓ on grids of N cells a side, and falls as N^−⅔ in metres. */
export function roundsOf({ cells, dims }: Grid): number {
  const side = cells ** (1 / dims)
  return Math.min(MAX_ROUNDS, Math.round(ROUNDS[dims] * (side / CUBE) ** (2 / 3)))
}
