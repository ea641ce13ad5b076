/** The part of the screen that a box can be seen in: passes over all pixels need not leave it. */
import { type Box3, type PerspectiveCamera, Vector3, type Vector4 } from 'three'

const corner = new Vector3()

/** Writes left, bottom, width and height in whole pixels of a screen of that size; the whole screen if the box reaches the
 *  eye. */
export function screenBounds(box: Box3, camera: PerspectiveCamera, width: number, height: number, into: Vector4): void {
  const { min, max } = box
  into.set(0, 0, 0, 0)
  if (box.isEmpty()) return
  let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let n = 0; n < 8; n++) {
    corner.set(n & 1 ? max.x : min.x, n & 2 ? max.y : min.y, n & 4 ? max.z : min.z).applyMatrix4(camera.matrixWorldInverse)
    if (corner.z > -camera.near) {
      into.set(0, 0, width, height)
      return
    }
    corner.applyMatrix4(camera.projectionMatrix)
    left = Math.min(left, corner.x)
    right = Math.max(right, corner.x)
    bottom = Math.min(bottom, corner.y)
    top = Math.max(top, corner.y)
  }
  const toPixel = (place: number, size: number) => Math.min(Math.max((0.5 + 0.5 * place) * size, 0), size)
  const [x, y] = [Math.floor(toPixel(left, width)), Math.floor(toPixel(bottom, height))]
  into.set(x, y, Math.ceil(toPixel(right, width)) - x, Math.ceil(toPixel(top, height)) - y)
}

/** The largest distance of a box along the axis of the camera. */
export function farthestIn(box: Box3, camera: PerspectiveCamera): number {
  const radius = 0.5 * box.min.distanceTo(box.max)
  return radius - box.getCenter(corner).applyMatrix4(camera.matrixWorldInverse).z
}
