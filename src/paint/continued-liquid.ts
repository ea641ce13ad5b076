/** The level set of a liquid, continued into solids for drawing: across a wall it stays as it is, so that the surface meets the wall at a
 *  right angle and liquid that touches a wall is seen to do so. Cells deeper in solids than a ray or a pixel looks are left alone. */
import { cellPosition, nodeShape } from '../grid/grid.js'
import type { Frame } from '../liquid/frame.js'
import { CONTINUED_LAYERS } from './rendering-constants.js'

/** `memory` is written to and returned if it has the right length. */
export function continuedLiquid({ grid, liquid, solid }: Frame, memory?: Float32Array): Float32Array {
  const phi = memory?.length === liquid.length ? memory : new Float32Array(liquid.length)
  phi.set(liquid)
  // 0: known, else the layer in which it becomes known.
  const layer = new Uint8Array(grid.cells)
  let front = solidCells(layer)
  for (let at = 1; at <= CONTINUED_LAYERS && front.length > 0; at++) front = continueOnce(front, at)
  return phi

  function solidCells(marks: Uint8Array): number[] {
    const [nx, ny, nz] = grid.shape
    const [mx, my] = nodeShape(grid)
    const deepest = -(CONTINUED_LAYERS + 1) * grid.spacing
    const found: number[] = []
    for (let k = 0, cell = 0; k < nz; k++) {
      for (let j = 0; j < ny; j++) {
        for (let i = 0; i < nx; i++, cell++) {
          const node = i + mx * (j + my * k)
          let sum = 0
          for (let q = 0; q < 8; q++) sum += solid[node + (q & 1) + mx * (((q >> 1) & 1) + my * (q >> 2))]
          if (sum >= 0) continue
          marks[cell] = 255
          if (sum > 8 * deepest) found.push(cell)
        }
      }
    }
    return found
  }

  /** Gives cells beside known ones their mean, nearer ones counting more; returns the rest. */
  function continueOnce(cells: readonly number[], at: number): number[] {
    const rest: number[] = []
    for (const cell of cells) {
      const mean = meanAround(cell, at)
      if (mean === undefined) rest.push(cell)
      else {
        phi[cell] = mean
        layer[cell] = at
      }
    }
    return rest
  }

  function meanAround(cell: number, at: number): number | undefined {
    const [nx, ny, nz] = grid.shape
    const [i, j, k] = cellPosition(grid, cell)
    let sum = 0
    let weights = 0
    for (let c = Math.max(k - 1, 0); c <= Math.min(k + 1, nz - 1); c++) {
      for (let b = Math.max(j - 1, 0); b <= Math.min(j + 1, ny - 1); b++) {
        for (let a = Math.max(i - 1, 0); a <= Math.min(i + 1, nx - 1); a++) {
          const other = a + nx * (b + ny * c)
          if (layer[other] >= at) continue
          const weight = 1 / ((a - i) ** 2 + (b - j) ** 2 + (c - k) ** 2)
          sum += weight * phi[other]
          weights += weight
        }
      }
    }
    return weights > 0 ? sum / weights : undefined
  }
}
