/** Liquid that touches no air, directly or through other liquid: it fills whatever holds it, so its volume cannot be corrected. */
import type { CompiledLiquid } from '../engine/compiled-liquid.js'

/** 1 in cells of such liquid, by the surface as it is now; nothing where there is none. */
export function sealedCells({ grid, arrays }: CompiledLiquid): Uint8Array | undefined {
  const { phi, openX, openY, openZ } = arrays
  const open = [openX, openY, openZ]
  const [nx, ny] = grid.shape
  const steps = [1, nx, nx * ny]
  const seen = new Uint8Array(grid.cells)
  const queue = new Int32Array(grid.cells)
  let end = 0

  /** Adds the liquid next to a cell to the queue. Is there nothing else next to it? */
  function follow(cell: number): boolean {
    const row = Math.floor(cell / nx)
    const k = Math.floor(row / ny)
    let isEnclosed = true
    for (let axis = 0; axis < grid.dims; axis++) {
      const step = steps[axis]
      const position = axis === 0 ? cell - row * nx : axis === 1 ? row - k * ny : k
      const face = axis === 0 ? cell + row : axis === 1 ? cell + nx * k : cell
      for (let upper = 0; upper < 2; upper++) {
        if (open[axis][face + upper * step] === 0) continue
        const next = upper ? cell + step : cell - step
        const isOutside = position === (upper ? grid.shape[axis] - 1 : 0)
        if (isOutside || !(phi[next] < 0)) isEnclosed = false
        else if (!seen[next]) {
          seen[next] = 1
          queue[end++] = next
        }
      }
    }
    return isEnclosed
  }

  let sealed: Uint8Array | undefined
  for (let seed = 0; seed < grid.cells; seed++) {
    if (seen[seed] || !(phi[seed] < 0)) continue
    seen[seed] = 1
    queue[0] = seed
    end = 1
    let isSealed = true
    for (let head = 0; head < end; head++) if (!follow(queue[head])) isSealed = false
    if (!isSealed) continue
    sealed ??= new Uint8Array(grid.cells)
    for (let at = 0; at < end; at++) sealed[queue[at]] = 1
  }
  return sealed
}
