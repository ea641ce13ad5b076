/** A substep is a half step that ends with the solve, and one that begins after it (velocity Verlet): the second one needs the pressure before
 *  the liquid has moved, and it is given the pressure of the solve, once more. Three things would go wrong if it were given as it is.
 *
 *  - Where the constraint alone decides, the solve returns what is missing from twice the mean, p' = 2 m − p: noise in p would ring for ever
 *    with alternating sign. Less a share γ of its second difference in time, which is of second order as is the scheme, it decays: roots of
 *    z³ + (1 − γ) z² + 2 γ z − γ. The largest of them is smallest, 0.6, for γ = 0.08.
 *  - An impact would be given twice, and liquid would bounce. An impact is a pressure that was not there a substep before, so the pressure may
 *    grow by a factor of two at most, plus an allowance: what a cell of liquid weighs, because cells at the surface were dry before.
 *  - Liquid would be pulled towards a wall that it has just left: the pressure never changes its sign. */
import { DRY } from '../../../pressure/problem.js'
import type { KickHistory } from '../../loops.js'
import { MAX_GROWTH, RINGING_FILTER } from '../../shared-constants.js'
import { f32 } from '../arithmetic.js'
import { centreLattice, createPlace, interpolate, locate } from '../interpolate.js'
import type { PlainState } from '../state.js'
import { forCells } from './walk.js'

/** Sets `kickPressure`, and moves the pressures of past substeps on by one. */
export function predictKick(state: PlainState, { allowance, seconds, ratio }: KickHistory): void {
  const { grid, arrays } = state
  const { kind, pressure, kickPressure, lastPressure, earlierPressure } = arrays
  const carried = createCarriedPressure(state, seconds / grid.spacing)
  forCells(grid, (cell, i, j, k) => {
    const now = pressure[cell]
    const [last, earlier] = [lastPressure[cell], earlierPressure[cell]]
    const before = Math.max(Math.abs(last), Math.abs(kickPressure[cell]))
    kickPressure[cell] = 0
    earlierPressure[cell] = 0
    if (kind[cell] === DRY) return
    let kick = now
    if (last !== 0 && earlier !== 0) {
      const filtered = now - RINGING_FILTER * (now - last - ratio * (last - earlier))
      kick = filtered * now > 0 ? filtered : 0
    }
    let most = MAX_GROWTH * before + allowance
    if (Math.abs(kick) > most) {
      // Liquid that moves along with its walls brings its pressure along.
      most = Math.max(most, MAX_GROWTH * Math.abs(carried(cell, i, j, k)) + allowance)
      if (Math.abs(kick) > most) kick = kick > 0 ? most : -most
    }
    kickPressure[cell] = f32(kick)
    earlierPressure[cell] = now
  })
  arrays.lastPressure = earlierPressure
  arrays.earlierPressure = lastPressure
}

/** The last pressure where the content of a cell was then. `scale`: displacement in cells at 1 m/s. */
function createCarriedPressure({ grid, arrays }: PlainState, scale: number) {
  const { ux, uy, uz, lastPressure } = arrays
  const [nx, ny] = grid.shape
  const lattice = centreLattice(grid)
  const place = createPlace()
  const position = new Float32Array(3)
  return (cell: number, i: number, j: number, k: number) => {
    const [x, y] = [cell + j + ny * k, cell + nx * k]
    const u = 0.5 * (ux[x] + ux[x + 1])
    const v = 0.5 * (uy[y] + uy[y + nx])
    const w = grid.dims === 2 ? 0 : 0.5 * (uz[cell] + uz[cell + nx * ny])
    position[0] = i - scale * u
    position[1] = j - scale * v
    position[2] = k - scale * w
    // From the first centre, not from the corner of the grid.
    locate({ ...lattice, offset: [0, 0, 0] }, position, place)
    return interpolate(lastPressure, lattice, place)
  }
}
