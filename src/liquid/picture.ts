/** A picture: rows of pixels from the top, four bytes per pixel (red, green, blue, opacity), in sRGB. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8ClampedArray
}
