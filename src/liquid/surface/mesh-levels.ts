/** The level set of liquid as meshes of it have it: without solids, and closed along the border of the grid. */
import type { Grid } from '../../grid/grid.js'

/** The larger of two level sets is their intersection: here of the liquid and of what no solid fills. */
export function outsideSolids({ shape: [nx, ny, nz] }: Grid, liquid: Float32Array, solid: Float32Array): Float32Array {
  const row = nx + 1
  const layer = row * (ny + 1)
  const open = new Float32Array(liquid.length)
  for (let k = 0, cell = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0, node = row * j + layer * k; i < nx; i++, cell++, node++) {
        const below = solid[node] + solid[node + 1] + solid[node + row] + solid[node + row + 1]
        const above = solid[node + layer] + solid[node + layer + 1] + solid[node + layer + row] + solid[node + layer + row + 1]
        open[cell] = Math.max(liquid[cell], -(below + above) / 8)
      }
    }
  }
  return open
}

/** What meshes have half a cell beyond the border of the grid, beside a value of the level set there: outside, so that they are closed, and deep
 *  liquid ends at the border itself. */
export function borderLevel(value: number, spacing: number): number {
  return Math.max(-value, spacing / 2)
}
