/** Pieces of the loops that draw, by number: 120 and above. */
import { lightChunk, pixelChunk } from './ray-pictures'
import { runTileChunk } from './tiles'

export const DRAW_LIGHT = 120
export const DRAW_PIXELS = 121

export function runRayChunk(operation: i32, chunk: i32): void {
  switch (operation) {
    case DRAW_LIGHT: return lightChunk(chunk)
    case DRAW_PIXELS: return pixelChunk(chunk)
    default: return runTileChunk(operation, chunk)
  }
}
