/** Triangles from the bytes of OBJ, PLY and STL files.
 *
 *  The readers are our own, though three.js has loaders: that of PLY drops faces of more than four corners and prints unknown
 *  header lines to standard output, that of STL shifts all triangles after a damaged one, that of OBJ prints a line for every
 *  unknown line, and none of them notices that a file is truncated. Polygons that are not convex are cut by the ear clipping of
 *  three.js. */
import { checkText } from '../../checks.js'
import { inputBytes } from '../../input-bytes.js'
import { InputError } from '../../input-error.js'
import type { TriangleMesh } from '../mesh.js'
import { type Fail, type MeshFaces, refuseMesh, requireSolid, toTriangles } from './faces.js'
import { readObj } from './obj.js'
import { readPly } from './ply.js'
import { readStl } from './stl.js'

const READERS: Readonly<Record<string, (bytes: Uint8Array, fail: Fail) => MeshFaces>> = {
  obj: readObj,
  ply: readPly,
  stl: readStl,
}

/** `name` names the file in messages, and its extension selects the format. A mesh that is no solid at all is refused; holes
 *  and other faults are reported by `inspectMesh`. */
export async function parseMesh(given: Uint8Array, name: string): Promise<TriangleMesh> {
  const bytes = inputBytes(given, `The mesh ${name}`)
  checkText(name, 'parseMesh: the name')
  if (bytes.length === 0) throw new InputError(`The mesh ${name} is an empty file.`)
  const format = /\.(obj|ply|stl)$/i.exec(name)?.[1].toLowerCase()
  if (format === undefined) throw new InputError(`The mesh ${name} has an unknown format; give an .obj, .ply or .stl file.`)
  const fail = refuseMesh(name)
  const mesh = await toTriangles(READERS[format](bytes, fail), fail)
  requireSolid(mesh, fail)
  return mesh
}
