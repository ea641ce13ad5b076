/** Pieces of the loops over the grid of a liquid, by number: 80 and above. */
import { runRayChunk } from './ray-pieces'

export function runLiquidChunk(operation: i32, chunk: i32): void {
  switch (operation) {
    default: return runRayChunk(operation, chunk)
  }
}
