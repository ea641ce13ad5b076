/** Subtracts the pressure gradient. The divergence left in every cell equals A p + b to rounding, because face fractions
 *  and clamped distances are those of the matrix. */
import { checkNumber, checkNumbers, checkObject } from '../checks.js'
import { AXES, cellStrides } from '../grid/grid.js'
import { checkFaces, type FaceField, faceStrides } from '../grid/staggered.js'
import type { AssembledProblem } from './assemble.js'
import { checkProblemShape, DRY } from './problem.js'

/** Changes `velocity` in place: u −= dt/ρ · ∂p/∂x on open faces that border on liquid; other faces keep their value. */
export function project(velocity: FaceField, pressure: Float64Array, problem: AssembledProblem): void {
  checkAssembled(problem)
  const { grid, kind, open, theta, dt, density } = problem
  checkFaces(grid, velocity, 'project: velocity')
  checkNumbers(pressure, 'project: pressure', Float64Array, grid.cells, 'cell')
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

function checkAssembled(problem: AssembledProblem): void {
  checkObject(problem, 'project: the problem', 'a problem from assemble')
  const { grid, open, theta, dt, density } = problem
  checkProblemShape(problem, 'project: the problem')
  checkFaces(grid, open, 'project: open of the problem')
  checkFaces(grid, theta, 'project: theta of the problem')
  checkNumber(dt, 'project: dt of the problem', Number.MIN_VALUE)
  checkNumber(density, 'project: density of the problem', Number.MIN_VALUE)
}
