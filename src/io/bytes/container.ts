/** The container of frame and checkpoint files: a JSON header and named arrays of numbers, each with its checksum.
 *
 *    0  magic, 8 bytes          12  length of the header         20  header, JSON in UTF-8, padded with spaces
 *    8  version of the layout   16  CRC-32 of the header         …   the sections, each padded with zeros to 8 bytes
 *
 *  All numbers are little-endian, 32 bit. The header lists the sections with their checksums, so its own checksum covers the
 *  whole file. Every flipped bit and every missing or added byte is noticed. */
import { inputBytes } from '../../input-bytes.js'
import { InputError } from '../../input-error.js'
import { show, showWord } from '../../printable.js'
import { type Packing, packPlanes, unpackPlanes } from './byte-planes.js'
import { LITTLE_ENDIAN_HOST, littleEndianBytes, swapBytes } from './bytes.js'
import { type Codec, MAX_EXPANSION, portableCodec } from './codec.js'
import { isObject, type JsonObject, parseJson } from './json.js'

export const ELEMENT_TYPES = {
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  i4: Int32Array,
  u4: Uint32Array,
  i8: BigInt64Array,
  u8: BigUint64Array,
  f4: Float32Array,
  f8: Float64Array,
} as const
export type ElementType = keyof typeof ELEMENT_TYPES
export type NumberArray =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array

export interface Section {
  readonly name: string
  readonly data: NumberArray
  /** How it is deflated; absent, it is stored as it is. */
  readonly deflate?: Packing
}

export interface Container {
  /** What the file holds, and the version of that. */
  readonly kind: string
  readonly version: number
  readonly header: JsonObject
  readonly sections: readonly Section[]
}

export interface Formatted {
  /** Written one after the other they are the file. Sections that are not deflated are views of the arrays, not copies. */
  readonly parts: readonly Uint8Array[]
  readonly bytes: number
  /** Of the header, and so of the whole. */
  readonly checksum: number
}

interface SectionEntry {
  readonly name: string
  readonly type: ElementType
  /** Elements. */
  readonly length: number
  /** Bytes in the file of each plane, where the section is packed. */
  readonly planes?: readonly number[]
  /** Of the bytes in the file. */
  readonly crc: number
}

type Fail = (problem: string) => never

// As in PNG: a byte no text has, and line ends that a transfer as text would mangle.
const CONTAINER_MAGIC = Uint8Array.of(0x89, 0x50, 0x45, 0x45, 0x4c, 0x0d, 0x0a, 0x1a)
const LAYOUT_VERSION = 1
const CHECKSUM_AT = 16
/** Bytes before the header; its checksum is the last of them. */
export const CONTAINER_PREFIX = 20
const SECTION_ALIGNMENT = 8
const MAX_CONTAINER_HEADER = 2 ** 24

export function formatContainer({ kind, version, header, sections }: Container, codec: Codec = portableCodec): Formatted {
  const bodies = sections.map(section => storedParts(section, codec))
  const entries: SectionEntry[] = sections.map(({ name, data, deflate }, at) => ({
    name,
    type: elementType(data),
    length: data.length,
    ...(deflate && { planes: bodies[at].map(plane => plane.length) }),
    crc: bodies[at].reduce((crc, part) => codec.crc32(part, crc), 0),
  }))
  const json = new TextEncoder().encode(JSON.stringify({ kind, version, sections: entries, header }))
  const head = new Uint8Array(json.length + paddingAfter(CONTAINER_PREFIX + json.length)).fill(0x20)
  head.set(json)
  const checksum = codec.crc32(head)
  const prefix = new Uint8Array(CONTAINER_PREFIX)
  prefix.set(CONTAINER_MAGIC)
  const view = new DataView(prefix.buffer)
  for (const [at, value] of [LAYOUT_VERSION, head.length, checksum].entries())
    view.setUint32(CONTAINER_MAGIC.length + 4 * at, value, true)
  const parts: Uint8Array[] = [prefix, head]
  for (const body of bodies) parts.push(...body, new Uint8Array(paddingAfter(sum(body.map(({ length }) => length)))))
  return { parts, bytes: sum(parts.map(({ length }) => length)), checksum }
}

export interface ParsedContainer {
  readonly header: JsonObject
  readonly sections: ReadonlyMap<string, StoredSection>
}

/** Checked against its checksum, and not unpacked before that is needed: a few bytes can declare many. */
export interface StoredSection {
  readonly length: number
  /** Bytes in the file, and unpacked. */
  readonly storedBytes: number
  readonly bytes: number
  /** May be a view of the file's bytes. */
  unpack(): NumberArray
}

