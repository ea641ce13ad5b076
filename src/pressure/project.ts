/** Subtracts the pressure gradient. The divergence left in every cell equals A p + b to rounding, because face fractions
 *  and clamped distances are those of the matrix. */
import { AXES, cellStrides } from '../grid/grid.js'
import { type FaceField, faceStrides } from '../grid/staggered.js'
import type { AssembledProblem } from './assemble.js'
import { DRY } from './problem.js'

/** Changes `velocity` in place: u −= dt/ρ · ∂p/∂x on open faces that border on liquid; other faces keep their value. */
export function project(velocity: FaceField, pressure: Float64Array, problem: AssembledProblem): void {
  const { grid, kind, open, theta, dt, density } = problem
  const [nx, ny, nz] = grid.shape
  const scale = dt / (density * grid.spacing)
  const strides = cellStrides(grid)
  for (const axis of AXES) {
    const { row, plane, step } = faceStrides(grid, axis)
    const stride = strides[axis]
    const last = grid.shape[axis] - 1
    const u = velocity[axis]
    for (let k = 0, cell = 0; k < nz; k++) {
      for (let j = 0; j < ny; j++) {
        for (let i = 0; i < nx; i++, cell++) {
          if (kind[cell] === DRY) continue
          const p = pressure[cell]
          const position = axis === 0 ? i : axis === 1 ? j : k
          const lower = i + row * (j + plane * k)
          const upper = lower + step
          // A face between two unknowns is visited once, from below; one to air from its only liquid side.
          const liquidAbove = position < last && kind[cell + stride] !== DRY
          if (open[axis][upper] > 0) u[upper] -= (scale * ((liquidAbove ? pressure[cell + stride] : 0) - p)) / theta[axis][upper]
          const liquidBelow = position > 0 && kind[cell - stride] !== DRY
          if (open[axis][lower] > 0 && !liquidBelow) u[lower] -= (scale * p) / theta[axis][lower]
        }
      }
    }
  }
}
