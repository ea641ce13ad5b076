/** Particles in the order of their cells. The order of particles in the same cell stays, so sums over them do not depend on chance. */
import type { Grid } from '../../../grid/grid.js'
import type { ParticleColumns } from '../../loops.js'
import type { PlainState } from '../state.js'
import { isRemoved } from '../store.js'

/** Drops particles that have left, and sets `cellStart`: a counting sort of all columns. */
export function sortParticles(state: PlainState, columns: ParticleColumns): void {
  const { grid, arrays, particleCount } = state
  const { px, py, pz, cellStart } = arrays
  const cells = new Int32Array(particleCount)
  cellStart.fill(0)
  for (let n = 0; n < particleCount; n++) {
    cells[n] = isRemoved(px[n]) ? -1 : cellAt(grid, px[n], py[n], pz[n])
    if (cells[n] >= 0) cellStart[cells[n] + 1]++
  }
  for (let cell = 0; cell < grid.cells; cell++) cellStart[cell + 1] += cellStart[cell]

  const next = cellStart.slice()
  const kept = cellStart[grid.cells]
  const sources = new Int32Array(kept)
  for (let n = 0; n < particleCount; n++) if (cells[n] >= 0) sources[next[cells[n]]++] = n
  for (const column of columns) {
    const before = column.slice()
    for (let n = 0; n < kept; n++) column[n] = before[sources[n]]
  }
  state.particleCount = kept
  state.seedCount = 0
}

/** The cell of a position; of one beyond the sides of the grid, the nearest. */
function cellAt({ shape: [nx, ny, nz] }: Grid, x: number, y: number, z: number): number {
  return wholeCell(x, nx) + nx * (wholeCell(y, ny) + ny * wholeCell(z, nz))
}

function wholeCell(coordinate: number, size: number): number {
  return Math.floor(Math.min(size - 1, Math.max(0, coordinate)))
}
