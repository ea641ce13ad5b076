/** Where the liquid of a frame is, by its surface. */
import { cellPosition } from '../../src/grid/grid.js'
import { sampleNodal } from '../../src/liquid/boundary/solids.js'
import type { Frame } from '../../src/liquid/frame.js'

/** Centre of what is liquid and in no solid, m: cells count by how far their centres lie inside of both surfaces. */
export function centreOf({ grid, liquid, solid }: Frame): number[] {
  const h = grid.spacing
  const share = (inside: number) => Math.min(1, Math.max(0, 0.5 + inside / h))
  const sums = [0, 0, 0]
  let weight = 0
  liquid.forEach((phi, cell) => {
    if (phi >= 0.5 * h) return
    const [i, j, k] = cellPosition(grid, cell)
    const wet = share(-phi) * share(sampleNodal(grid, solid, i + 0.5, j + 0.5, k + 0.5))
    ;[i, j, k].forEach((index, axis) => {
      sums[axis] += wet * (index + 0.5) * h
    })
    weight += wet
  })
  return sums.map(sum => sum / weight)
}
