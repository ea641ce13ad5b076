/** Rotations as vectors: the direction is the axis, the length the angle in radians. So they can be interpolated over several turns. */

import type { ScalarFunction } from '../grid/field.js'
import { moveRigidly } from '../grid/shapes.js'
import type { Rotation } from './schema/shape.js'
import type { Matrix, Pose, Vector } from './setting.js'

/** The pose of a shape that has not moved. */
export const AT_ORIGIN: Pose = { R: [1, 0, 0, 0, 1, 0, 0, 0, 1], shift: [0, 0, 0] }

/** Lower and upper corner; lower above upper: nothing. */
export type Bounds = readonly [Vector, Vector]

export const NOWHERE: Bounds = [
  [Infinity, Infinity, Infinity],
  [-Infinity, -Infinity, -Infinity],
]
export const EVERYWHERE: Bounds = [NOWHERE[1], NOWHERE[0]]

export function rotationVector(rotation: Rotation | undefined): Vector {
  if (rotation === undefined) return [0, 0, 0]
  if (typeof rotation === 'number') return [0, 0, (rotation * Math.PI) / 180]
  const { axis, angle } = rotation
  const factor = (angle * Math.PI) / 180 / Math.hypot(...axis)
  return [axis[0] * factor, axis[1] * factor, axis[2] * factor]
}

/** Rodrigues' formula. */
export function rotationMatrix([x, y, z]: Vector): Matrix {
  const angle = Math.hypot(x, y, z)
  if (angle === 0) return AT_ORIGIN.R
  const [a, b, c] = [x / angle, y / angle, z / angle]
  const s = Math.sin(angle)
  const v = 2 * Math.sin(0.5 * angle) ** 2
  const u = 1 - v
  return [
    u + v * a * a,
    v * a * b - s * c,
    v * a * c + s * b,
    v * a * b + s * c,
    u + v * b * b,
    v * b * c - s * a,
    v * a * c - s * b,
    v * b * c + s * a,
    u + v * c * c,
  ]
}

/** Angular velocity of the rotation `r` that changes by `rate` in a second: the left Jacobian of the exponential map. */
export function angularVelocity(r: Vector, rate: Vector): Vector {
  const angle = Math.hypot(...r)
  // The rest of the series of sin θ / θ and the like is below rounding at this size.
  const small = angle < 1e-4
  const straight = small ? 1 - angle ** 2 / 6 : Math.sin(angle) / angle
  const turned = small ? 0.5 - angle ** 2 / 24 : (2 * Math.sin(0.5 * angle) ** 2) / angle ** 2
  const along = small ? 1 / 6 : (1 - straight) / angle ** 2
  const dot = r[0] * rate[0] + r[1] * rate[1] + r[2] * rate[2]
  const side = cross(r, rate)
  const part = (axis: 0 | 1 | 2) => straight * rate[axis] + turned * side[axis] + along * dot * r[axis]
  return [part(0), part(1), part(2)]
}

export function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

export function multiply(R: Matrix, [x, y, z]: Vector): Vector {
  return [R[0] * x + R[1] * y + R[2] * z, R[3] * x + R[4] * y + R[5] * z, R[6] * x + R[7] * y + R[8] * z]
}

/** Moves every point X to R (X − pivot) + pivot + shift. */
export function moveAbout(R: Matrix, pivot: Vector, shift: Vector): Pose {
  const turned = multiply(R, pivot)
  return { R, shift: [pivot[0] - turned[0] + shift[0], pivot[1] - turned[1] + shift[1], pivot[2] - turned[2] + shift[2]] }
}

export function movePoint(point: Vector, { R, shift }: Pose): Vector {
  const [x, y, z] = multiply(R, point)
  return [x + shift[0], y + shift[1], z + shift[2]]
}

export function movePhi(phi: ScalarFunction, { R, shift }: Pose): ScalarFunction {
  return moveRigidly(phi, R, shift)
}

/** A box along the axes around the moved box. */
export function moveBounds([low, high]: Bounds, { R, shift }: Pose): Bounds {
  if (low.some((value, axis) => value > high[axis])) return NOWHERE
  const extreme = (row: number, sign: 1 | -1) => {
    let sum = shift[row]
    for (let axis = 0; axis < 3; axis++) {
      const factor = R[3 * row + axis]
      // Nothing times infinity is nothing here: that axis has no part in this row.
      if (factor !== 0) sum += factor * sign > 0 ? factor * high[axis] : factor * low[axis]
    }
    return sum
  }
  return [
    [extreme(0, -1), extreme(1, -1), extreme(2, -1)],
    [extreme(0, 1), extreme(1, 1), extreme(2, 1)],
  ]
}

/** Where a rigid body carries its points between two poses: x becomes R x + shift, exactly x if the poses are equal. */
export function motionBetween(before: Pose, after: Pose): Pose {
  const [a, b] = [before.R, after.R]
  if (a.every((part, at) => part === b[at]))
    return { R: AT_ORIGIN.R, shift: [0, 1, 2].map(axis => after.shift[axis] - before.shift[axis]) as unknown as Vector }
  const part = (row: number, column: number) => b[row] * a[column] + b[row + 1] * a[column + 1] + b[row + 2] * a[column + 2]
  const R: Matrix = [part(0, 0), part(0, 3), part(0, 6), part(3, 0), part(3, 3), part(3, 6), part(6, 0), part(6, 3), part(6, 6)]
  const [x, y, z] = multiply(R, before.shift)
  return { R, shift: [after.shift[0] - x, after.shift[1] - y, after.shift[2] - z] }
}
