/** Readers of mesh files, on what programs write and on what is wrong with it. */
import { describe, expect, it, vi } from 'vitest'
import { InputError } from '../../../src/input-error.js'
import { random } from '../../../src/random.js'
import { parseMesh } from '../../../src/scene/mesh/file.js'
import { inspectMesh } from '../../../src/scene/mesh/report.js'
import type { TriangleMesh } from '../../../src/scene/mesh.js'
import { boxMesh, toObj, toPly, torusMesh, toStl } from './meshes.js'
import { type PlyOptions, type Polygons, polygonsToObj, polygonsToPly, prism } from './polygon-files.js'

const encode = (text: string) => new TextEncoder().encode(text)
const describeMesh = async (mesh: TriangleMesh) => {
  const { isClosed, flippedEdges, crowdedEdges, degenerateTriangles, isInsideOut } = await inspectMesh(mesh, 1e-4, 'mesh')
  return { isClosed, flipped: flippedEdges.count, crowded: crowdedEdges.count, degenerateTriangles, isInsideOut }
}
const SOUND = { isClosed: true, flipped: 0, crowded: 0, degenerateTriangles: 0, isInsideOut: false }
const refuses = async (bytes: Uint8Array, name: string, message: RegExp) => {
  const parsing = parseMesh(bytes, name)
  await expect(parsing).rejects.toBeInstanceOf(InputError)
  await expect(parsing).rejects.toThrow(message)
}

function volumeOf({ positions, triangles }: TriangleMesh): number {
  let six = 0
  const at = (vertex: number) => positions.subarray(3 * vertex, 3 * vertex + 3)
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [at(triangles[t]), at(triangles[t + 1]), at(triangles[t + 2])]
    six += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
  }
  return six / 6
}

const ring = (count: number, radius: (at: number) => number): [number, number][] =>
  Array.from({ length: count }, (_, at) => {
    const angle = (2 * Math.PI * at) / count
    return [radius(at) * Math.cos(angle), radius(at) * Math.sin(angle)]
  })
const areaOf = (outline: readonly (readonly [number, number])[]) =>
  outline.reduce((sum, [x, y], at) => {
    const [X, Y] = outline[(at + 1) % outline.length]
    return sum + 0.5 * (x * Y - X * y)
  }, 0)

/** As Blender exports one: a fan of triangles above one polygon with all corners of the base. */
function blenderCone(count: number): Polygons {
  const base = ring(count, () => 1)
  return {
    positions: [...base.map(([x, y]) => [x, y, 0]), [0, 0, 2]],
    faces: [base.map((_, at) => count - 1 - at), ...base.map((_, at) => [at, (at + 1) % count, count])],
  }
}

const OUTLINES: Record<string, [number, number][]> = {
  'a triangle': ring(3, () => 1),
  'a 32-gon': ring(32, () => 1),
  'a star': ring(24, at => (at % 2 === 0 ? 1 : 0.3)),
  'an L': [
    [0, 0],
    [2, 0],
    [2, 1],
    [1, 1],
    [1, 2],
    [0, 2],
  ],
  'a concave quadrilateral': [
    [0, 0],
    [2, -1],
    [0.5, 0],
    [2, 1],
  ],
  'a comb': [
    [0, 0],
    [5, 0],
    [5, 2],
    [4, 2],
    [4, 1],
    [3, 1],
    [3, 2],
    [2, 2],
    [2, 1],
    [1, 1],
    [1, 2],
    [0, 2],
  ],
  // Neighbours have the corners on straight sides, so they must not get lost.
  'a square with corners on its sides': [
    [0, 0],
    [1, 0],
    [2, 0],
    [3, 0],
    [3, 1],
    [3, 3],
    [1.5, 3],
    [0, 3],
    [0, 2],
    [0, 1],
  ],
  'an L with corners on its sides': [
    [0, 0],
    [1, 0],
    [2, 0],
    [2, 0.5],
    [2, 1],
    [1.5, 1],
    [1, 1],
    [1, 1.5],
    [1, 2],
    [0, 2],
    [0, 1],
  ],
}

/** Axes interchanged and coordinates moved, so that polygons face all ways. */
const TURNS: readonly ((x: number, y: number, z: number) => [number, number, number])[] = [
  (x, y, z) => [x, y, z],
  (x, y, z) => [z, x, y],
  (x, y, z) => [y + 100, z - 7, x],
  (x, y, z) => [-x, -y, z],
  (x, y, z) => [0.8 * x - 0.6 * z, y, 0.6 * x + 0.8 * z],
]

