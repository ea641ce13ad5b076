/** The surface of a frame's liquid as a closed mesh. Where the liquid reaches the border of the grid the mesh is closed along it.
 *  In 2D it is a prism one cell deep. */
import type { Grid } from '../../grid/grid.js'
import { isosurface, type LevelSetSamples, type SurfaceMesh } from '../../grid/isosurface.js'
import type { Frame } from '../frame.js'
import { borderLevel, outsideSolids } from './mesh-levels.js'
import { refineLevels } from './refine.js'

export interface SurfaceOptions {
  /** Whether liquid that was extended into solids is shown there; by default it ends at their surface. */
  readonly inSolids?: boolean
  /** Cells of the grid that the surface is meshed on, per cell of the frame and axis: 1, 2 or 4; 1 if absent. Finer meshes are rounder, and show
   *  sheets and drops of about a cell as they are; each step takes eight times as long (four times in 2D). */
  readonly refine?: number
}

export function surfaceMesh(frame: Frame, { inSolids = false, refine = 1 }: SurfaceOptions = {}): SurfaceMesh {
  const { grid, liquid, solid } = refineLevels(frame, refine)
  return isosurface(padded(grid, inSolids ? liquid : outsideSolids(grid, liquid, solid), frame.grid.spacing))
}

/** Adds one sample on all sides, outside the liquid, half a cell beyond the border, so that deep liquid ends at the border itself. In 2D the
 *  plane of the drawing is used twice, `depth` apart, and the added samples are in the same two planes. */
function padded({ dims, shape: [nx, ny, nz], spacing }: Grid, liquid: Float32Array, depth: number): LevelSetSamples {
  const shape = [nx + 2, ny + 2, dims === 2 ? 4 : nz + 2] as const
  const values = new Float32Array(shape[0] * shape[1] * shape[2])
  const inner = (place: number, size: number) => Math.min(Math.max(place - 1, 0), size - 1)
  for (let k = 0, at = 0; k < shape[2]; k++) {
    const isCap = k === 0 || k === shape[2] - 1
    for (let j = 0; j < shape[1]; j++) {
      const isEdge = isCap || j === 0 || j === shape[1] - 1
      const row = nx * (inner(j, ny) + ny * inner(k, nz))
      for (let i = 0; i < shape[0]; i++, at++) {
        const value = liquid[row + inner(i, nx)]
        const isOutside = isEdge || i === 0 || i === shape[0] - 1
        values[at] = isOutside ? borderLevel(value, spacing) : value
      }
    }
  }
  const centres = (size: number) => Float64Array.from({ length: size }, (_, at) => (at - 0.5) * spacing)
  const along = dims === 2 ? Float64Array.of(0, 0, depth, depth) : centres(shape[2])
  return { shape, values, places: [centres(shape[0]), centres(shape[1]), along] }
}
