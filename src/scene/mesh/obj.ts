/** Vertices and faces of Wavefront OBJ files; all else (normals, materials, groups, curves) is of no use here. */
import type { Fail, MeshFaces } from './faces.js'

export function readObj(bytes: Uint8Array, fail: Fail): MeshFaces {
  const positions: number[] = []
  const corners: number[] = []
  const sizes: number[] = []
  const text = new TextDecoder().decode(bytes).replace(/\\[ \t]*(?:\r\n|\n|\r)/g, ' ')
  for (const line of text.split(/\r\n|\n|\r/)) {
    const [kind, ...words] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (kind === 'v') for (let axis = 0; axis < 3; axis++) positions.push(Number(words[axis] ?? Number.NaN))
    if (kind !== 'f') continue
    for (const word of words) {
      // Vertex, texture and normal, as in 3/1/2: counted from 1, or backwards from the last one so far.
      const index = /^[+-]?\d+(?:\/|$)/.test(word) ? Number.parseInt(word, 10) : 0
      if (index === 0) fail(`has "${word.slice(0, 20)}" in face ${sizes.length + 1}, where a number of a vertex was expected`)
      corners.push(index < 0 ? positions.length / 3 + index : index - 1)
    }
    sizes.push(words.length)
  }
  return { positions, corners, sizes }
}
