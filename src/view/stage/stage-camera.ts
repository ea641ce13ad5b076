/** The camera of a stage: around a box in 3D, over a plane in 2D; moved by mouse, wheel and fingers. */
import { MOUSE, OrthographicCamera, PerspectiveCamera, TOUCH, Vector3 } from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import { frameBox } from '../../paint/camera.js'
import type { Vector } from '../../scene/setting.js'

/** Where a camera is, as plain data: for links, and for two stages with one view. Metres. */
export interface CameraPlace {
  readonly eye: Vector
  readonly target: Vector
  readonly zoom: number
}

export interface StageCamera {
  readonly camera: PerspectiveCamera | OrthographicCamera
  place: CameraPlace
  /** Whether pointers move it. */
  enabled: boolean
  /** Sees all of a box from the origin to `size`. */
  fit(size: Vector): void
  resize(width: number, height: number): void
  dispose(): void
}

const FIELD_OF_VIEW = 28
/** Share of the picture that a 2D domain fills. */
const FLAT_FILLED_SHARE = 0.97

export function createStageCamera(canvas: HTMLCanvasElement, dims: 2 | 3, onMove: () => void): StageCamera {
  const camera = dims === 3 ? new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100) : new OrthographicCamera(-1, 1, 1, -1, 0, 10)
  const controls = new OrbitControls(camera, canvas)
  controls.addEventListener('change', () => {
    isMoved = true
    onMove()
  })
  controls.zoomToCursor = dims === 2
  if (dims === 2) {
    controls.enableRotate = false
    controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN }
    controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN }
    Object.assign(controls, { minZoom: 0.5, maxZoom: 40 })
  } else controls.maxPolarAngle = 0.5 * Math.PI - 0.01 // not below the ground
  let size: Vector = [1, 1, 1]
  let width = 1
  let height = 1
  /** Since all was seen last. */
  let isMoved = false

  function setFrustum(): void {
    if (camera instanceof PerspectiveCamera) {
      camera.aspect = width / height
      const length = Math.hypot(...size)
      camera.near = 0.02 * length
      camera.far = 40 * length
      Object.assign(controls, { minDistance: 0.3 * length, maxDistance: 8 * length })
    } else {
      const tall = Math.max(size[1], (size[0] * height) / width) / (2 * FLAT_FILLED_SHARE)
      const wide = (tall * width) / height
      Object.assign(camera, { left: -wide, right: wide, top: tall, bottom: -tall })
    }
    camera.updateProjectionMatrix()
  }

  const stageCamera: StageCamera = {
    camera,
    get enabled() {
      return controls.enabled
    },
    set enabled(value) {
      controls.enabled = value
    },
    get place() {
      return { eye: camera.position.toArray(), target: controls.target.toArray(), zoom: camera.zoom }
    },
    set place({ eye, target, zoom }) {
      camera.position.set(...eye)
      controls.target.set(...target)
      camera.zoom = zoom
      camera.updateProjectionMatrix()
      camera.lookAt(controls.target)
      isMoved = true
    },
    fit(box) {
      size = box
      setFrustum()
      const centre = new Vector3(...size).multiplyScalar(0.5)
      if (dims === 2) centre.z = 0
      const eye: Vector =
        dims === 2
          ? [centre.x, centre.y, 5]
          : frameBox(size, width, height, { fieldOfView: FIELD_OF_VIEW, azimuth: 28, elevation: 22 }).eye
      stageCamera.place = { eye, target: centre.toArray(), zoom: 1 }
      isMoved = false
    },
    resize(newWidth, newHeight) {
      width = newWidth
      height = newHeight
      if (isMoved) setFrustum()
      else stageCamera.fit(size)
    },
    dispose() {
      controls.dispose()
    },
  }
  return stageCamera
}
