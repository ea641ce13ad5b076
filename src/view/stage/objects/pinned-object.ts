/** All pinned contacts, wherever they are in the domain: a slice shows few of them. */
import { type BufferAttribute, BufferGeometry, Points, PointsMaterial } from 'three'
import type { Frame } from '../../../liquid/frame.js'
import { PINNED_VALUES } from '../fields/field-values.js'
import { PINNED_COLOURS } from '../fields/legend.js'
import { toLight } from '../three-colours.js'
import { createAttribute, fill } from './gpu-attribute.js'

export interface PinnedObject {
  readonly object: Points
  /** `values` as of the field "pinned". */
  update(frame: Frame, values: Float32Array): void
  dispose(): void
}

/** Side of a mark in cells: where many are together they stay apart. */
const SIZE = 0.8

export function createPinnedObject(): PinnedObject {
  const [red, green, blue] = PINNED_COLOURS.pinned.colour
  const material = new PointsMaterial({ color: toLight((red << 16) | (green << 8) | blue) })
  const geometry = new BufferGeometry()
  const object = new Points(geometry, material)
  object.frustumCulled = false
  let places = new Float32Array(0)
  let side = 0
  // Point sizes do not scale with the camera's field of view.
  object.onBeforeRender = (_renderer, _scene, camera) => {
    material.size = side * camera.projectionMatrix.elements[5]
  }

  return {
    object,
    update({ grid }, values) {
      const { shape, spacing, cells } = grid
      if (places.length !== 3 * cells) {
        geometry.dispose()
        places = new Float32Array(3 * cells)
        geometry.setAttribute('position', createAttribute(new Float32Array(3 * cells), 3))
      }
      let end = 0
      for (let k = 0, cell = 0; k < shape[2]; k++)
        for (let j = 0; j < shape[1]; j++)
          for (let i = 0; i < shape[0]; i++, cell++) {
            if (values[cell] !== PINNED_VALUES.pinned) continue
            places[end++] = (i + 0.5) * spacing
            places[end++] = (j + 0.5) * spacing
            places[end++] = (k + 0.5) * spacing
          }
      fill(geometry.getAttribute('position') as BufferAttribute, places.subarray(0, end))
      geometry.setDrawRange(0, end / 3)
      side = SIZE * spacing
    },
    dispose() {
      geometry.dispose()
      material.dispose()
    },
  }
}
