/** NumPy's .npy files, versions 1 to 3, read into C order and host byte order. */
import { inputBytes } from '../../input-bytes.js'
import { InputError } from '../../input-error.js'
import { LITTLE_ENDIAN_HOST, swapBytes } from '../bytes/bytes.js'
import { parseNpyHeader } from './npy-header.js'

export type NpyData = Float64Array | Float32Array | Int32Array | BigInt64Array | Uint8Array

export interface NpyArray {
  /** In C order, the last index fastest; booleans are bytes. */
  readonly data: NpyData
  readonly shape: readonly number[]
  /** The element type as the file names it, such as `<f8`; `data` is always in host byte order. */
  readonly descr: string
}

type Fail = (what: string) => never

const NPY_MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]
const NPY_ALIGNMENT = 64
const MAX_NPY_HEADER = 2 ** 20 // far above any real header, far below what parsing could choke on

const ARRAY_TYPES = {
  f8: Float64Array,
  f4: Float32Array,
  i4: Int32Array,
  i8: BigInt64Array,
  u1: Uint8Array,
  b1: Uint8Array,
} as const
type ElementType = keyof typeof ARRAY_TYPES

export interface NpyStart extends Omit<NpyArray, 'data'> {
  readonly type: ElementType
  readonly swapped: boolean
  readonly fortranOrder: boolean
  readonly dataStart: number
}

/** Bytes that hold the length of the header. */
export const NPY_PREFIX = 12

/** Bytes up to the data of a file of `fileSize` bytes, by the first of them. */
export function npyStartLength(prefix: Uint8Array, fileSize: number, where: string): number {
  return readHeaderPlace(prefix, fileSize, failAt(where)).dataStart
}

/** Reads the header of a file of `fileSize` bytes and checks it against that size; `bytes` needs to contain only the header.
 *  Nothing is allocated, so a hostile shape costs nothing. */
export function parseNpyStart(bytes: Uint8Array, fileSize: number, where: string): NpyStart {
  const fail = failAt(where)
  const { headerStart, dataStart } = readHeaderPlace(bytes, fileSize, fail)
  // A readable header is ASCII in all versions; other bytes only have to stay apart from it.
  const text = new TextDecoder('latin1').decode(bytes.subarray(headerStart, dataStart))
  const { descr, fortranOrder, shape } = parseNpyHeader(text, fail)
  const { type, swapped } = parseElementType(descr, fail)
  const size = countElements(shape) * ARRAY_TYPES[type].BYTES_PER_ELEMENT
  const available = fileSize - dataStart
  if (size > available)
    fail(`the data are cut off: shape ${showShape(shape)} of ${descr} needs ${size} bytes, ${available} are present`)
  if (size < available) fail(`${available - size} bytes follow the data that shape ${showShape(shape)} of ${descr} needs`)
  return { descr, type, swapped, fortranOrder, shape, dataStart }
}

/** Owns its data: the result keeps no reference to `bytes`. */
export function parseNpy(given: Uint8Array, where: string): NpyArray {
  const bytes = inputBytes(given, where)
  const { descr, type, swapped, fortranOrder, shape, dataStart } = parseNpyStart(bytes, bytes.length, where)
  const ArrayType = ARRAY_TYPES[type]
  const owned = new Uint8Array(bytes.length - dataStart)
  owned.set(bytes.subarray(dataStart))
  if (swapped) swapBytes(owned, ArrayType.BYTES_PER_ELEMENT)
  const data = new ArrayType(owned.buffer)
  return { data: fortranOrder ? toRowMajor(data, shape) : data, shape, descr }
}

