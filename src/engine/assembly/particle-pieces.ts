/** Pieces of the loops over particles, by number. */
import { runLiquidChunk } from './liquid-pieces'

export function runParticleChunk(operation: i32, chunk: i32): void {
  switch (operation) {
    default: return runLiquidChunk(operation, chunk)
  }
}
