/** Vertices and faces of PLY files (Turk 1994): text or binary in either byte order, elements and properties in any order and of any
 *  type. What is neither a vertex nor a face is passed over. */
import type { Fail, MeshFaces } from './faces.js'

interface NumberType {
  readonly bytes: number
  readonly read: (view: DataView, at: number, little: boolean) => number
}

interface Property {
  readonly name: string
  readonly type: NumberType
  /** Of the number of entries, where it is a list. */
  readonly countType?: NumberType
}

interface Element {
  readonly name: string
  readonly count: number
  readonly properties: Property[]
}

interface Header {
  readonly format: string
  readonly elements: readonly Element[]
  readonly dataStart: number
}

/** Gives the next number of the file. */
interface Source {
  next(type: NumberType): number
  /** Refuses an element that is longer than what remains, before anything is stored. */
  require(count: number, types: readonly NumberType[], what: string): void
}

const I1: NumberType = { bytes: 1, read: (view, at) => view.getInt8(at) }
const U1: NumberType = { bytes: 1, read: (view, at) => view.getUint8(at) }
const I2: NumberType = { bytes: 2, read: (view, at, little) => view.getInt16(at, little) }
const U2: NumberType = { bytes: 2, read: (view, at, little) => view.getUint16(at, little) }
const I4: NumberType = { bytes: 4, read: (view, at, little) => view.getInt32(at, little) }
const U4: NumberType = { bytes: 4, read: (view, at, little) => view.getUint32(at, little) }
const F4: NumberType = { bytes: 4, read: (view, at, little) => view.getFloat32(at, little) }
const F8: NumberType = { bytes: 8, read: (view, at, little) => view.getFloat64(at, little) }
const PLY_TYPES = new Map([
  ...(['char', 'int8'] as const).map(name => [name, I1] as const),
  ...(['uchar', 'uint8'] as const).map(name => [name, U1] as const),
  ...(['short', 'int16'] as const).map(name => [name, I2] as const),
  ...(['ushort', 'uint16'] as const).map(name => [name, U2] as const),
  ...(['int', 'int32'] as const).map(name => [name, I4] as const),
  ...(['uint', 'uint32'] as const).map(name => [name, U4] as const),
  ...(['float', 'float32'] as const).map(name => [name, F4] as const),
  ...(['double', 'float64'] as const).map(name => [name, F8] as const),
] as readonly (readonly [string, NumberType])[])

const MAX_PLY_HEADER = 2 ** 20
/** By what they may be called. */
const AXIS_NAMES = ['x', 'y', 'z'].map(axis => [axis, `p${axis}`, `pos${axis}`])
const CORNERS = ['vertex_indices', 'vertex_index']

export function readPly(bytes: Uint8Array, fail: Fail): MeshFaces {
  const { format, elements, dataStart } = readHeader(bytes, fail)
  const data = bytes.subarray(dataStart)
  const source = format === 'ascii' ? textSource(data, fail) : binarySource(data, format === 'binary_little_endian', fail)
  const positions: number[] = []
  const corners: number[] = []
  const sizes: number[] = []
  for (const { name, count, properties } of elements) {
    const what = `element ${shown(name)}`
    source.require(
      count,
      properties.map(({ type, countType }) => countType ?? type),
      what,
    )
    const axes = name === 'vertex' ? AXIS_NAMES.map(names => properties.findIndex(property => names.includes(property.name))) : []
    if (axes.some(at => at < 0 || properties[at].countType)) fail('has vertices without x, y and z; export it again')
    const isCorners = properties.map(property => name === 'face' && CORNERS.includes(property.name) && property.countType)
    const values = new Float64Array(properties.length)
    for (let row = 0; row < (properties.length > 0 ? count : 0); row++) {
      for (const [at, { type, countType }] of properties.entries()) {
        values[at] = source.next(countType ?? type)
        if (!countType) continue
        const length = values[at]
        if (!(Number.isSafeInteger(length) && length >= 0)) fail(`has a list without a valid length in ${what} ${row + 1}`)
        source.require(length, [type], what)
        if (isCorners[at]) sizes.push(length)
        for (let entry = 0; entry < length; entry++) {
          const value = source.next(type)
          if (isCorners[at]) corners.push(value)
        }
      }
      for (const at of axes) positions.push(values[at])
    }
  }
  return { positions, corners, sizes }
}

