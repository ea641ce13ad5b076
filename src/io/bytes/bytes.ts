/** Concatenates bytes, and writes numbers as little-endian bytes on any host. */
import { InputError } from '../../input-error.js'

export const LITTLE_ENDIAN_HOST = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

/** A view where the host is little-endian, a swapped copy elsewhere. */
export function littleEndianBytes(data: ArrayBufferView & { readonly BYTES_PER_ELEMENT: number }): Uint8Array {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  if (LITTLE_ENDIAN_HOST) return bytes
  const copy = bytes.slice()
  swapBytes(copy, data.BYTES_PER_ELEMENT)
  return copy
}

export function swapBytes(bytes: Uint8Array, width: number): void {
  for (let start = 0; start < bytes.length; start += width) {
    for (let low = start, high = start + width - 1; low < high; low++, high--) {
      const byte = bytes[low]
      bytes[low] = bytes[high]
      bytes[high] = byte
    }
  }
}

/** One array from several. */
export function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/** What any archive may unpack to, and how many times its size a larger one: numbers of simulations rarely shrink by more than a tenth of
 *  that. */
const MAX_UNPACKED = 2 ** 30
const MAX_RATIO = 250

/** Refuses archives that are there to fill the memory. */
export function requireHonestSize(unpacked: number, packed: number, where: string): void {
  if (unpacked > Math.max(MAX_UNPACKED, MAX_RATIO * packed))
    throw new InputError(
      `${where}: ${packed} packed bytes declare ${unpacked} unpacked ones, which is implausible; save it without compression if it is correct.`,
    )
}
