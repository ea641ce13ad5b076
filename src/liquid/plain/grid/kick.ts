/** A substep is a half step that ends with the solve, and one that begins after it (velocity Verlet): the second one needs the pressure before
 *  the liquid has moved, and it is given the pressure of the solve, once more. Three things would go wrong if it were given as it is.
 *
 *  - Where the constraint alone decides, the solve returns what is missing from twice the mean, p' = 2 m − p: noise in p would ring for ever
 *    with alternating sign. Less a share γ of its second difference in time, which is of second order as is the scheme, it decays. The
 *    difference is that of the last three substeps, continued to now, 2 p₀ − 5 p₁ + 4 p₂ − p₃ for substeps of the same length: one that lags
 *    would make waves grow. Noise then decays as the roots of z⁴ + (1 − 2 γ) z³ + 5 γ z² − 4 γ z + γ, of which the largest is smallest, 0.63,
 *    for γ = 0.0155.
 *  - An impact would be given twice, and liquid would bounce. An impact is a pressure of more than twice that of the last kick, on the way that
 *    the liquid has come and beside it, and more than an allowance: what a cell of liquid weighs, because cells at the surface were dry
 *    before. The kick after it is given the mean pressure m of the last substep, so that what remains of the pressure is not overshot; but no
 *    more than those bounds, or half of what the last three solves had in common: where there was no kick, half of their pressure is what
 *    lasts, and an impact is over within two. In the first substeps the last solve counts, because the first one knows nothing of flow on
 *    curved paths.
 *  - Where the surface passes close to a centre, the pressure there is small, and any other one would drive liquid off at hundreds of metres a
 *    second; and where liquid has just left a wall there is none. So what is removed is at most half of the pressure.
 *  - Below a surface that rises and falls the pressure follows, and what the filter removes would be as large at the surface, where there is no
 *    pressure: the gradient of it in the uppermost cell would lift crests and lower troughs, by γ (ω dt)² of their height in a substep.
 *    So the share that is removed grows with the pressure, over as many cells as velocities of the surface come from. */
import { DRY } from '../../../pressure/problem.js'
import type { KickHistory } from '../../loops.js'
import { MAX_GROWTH, RINGING_DEPTH, RINGING_FILTER } from '../../shared-constants.js'
import { f32 } from '../arithmetic.js'
import type { PlainState } from '../state.js'
import { forCells } from './walk.js'

/** Sets `kickPressure`, and moves the pressures of past substeps on by one. */
export function predictKick(state: PlainState, { allowance, seconds, ratio, earlierRatio }: KickHistory): void {
  const { grid, arrays } = state
  const { kind, pressure, adhesion, kickPressure, lastPressure, earlierPressure, earliestPressure } = arrays
  const largestBefore = createLargestBefore(state, seconds / grid.spacing)
  forCells(grid, (cell, i, j, k) => {
    const now = pressure[cell]
    const [last, earlier, earliest] = [lastPressure[cell], earlierPressure[cell], earliestPressure[cell]]
    const before = kickPressure[cell]
    kickPressure[cell] = 0
    earliestPressure[cell] = 0
    if (kind[cell] === DRY) return
    let kick = now
    if (last !== 0 && earlier !== 0 && earliest !== 0) {
      // Changes within a time as long as the last substep.
      const changeBefore = ratio * (last - earlier)
      const changeEarlier = ratio * earlierRatio * (earlier - earliest)
      const ringing = RINGING_FILTER * (2 * (now - last) - 3 * changeBefore + changeEarlier)
      const deep = Math.abs(now) / (RINGING_DEPTH * allowance)
      const most = Math.abs(now) / MAX_GROWTH
      kick = now - Math.max(-most, Math.min(most, deep < 1 ? deep * ringing : ringing))
    }
    if (Math.abs(kick) > MAX_GROWTH * Math.abs(before) + allowance) {
      const usual = MAX_GROWTH * largestBefore(cell, i, j, k) + allowance
      if (Math.abs(kick) > usual) {
        const common = Math.min(Math.abs(last), Math.abs(earlier), Math.abs(earliest))
        const lasting = earlierRatio === 0 ? Math.abs(last) : common
        const [mean, most] = [0.5 * (now + before), Math.max(usual, lasting / MAX_GROWTH)]
        kick = Math.abs(mean) > most ? (mean > 0 ? most : -most) : mean
      }
    }
    // The prediction must not pull harder than the wall can.
    if (adhesion[cell] > 0 && kick < -adhesion[cell]) kick = -adhesion[cell]
    kickPressure[cell] = f32(kick)
    earliestPressure[cell] = now
  })
  arrays.lastPressure = earliestPressure
  arrays.earlierPressure = lastPressure
  arrays.earliestPressure = earlierPressure
}

/** The largest pressure of the last kick, without its sign, in a box from where the content of a cell was then to the cells around this one.
 *  `scale`: displacement in cells at 1 m/s. */
function createLargestBefore({ grid, arrays }: PlainState, scale: number) {
  const { ux, uy, uz } = arrays
  const [nx, ny] = grid.shape
  const kick = arrays.kickPressure.slice()
  return (cell: number, i: number, j: number, k: number) => {
    const [x, y] = [cell + j + ny * k, cell + nx * k]
    const velocity = [
      0.5 * (ux[x] + ux[x + 1]),
      0.5 * (uy[y] + uy[y + nx]),
      grid.dims === 2 ? 0 : 0.5 * (uz[cell] + uz[cell + nx * ny]),
    ]
    const place = [i, j, k]
    const from = place.map((index, axis) => Math.floor(index - scale * velocity[axis]))
    const first = place.map((index, axis) => Math.max(0, Math.min(index - 1, from[axis])))
    const last = place.map((index, axis) => Math.min(grid.shape[axis] - 1, Math.max(index + 1, from[axis] + 1)))
    let largest = 0
    for (let c = first[2]; c <= last[2]; c++)
      for (let b = first[1]; b <= last[1]; b++)
        for (let a = first[0]; a <= last[0]; a++) largest = Math.max(largest, Math.abs(kick[a + nx * (b + ny * c)]))
    return largest
  }
}
