/** A camera that looks at the box of a grid and stands just far enough away to see all of it. Lengths in cells. */
import type { Vector } from '../scene/setting.js'

export interface Camera {
  readonly eye: Vector
  /** To the middle of the picture, to its right border and to its upper border, seen from the eye. */
  readonly forward: Vector
  readonly right: Vector
  readonly up: Vector
  /** Radians per pixel, in the middle. */
  readonly pixelAngle: number
}

export interface CameraOptions {
  /** Degrees around the vertical; at 0 x goes to the right and the camera stands on the side of large z. */
  readonly azimuth?: number
  /** Degrees above the floor, at most 89. */
  readonly elevation?: number
  /** Degrees from the lower to the upper border. */
  readonly fieldOfView?: number
  /** Above 1 the box is larger than the picture. */
  readonly zoom?: number
}

/** Part of the picture that the box takes up where it is tightest. */
const FILLED = 0.92

export function frameBox(size: Vector, width: number, height: number, options: CameraOptions = {}): Camera {
  const { azimuth = 28, elevation = 17, fieldOfView = 28, zoom = 1 } = options
  const a = (azimuth * Math.PI) / 180
  const e = (Math.min(Math.max(elevation, 0), 89) * Math.PI) / 180
  const forward: Vector = [-Math.sin(a) * Math.cos(e), -Math.sin(e), -Math.cos(a) * Math.cos(e)]
  const right: Vector = [Math.cos(a), 0, -Math.sin(a)]
  const up = cross(right, forward)
  const tall = Math.tan((fieldOfView * Math.PI) / 360)
  const wide = (tall * width) / height
  const centre = scale(size, 0.5)
  let away = 0
  // Every corner at c sees |right · c| ≤ filled · wide · (away + forward · c), and so upwards.
  for (let corner = 0; corner < 8; corner++) {
    const c: Vector = [0, 1, 2].map(axis => ((corner >> axis) & 1 ? centre[axis] : -centre[axis])) as unknown as Vector
    const sideways = Math.abs(dot(right, c)) / (FILLED * wide)
    const upwards = Math.abs(dot(up, c)) / (FILLED * tall)
    away = Math.max(away, Math.max(sideways, upwards) - dot(forward, c))
  }
  return {
    eye: add(centre, scale(forward, -away / zoom)),
    forward,
    right: scale(right, wide),
    up: scale(up, tall),
    pixelAngle: (2 * tall) / height,
  }
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

function add(a: Vector, b: Vector): Vector {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

function scale(a: Vector, by: number): Vector {
  return [a[0] * by, a[1] * by, a[2] * by]
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
