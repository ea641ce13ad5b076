/** PNG pictures. */
import { encode } from 'fast-png'
import { InputError } from '../input-error.js'

export interface Picture {
  readonly width: number
  readonly height: number
  /** Red, green, blue and opacity of every pixel, 0 to 255, the upper left one first. */
  readonly pixels: Uint8Array | Uint8ClampedArray
}

export function formatPng({ width, height, pixels }: Picture): Uint8Array {
  if (pixels.length !== 4 * width * height)
    throw new InputError(`A picture of ${width} × ${height} needs ${4 * width * height} numbers, not ${pixels.length}.`)
  return encode({ width, height, data: pixels, channels: 4, depth: 8 })
}
