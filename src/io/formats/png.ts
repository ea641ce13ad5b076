/** Pictures as PNG files. */
import { encode } from 'fast-png'
import { InputError } from '../../input-error.js'
import type { Picture } from '../../liquid/picture.js'

export function formatPng({ width, height, pixels }: Picture): Uint8Array {
  if (pixels.length !== 4 * width * height)
    throw new InputError(`A picture of ${width} × ${height} needs ${4 * width * height} numbers, not ${pixels.length}.`)
  return encode({ width, height, data: pixels, channels: 4, depth: 8 })
}