describe('polygons', () => {
  it.each(Object.entries(OUTLINES))('%s as a prism is closed and has its volume, as PLY and as OBJ', async (_, outline) => {
    for (const turn of TURNS) {
      const { positions, faces } = prism(outline, 0.7)
      const turned = { positions: positions.map(([x, y, z]) => turn(x, y, z)), faces }
      const meshes = [
        await parseMesh(polygonsToObj(turned), 'prism.obj'),
        await parseMesh(polygonsToPly(turned, { format: 'ascii', coordinates: 'double' }), 'prism.ply'),
        await parseMesh(polygonsToPly(turned, { format: 'binary_little_endian', coordinates: 'double' }), 'prism.ply'),
      ]
      for (const mesh of meshes) {
        expect(mesh).toEqual(meshes[0])
        expect(await describeMesh(mesh)).toEqual(SOUND)
        expect(volumeOf(mesh)).toBeCloseTo(0.7 * areaOf(outline), 9)
        expect(mesh.triangles.length / 3).toBe(4 * outline.length - 4)
      }
    }
  })

  it('of random stars are filled exactly, whatever their corners', async () => {
    for (let n = 0; n < 60; n++) {
      const outline = ring(4 + Math.floor(60 * random(3, n)), at => 0.2 + random(4, n, at))
      const mesh = await parseMesh(polygonsToObj(prism(outline, 1)), 'star.obj')
      expect(await describeMesh(mesh)).toMatchObject({ isClosed: true, flipped: 0, crowded: 0 })
      expect(volumeOf(mesh)).toBeCloseTo(areaOf(outline), 9)
    }
  })

  it('that cross themselves still close the surface', async () => {
    for (let n = 0; n < 40; n++) {
      const outline = Array.from({ length: 5 + n }, (_, at): [number, number] => [random(5, n, at), random(6, n, at)])
      expect(await describeMesh(await parseMesh(polygonsToObj(prism(outline, 1)), 'knot.obj'))).toMatchObject({
        isClosed: true,
        flipped: 0,
      })
    }
  })

  it('of a Blender cone did not vanish because they have more than four corners', async () => {
    const cone = blenderCone(32)
    for (const format of ['ascii', 'binary_little_endian', 'binary_big_endian'] as const) {
      const mesh = await parseMesh(polygonsToPly(cone, { format }), 'cone.ply')
      expect(mesh.triangles.length / 3).toBe(62)
      expect(await describeMesh(mesh)).toEqual(SOUND)
      expect(mesh.triangles).toEqual((await parseMesh(polygonsToObj(cone), 'cone.obj')).triangles)
    }
  })

  it('with too many corners to be clipped are refused where they are not convex', async () => {
    expect(
      (
        await parseMesh(
          polygonsToObj(
            prism(
              ring(5000, () => 1),
              1,
            ),
          ),
          'disc.obj',
        )
      ).triangles.length / 3,
    ).toBe(4 * 5000 - 4)
    await refuses(
      polygonsToObj(
        prism(
          ring(5000, at => 1 + (at % 2)),
          1,
        ),
      ),
      'gear.obj',
      /has 5000 corners in face 1, which is not convex/,
    )
  })
})

describe('bytes', () => {
  const small = torusMesh(1, 0.4, 12, 8)
  const files = [
    ['ring.obj', toObj(small)],
    ['ring.ply', toPly(small)],
    ['binary.ply', polygonsToPly(blenderCone(12), { format: 'binary_big_endian' })],
    ['ring.stl', toStl(small)],
  ] as const

  it.each(files)('of %s are not read from the pool that Buffers share', async (name, bytes) => {
    const expected = await parseMesh(bytes, name)
    // Small Buffers are pieces of one larger buffer.
    const pooled = Buffer.from(bytes.subarray(0))
    expect(await parseMesh(pooled, name)).toEqual(expected)
    for (const offset of [1, 3, 7]) {
      const room = new Uint8Array(bytes.length + 16).fill(0x31)
      room.set(bytes, offset)
      expect(await parseMesh(room.subarray(offset, offset + bytes.length), name)).toEqual(expected)
      expect(await parseMesh(Buffer.from(room.buffer, offset, bytes.length), name)).toEqual(expected)
      const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 16), offset, bytes.length)
      shared.set(bytes)
      expect(await parseMesh(shared, name)).toEqual(expected)
    }
    expect(await parseMesh(bytes.slice().buffer as unknown as Uint8Array, name)).toEqual(expected)
  })

  it('that are none are refused with a sentence', async () => {
    for (const nothing of [undefined, null, 'v 0 0 0', 7, {}])
      await refuses(nothing as unknown as Uint8Array, 'ring.obj', /ring\.obj: the content of a file was expected as a Uint8Array/)
  })
})

