/** Continues velocities beyond where they are known, layer by layer, into air and solids alike: as grid/extrapolate.ts does, but it also
 *  numbers the layers. A layer reads only the previous one, so the order of faces does not matter. */
import { MAX_LAYERS } from '../../../grid/extrapolate.js'
import { faceShape } from '../../../grid/grid.js'
import { NO_VELOCITY } from '../../shared-constants.js'
import type { PlainState } from '../state.js'
import { byAxis, flowAxes, forFacesOf } from './walk.js'

export function extrapolate(state: PlainState, layers: number): void {
  const { grid } = state
  const { u, layer: layerOf } = byAxis(state)
  state.extrapolatedLayers = Math.min(layers, MAX_LAYERS)
  for (const axis of flowAxes(grid)) {
    const [fx, fy, fz] = faceShape(grid, axis)
    const [values, marks] = [u[axis], layerOf[axis]]
    for (let layer = 1; layer <= state.extrapolatedLayers; layer++) {
      forFacesOf(grid, axis, (_axis, face, _below, _above, i, j, k) => {
        if (marks[face] !== NO_VELOCITY) return
        let sum = 0
        let count = 0
        const add = (neighbour: number) => {
          if (marks[neighbour] !== layer - 1) return
          sum += values[neighbour]
          count++
        }
        if (i > 0) add(face - 1)
        if (i < fx - 1) add(face + 1)
        if (j > 0) add(face - fx)
        if (j < fy - 1) add(face + fx)
        if (k > 0) add(face - fx * fy)
        if (k < fz - 1) add(face + fx * fy)
        if (count === 0) return
        values[face] = sum / count
        marks[face] = layer
      })
    }
  }
}
