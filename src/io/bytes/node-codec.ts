/** Node's own deflate and checksum: several times faster than portable ones. */
import zlib from 'node:zlib'
import type { Codec } from './codec.js'
import { crc32 } from './crc32.js'

// Since Node 20.15; the types are older.
const native = (zlib as { crc32?: (bytes: Uint8Array, previous?: number) => number }).crc32

export const nodeCodec: Codec = {
  deflate: bytes => zlib.deflateRawSync(bytes, { level: 1 }),
  inflate(packed, size) {
    const content = zlib.inflateRawSync(packed, { maxOutputLength: size + 1 })
    if (content.length !== size) throw new RangeError(`${content.length} bytes instead of ${size}`)
    return content
  },
  crc32: native ?? crc32,
}
