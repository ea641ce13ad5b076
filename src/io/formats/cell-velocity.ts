/** Velocities of faces at cell centres: the mean of the two opposite faces, x, y, z of every cell one after the other. */
import { AXES, type Grid } from '../../grid/grid.js'
import { faceStrides } from '../../grid/staggered.js'
import type { FrameFields } from '../../liquid/frame.js'

export function cellVelocity(
  grid: Grid,
  velocity: FrameFields['velocity'],
  result = new Float32Array(3 * grid.cells),
): Float32Array {
  const [nx, ny, nz] = grid.shape
  for (const axis of AXES) {
    const { row, plane, step } = faceStrides(grid, axis)
    const values = velocity[axis]
    for (let k = 0, at = axis as number; k < nz; k++) {
      for (let j = 0; j < ny; j++) {
        for (let i = 0, face = row * (j + plane * k); i < nx; i++, face++, at += 3)
          result[at] = (values[face] + values[face + step]) / 2
      }
    }
  }
  return result
}