/** `what` names the kind of file for the reader of an error: "a frame". */
export function parseContainer(
  given: Uint8Array,
  where: string,
  { kind, version, what }: { readonly kind: string; readonly version: number; readonly what: string },
  codec: Codec = portableCodec,
): ParsedContainer {
  const fail: Fail = problem => {
    throw new InputError(`${where}: ${problem}.`)
  }
  const bytes = inputBytes(given, where)
  if (bytes.length < CONTAINER_PREFIX || CONTAINER_MAGIC.some((byte, at) => bytes[at] !== byte))
    fail(`this is not ${what} file of Peel`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [layout, headerLength, checksum] = [8, 12, CHECKSUM_AT].map(at => view.getUint32(at, true))
  if (layout !== LAYOUT_VERSION) fail(`layout ${layout} is unknown, this version of Peel reads ${LAYOUT_VERSION}`)
  const start = CONTAINER_PREFIX + headerLength
  if (headerLength > MAX_CONTAINER_HEADER || start > bytes.length) fail('the file is cut off or damaged in its header')
  const head = bytes.subarray(CONTAINER_PREFIX, start)
  if (codec.crc32(head) !== checksum) fail('the header is damaged, its checksum does not match')
  const found = parseHeader(head, fail)
  if (found.kind !== kind) fail(`this is not ${what} file but one of kind "${showWord(found.kind)}"`)
  if (found.version !== version) fail(`version ${show(found.version)} is unknown, this version of Peel reads ${version}`)
  if (!isObject(found.header) || !Array.isArray(found.sections)) return fail('the header is incomplete')
  const sections = new Map<string, StoredSection>()
  let at = start
  for (const listed of found.sections) {
    const entry = checkEntry(listed, sections, fail)
    const size = entry.planes ? sum(entry.planes) : entry.length * ELEMENT_TYPES[entry.type].BYTES_PER_ELEMENT
    const end = at + size + paddingAfter(size)
    if (end > bytes.length)
      fail(`the file is cut off in section "${entry.name}": ${end} bytes or more are expected, ${bytes.length} are present`)
    const body = bytes.subarray(at, at + size)
    if (codec.crc32(body) !== entry.crc || bytes.subarray(at + size, end).some(byte => byte !== 0))
      fail(`section "${entry.name}" is damaged, its checksum does not match`)
    sections.set(entry.name, {
      length: entry.length,
      storedBytes: size,
      bytes: entry.length * ELEMENT_TYPES[entry.type].BYTES_PER_ELEMENT,
      unpack: () => unpack(body, entry, codec, fail),
    })
    at = end
  }
  if (at < bytes.length) fail(`${bytes.length - at} bytes follow the last section`)
  return { header: found.header, sections }
}

/** The checksum of a file that was parsed before. */
export function containerChecksum(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(CHECKSUM_AT, true)
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
const paddingAfter = (size: number) => (SECTION_ALIGNMENT - (size % SECTION_ALIGNMENT)) % SECTION_ALIGNMENT

function elementType(data: NumberArray): ElementType {
  for (const [type, ArrayType] of Object.entries(ELEMENT_TYPES)) if (data instanceof ArrayType) return type as ElementType
  throw new TypeError(`${Object.prototype.toString.call(data)} is not an array of numbers that a file can store`)
}

function storedParts({ data, deflate }: Section, codec: Codec): Uint8Array[] {
  const bytes = littleEndianBytes(data)
  return deflate ? packPlanes(bytes, data.BYTES_PER_ELEMENT, codec, deflate) : [bytes]
}

function unpack(body: Uint8Array, { name, type, length, planes }: SectionEntry, codec: Codec, fail: Fail): NumberArray {
  const ArrayType = ELEMENT_TYPES[type]
  const width = ArrayType.BYTES_PER_ELEMENT
  let bytes = body
  if (planes) {
    const ends = planes.map((_, at) => sum(planes.slice(0, at + 1)))
    const parts = ends.map((end, at) => body.subarray(end - planes[at], end))
    try {
      bytes = unpackPlanes(parts, length, codec)
    } catch {
      fail(`section "${name}" is damaged, its ${length} values cannot be unpacked`)
    }
  }
  // The file may have been read to an address that numbers of this width cannot have.
  if (!LITTLE_ENDIAN_HOST || bytes.byteOffset % width !== 0) bytes = bytes.slice()
  if (!LITTLE_ENDIAN_HOST) swapBytes(bytes, width)
  return new ArrayType(bytes.buffer as ArrayBuffer, bytes.byteOffset, length)
}

function parseHeader(head: Uint8Array, fail: Fail): JsonObject {
  let found: unknown
  try {
    found = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(head))
  } catch {
    // Not an object either.
  }
  return isObject(found) ? found : fail('the header is not a JSON object')
}

function checkEntry(entry: unknown, earlier: ReadonlyMap<string, unknown>, fail: Fail): SectionEntry {
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
  const { name, type, length, planes, crc } = isObject(entry) ? entry : fail('the header lists an invalid section')
  if (typeof name !== 'string' || earlier.has(name)) return fail('the header lists a section without a unique name')
  if (typeof type !== 'string' || !Object.hasOwn(ELEMENT_TYPES, type)) fail(`section "${name}" has an unknown element type`)
  const width = ELEMENT_TYPES[type as ElementType].BYTES_PER_ELEMENT
  const arePlanes = Array.isArray(planes) && planes.length === width && planes.every(isCount)
  if (!isCount(length) || !isCount(crc) || !(planes === undefined || arePlanes))
    fail(`section "${name}" has no valid length or checksum in the header`)
  // Compared before anything is allocated, so a hostile length costs nothing.
  if (arePlanes && planes.some(size => (length as number) > ((size as number) + 16) * MAX_EXPANSION))
    fail(`section "${name}" cannot unpack to ${length} values`)
  return { name, type: type as ElementType, length: length as number, planes: planes as number[] | undefined, crc: crc as number }
}