describe('PLY', () => {
  const cube = prism(OUTLINES['an L'], 1)
  const variants: [string, PlyOptions][] = [
    ['lists counted by uint, of short', { count: 'uint', index: 'short' }],
    ['lists of int8', { count: 'uint8', index: 'int8' }],
    ['lists of float indices', { count: 'char', index: 'float' }],
    ['lists of double, counted by ushort', { count: 'ushort', index: 'double' }],
    ['lists of uint32', { count: 'int32', index: 'uint32' }],
    ['the name vertex_index', { name: 'vertex_index' }],
    ['faces before vertices', { facesFirst: true }],
    ['properties before and after', { extra: true }],
    ['carriage returns', { lineEnd: '\r\n' }],
    ['carriage returns alone', { lineEnd: '\r' }],
    ['comments, other elements and unknown header lines', { comments: true }],
    ['double coordinates', { coordinates: 'double' }],
    ['everything at once', { count: 'ushort', index: 'int', facesFirst: true, extra: true, lineEnd: '\r\n', comments: true }],
  ]
  it.each(variants)('is read with %s, as text and in both byte orders', async (_, options) => {
    for (const format of ['ascii', 'binary_little_endian', 'binary_big_endian'] as const) {
      const mesh = await parseMesh(polygonsToPly(cube, { ...options, format }), 'l.ply')
      expect(await describeMesh(mesh)).toEqual(SOUND)
      expect(volumeOf(mesh)).toBeCloseTo(3, 6)
    }
  })

  it('did not print a header line that is unknown', async () => {
    const printed = (['log', 'info', 'warn', 'error'] as const).map(name => vi.spyOn(console, name).mockImplementation(() => {}))
    await parseMesh(polygonsToPly(cube, { format: 'ascii', comments: true }), 'l.ply')
    for (const spy of printed) expect(spy).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })

  const text = (faces: string, count: number, index = 'int') =>
    encode(
      `ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face ${count}\n` +
        `property list uchar ${index} vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n${faces}\n`,
    )

  it('leaves out faces of fewer than three corners, and counts them', async () => {
    const mesh = await parseMesh(text('3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n2 0 1\n1 0\n0\n3 1 1 2', 8), 'some.ply')
    expect(await describeMesh(mesh)).toMatchObject({ isClosed: true, degenerateTriangles: 4 })
  })

  it.each([
    ['an index beyond the vertices', text('3 0 1 4', 1), /uses a vertex in face 1 that does not exist: the file has 4 vertices/],
    ['a negative index', text('3 0 1 -1', 1), /uses a vertex in face 1 that does not exist/],
    ['an index between two', text('3 0 1 1.5', 1, 'float'), /uses a vertex in face 1 that does not exist/],
    ['a missing face', text('3 0 1 2', 2), /is cut off/],
    ['a list that never ends', text('200 0 1 2', 1), /is cut off in element face/],
    ['a list of a negative length', text('-3 0 1 2', 1), /has a list without a valid length in element face 1/],
    [
      'more vertices than bytes',
      encode(
        'ply\nformat ascii 1.0\nelement vertex 9007199254740991\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n',
      ),
      /is cut off in element vertex/,
    ],
    [
      'vertices without z',
      encode('ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n'),
      /vertices without x, y and z/,
    ],
    [
      'a type that does not exist',
      encode('ply\nformat ascii 1.0\nelement vertex 1\nproperty half x\nend_header\n0\n'),
      /"property half x" is not a property of a known type/,
    ],
    [
      'a format that does not exist',
      encode('ply\nformat binary_middle_endian 1.0\nend_header\n'),
      /its format is "binary_middle_endian"/,
    ],
    ['no end of the header', encode('ply\nformat ascii 1.0\n'), /its header has no end/],
    ['a property of nothing', encode('ply\nproperty float x\nend_header\n'), /a property comes before all elements/],
    ['a vertex that is not a number', text('3 0 1 2', 1).map((byte, at, all) => (at === all.lastIndexOf(49) ? 120 : byte)), /./],
  ])('with %s is refused', (_, bytes, message) => refuses(bytes, 'bad.ply', message))
})

describe('OBJ', () => {
  const corners = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n'
  it.each([
    ['an index of zero', `${corners}f 0 1 2\n`, /has "0" in face 1/],
    [
      'an index beyond the vertices',
      `${corners}f 1 2 3\nf 1 2 5\n`,
      /uses a vertex in face 2 that does not exist: the file has 4 vertices/,
    ],
    ['a negative index before the first vertex', `${corners}f -1 -2 -5\n`, /uses a vertex in face 1 that does not exist/],
    ['a word for an index', `${corners}f 1 2 three\n`, /has "three" in face 1/],
    ['a vertex of two numbers', 'v 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n', /has a coordinate in vertex 1 that is not a finite number/],
    [
      'an infinite vertex',
      'v 0 0 1e999\nv 1 0 0\nv 0 1 0\nf 1 2 3\n',
      /has a coordinate in vertex 1 that is not a finite number/,
    ],
  ])('with %s is refused', (_, text, message) => refuses(encode(text), 'bad.obj', message))

  it('is read with comments behind faces, v//n, continued lines and any line ends', async () => {
    const faces = ['f 1//1 3//1 2//1 # below', 'f 1/1 2/2 4/3', 'f -3 \\', '-2 -1', 'f 1/1/1 \\  ', ' 4/1/1 3/1/1']
    for (const lineEnd of ['\n', '\r\n', '\r']) {
      const mesh = await parseMesh(encode((corners + faces.join('\n')).replaceAll('\n', lineEnd)), 'simplex.obj')
      expect(await describeMesh(mesh)).toEqual(SOUND)
      expect(volumeOf(mesh)).toBeCloseTo(1 / 6, 12)
    }
  })
})

