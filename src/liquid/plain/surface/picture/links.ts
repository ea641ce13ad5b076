/** Which neighbours of a cell are on the same side of all walls. */
import { cellStrides } from '../../../../grid/grid.js'
import { CENTRE_SOLID } from '../../../shared-constants.js'
import { byAxis, flowAxes, forFacesOf, OUTSIDE } from '../../grid/walk.js'
import type { PlainState } from '../../state.js'

/** Cells that loops read across, as a bit for each direction: −x, +x, −y, +y, −z, +z. Centres of both are outside solids, and the face between
 *  them is open, so nothing is read through walls that are thinner than a cell. */
export function findLinks(state: PlainState): Uint8Array {
  const { touch } = state.arrays
  const { open } = byAxis(state)
  const links = new Uint8Array(state.grid.cells)
  for (const axis of flowAxes(state.grid))
    forFacesOf(state.grid, axis, (_, face, below, above) => {
      if (below === OUTSIDE || above === OUTSIDE || open[axis][face] === 0) return
      if ((touch[below] | touch[above]) & CENTRE_SOLID) return
      links[below] |= 2 << (2 * axis)
      links[above] |= 1 << (2 * axis)
    })
  return links
}

/** The values beside a cell along an axis; its own where there is no link. */
export type Beside = (values: Float32Array, cell: number) => readonly [lower: number, upper: number]

/** One function per axis that liquid moves along. */
export function createBeside(state: PlainState, links: Uint8Array): readonly Beside[] {
  const strides = cellStrides(state.grid)
  return flowAxes(state.grid).map(axis => {
    const stride = strides[axis]
    const [lower, upper] = [1 << (2 * axis), 2 << (2 * axis)]
    return (values, cell) => [
      values[links[cell] & lower ? cell - stride : cell],
      values[links[cell] & upper ? cell + stride : cell],
    ]
  })
}
