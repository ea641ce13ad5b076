/** Pieces of the loops over the grid of a liquid, by number: 80 and above. */

export function runLiquidChunk(operation: i32, chunk: i32): void {
  switch (operation) {
    default: unreachable()
  }
}
