/** Pictures as PNG files. */
import { encode } from 'fast-png'
import type { Picture } from '../liquid/picture.js'

export function encodePng({ width, height, pixels }: Picture): Uint8Array {
  return encode({ width, height, data: pixels, channels: 4, depth: 8 })
}
