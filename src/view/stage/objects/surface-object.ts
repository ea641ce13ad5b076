/** The surface of frames as an object for any three.js scene. */
import { BufferGeometry, Mesh, MeshPhysicalMaterial } from 'three'
import { untilDisposed } from '../../../checks.js'
import { checkFrame, type Frame } from '../../../liquid/frame.js'
import { surfaceMesh } from '../../../liquid/surface/surface-mesh.js'
import { setTriangles } from './mesh-geometry.js'

export interface SurfaceObject {
  /** Its material may be replaced or changed; it needs lights, and mirrors the environment of the scene if there is one. */
  readonly object: Mesh<BufferGeometry, MeshPhysicalMaterial>
  update(frame: Frame): void
  dispose(): void
}

export function createSurfaceObject(): SurfaceObject {
  const material = new MeshPhysicalMaterial({ color: 0x3596e0, roughness: 0.2, metalness: 0, ior: 1.33, clearcoat: 0.4 })
  const object = new Mesh(new BufferGeometry(), material)
  object.frustumCulled = false
  const surfaceObject: SurfaceObject = {
    object,
    update(frame) {
      checkFrame(frame, 'update: the frame')
      setTriangles(object.geometry, surfaceMesh(frame))
    },
    dispose() {
      object.geometry.dispose()
      material.dispose()
    },
  }
  return untilDisposed(surfaceObject, 'the object')
}
