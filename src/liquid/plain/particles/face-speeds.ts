/** The velocity of the grid before forces act on it: kept, because FLIP adds its change to particles, and measured, because speeds
 *  limit the length of a substep. */
import type { FaceSpeeds, SpeedOptions } from '../../loops.js'
import { NO_VELOCITY } from '../../shared-constants.js'
import { byAxis, forFaces } from '../grid/walk.js'
import type { PlainState } from '../state.js'

/** Steps that speeds are counted in; the last one counts everything faster. */
const FACE_SPEED_STEPS = 1024

/** Copies velocities to `beforeX` …, 0 where there are none, and measures known ones. */
export function keepVelocity(state: PlainState, { step, share }: SpeedOptions): FaceSpeeds {
  const { u, before, layer } = byAxis(state)
  const counts = new Int32Array(FACE_SPEED_STEPS)
  let largest = 0
  let isDefined = true
  forFaces(state.grid, (axis, face) => {
    const velocity = u[axis][face]
    before[axis][face] = layer[axis][face] === NO_VELOCITY ? 0 : velocity
    if (layer[axis][face] !== 0) return
    const speed = Math.abs(velocity)
    if (speed > largest) largest = speed
    if (Number.isNaN(speed)) isDefined = false
    else counts[Math.min(FACE_SPEED_STEPS - 1, Math.floor(speed * (1 / step)))]++
  })
  if (!isDefined) return { largest: NaN, usual: NaN }
  return { largest, usual: Math.min(largest, step * usualSteps(counts, share)) }
}

/** The speed, in steps, that all but a share of the faces stay below; infinite if it is beyond what is counted. */
function usualSteps(counts: Int32Array, share: number): number {
  const known = counts.reduce((total, count) => total + count, 0)
  let faster = 0
  for (let speed = FACE_SPEED_STEPS - 1; speed >= 0; speed--) {
    faster += counts[speed]
    if (faster > share * known) return speed === FACE_SPEED_STEPS - 1 ? Infinity : speed + 1
  }
  return 0
}
