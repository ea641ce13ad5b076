/** Where p = 0 holds around an unknown: at the liquid's surface and on open sides (ghost fluid: Enright, Fedkiw 2002; Gibou et al. 2002). */
import { AXES, type Axis, cellStrides, type Grid } from '../grid/grid.js'
import { createFaceField, type FaceField, faceStrides } from '../grid/staggered.js'
import { MIN_LIQUID_FRACTION, OPEN_SIDE_FRACTION, SMALLEST_RATIO } from './cell-kinds.js'
import { DRY } from './problem.js'

/** Distance from a liquid centre to p = 0 across each face, in cells; 1 between unknowns and on faces that matter to none.
 *
 *  Where the surface passes close to a centre, all distances of that cell are enlarged by one factor, so that the smallest becomes
 *  MIN_LIQUID_FRACTION; they can exceed 1. The cell's pressure grows by the same factor, so that the velocity on its faces to air keeps size
 *  and direction. Bounding every distance for itself would make them all alike and turn the pressure gradient by an angle that does not
 *  depend on the grid: an error of order one. */
export function surfaceDistances(
  grid: Grid,
  kind: ArrayLike<number>,
  liquid: ArrayLike<number>,
  open: readonly ArrayLike<number>[],
): FaceField {
  const theta = createFaceField(grid, 1)
  const [nx, ny, nz] = grid.shape
  const strides = cellStrides(grid)
  const faces = AXES.map(axis => faceStrides(grid, axis))
  const at: [number, number, number] = [0, 0, 0]
  /** The face below (0) or above (1) the cell at `at`. */
  const faceOf = (axis: Axis, upper: number) => {
    const { row, plane, step } = faces[axis]
    return at[0] + row * (at[1] + plane * at[2]) + upper * step
  }
  const isOutside = (axis: Axis, upper: number) => (upper ? at[axis] === grid.shape[axis] - 1 : at[axis] === 0)
  for (let k = 0, cell = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, cell++) {
        if (kind[cell] === DRY) continue
        at[0] = i
        at[1] = j
        at[2] = k
        let nearest = 1
        for (const axis of AXES) {
          for (let upper = 0; upper < 2; upper++) {
            const face = faceOf(axis, upper)
            if (open[axis][face] === 0) continue
            const neighbour = cell + (upper ? strides[axis] : -strides[axis])
            const outside = isOutside(axis, upper)
            if (!outside && kind[neighbour] !== DRY) continue
            theta[axis][face] = outside ? OPEN_SIDE_FRACTION : liquidFraction(liquid[cell], liquid[neighbour])
            nearest = Math.min(nearest, theta[axis][face])
          }
        }
        if (nearest >= MIN_LIQUID_FRACTION) continue
        const factor = MIN_LIQUID_FRACTION / nearest
        for (const axis of AXES)
          for (let upper = 0; upper < 2; upper++) {
            const face = faceOf(axis, upper)
            const neighbour = cell + (upper ? strides[axis] : -strides[axis])
            if (open[axis][face] > 0 && (isOutside(axis, upper) || kind[neighbour] === DRY)) theta[axis][face] *= factor
          }
      }
    }
  }
  return theta
}

/** Position of the surface between a liquid and an air centre, 0 … 1 from the liquid. */
function liquidFraction(phiLiquid: number, phiAir: number): number {
  return Math.max(SMALLEST_RATIO, phiLiquid / (phiLiquid - phiAir))
}