/** Version 1.0, or 2.0 where the header is too long for it; the same input gives the same bytes. */
export function formatNpy(data: NpyData, shape: readonly number[]): Uint8Array {
  if (shape.some(side => !Number.isSafeInteger(side) || side < 0) || countElements(shape) !== data.length)
    throw new InputError(`An array of ${data.length} values cannot be written with the shape ${showShape(shape)}.`)
  const dict = `{'descr': '${describe(data)}', 'fortran_order': False, 'shape': ${showShape(shape)}, }`
  const unpadded = (lengthBytes: number): number => NPY_MAGIC.length + 2 + lengthBytes + dict.length + 1
  const padded = (lengthBytes: number): number => Math.ceil(unpadded(lengthBytes) / NPY_ALIGNMENT) * NPY_ALIGNMENT
  const lengthBytes = padded(2) - NPY_MAGIC.length - 4 < 2 ** 16 ? 2 : 4
  const dataStart = padded(lengthBytes)
  const headerStart = NPY_MAGIC.length + 2 + lengthBytes
  const headerLength = dataStart - headerStart
  if (headerLength > MAX_NPY_HEADER) throw new InputError(`An array of ${shape.length} dimensions has too many to be written.`)
  const bytes = new Uint8Array(dataStart + data.byteLength)
  bytes.set(NPY_MAGIC)
  bytes[NPY_MAGIC.length] = lengthBytes === 2 ? 1 : 2
  const view = new DataView(bytes.buffer)
  if (lengthBytes === 2) view.setUint16(NPY_MAGIC.length + 2, headerLength, true)
  else view.setUint32(NPY_MAGIC.length + 2, headerLength, true)
  const header = `${dict.padEnd(headerLength - 1)}\n`
  bytes.set(new TextEncoder().encode(header), headerStart)
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), dataStart)
  return bytes
}

/** A shape as Python writes it. */
export function showShape(shape: readonly number[]): string {
  return shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(', ')})`
}

function failAt(where: string): Fail {
  return what => {
    throw new InputError(`${where}: ${what}.`)
  }
}

function readHeaderPlace(bytes: Uint8Array, fileSize: number, fail: Fail): { headerStart: number; dataStart: number } {
  if (bytes.length < NPY_MAGIC.length || NPY_MAGIC.some((byte, i) => bytes[i] !== byte)) fail('this is not a NumPy .npy file')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const lengthAt = NPY_MAGIC.length + 2
  if (bytes.length < lengthAt + 2) fail('the file ends inside its header')
  const major = bytes[NPY_MAGIC.length]
  const minor = bytes[NPY_MAGIC.length + 1]
  if (major < 1 || major > 3 || minor !== 0)
    fail(`version ${major}.${minor} of the .npy format is unknown; 1.0, 2.0 and 3.0 are read`)
  const headerStart = lengthAt + (major === 1 ? 2 : 4)
  if (bytes.length < headerStart) fail('the file ends inside its header')
  const length = major === 1 ? view.getUint16(lengthAt, true) : view.getUint32(lengthAt, true)
  if (headerStart + length > fileSize) fail('the file ends inside its header')
  if (length > MAX_NPY_HEADER) fail(`the header is ${length} bytes long, at most ${MAX_NPY_HEADER} are read`)
  return { headerStart, dataStart: headerStart + length }
}

function parseElementType(descr: string, fail: Fail): { type: ElementType; swapped: boolean } {
  const order = descr[0]
  const type = descr.slice(1)
  if (!Object.hasOwn(ARRAY_TYPES, type) || !'<>|'.includes(order) || (order === '|' && type !== 'u1' && type !== 'b1')) {
    const shown = descr.replace(/[^\x20-\x7e]/g, '?').slice(0, 20)
    fail(`the element type "${shown}" cannot be read; save the array as float64, float32, int64, int32, uint8 or bool`)
  }
  return { type: type as ElementType, swapped: order !== '|' && (order === '<') !== LITTLE_ENDIAN_HOST }
}

function describe(data: NpyData): string {
  if (data instanceof Uint8Array) return '|u1'
  const order = LITTLE_ENDIAN_HOST ? '<' : '>'
  if (data instanceof Float64Array) return `${order}f8`
  if (data instanceof Float32Array) return `${order}f4`
  return data instanceof Int32Array ? `${order}i4` : `${order}i8`
}

/** Exact up to 2^53, and above every file size beyond; the order of the sides does not matter for a side of 0. */
function countElements(shape: readonly number[]): number {
  return shape.includes(0) ? 0 : shape.reduce((count, side) => count * side, 1)
}

function toRowMajor(data: NpyData, shape: readonly number[]): NpyData {
  // Sides of 1 change no order; without them the number of sides is at most the logarithm of the size.
  const sides = shape.filter(side => side !== 1)
  if (sides.length < 2 || data.length === 0) return data
  const strides = sides.map((_, axis) => countElements(sides.slice(0, axis)))
  const result = data.slice() as Float64Array
  const source = data as Float64Array
  const position = sides.map(() => 0)
  for (let to = 0, from = 0; to < result.length; to++) {
    result[to] = source[from]
    for (let axis = sides.length - 1; axis >= 0; axis--) {
      from += strides[axis]
      if (++position[axis] < sides[axis]) break
      from -= strides[axis] * sides[axis]
      position[axis] = 0
    }
  }
  return result
}
