/** Numbers packed by planes: all first bytes, then all second bytes, and so on. In smooth fields neighbours share sign, exponent and upper
 *  digits, and deflate sees it; the lowest digits are noise, which costs it most of its time and gains nothing, so such planes stay. */
import { LITTLE_ENDIAN_HOST } from './bytes.js'
import type { Codec } from './codec.js'

const PLANE_SAMPLES = 32
const SAMPLE_BYTES = 2048

/** The largest compressed share of its size at which a plane is deflated. `small`: wherever files become smaller. `quick`:
 *  only where writing the bytes that are saved takes about as long as packing, at 200 MB/s: signs and exponents of numbers in
 *  no particular order, but not their digits. */
export type Packing = 'small' | 'quick'
const WORTH_IT: Readonly<Record<Packing, number>> = { small: 0.9, quick: 0.5 }

const GOLDEN = (Math.sqrt(5) - 1) / 2 // no two samples fall on the same place of a grid

/** As many arrays as an element has bytes. One that is as long as there are elements is not deflated. */
export function packPlanes(bytes: Uint8Array, width: number, codec: Codec, packing: Packing = 'small'): Uint8Array[] {
  const maxShare = WORTH_IT[packing]
  return takePlanes(bytes, width).map(plane => {
    if (plane.length > 8 * SAMPLE_BYTES && !seemsCompressible(plane, codec, maxShare)) return plane
    const packed = codec.deflate(plane)
    return packed.length < maxShare * plane.length ? packed : plane
  })
}

/** Throws where a plane is damaged. */
export function unpackPlanes(planes: readonly Uint8Array[], length: number, codec: Codec): Uint8Array {
  const width = planes.length
  const unpacked = planes.map(plane => (plane.length === length ? plane : codec.inflate(plane, length)))
  if (width === 1) return unpacked[0]
  const bytes = new Uint8Array(length * width)
  for (let byte = 0; byte < width; byte++) {
    const plane = unpacked[byte]
    for (let i = 0, to = byte; i < length; i++, to += width) bytes[to] = plane[i]
  }
  return bytes
}

function takePlanes(bytes: Uint8Array, width: number): Uint8Array[] {
  if (width === 1) return [bytes]
  const length = bytes.length / width
  const planes = Array.from({ length: width }, () => new Uint8Array(length))
  if (width === 4 && bytes.byteOffset % 4 === 0 && LITTLE_ENDIAN_HOST) {
    // Most arrays by far: one way through them instead of four.
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, length)
    const [a, b, c, d] = planes
    for (let i = 0; i < length; i++) {
      const word = words[i]
      a[i] = word
      b[i] = word >>> 8
      c[i] = word >>> 16
      d[i] = word >>> 24
    }
    return planes
  }
  for (const [byte, plane] of planes.entries())
    for (let i = 0, from = byte; i < length; i++, from += width) plane[i] = bytes[from]
  return planes
}

/** By samples from all over the plane, packed at once: starting the compressor costs more than compressing one of them. */
function seemsCompressible(plane: Uint8Array, codec: Codec, maxShare: number): boolean {
  const count = Math.min(PLANE_SAMPLES, Math.floor(plane.length / (4 * SAMPLE_BYTES)))
  const samples = new Uint8Array(count * SAMPLE_BYTES)
  for (let sample = 0; sample < count; sample++) {
    const start = Math.floor(((sample * GOLDEN) % 1) * (plane.length - SAMPLE_BYTES))
    samples.set(plane.subarray(start, start + SAMPLE_BYTES), sample * SAMPLE_BYTES)
  }
  return codec.deflate(samples).length < maxShare * samples.length
}
