/** CRC-32 as zip and PNG use it: reflected polynomial 0xEDB88320. */

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0)
  return remainder
})

/** Of bytes that follow those whose checksum is `previous`. */
export function crc32(bytes: Uint8Array, previous = 0): number {
  let remainder = ~previous
  for (let at = 0; at < bytes.length; at++) remainder = TABLE[(remainder ^ bytes[at]) & 255] ^ (remainder >>> 8)
  return ~remainder >>> 0
}
