/** Cameras that see all of a domain and are just near enough for that. Metres. */
import type { Grid } from '../grid/grid.js'
import { add, cross, dot, scale, type Vector } from './vector.js'
import type { FlatCamera, SpaceCamera } from './view.js'

export interface CameraOptions {
  /** Degrees around the vertical; at 0 x points right and the camera is on the side of large z. */
  readonly azimuth?: number
  /** Degrees above the floor, at most 89. */
  readonly elevation?: number
  /** Degrees from the lower to the upper border. */
  readonly fieldOfView?: number
  /** Above 1 the box is larger than the picture. */
  readonly zoom?: number
}

/** Part of the picture that the box fills where it is tightest. */
const FILLED_SHARE = 0.92

/** A box from the origin to `size`, in a picture of so many pixels. */
export function frameBox(size: Vector, width: number, height: number, options: CameraOptions = {}): SpaceCamera {
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
    const sideways = Math.abs(dot(right, c)) / (FILLED_SHARE * wide)
    const upwards = Math.abs(dot(up, c)) / (FILLED_SHARE * tall)
    away = Math.max(away, Math.max(sideways, upwards) - dot(forward, c))
  }
  return { eye: add(centre, scale(forward, -away / zoom)), forward, right: scale(right, wide), up: scale(up, tall) }
}

/** All of a 3D grid. */
export function fitSpace({ shape, spacing }: Grid, width: number, height: number, options?: CameraOptions): SpaceCamera {
  return frameBox(scale(shape, spacing), width, height, options)
}

/** All of a 2D grid, without a margin, in a picture whose sides have the ratio of the grid's as nearly as whole pixels allow. */
export function fitFlat({ shape: [nx, ny], spacing }: Grid, width: number, height: number): FlatCamera {
  const pixel = (nx * spacing) / width
  return { origin: [0, 0.5 * (ny * spacing - height * pixel)], pixel }
}
