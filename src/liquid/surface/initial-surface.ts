/** The surface of the first frame. Particles cannot show edges and corners of the bodies they fill, so those are shown by themselves: a box begins
 *  as a box. */
import type { Grid } from '../../grid/grid.js'
import type { LiquidBody } from '../../scene/setting.js'

/** In cells. Where particles show a surface that is farther from that of the bodies, there is other liquid, or none. */
const SAME_SURFACE = 0.75
/** In cells. Up to here the level set of the bodies is used, beyond twice this the surface of particles: it is a distance, also of bodies that are
 *  combined of several. */
const EXACT_NEAR = 0.5

/** Replaces `surface` (signed distance of particles at cell centres, m) near the surface of bodies, and shifts what it has replaced so that the volume
 *  stays that of the particles, which is the one that a run keeps. */
export function showBodies(grid: Grid, bodies: readonly LiquidBody[], surface: Float32Array): void {
  const { spacing: h, dims } = grid
  const [nx, ny, nz] = grid.shape
  const replaced: number[] = []
  let [gained, area] = [0, 0]
  for (let k = 0, cell = 0; k < nz; k++)
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++, cell++) {
        const shown = surface[cell] / h
        if (Math.abs(shown) > 2 * EXACT_NEAR + SAME_SURFACE) continue
        const z = dims === 2 ? 0 : (k + 0.5) * h
        const exact = bodies.reduce((least, { phi }) => Math.min(least, phi((i + 0.5) * h, (j + 0.5) * h, z)), Infinity) / h
        if (!(Math.abs(exact - shown) < SAME_SURFACE)) continue
        const far = Math.max(0, Math.min(1, (Math.abs(exact) - EXACT_NEAR) / EXACT_NEAR))
        const value = exact + far * (shown - exact)
        surface[cell] = value * h
        replaced.push(cell)
        gained += filled(value) - filled(shown)
        area += Math.max(0, 0.75 * (1 - value * value))
      }
  if (!(area > 0)) return
  for (const cell of replaced) surface[cell] += (gained / area) * h
}

/** Share of a cell that is liquid, by the distance of its centre in cells. */
function filled(distance: number): number {
  const t = Math.max(0, Math.min(1, 0.5 * (1 - distance)))
  return t * t * (3 - 2 * t)
}
