/** Cameras of three.js as painters expect them. */
import { type Camera, OrthographicCamera } from 'three'
import type { FlatCamera, SpaceCamera } from '../../../paint/view.js'

/** With its matrices up to date, for a picture of so many rows of pixels. */
export function plainCamera(camera: Camera, rows: number): FlatCamera | SpaceCamera {
  return camera instanceof OrthographicCamera ? flatCamera(camera, rows) : spaceCamera(camera)
}

/** Looks along −z, at the plane z = 0. */
export function flatCamera({ left, right, top, bottom, zoom, position }: OrthographicCamera, rows: number): FlatCamera {
  return {
    origin: [position.x + lowerEnd(left, right, zoom), position.y + lowerEnd(bottom, top, zoom)],
    pixel: (top - bottom) / (zoom * rows),
  }
}

/** What a camera sees along an axis begins here, from its place. */
const lowerEnd = (from: number, to: number, zoom: number) => (from + to) / 2 - (to - from) / (2 * zoom)

/** The axis of the camera passes through the middle of the picture. */
export function spaceCamera({ matrixWorld, projectionMatrixInverse }: Camera): SpaceCamera {
  const world = matrixWorld.elements
  const axis = (column: number, by: number) =>
    [by * world[4 * column], by * world[4 * column + 1], by * world[4 * column + 2]] as const
  return {
    eye: axis(3, 1),
    forward: axis(2, -1),
    right: axis(0, projectionMatrixInverse.elements[0]),
    up: axis(1, projectionMatrixInverse.elements[5]),
  }
}
