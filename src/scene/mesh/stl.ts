/** Facets of STL files, binary or text. The format has numbers in single precision, and so are those that are read, so that equal corners
 *  of neighbours are equal. */
import type { Fail, MeshFaces } from './faces.js'

const STL_HEADER = 84
const FACET = 50
const NORMAL = 12
/** Bytes that distinguish text from binary data: the header, and at least one facet. */
const LOOKED_AT = 512

export function readStl(bytes: Uint8Array, fail: Fail): MeshFaces {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const facets = bytes.length < STL_HEADER ? undefined : view.getUint32(STL_HEADER - 4, true)
  const size = facets === undefined ? undefined : STL_HEADER + FACET * facets
  // Many programs begin binary files with the word that text files begin with.
  if (size !== bytes.length && isText(bytes)) return readText(new TextDecoder().decode(bytes), fail)
  if (facets === undefined || size === undefined) return fail(`has ${bytes.length} bytes, too few for an STL file`)
  if (size > bytes.length)
    fail(`is cut off or not an STL file: ${facets} triangles need ${size} bytes, and it has ${bytes.length}; export it again`)
  const positions = new Float32Array(9 * facets)
  for (let facet = 0, to = 0; facet < facets; facet++)
    for (let at = 0; at < 9; at++) positions[to++] = view.getFloat32(STL_HEADER + FACET * facet + NORMAL + 4 * at, true)
  return ofTriples(positions, new Uint8Array(facets).fill(3))
}

function isText(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, LOOKED_AT)
  return !start.includes(0) && /^\uFEFF?\s*solid/i.test(new TextDecoder('utf-8', { ignoreBOM: true }).decode(start))
}

function readText(text: string, fail: Fail): MeshFaces {
  const positions: number[] = []
  const sizes: number[] = []
  let corners = 0
  // The name of a solid may be any text.
  const words = text.replace(/^\uFEFF?[ \t]*(?:end)?solid\b.*$/gim, '').matchAll(/\S+/g)
  for (const [word] of words) {
    const keyword = word.toLowerCase()
    if (keyword === 'vertex') {
      for (let axis = 0; axis < 3; axis++) positions.push(Math.fround(Number(words.next().value?.[0] ?? Number.NaN)))
      corners++
    } else if ((keyword === 'endloop' || keyword === 'facet') && corners > 0) {
      sizes.push(corners)
      corners = 0
    }
  }
  if (corners > 0) fail(`ends inside facet ${sizes.length + 1}; export it again`)
  return ofTriples(positions, sizes)
}

/** Every facet has vertices of its own. */
function ofTriples(positions: ArrayLike<number>, sizes: ArrayLike<number>): MeshFaces {
  return { positions, sizes, corners: Uint32Array.from({ length: positions.length / 3 }, (_, at) => at) }
}
