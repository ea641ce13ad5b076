/** Smoke past a sphere of voxels in a box: no Dirichlet cell anywhere, so the pressure is known up to a constant (McAdams 2010,
 *  section 5). The paper gives neither radius nor place of the sphere; here it is a third of the box wide, below the middle. */
import { createGrid } from '../../grid/grid.js'
import { LIQUID, type PressureProblem } from '../../pressure/problem.js'

/** `flux` is the flow through the face between a cell and its upper neighbour, `wind` in through the whole bottom and out
 *  through the whole top, so that the divergence they leave sums to 0. */
export function smokePastSphere(size: number, flux: (cell: number, axis: number) => number, wind = 0): PressureProblem {
  const grid = createGrid([size, size, size], 1)
  const zeros = () => new Float64Array(grid.cells)
  const kind = new Uint8Array(grid.cells)
  const [diagonal, b, links] = [zeros(), zeros(), [zeros(), zeros(), zeros()] as const]
  for (let k = 0, cell = 0; k < size; k++)
    for (let j = 0; j < size; j++)
      for (let i = 0; i < size; i++, cell++)
        if (Math.hypot(i + 0.5 - size / 2, j + 0.5 - size / 3, k + 0.5 - size / 2) > size / 6) kind[cell] = LIQUID
  for (let cell = 0; cell < grid.cells; cell++) {
    if (kind[cell] !== LIQUID) continue
    const height = Math.floor(cell / size) % size
    if (height === 0) b[cell] -= wind
    if (height === size - 1) b[cell] += wind
    for (let axis = 0; axis < 3; axis++) {
      const stride = size ** axis
      const other = cell + stride
      const isLast = Math.floor(cell / stride) % size === size - 1
      if (isLast || kind[other] !== LIQUID) continue
      links[axis][cell] = -1
      diagonal[cell]++
      diagonal[other]++
      const through = flux(cell, axis)
      b[cell] += through
      b[other] -= through
    }
  }
  return { grid, kind, diagonal, links, b }
}
