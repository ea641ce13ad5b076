/** Numbers packed by planes: all first bytes, then all second bytes, and so on. In smooth fields neighbours share sign, exponent and upper
 *  digits, and deflate sees it; the lowest digits are noise, which costs it most of its time and gains nothing, so such planes stay. */
import type { Codec } from './codec.js'

const SAMPLES = 32
const SAMPLE_BYTES = 2048
const WORTH_IT = 0.9 // of its size
const GOLDEN = (Math.sqrt(5) - 1) / 2 // no two samples fall on the same place of a grid

/** As many arrays as an element has bytes. One that is as long as there are elements is not deflated. */
export function packPlanes(bytes: Uint8Array, width: number, codec: Codec): Uint8Array[] {
  return Array.from({ length: width }, (_, byte) => {
    const plane = width === 1 ? bytes : takePlane(bytes, width, byte)
    if (!seemsCompressible(plane, codec)) return plane
    const packed = codec.deflate(plane)
    return packed.length < plane.length ? packed : plane
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

function takePlane(bytes: Uint8Array, width: number, byte: number): Uint8Array {
  const plane = new Uint8Array(bytes.length / width)
  for (let i = 0, from = byte; i < plane.length; i++, from += width) plane[i] = bytes[from]
  return plane
}

function seemsCompressible(plane: Uint8Array, codec: Codec): boolean {
  if (plane.length <= 2 * SAMPLES * SAMPLE_BYTES) return true
  let packed = 0
  for (let sample = 0; sample < SAMPLES; sample++) {
    const start = Math.floor(((sample * GOLDEN) % 1) * (plane.length - SAMPLE_BYTES))
    packed += codec.deflate(plane.subarray(start, start + SAMPLE_BYTES)).length
  }
  return packed < WORTH_IT * SAMPLES * SAMPLE_BYTES
}
