/** VTK's XML files for ParaView, with raw appended data: fields as .vti, particles as .vtp, and .pvd for a series of either. */
import { AXES } from '../../grid/grid.js'
import type { Frame } from '../../liquid/frame.js'
import { littleEndianBytes } from '../bytes/bytes.js'
import { cellVelocity } from './cell-velocity.js'

type VtkArray = Float32Array | Uint8Array | BigInt64Array

interface NamedArray {
  readonly name: string
  readonly data: VtkArray
  readonly components?: number
}

/** Everything on the grid of a frame: distances to the liquid, pressure, kind and velocity of cells, distance to solids at
 *  points. */
export function formatVti({ grid, time, liquid, solid, fields }: Frame): Uint8Array {
  const { shape, spacing } = grid
  const extent = shape.map(side => `0 ${side}`).join(' ')
  const cells: NamedArray[] = [{ name: 'liquid', data: liquid }]
  if (fields) {
    cells.push({ name: 'pressure', data: fields.pressure }, { name: 'kind', data: fields.kind })
    cells.push({ name: 'velocity', data: cellVelocity(grid, fields.velocity), components: 3 })
  }
  const appended = createAppended()
  const body = [
    `<ImageData WholeExtent="${extent}" Origin="0 0 0" Spacing="${AXES.map(() => spacing).join(' ')}">`,
    timeValue(time),
    `<Piece Extent="${extent}">`,
    ...appended.list('CellData', 'Scalars="liquid"', cells),
    ...appended.list('PointData', 'Scalars="solid"', [{ name: 'solid', data: solid }]),
    '</Piece>',
    '</ImageData>',
  ]
  return appended.finish('ImageData', body)
}

/** Positions and velocities; every particle is a vertex, so that it is drawn. */
export function formatVtp({ time, particles }: Frame): Uint8Array {
  const position = particles?.position ?? new Float32Array(0)
  const count = position.length / 3
  const numbers = (first: number) => BigInt64Array.from({ length: count }, (_, at) => BigInt(at + first))
  const appended = createAppended()
  const body = [
    '<PolyData>',
    timeValue(time),
    `<Piece NumberOfPoints="${count}" NumberOfVerts="${count}" NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="0">`,
    ...appended.list('PointData', 'Vectors="velocity"', [
      { name: 'velocity', data: particles?.velocity ?? new Float32Array(0), components: 3 },
    ]),
    ...appended.list('Points', '', [{ name: 'position', data: position, components: 3 }]),
    ...appended.list('Verts', '', [
      { name: 'connectivity', data: numbers(0) },
      { name: 'offsets', data: numbers(1) },
    ]),
    '</Piece>',
    '</PolyData>',
  ]
  return appended.finish('PolyData', body)
}

/** Files of one series with their times in seconds; names are relative to the .pvd file. */
export function formatPvd(series: readonly { readonly time: number; readonly file: string }[]): Uint8Array {
  const sets = series.map(({ time, file }) => `<DataSet timestep="${time}" part="0" file="${escaped(file)}"/>`)
  const lines = [
    '<?xml version="1.0"?>',
    '<VTKFile type="Collection" version="1.0" byte_order="LittleEndian" header_type="UInt64">',
    '<Collection>',
    ...sets,
    '</Collection>',
    '</VTKFile>',
  ]
  return new TextEncoder().encode(`${lines.join('\n')}\n`)
}

/** Arrays are listed with their offsets first; their bytes follow all the XML, each after its length as a 64-bit number. */
function createAppended() {
  const arrays: VtkArray[] = []
  let offset = 0
  const list = (element: string, attributes: string, named: readonly NamedArray[]): string[] => {
    const rows = named.map(({ name, data, components = 1 }) => {
      const at = offset
      offset += 8 + data.byteLength
      arrays.push(data)
      return `<DataArray type="${typeName(data)}" Name="${name}" NumberOfComponents="${components}" format="appended" offset="${at}"/>`
    })
    return [`<${element}${attributes && ` ${attributes}`}>`, ...rows, `</${element}>`]
  }
  const finish = (type: string, body: readonly string[]): Uint8Array => {
    const encoder = new TextEncoder()
    const open = `<VTKFile type="${type}" version="1.0" byte_order="LittleEndian" header_type="UInt64">`
    const head = encoder.encode(['<?xml version="1.0"?>', open, ...body, '<AppendedData encoding="raw">\n_'].join('\n'))
    const tail = encoder.encode('\n</AppendedData>\n</VTKFile>\n')
    const bytes = new Uint8Array(head.length + offset + tail.length)
    bytes.set(head)
    const view = new DataView(bytes.buffer)
    let at = head.length
    for (const data of arrays) {
      view.setBigUint64(at, BigInt(data.byteLength), true)
      bytes.set(littleEndianBytes(data), at + 8)
      at += 8 + data.byteLength
    }
    bytes.set(tail, at)
    return bytes
  }
  return { list, finish }
}

function timeValue(time: number): string {
  const array = '<DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">'
  return `<FieldData>${array}${time}</DataArray></FieldData>`
}

function typeName(data: VtkArray): string {
  if (data instanceof Float32Array) return 'Float32'
  return data instanceof Uint8Array ? 'UInt8' : 'Int64'
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
