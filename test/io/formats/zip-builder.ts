/** Zip archives byte by byte, right or wrong in every field, because no writer makes the wrong ones. */
import { crc32 } from '../../../src/io/bytes/crc32.js'

export interface ZipPart {
  readonly name: string
  readonly data: Uint8Array
  readonly packed?: Uint8Array
  readonly method?: number
  readonly flags?: number
  readonly crc?: number
  readonly size?: number
  readonly packedSize?: number
  readonly localStart?: number
  readonly localName?: string
  /** Sizes and offset in a zip64 record. */
  readonly zip64?: boolean
}

export interface ZipOptions {
  readonly zip64?: boolean
  readonly zip64At?: number
  readonly comment?: string
  readonly count?: number
  readonly directoryStart?: number
  readonly disk?: number
  readonly reverseDirectory?: boolean
}

const u16 = (value: number): number[] => [value & 255, (value >> 8) & 255]
const u32 = (value: number): number[] => [...u16(value & 0xffff), ...u16(Math.floor(value / 65536) & 0xffff)]
const u64 = (value: number): number[] => [...u32(value % 2 ** 32), ...u32(Math.floor(value / 2 ** 32))]
const text = (value: string): number[] => [...new TextEncoder().encode(value)]

export function buildZip(parts: readonly ZipPart[], options: ZipOptions = {}): Uint8Array {
  const bytes: number[] = []
  const listed: number[][] = []
  for (const part of parts) {
    listed.push(directoryEntry(part, bytes.length))
    const name = text(part.localName ?? part.name)
    // Only the lengths of this header matter, the directory holds the rest.
    bytes.push(...u32(0x04034b50), ...Array(22).fill(0), ...u16(name.length), ...u16(0), ...name)
    for (const byte of part.packed ?? part.data) bytes.push(byte)
  }
  const start = bytes.length
  const directory = (options.reverseDirectory ? listed.reverse() : listed).flat()
  bytes.push(...directory)
  const { disk = 0, count = parts.length, directoryStart = start, comment = '' } = options
  if (options.zip64) {
    const recordAt = bytes.length
    bytes.push(...u32(0x06064b50), ...u64(44), ...u16(45), ...u16(45), ...u32(disk), ...u32(disk))
    bytes.push(...u64(count), ...u64(count), ...u64(directory.length), ...u64(directoryStart))
    bytes.push(...u32(0x07064b50), ...u32(0), ...u64(options.zip64At ?? recordAt), ...u32(1))
    bytes.push(...u32(0x06054b50), ...u32(0), ...u32(0xffffffff), ...u32(0xffffffff), ...u32(0xffffffff))
  } else {
    bytes.push(...u32(0x06054b50), ...u16(disk), ...u16(disk), ...u16(count), ...u16(count))
    bytes.push(...u32(directory.length), ...u32(directoryStart))
  }
  bytes.push(...u16(comment.length), ...text(comment))
  return Uint8Array.from(bytes)
}

function directoryEntry(part: ZipPart, place: number): number[] {
  const { method = 0, flags = 0, crc = crc32(part.data), size = part.data.length, localStart = place } = part
  const packedSize = part.packedSize ?? (part.packed ?? part.data).length
  const name = text(part.name)
  const wide = [size, packedSize, localStart]
  // An unrelated field stands before the zip64 one, as other writers have it.
  const extra = part.zip64 ? [...u16(0x5455), ...u16(1), 0, ...u16(1), ...u16(24), ...wide.flatMap(u64)] : []
  const [shownSize, shownPacked, shownStart] = part.zip64 ? [0xffffffff, 0xffffffff, 0xffffffff] : wide
  return [
    ...[...u32(0x02014b50), ...u16(20), ...u16(20), ...u16(flags), ...u16(method), ...u32(0), ...u32(crc)],
    ...[...u32(shownPacked), ...u32(shownSize), ...u16(name.length), ...u16(extra.length), ...u16(0), ...u16(0), ...u16(0)],
    ...[...u32(0), ...u32(shownStart), ...name, ...extra],
  ]
}
