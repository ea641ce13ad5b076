/** Continues the surface into solids, layer by layer: across a wall it stays as it is, so that it meets the wall at a right angle. */
import { cellPosition, nodeShape } from '../../../../grid/grid.js'
import { CENTRE_SOLID } from '../../../shared-constants.js'
import { f32 } from '../../arithmetic.js'
import { centreDistance } from '../../grid/nodal-solids.js'
import { forCells, lowestNode } from '../../grid/walk.js'
import type { PlainState } from '../../state.js'

/** In a solid, and in no layer yet. */
const NOT_REACHED = 254
const TOO_DEEP = 255

/** Weights of the cells around by how many axes they are off along: 1/d². */
const WEIGHTS = [0, 1, 0.5, f32(1 / 3)]

/** Cells of a layer become the mean of the cells around that are outside, or in a layer before. */
export function continueIntoSolids(state: PlainState, surface: Float32Array, layers: number): void {
  const { grid } = state
  const [nx, ny, nz] = grid.shape
  const layerOf = layerMarks(state, layers)
  for (let layer = 1; layer <= layers; layer++)
    for (let cell = 0; cell < surface.length; cell++) {
      if (layerOf[cell] !== NOT_REACHED) continue
      const mean = meanAround(cell, layer)
      if (mean === undefined) continue
      surface[cell] = mean
      layerOf[cell] = layer
    }

  function meanAround(cell: number, layer: number): number | undefined {
    const [i, j, k] = cellPosition(grid, cell)
    let sum = 0
    let weights = 0
    for (let c = Math.max(k - 1, 0); c <= Math.min(k + 1, nz - 1); c++)
      for (let b = Math.max(j - 1, 0); b <= Math.min(j + 1, ny - 1); b++)
        for (let a = Math.max(i - 1, 0); a <= Math.min(i + 1, nx - 1); a++) {
          const other = a + nx * (b + ny * c)
          if (layerOf[other] >= layer) continue
          const weight = WEIGHTS[Math.abs(a - i) + Math.abs(b - j) + Math.abs(c - k)]
          sum = f32(sum + f32(weight * surface[other]))
          weights = f32(weights + weight)
        }
    return weights > 0 ? f32(sum / weights) : undefined
  }
}

function layerMarks({ grid, arrays: { touch, solid } }: PlainState, layers: number): Uint8Array {
  const marks = new Uint8Array(grid.cells)
  const nodes = nodeShape(grid)
  forCells(grid, (cell, i, j, k) => {
    if (!(touch[cell] & CENTRE_SOLID)) return
    marks[cell] = centreDistance(solid, nodes, lowestNode(grid, i, j, k)) > -(layers + 1) ? NOT_REACHED : TOO_DEEP
  })
  return marks
}
