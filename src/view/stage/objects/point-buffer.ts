/** Points in memory of the GPU that is reused from frame to frame and grows where it must. */
import { type BufferAttribute, BufferGeometry } from 'three'
import { createAttribute, send } from './gpu-attribute.js'

/** How many numbers a point has of each attribute, and of which kind; those of 8 bits reach from -1 to 1 in shaders. */
export type PointAttributes = Readonly<Record<string, { readonly size: number; readonly isByte?: boolean }>>

export interface PointBuffer<Attributes extends PointAttributes> {
  readonly geometry: BufferGeometry
  /** Where up to so many points are to be written. */
  begin(most: number): Readonly<Record<keyof Attributes, Float32Array | Int8Array>>
  /** So many were. */
  end(count: number): void
}

export function createPointBuffer<Attributes extends PointAttributes>(attributes: Attributes): PointBuffer<Attributes> {
  const geometry = new BufferGeometry()
  const names = Object.keys(attributes)
  let room = 0
  function reserve(count: number): void {
    room = Math.ceil(count)
    // Buffers of the card have a fixed size; this gives them back.
    geometry.dispose()
    for (const name of names) {
      const { size, isByte = false } = attributes[name]
      const array = isByte ? new Int8Array(size * room) : new Float32Array(size * room)
      geometry.setAttribute(name, createAttribute(array, size))
    }
  }
  reserve(1024)
  return {
    geometry,
    begin(most) {
      if (most > room) reserve(1.3 * most)
      return Object.fromEntries(names.map(name => [name, geometry.getAttribute(name).array])) as ReturnType<
        PointBuffer<Attributes>['begin']
      >
    },
    end(count) {
      for (const name of names) {
        const attribute = geometry.getAttribute(name) as BufferAttribute
        send(attribute, attribute.itemSize * count)
      }
      geometry.setDrawRange(0, count)
    },
  }
}
