/** Reading of zip archives, stored or deflated, zip64 included. Strict: the central directory must match the file, because an
 *  archive that readers interpret differently is damaged or forged. */
import { Inflate, inflateSync } from 'fflate'
import { inputBytes } from '../../input-bytes.js'
import { InputError } from '../../input-error.js'
import { joinParts } from './bytes.js'
import { MAX_EXPANSION } from './codec.js'
import { crc32 } from './crc32.js'

export interface ZipEntry {
  readonly name: string
  readonly deflated: boolean
  readonly crc: number
  /** Bytes after unpacking, as the directory declares them. */
  readonly size: number
  /** A view of the archive. */
  readonly packed: Uint8Array
}

type Fail = (what: string) => never
interface DirectoryEntry extends Omit<ZipEntry, 'packed'> {
  readonly packedSize: number
  readonly localStart: number
}
interface Directory {
  readonly start: number
  readonly end: number
  readonly count: number
}

const END_SIGNATURE = 0x06054b50
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50
const ZIP64_END_SIGNATURE = 0x06064b50
const ENTRY_SIGNATURE = 0x02014b50
const LOCAL_SIGNATURE = 0x04034b50
const END_LENGTH = 22
const ZIP64_LOCATOR_LENGTH = 20
const ZIP64_END_LENGTH = 56
const ENTRY_LENGTH = 46
const LOCAL_LENGTH = 30
const IN_ZIP64 = 0xffffffff
const ENCRYPTED_FLAGS = 0x2041
const STORED = 0
const DEFLATED = 8
const STEP = 1024 // packed bytes of which the start of an entry is unpacked at a time

