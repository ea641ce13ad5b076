/** Polygon meshes for tests, as OBJ files and as PLY files of every kind. */

export interface Polygons {
  readonly positions: readonly (readonly number[])[]
  readonly faces: readonly (readonly number[])[]
}

export interface PlyOptions {
  readonly format?: 'ascii' | 'binary_little_endian' | 'binary_big_endian'
  readonly coordinates?: 'float' | 'double'
  /** Types of the lists, and their name. */
  readonly count?: keyof typeof WRITERS
  readonly index?: keyof typeof WRITERS
  readonly name?: string
  readonly facesFirst?: boolean
  /** Properties that are of no use, around those that are. */
  readonly extra?: boolean
  readonly comments?: boolean
  readonly lineEnd?: string
}

type Write = { readonly size: number; readonly put: (view: DataView, value: number, little: boolean) => void }

const I1: Write = { size: 1, put: (view, value) => view.setInt8(0, value) }
const U1: Write = { size: 1, put: (view, value) => view.setUint8(0, value) }
const I2: Write = { size: 2, put: (view, value, little) => view.setInt16(0, value, little) }
const U2: Write = { size: 2, put: (view, value, little) => view.setUint16(0, value, little) }
const I4: Write = { size: 4, put: (view, value, little) => view.setInt32(0, value, little) }
const U4: Write = { size: 4, put: (view, value, little) => view.setUint32(0, value, little) }
const F4: Write = { size: 4, put: (view, value, little) => view.setFloat32(0, value, little) }
const F8: Write = { size: 8, put: (view, value, little) => view.setFloat64(0, value, little) }
const WRITERS = {
  char: I1,
  int8: I1,
  uchar: U1,
  uint8: U1,
  short: I2,
  int16: I2,
  ushort: U2,
  uint16: U2,
  int: I4,
  int32: I4,
  uint: U4,
  uint32: U4,
  float: F4,
  float32: F4,
  double: F8,
  float64: F8,
} as const

/** From the outline at z = 0, counter-clockwise, up to `height`: two polygons, and a quadrilateral on every side. */
export function prism(outline: readonly (readonly [number, number])[], height: number): Polygons {
  const count = outline.length
  const places = outline.map((_, at) => at)
  return {
    positions: [...outline.map(([x, y]) => [x, y, 0]), ...outline.map(([x, y]) => [x, y, height])],
    faces: [
      places.toReversed(),
      places.map(at => at + count),
      ...places.map(at => [at, (at + 1) % count, count + ((at + 1) % count), count + at]),
    ],
  }
}

export function polygonsToObj({ positions, faces }: Polygons): Uint8Array {
  const lines = [...positions.map(place => `v ${place.join(' ')}`), ...faces.map(face => `f ${face.map(at => at + 1).join(' ')}`)]
  return new TextEncoder().encode(`${lines.join('\n')}\n`)
}

export function polygonsToPly({ positions, faces }: Polygons, options: PlyOptions = {}): Uint8Array {
  const { format = 'ascii', coordinates = 'float', count = 'uchar', index = 'int', lineEnd = '\n' } = options
  const { name = 'vertex_indices', extra = false, comments = false, facesFirst = false } = options
  const parts: Uint8Array[] = []
  const put = (type: keyof typeof WRITERS, value: number) => {
    if (format === 'ascii') return parts.push(new TextEncoder().encode(`${value} `))
    const view = new DataView(new ArrayBuffer(8))
    WRITERS[type].put(view, value, format === 'binary_little_endian')
    return parts.push(new Uint8Array(view.buffer, 0, WRITERS[type].size))
  }
  const endRow = () => format === 'ascii' && parts.push(new TextEncoder().encode(lineEnd))
  const vertices = {
    header: [
      `element vertex ${positions.length}`,
      ...(extra ? ['property uchar red', 'property list uchar short neighbours'] : []),
      ...['x', 'y', 'z'].map(axis => `property ${coordinates} ${axis}`),
      ...(extra ? ['property float nx', 'property double quality'] : []),
    ],
    write: () => {
      for (const place of positions) {
        if (extra)
          for (const [type, value] of [
            ['uchar', 10],
            ['uchar', 2],
            ['short', 7],
            ['short', -7],
          ] as const)
            put(type, value)
        for (const value of place) put(coordinates, value)
        if (extra)
          for (const [type, value] of [
            ['float', 0.5],
            ['double', -1],
          ] as const)
            put(type, value)
        endRow()
      }
    },
  }
  const polygons = {
    header: [
      `element face ${faces.length}`,
      ...(extra ? ['property int group'] : []),
      `property list ${count} ${index} ${name}`,
      ...(extra ? ['property list uchar float texcoord', 'property uchar alpha'] : []),
    ],
    write: () => {
      for (const face of faces) {
        if (extra) put('int', 3)
        put(count, face.length)
        for (const corner of face) put(index, corner)
        if (extra)
          for (const [type, value] of [
            ['uchar', 2],
            ['float', 0.25],
            ['float', 0.75],
            ['uchar', 255],
          ] as const)
            put(type, value)
        endRow()
      }
    },
  }
  const nothing = {
    header: ['element material 2', 'property uchar shine'],
    write: () => [1, 2].map(value => put('uchar', value)),
  }
  const elements = [...(comments ? [nothing] : []), ...(facesFirst ? [polygons, vertices] : [vertices, polygons])]
  for (const { write } of elements) write()
  const header = [
    'ply',
    `format ${format} 1.0`,
    ...(comments ? ['comment made for a test: element vertex 99', 'obj_info num_cols 512', 'texture none.png'] : []),
    ...elements.flatMap(element => element.header),
    'end_header',
  ]
  return Uint8Array.from(Buffer.concat([Buffer.from(header.map(line => line + lineEnd).join('')), ...parts]))
}
