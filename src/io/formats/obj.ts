/** Wavefront OBJ files: surfaces with normals, as text that everything reads. */
import type { SurfaceMesh } from '../../grid/isosurface.js'
import { joinParts } from '../bytes/bytes.js'

const LINES_PER_PART = 2 ** 14

/** Metres with seven digits, about what a float holds. */
export function formatObj({ positions, normals, indices }: SurfaceMesh, name = 'liquid'): Uint8Array {
  const encoder = new TextEncoder()
  const parts = [encoder.encode(`# Peel, metres, y is up\no ${name}\n`)]
  let lines: string[] = []
  const flush = () => {
    if (lines.length > 0) parts.push(encoder.encode(`${lines.join('\n')}\n`))
    lines = []
  }
  const add = (line: string) => {
    if (lines.push(line) >= LINES_PER_PART) flush()
  }
  for (let at = 0; at < positions.length; at += 3)
    add(`v ${short(positions[at])} ${short(positions[at + 1])} ${short(positions[at + 2])}`)
  for (let at = 0; at < normals.length; at += 3)
    add(`vn ${normals[at].toFixed(4)} ${normals[at + 1].toFixed(4)} ${normals[at + 2].toFixed(4)}`)
  for (let at = 0; at < indices.length; at += 3) {
    const [a, b, c] = [indices[at] + 1, indices[at + 1] + 1, indices[at + 2] + 1]
    add(`f ${a}//${a} ${b}//${b} ${c}//${c}`)
  }
  flush()
  return joinParts(parts)
}

const short = (value: number) => String(Number(value.toPrecision(7)))
