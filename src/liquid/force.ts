/** A force of the caller's, sampled on the faces of a liquid. It is called once per face and substep, at the start of the substep, always in
 *  the order of faces: the time step has to know how strong it is before velocities change. */
import { AXES, faceShape } from '../grid/grid.js'
import { createFaceField } from '../grid/staggered.js'
import { InputError } from '../input-error.js'
import { show } from '../printable.js'
import type { Force, Vector } from '../scene/setting.js'
import type { LiquidLoops } from './loops.js'
import { NO_VELOCITY } from './shared-constants.js'

export interface SampledForce {
  /** Samples the force on faces that have a velocity, known or extrapolated: all that liquid can reach. Returns the largest acceleration
   *  by force and gravity together, m/s². */
  sample(time: number, gravity: Vector): number
  /** Adds what it does to velocities within `dt` seconds. */
  add(dt: number): void
}

export function createSampledForce(liquid: LiquidLoops, force: Force): SampledForce {
  const { grid } = liquid
  const axes = AXES.slice(0, grid.dims)
  const accelerations = createFaceField(grid)
  const layersOf = () => [liquid.arrays.layerX, liquid.arrays.layerY, liquid.arrays.layerZ]

  function forceAt(place: Vector, time: number): ArrayLike<number> {
    const found = force(...place, time)
    for (const axis of axes) if (!Number.isFinite(found?.[axis])) refuseForce(found, place.slice(0, grid.dims), time)
    return found
  }

  return {
    sample(time, gravity) {
      let largest = 0
      const [gx, gy, gz] = gravity
      const layers = layersOf()
      for (const axis of axes) {
        const [nx, ny, nz] = faceShape(grid, axis)
        const offset = [0.5, 0.5, grid.dims === 2 ? 0 : 0.5]
        offset[axis] = 0
        const at = (along: number, index: number) => (index + offset[along]) * grid.spacing
        for (let k = 0, face = 0; k < nz; k++)
          for (let j = 0; j < ny; j++)
            for (let i = 0; i < nx; i++, face++) {
              if (layers[axis][face] === NO_VELOCITY) continue
              const found = forceAt([at(0, i), at(1, j), at(2, k)], time)
              accelerations[axis][face] = found[axis]
              largest = Math.max(largest, Math.hypot(gx + found[0], gy + found[1], grid.dims === 2 ? gz : gz + found[2]))
            }
      }
      return largest
    },
    add(dt) {
      const { ux, uy, uz } = liquid.arrays
      const layers = layersOf()
      for (const axis of axes) {
        const [u, layer, acceleration] = [[ux, uy, uz][axis], layers[axis], accelerations[axis]]
        for (let face = 0; face < u.length; face++) if (layer[face] !== NO_VELOCITY) u[face] += acceleration[face] * dt
      }
    },
  }
}

function refuseForce(found: unknown, place: readonly number[], time: number): never {
  const where = `(${place.map(part => Number(part.toPrecision(6))).join(', ')}) m`
  throw new InputError(
    `The force at ${where} and ${Number(time.toPrecision(6))} s must be ${place.length} finite numbers in m/s², not ${show(found)}.`,
  )
}
