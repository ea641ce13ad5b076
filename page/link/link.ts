/** Anything that is JSON, with meshes, in the part of an address after #: deflated, with a checksum, in letters that addresses may have. */

import { deflateSync, inflateSync } from 'fflate'
import { InputError, type TriangleMesh } from 'peel'
import { crc32, parseJson } from 'peel/formats'

/** Of what a link means. A newer page reads older links. */
const VERSION = 1
/** Characters of a link that every browser and most other programs accept. */
export const MAX_LINK_LENGTH = 24_000
/** Bytes that a link may unfold to. */
const MAX_LINK_BYTES = 4_000_000
const CHECKSUM = 4

/** With its leading #. */
export function formatLink(content: unknown): string {
  const bytes = new TextEncoder().encode(JSON.stringify(content))
  const packed = deflateSync(bytes, { level: 9 })
  const all = new Uint8Array(packed.length + CHECKSUM)
  new DataView(all.buffer).setUint32(0, crc32(bytes))
  all.set(packed, CHECKSUM)
  return `#v${VERSION}.${toLetters(all)}`
}

/** Undefined where there is no link at all. */
export function parseLink(hash: string): unknown {
  if (hash === '' || hash === '#') return undefined
  const [, version, letters] = /^#v(\d+)\.([\w-]+)$/.exec(hash) ?? []
  if (version === undefined)
    throw new InputError('The part of the address after # is not a link of Peel; copy the whole link again.')
  if (Number(version) !== VERSION)
    throw new InputError(
      `The link is of version ${version}, and this page supports version ${VERSION}; open it with a newer Peel.`,
    )
  try {
    const all = fromLetters(letters)
    // More than that is cut off, and has another checksum.
    const bytes = inflateSync(all.subarray(CHECKSUM), { out: new Uint8Array(MAX_LINK_BYTES) })
    if (crc32(bytes) !== new DataView(all.buffer).getUint32(0)) throw new RangeError('another checksum')
    return parseJson(new TextDecoder().decode(bytes), 'The link')
  } catch {
    throw new InputError('The link is damaged: characters are missing or changed; copy the whole link again.')
  }
}

/** A mesh as JSON. */
export interface PackedMesh {
  /** Bytes of each coordinate: 4 where that loses nothing. */
  readonly width: 4 | 8
  readonly positions: string
  readonly triangles: string
}

export function packMesh({ positions, triangles }: TriangleMesh): PackedMesh {
  const width = positions.every(value => Math.fround(value) === value) ? 4 : 8
  const coordinates = new DataView(new ArrayBuffer(width * positions.length))
  positions.forEach((value, at) => {
    if (width === 4) coordinates.setFloat32(4 * at, value, true)
    else coordinates.setFloat64(8 * at, value, true)
  })
  const corners = new DataView(new ArrayBuffer(4 * triangles.length))
  triangles.forEach((vertex, at) => {
    corners.setUint32(4 * at, vertex, true)
  })
  const letters = ({ buffer }: DataView) => toLetters(new Uint8Array(buffer as ArrayBuffer))
  return { width, positions: letters(coordinates), triangles: letters(corners) }
}

export function unpackMesh(packed: unknown, name: string): TriangleMesh {
  const { width, positions, triangles } = (packed ?? {}) as Partial<PackedMesh>
  const refusal = new InputError(`The link has no valid mesh ${name}; copy the whole link again.`)
  if ((width !== 4 && width !== 8) || typeof positions !== 'string' || typeof triangles !== 'string') throw refusal
  try {
    const coordinates = new DataView(fromLetters(positions).buffer)
    const corners = new DataView(fromLetters(triangles).buffer)
    const get = (at: number) => (width === 4 ? coordinates.getFloat32(4 * at, true) : coordinates.getFloat64(8 * at, true))
    const mesh = {
      positions: Float64Array.from({ length: coordinates.byteLength / width }, (_, at) => get(at)),
      triangles: Uint32Array.from({ length: corners.byteLength / 4 }, (_, at) => corners.getUint32(4 * at, true)),
      collapsed: 0,
    }
    const vertices = mesh.positions.length / 3
    const isProper =
      mesh.triangles.length > 0 &&
      Number.isInteger(vertices) &&
      mesh.triangles.length % 3 === 0 &&
      mesh.positions.every(Number.isFinite) &&
      mesh.triangles.every(vertex => vertex < vertices)
    if (isProper) return mesh
  } catch {
    // Reported below.
  }
  throw refusal
}

/** Base 64 with the letters for addresses, without padding. */
function toLetters(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromLetters(letters: string): Uint8Array {
  return Uint8Array.from(atob(letters.replaceAll('-', '+').replaceAll('_', '/')), letter => letter.charCodeAt(0))
}
