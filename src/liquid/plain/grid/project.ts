/** Subtracts the pressure gradient, as pressure/project.ts does, and marks the faces whose velocity is known afterwards. */
import { DRY } from '../../../pressure/problem.js'
import { surfaceDistances } from '../../../pressure/surface-distances.js'
import { NO_VELOCITY, SLIVER } from '../../shared-constants.js'
import { f32 } from '../arithmetic.js'
import type { PlainState } from '../state.js'
import { byAxis, forFaces, OUTSIDE } from './walk.js'

/** u −= dt/ρ · ∂p/∂x on open faces with liquid on either side, where p = 0 in air; others keep their value. Of slivers the velocity does not
 *  count as known. */
export function project(state: PlainState, dt: number, density: number, pressure = state.arrays.pressure): void {
  const { grid, arrays } = state
  const { kind, phi } = arrays
  const { u, open, layer } = byAxis(state)
  const scale = dt / (density * grid.spacing)
  const isLiquid = (cell: number) => cell !== OUTSIDE && kind[cell] !== DRY
  // The same distances as in the matrix.
  const distance = surfaceDistances(grid, kind, phi, open)
  forFaces(grid, (axis, face, below, above) => {
    const isFlow = open[axis][face] > 0 && (isLiquid(below) || isLiquid(above))
    layer[axis][face] = isFlow && open[axis][face] > f32(SLIVER) ? 0 : NO_VELOCITY
    if (!isFlow) return
    const rise = (isLiquid(above) ? pressure[above] : 0) - (isLiquid(below) ? pressure[below] : 0)
    u[axis][face] -= (scale * rise) / distance[axis][face]
  })
}
