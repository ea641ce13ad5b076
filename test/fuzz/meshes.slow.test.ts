/** Damaged mesh files, and what becomes of those that can still be read. */

import { parseMesh } from '../../src/scene/mesh/file.js'
import { inspectMesh } from '../../src/scene/mesh/report.js'
import type { TriangleMesh } from '../../src/scene/mesh.js'
import { createMeshShape, meshBounds } from '../../src/scene/mesh.js'
import { boxMesh, toStl } from '../scene/mesh/meshes.js'
import { polygonsToObj, polygonsToPly, prism } from '../scene/mesh/polygon-files.js'
import { type Draw, fuzz } from './fuzz.js'
import { mutateBytes, mutateText } from './mutate.js'

const solids = [
  prism(
    [
      [0, 0],
      [2, 0],
      [2, 1],
      [1, 1],
      [1, 2],
      [0, 2],
    ],
    1,
  ),
  prism(
    [
      [0, 0],
      [1, 0],
      [2, 0],
      [0.5, 0.5],
      [0, 3],
    ],
    2,
  ),
]
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const encode = (text: string) => new TextEncoder().encode(text)
const obj = [
  ...solids.map(solid => decode(polygonsToObj(solid))),
  'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf -4//1 -2//1 \\\n-3\nf 1/1 2/2 4\nf 2 3 4\nf 1 4 3\n',
]
const asciiPly = solids.flatMap(solid => [
  decode(polygonsToPly(solid)),
  decode(polygonsToPly(solid, { extra: true, comments: true, facesFirst: true, index: 'float', lineEnd: '\r\n' })),
])
const binaryPly = solids.flatMap(solid =>
  (['binary_little_endian', 'binary_big_endian'] as const).flatMap(format => [
    polygonsToPly(solid, { format }),
    polygonsToPly(solid, { format, extra: true, comments: true, count: 'uint', index: 'short', facesFirst: true }),
  ]),
)
const cube = boxMesh([0, 0, 0], [1, 1, 1])
const stlText = `solid cube\n${cube.map(t => `facet normal 0 0 1\nouter loop\n${t.map(c => `vertex ${c.join(' ')}`).join('\n')}\nendloop\nendfacet`).join('\n')}\nendsolid\n`

/** Those that can be read are also looked at, and sampled where that takes little. */
async function useMesh(draw: Draw, mesh: TriangleMesh): Promise<string> {
  if (mesh.triangles.some(vertex => vertex >= mesh.positions.length / 3))
    throw new Error('a triangle has a vertex that is not there')
  if (!mesh.positions.every(Number.isFinite)) throw new Error('a coordinate is not finite')
  if (!draw.chance(0.25)) return 'read'
  const { warnings } = await inspectMesh(mesh, 0.2, 'mesh')
  if (warnings.some(warning => /NaN|undefined|Infinity/.test(warning))) throw new Error(`a warning says ${warnings}`)
  // Small ones, and those that are refused because they are too large.
  const [low, high] = meshBounds(mesh)
  const cells = low.reduce((product, value, axis) => product * (4 * (high[axis] - value) + 7), 1)
  if (cells > 1e5 && cells < 1e9) return 'too large'
  const { phi } = createMeshShape(mesh, 0.25, 'mesh')
  for (const [x, y, z] of [
    [0.5, 0.5, 0.5],
    [100, 0, 0],
  ])
    if (Number.isNaN(phi(x, y, z))) throw new Error('a distance is not a number')
  return 'used'
}

fuzz('OBJ', 9000, async draw => useMesh(draw, await parseMesh(encode(mutateText(draw, obj)), 'a.obj')))
fuzz('PLY as text', 7000, async draw => useMesh(draw, await parseMesh(encode(mutateText(draw, asciiPly)), 'a.ply')))
fuzz('PLY as numbers', 7000, async draw => useMesh(draw, await parseMesh(mutateBytes(draw, binaryPly), 'a.ply')))
fuzz('STL', 8000, async draw => {
  const bytes = draw.chance(0.5) ? mutateBytes(draw, [toStl(cube)]) : encode(mutateText(draw, [stlText]))
  return useMesh(draw, await parseMesh(bytes, 'a.stl'))
})