export function readZip(given: Uint8Array, where: string): ZipEntry[] {
  const bytes = inputBytes(given, where)
  const fail: Fail = what => {
    throw new InputError(`${where}: ${what}.`)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const directory = findDirectory(view, fail)
  const listed = readDirectory(bytes, view, directory, fail)
  const inFileOrder = [...listed].sort((a, b) => a.localStart - b.localStart)
  const packed = new Map<DirectoryEntry, Uint8Array>()
  for (let i = 0; i < inFileOrder.length; i++) {
    // The next entry may itself claim to be beyond the file.
    const limit = Math.min(inFileOrder[i + 1]?.localStart ?? directory.start, directory.start)
    packed.set(inFileOrder[i], locate(bytes, view, inFileOrder[i], limit, fail))
  }
  return listed.map(entry => ({ ...entry, packed: packed.get(entry)! }))
}

/** The entry's bytes, checked against their declared size and checksum; a stored entry is returned as a view of the archive. */
export function unpackEntry(entry: ZipEntry, where: string): Uint8Array {
  const content = entry.deflated ? inflate(entry, where) : entry.packed
  if (content.length !== entry.size)
    throw new InputError(`${where}: entry "${entry.name}" does not have the ${entry.size} bytes that the directory declares.`)
  if (crc32(content) !== entry.crc)
    throw new InputError(
      `${where}: entry "${entry.name}" is damaged, its checksum does not match; fetch or write the file again.`,
    )
  return content
}

/** The first `length` bytes of an entry, or all of a shorter one; no more is unpacked. Neither size nor checksum are checked. */
export function unpackStart({ name, deflated, packed }: ZipEntry, length: number, where: string): Uint8Array {
  if (!deflated) return packed.subarray(0, length)
  const parts: Uint8Array[] = []
  let size = 0
  const stream = new Inflate(part => {
    parts.push(part)
    size += part.length
  })
  try {
    for (let at = 0; size < length && at < packed.length; at += STEP) stream.push(packed.subarray(at, at + STEP))
  } catch {
    throw damaged(name, where)
  }
  return joinParts(parts).subarray(0, length)
}

function damaged(name: string, where: string): InputError {
  return new InputError(
    `${where}: entry "${name}" is damaged, its compressed data cannot be unpacked; fetch or write the file again.`,
  )
}

function inflate({ name, packed, size }: ZipEntry, where: string): Uint8Array {
  let target: Uint8Array
  try {
    // One byte more than declared, so that a longer stream shows: fflate stops writing at the end without an error.
    target = new Uint8Array(size + 1)
  } catch {
    throw new InputError(`${where}: entry "${name}" unpacks to ${size} bytes, more than memory can hold.`)
  }
  try {
    return inflateSync(packed, { out: target })
  } catch {
    throw damaged(name, where)
  }
}

function findDirectory(view: DataView, fail: Fail): Directory {
  const endAt = findEnd(view, fail)
  const locatorAt = endAt - ZIP64_LOCATOR_LENGTH
  const isZip64 = locatorAt >= 0 && view.getUint32(locatorAt, true) === ZIP64_LOCATOR_SIGNATURE
  let recordAt = endAt
  let disks = [view.getUint16(endAt + 4, true), view.getUint16(endAt + 6, true)]
  let counts = [view.getUint16(endAt + 8, true), view.getUint16(endAt + 10, true)]
  let size = view.getUint32(endAt + 12, true)
  let start = view.getUint32(endAt + 16, true)
  if (isZip64) {
    recordAt = readUint64(view, locatorAt + 8)
    if (!(recordAt + ZIP64_END_LENGTH <= locatorAt) || view.getUint32(recordAt, true) !== ZIP64_END_SIGNATURE)
      fail('the zip64 end record is not where the archive lists it')
    disks = [view.getUint32(recordAt + 16, true), view.getUint32(recordAt + 20, true)]
    counts = [readUint64(view, recordAt + 24), readUint64(view, recordAt + 32)]
    size = readUint64(view, recordAt + 40)
    start = readUint64(view, recordAt + 48)
  }
  if (disks[0] !== 0 || disks[1] !== 0 || counts[0] !== counts[1])
    fail('the archive is split over several files, which cannot be read')
  if (!(start + size <= recordAt)) fail('the archive directory is not inside the file')
  return { start, end: start + size, count: counts[0] }
}

function findEnd(view: DataView, fail: Fail): number {
  const last = view.byteLength - END_LENGTH
  for (let at = last; at >= Math.max(0, last - 0xffff); at--) {
    // A comment may contain the signature; only the true record's comment ends with the file.
    if (view.getUint32(at, true) === END_SIGNATURE && at + END_LENGTH + view.getUint16(at + 20, true) === view.byteLength)
      return at
  }
  return fail('this is not a whole .npz (zip) file, the end of the archive is missing')
}

function readDirectory(bytes: Uint8Array, view: DataView, directory: Directory, fail: Fail): DirectoryEntry[] {
  const entries: DirectoryEntry[] = []
  const names = new Set<string>()
  let at = directory.start
  while (at < directory.end) {
    if (at + ENTRY_LENGTH > directory.end || view.getUint32(at, true) !== ENTRY_SIGNATURE)
      fail('the archive directory is damaged')
    const nameEnd = at + ENTRY_LENGTH + view.getUint16(at + 28, true)
    const extraEnd = nameEnd + view.getUint16(at + 30, true)
    const next = extraEnd + view.getUint16(at + 32, true)
    if (next > directory.end) fail('the archive directory is damaged')
    const name = new TextDecoder().decode(bytes.subarray(at + ENTRY_LENGTH, nameEnd))
    if (names.has(name)) fail(`entry "${name}" is present twice`)
    names.add(name)
    entries.push(readDirectoryEntry(view, at, name, nameEnd, extraEnd, fail))
    at = next
  }
  if (entries.length !== directory.count) fail(`the archive declares ${directory.count} entries and lists ${entries.length}`)
  return entries
}

function readDirectoryEntry(
  view: DataView,
  at: number,
  name: string,
  extraStart: number,
  extraEnd: number,
  fail: Fail,
): DirectoryEntry {
  const method = view.getUint16(at + 10, true)
  if (view.getUint16(at + 8, true) & ENCRYPTED_FLAGS) fail(`entry "${name}" is encrypted, which cannot be read`)
  if (method !== STORED && method !== DEFLATED)
    fail(`entry "${name}" is compressed by method ${method}; only stored and deflated entries are read`)
  let zip64At = findZip64Extra(view, extraStart, extraEnd)
  const wide = (value: number): number => {
    if (value !== IN_ZIP64 || zip64At === undefined) return value
    if (zip64At.start + 8 > zip64At.end) fail(`entry "${name}" has a damaged zip64 record`)
    const found = readUint64(view, zip64At.start)
    zip64At = { start: zip64At.start + 8, end: zip64At.end }
    return found
  }
  // The zip64 record holds its fields in this order, and only those that do not fit 32 bits.
  const size = wide(view.getUint32(at + 24, true))
  const packedSize = wide(view.getUint32(at + 20, true))
  const localStart = wide(view.getUint32(at + 42, true))
  if (view.getUint16(at + 34, true) !== 0) fail('the archive is split over several files, which cannot be read')
  const deflated = method === DEFLATED
  if (deflated ? size > packedSize * MAX_EXPANSION : size !== packedSize)
    fail(`entry "${name}" declares ${size} bytes, which its ${packedSize} packed bytes cannot hold`)
  return { name, deflated, crc: view.getUint32(at + 16, true), size, packedSize, localStart }
}

function findZip64Extra(view: DataView, start: number, end: number): { start: number; end: number } | undefined {
  for (let at = start; at + 4 <= end; ) {
    const fieldEnd = at + 4 + view.getUint16(at + 2, true)
    if (fieldEnd > end) return undefined
    if (view.getUint16(at, true) === 1) return { start: at + 4, end: fieldEnd }
    at = fieldEnd
  }
  return undefined
}

/** `limit` is where the next entry or the directory starts, so no two entries share a byte. */
function locate(bytes: Uint8Array, view: DataView, entry: DirectoryEntry, limit: number, fail: Fail): Uint8Array {
  const { name, localStart, packedSize } = entry
  const outside = (): never => fail(`entry "${name}" overlaps another one or is outside the file`)
  if (!(localStart + LOCAL_LENGTH <= limit)) outside()
  if (view.getUint32(localStart, true) !== LOCAL_SIGNATURE) fail(`entry "${name}" is not where the directory lists it`)
  const nameStart = localStart + LOCAL_LENGTH
  const nameEnd = nameStart + view.getUint16(localStart + 26, true)
  const dataStart = nameEnd + view.getUint16(localStart + 28, true)
  if (!(dataStart + packedSize <= limit)) outside()
  if (new TextDecoder().decode(bytes.subarray(nameStart, nameEnd)) !== name)
    fail(`entry "${name}" has another name in its own header`)
  return bytes.subarray(dataStart, dataStart + packedSize)
}

/** Loses low bits above 2^53, far beyond every file size, where only the comparison with the size matters. */
function readUint64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32
}
