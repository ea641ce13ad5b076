/** Between pixels and places in the scene. Pixels are in clip space: from -1 to 1, x to the right, y up. */
import { type Camera, Raycaster, type Ray as ThreeRay, type Vector2, Vector3 } from 'three'
import type { Vector } from '../../scene/setting.js'

export interface Ray {
  readonly origin: Vector
  /** Of length 1. */
  readonly direction: Vector
}

/** From the eye through a pixel. */
export function rayThrough(camera: Camera, pixel: Vector2): ThreeRay {
  camera.updateMatrixWorld()
  const caster = new Raycaster()
  caster.setFromCamera(pixel, camera)
  return caster.ray
}

/** Where the ray through a pixel meets the plane through a point that faces the camera. */
export function pointFacing(camera: Camera, pixel: Vector2, point: Vector): Vector {
  const { origin, direction } = rayThrough(camera, pixel)
  const normal = camera.getWorldDirection(new Vector3())
  const distance = new Vector3(...point).sub(origin).dot(normal) / direction.dot(normal)
  return direction.clone().multiplyScalar(distance).add(origin).toArray()
}

/** The pixel where a place is seen. */
export function projected(camera: Camera, place: Vector): [x: number, y: number] {
  camera.updateMatrixWorld()
  const { x, y } = new Vector3(...place).project(camera)
  return [x, y]
}
