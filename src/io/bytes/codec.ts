/** Deflate and checksum, the two loops over bytes that a host may have faster than we can write them. */
import { deflateSync, inflateSync } from 'fflate'
import { crc32 } from './crc32.js'

/** Bytes that one byte of a deflated stream gives at most: the longest match is 258 bytes and takes at least 2 bits. */
export const MAX_EXPANSION = 1032

/** All codecs read what any of them has written. */
export interface Codec {
  /** Raw deflate. */
  deflate(bytes: Uint8Array): Uint8Array
  /** Throws where the stream is damaged or does not give `size` bytes. */
  inflate(packed: Uint8Array, size: number): Uint8Array
  /** Of bytes that follow those whose checksum is `previous`. */
  crc32(bytes: Uint8Array, previous?: number): number
}

/** Needs no host. */
export const portableCodec: Codec = {
  deflate: bytes => deflateSync(bytes, { level: 1 }),
  inflate(packed, size) {
    // One byte more than expected, so that a longer stream is noticed: fflate stops writing at the end without an error.
    const content = inflateSync(packed, { out: new Uint8Array(size + 1) })
    if (content.length !== size) throw new RangeError(`${content.length} bytes instead of ${size}`)
    return content
  },
  crc32,
}
