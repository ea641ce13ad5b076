/** Cubic interpolation within bounds, for velocities that the grid advects: linear interpolation would smooth them in every substep. */
import { f32 } from '../arithmetic.js'
import type { Place, SampleLattice } from '../interpolate.js'

/** Rows of points along x that are summed, as steps along y and z from the lowest of the eight nearest points. Sums in f32 depend on the
 *  order. The first four are all there are where the lattice is one point deep. */
const ROWS: readonly (readonly [number, number])[] = [
  ...([
    [0, 0],
    [1, 0],
    [-1, 0],
    [2, 0],
  ] as const),
  ...([
    [-1, 1],
    [2, 1],
    [0, 1],
    [1, 1],
    [0, -1],
    [1, -1],
    [0, 2],
    [1, 2],
  ] as const),
]

/** Along one axis, for the points −1, 0, 1 and 2 steps from the lower of the two nearest. */
interface Weights {
  readonly linear: Float32Array
  /** A Catmull-Rom cubic has the weights `linear` + `bend`. */
  readonly bend: Float32Array
}

/** Catmull and Rom's cubic (1974) along each axis, linear along the others. With linear weights L and bends C along every axis, it is
 *
 *    Π (L + C)  ≈  LLL + CLL + LCL + LLC
 *
 *  where the mixed terms that are left out are of fourth order. A cubic overshoots where values jump, so the eight nearest points bound the
 *  result. Two points are needed on both sides along every axis, except along z where the lattice is one point deep. */
export function createCubic({ steps }: SampleLattice): (values: Float32Array, place: Place) => number {
  const rows = steps[2] === 0 ? ROWS.slice(0, 4) : ROWS
  const [x, y, z] = [createWeights(), createWeights(), createWeights()]
  // Sums over rows: of the four points along x with linear weights, and of the two nearest with the bends across x.
  const straight = new Float32Array(4)
  const bent = new Float32Array(2)
  return (values, { at, fraction }) => {
    ;[x, y, z].forEach((weights, axis) => {
      weigh(weights, fraction[axis])
    })
    straight.fill(0)
    bent.fill(0)
    let least = Infinity
    let most = -Infinity
    for (const [dy, dz] of rows) {
      const row = at + dy * steps[1] + dz * steps[2]
      const bend = f32(f32(y.bend[dy + 1] * z.linear[dz + 1]) + f32(y.linear[dy + 1] * z.bend[dz + 1]))
      for (let n = 0; n < 2; n++) bent[n] += f32(bend * values[row + n])
      if (dy < 0 || dy > 1 || dz < 0 || dz > 1) continue
      const weight = f32(y.linear[dy + 1] * z.linear[dz + 1])
      for (let n = 0; n < 4; n++) straight[n] += f32(weight * values[row + n - 1])
      least = Math.min(least, values[row], values[row + 1])
      most = Math.max(most, values[row], values[row + 1])
    }
    return Math.min(Math.max(alongX(x, fraction[0], straight, bent), least), most)
  }
}

/** Of the sums over rows. */
function alongX({ linear }: Weights, f: number, straight: Float32Array, bent: Float32Array): number {
  const lower = f32(linear[1] * f32(straight[1] + bent[0]))
  const line = f32(lower + f32(linear[2] * f32(straight[2] + bent[1])))
  const outer = f32(f32(linear[1] * straight[0]) + f32(linear[2] * straight[3]))
  const inner = f32(f32(lowerBend(f) * straight[1]) + f32(upperBend(f) * straight[2]))
  return f32(line + f32(bendOf(f) * f32(outer + inner)))
}

const createWeights = (): Weights => ({ linear: new Float32Array(4), bend: new Float32Array(4) })

function weigh({ linear, bend }: Weights, f: number): void {
  const factor = bendOf(f)
  linear[1] = 1 - f
  linear[2] = f
  bend[0] = factor * linear[1]
  bend[1] = factor * lowerBend(f)
  bend[2] = factor * upperBend(f)
  bend[3] = factor * f
}

/** A cubic through four points is above the line between the inner two by this times (1 − f) first + (3f − 2) second + (1 − 3f) third +
 *  f fourth. */
const bendOf = (f: number) => f32(f32(-0.5 * f) * f32(1 - f))
const lowerBend = (f: number) => f32(f32(3 * f) - 2)
const upperBend = (f: number) => f32(1 - f32(3 * f))