describe('STL', () => {
  const cube = boxMesh([0, 0, 0], [1, 1, 1])
  const asText = (name: string, triangles = cube) =>
    `solid ${name}\n${triangles
      .map(
        triangle =>
          `facet normal 0 0 0\n outer loop\n${triangle.map(corner => `  vertex ${corner.join(' ')}`).join('\n')}\n endloop\nendfacet`,
      )
      .join('\n')}\nendsolid ${name}\n`

  it('that is binary and begins with "solid" is read as numbers', async () => {
    const bytes = toStl(cube)
    bytes.set(encode('solid made by a program that writes binary files'))
    expect(await describeMesh(await parseMesh(bytes, 'cube.stl'))).toEqual(SOUND)
    // Some programs add bytes at the end.
    const longer = new Uint8Array(bytes.length + 3)
    longer.set(bytes)
    expect(await describeMesh(await parseMesh(longer, 'cube.stl'))).toEqual(SOUND)
  })

  it.each([
    ['as it should be', asText('cube')],
    ['with a name that holds keywords', asText('vertex 1 2 3 endloop facet')],
    ['with carriage returns', asText('cube').replaceAll('\n', '\r\n')],
    ['with a byte order mark', `\uFEFF${asText('cube')}`],
    ['in capitals', asText('cube').toUpperCase()],
    ['without a name', asText('')],
    [
      'on one line',
      asText('cube')
        .replace('\n', '\n\0')
        .replace(/\n(?!\0)/g, ' ')
        .replace('\0', ''),
    ],
    ['of two solids', asText('one', cube.slice(0, 6)) + asText('two', cube.slice(6))],
  ])('as text is read %s', async (_, text) => {
    expect(await describeMesh(await parseMesh(encode(text), 'cube.stl'))).toEqual(SOUND)
  })

  it.each([
    ['cut off', toStl(cube).subarray(0, 400), /is cut off or not an STL file: 12 triangles need 684 bytes, and it has 400/],
    ['cut off in a facet of text', encode(asText('cube').slice(0, -60)), /ends inside facet 12/],
    ['of a few bytes', encode('sol'), /has 3 bytes, too few/],
    [
      'with a number that is none',
      encode(asText('cube').replace('vertex 0 0 0', 'vertex 0 zero 0')),
      /has a coordinate in vertex 1 that is not a finite number/,
    ],
  ])('that is %s is refused', (_, bytes, message) => refuses(bytes, 'bad.stl', message))
})

describe('what is no solid at all', () => {
  it.each([
    [
      'a vertex that is not a number',
      'v 0 0 nan\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n',
      /has a coordinate in vertex 1 that is not a finite number; repair/,
    ],
    ['no faces', 'v 0 0 0\nv 1 0 0\n', /has no triangles; export its faces as well/],
    ['only faces without area', 'v 0 0 0\nv 1 0 0\nf 1 2 1\nf 1 1 2\n', /has only triangles without area/],
    ['all corners on a line', 'v 0 0 0\nv 1 1 1\nv 2 2 2\nv 3 3 3\nf 1 2 3\nf 2 3 4\n', /is in one plane/],
    [
      'all corners in a plane',
      'v 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 1 2 3 4\n',
      /is in one plane, so it encloses nothing; give it a thickness/,
    ],
    [
      'all corners in a slanted plane',
      'v 0 0 0\nv 0.1 0.2 0.3\nv 0.3 0.1 0.4\nv 0.7 0.3 1\nf 1 2 3\nf 2 4 3\n',
      /is in one plane/,
    ],
  ])('is refused: %s', (_, text, message) => refuses(encode(text), 'flat.obj', message))

  it('is not a thin or an open mesh, which are only reported', async () => {
    const plate = boxMesh([0, 0, 0], [1, 1, 1e-6])
    expect(await describeMesh(await parseMesh(toObj(plate), 'plate.obj'))).toMatchObject({ isClosed: true })
    expect(await describeMesh(await parseMesh(toObj(plate.slice(4)), 'plate.obj'))).toMatchObject({ isClosed: false })
  })
})
