/** A video that is being encoded, by any encoder. */
export interface Encoding {
  add(pixels: Uint8ClampedArray): Promise<void>
  finish(): Promise<Uint8Array>
  dispose(): Promise<void>
}