function readHeader(bytes: Uint8Array, fail: Fail): Header {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, MAX_PLY_HEADER))
  // The line ending that the file uses determines where binary data begins, whatever its first byte is.
  const lineEnd = /^ply[ \t]*(\r\n|\n|\r)/.exec(text)?.[1]
  if (lineEnd === undefined) return fail('cannot be read as PLY: it does not begin with the line "ply"')
  const end = new RegExp(`(?:\\r|\\n)[ \\t]*end_header[ \\t]*${lineEnd}`).exec(text)
  if (end === null) return fail('cannot be read as PLY: its header has no end')
  let format: string | undefined
  const elements: Element[] = []
  for (const line of text.slice(0, end.index).split(/\r\n|\n|\r/)) {
    const [kind, ...words] = line.trim().split(/\s+/)
    if (kind === 'format') format = words[0]
    // Comments, and lines that later versions of the format may have, are passed over.
    else if (kind === 'element') elements.push(readElement(words, fail))
    else if (kind === 'property' && elements.length === 0) fail('cannot be read as PLY: a property comes before all elements')
    else if (kind === 'property') elements.at(-1)!.properties.push(readProperty(words, fail))
  }
  if (format !== 'ascii' && format !== 'binary_little_endian' && format !== 'binary_big_endian')
    fail(`cannot be read as PLY: its format is "${shown(format ?? '')}", not ascii, binary_little_endian or binary_big_endian`)
  return { format: format!, elements, dataStart: end.index + end[0].length }
}

function readElement([name, number]: readonly string[], fail: Fail): Element {
  const count = Number(number)
  if (name === undefined || !/^\d+$/.test(number ?? '') || !Number.isSafeInteger(count))
    fail(`cannot be read as PLY: element "${shown(name ?? '')}" has no valid count`)
  return { name, count, properties: [] }
}

function readProperty(words: readonly string[], fail: Fail): Property {
  const isList = words[0] === 'list'
  const [countWord, typeWord, name] = isList ? words.slice(1) : [undefined, ...words]
  const type = PLY_TYPES.get(typeWord ?? '')
  const countType = PLY_TYPES.get(countWord ?? '')
  if (type === undefined || name === undefined || (isList && countType === undefined))
    return fail(`cannot be read as PLY: "property ${shown(words.join(' '))}" is not a property of a known type`)
  return { name, type, ...(isList && { countType }) }
}

function binarySource(bytes: Uint8Array, little: boolean, fail: Fail): Source {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  return {
    next(type) {
      if (at + type.bytes > bytes.length) fail('is cut off; export it again')
      at += type.bytes
      return type.read(view, at - type.bytes, little)
    },
    require(count, types, what) {
      const size = count * types.reduce((sum, { bytes }) => sum + bytes, 0)
      if (size > bytes.length - at) fail(`is cut off in ${what}: ${size} bytes or more must follow, and ${bytes.length - at} do`)
    },
  }
}

function textSource(bytes: Uint8Array, fail: Fail): Source {
  const text = new TextDecoder('latin1').decode(bytes)
  const word = /\S+/g
  return {
    next(type) {
      const found = word.exec(text)
      if (found === null) return fail('is cut off; export it again')
      const value = Number(found[0])
      // As if it had been stored in the type that the header names.
      return type === F4 ? Math.fround(value) : value
    },
    require(count, types, what) {
      const characters = count * types.length * 2 - 1
      if (characters > text.length - word.lastIndex) fail(`is cut off in ${what}: it must have ${count} rows or entries`)
    },
  }
}

/** A text of the file, shortened. */
function shown(text: string): string {
  return text.length > 30 ? `${text.slice(0, 29)}…` : text
}
