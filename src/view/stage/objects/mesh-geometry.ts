/** Triangles in memory of the GPU that is reused and grows where it must. */
import type { BufferAttribute, BufferGeometry } from 'three'
import type { SurfaceMesh } from '../../../grid/isosurface.js'
import { createAttribute, fill } from './gpu-attribute.js'

/** Attributes "position" and "normal", and an index. */
export function setTriangles(geometry: BufferGeometry, { positions, normals, indices }: SurfaceMesh): void {
  const room = geometry.hasAttribute('position') ? geometry.getAttribute('position').array.length : 0
  const indexRoom = geometry.index?.array.length ?? 0
  if (!geometry.index || positions.length > room || indices.length > indexRoom) {
    // Buffers of the card have a fixed size; this gives them back.
    geometry.dispose()
    const vertices = 3 * Math.ceil((1.3 * positions.length) / 3) + 3
    for (const name of ['position', 'normal']) geometry.setAttribute(name, createAttribute(new Float32Array(vertices), 3))
    geometry.setIndex(createAttribute(new Uint32Array(Math.ceil(1.3 * indices.length) + 3), 1))
  }
  fill(geometry.getAttribute('position') as BufferAttribute, positions)
  fill(geometry.getAttribute('normal') as BufferAttribute, normals)
  fill(geometry.index!, indices)
  geometry.setDrawRange(0, indices.length)
}
