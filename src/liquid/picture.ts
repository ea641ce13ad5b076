/** A picture: rows of pixels from the top, four bytes a pixel (red, green, blue, opacity), as screens are given them (sRGB). */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8ClampedArray
}
