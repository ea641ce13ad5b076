/** PLY files, binary and little-endian: surfaces with normals, and particles with velocities. */
import type { SurfaceMesh } from '../../grid/isosurface.js'
import type { FrameParticles } from '../../liquid/frame.js'

/** Metres. */
export function formatMeshPly({ positions, normals, indices }: SurfaceMesh): Uint8Array {
  const vertices = positions.length / 3
  const faces = indices.length / 3
  const header = headerOf([
    `element vertex ${vertices}`,
    ...floats('x', 'y', 'z', 'nx', 'ny', 'nz'),
    `element face ${faces}`,
    'property list uchar uint vertex_indices',
  ])
  const bytes = new Uint8Array(header.length + 24 * vertices + 13 * faces)
  bytes.set(header)
  const view = new DataView(bytes.buffer)
  let at = putRows(view, header.length, positions, normals)
  for (let face = 0; face < indices.length; face += 3, at += 13) {
    view.setUint8(at, 3)
    for (let corner = 0; corner < 3; corner++) view.setUint32(at + 1 + 4 * corner, indices[face + corner], true)
  }
  return bytes
}

/** Metres and m/s; the velocity is there as vx, vy, vz. */
export function formatParticlesPly({ position, velocity }: FrameParticles): Uint8Array {
  const header = headerOf([`element vertex ${position.length / 3}`, ...floats('x', 'y', 'z', 'vx', 'vy', 'vz')])
  const bytes = new Uint8Array(header.length + 8 * position.length)
  bytes.set(header)
  putRows(new DataView(bytes.buffer), header.length, position, velocity)
  return bytes
}

const floats = (...names: string[]) => names.map(name => `property float ${name}`)

function headerOf(lines: readonly string[]): Uint8Array {
  return new TextEncoder().encode(
    `${['ply', 'format binary_little_endian 1.0', 'comment Peel, metres, y is up', ...lines, 'end_header'].join('\n')}\n`,
  )
}

/** Three numbers of one array, three of the other, and so on; returns where they end. */
function putRows(view: DataView, start: number, left: Float32Array, right: Float32Array): number {
  let at = start
  for (let row = 0; row < left.length; row += 3, at += 24) {
    for (let axis = 0; axis < 3; axis++) {
      view.setFloat32(at + 4 * axis, left[row + axis], true)
      view.setFloat32(at + 12 + 4 * axis, right[row + axis], true)
    }
  }
  return at
}
