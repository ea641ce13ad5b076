/** What the cells of a lattice are: unknowns, in the band, or open liquid, whose coefficients are those of the whole lattice. */
import type { BoxMatrix } from './lattices.js'

export const UNKNOWN = 1
export const IN_BAND = 2
/** All six links as in open liquid, and no bound. */
export const OPEN = 4

/** Deviation of a diagonal from the sum of its links that is rounding. */
const UNIFORM_ROUNDING = 1e-14

/** Per axis. */
export function largestLinks({ cells, links: [lx, ly, lz] }: BoxMatrix): [number, number, number] {
  let [x, y, z] = [0, 0, 0]
  for (let n = 0; n < cells.length; n++) {
    const c = cells[n]
    if (lx[c] < x) x = lx[c]
    if (ly[c] < y) y = ly[c]
    if (lz[c] < z) z = lz[c]
  }
  return [-x, -y, -z]
}

/** `bounded`: cells whose pressure may have a bound. `marks` must be 0. */
export function markCells(
  matrix: BoxMatrix,
  bounded: Int32Array,
  [wx, wy, wz]: readonly number[],
  uniform: number,
  marks: Uint8Array,
): void {
  const { lattice, cells, band, diagonal, links } = matrix
  const [lx, ly, lz] = links
  const [, sy, sz] = lattice.strides
  for (let n = 0; n < cells.length; n++) marks[cells[n]] = UNKNOWN
  for (let n = 0; n < cells.length; n++) {
    const c = cells[n]
    const alike = lx[c] === -wx && lx[c - 1] === -wx && ly[c] === -wy && ly[c - sy] === -wy && lz[c] === -wz && lz[c - sz] === -wz
    if (!alike || !(Math.abs(diagonal[c] - uniform) <= UNIFORM_ROUNDING * uniform)) continue
    const inside =
      (wx === 0 || (marks[c - 1] && marks[c + 1])) &&
      (wy === 0 || (marks[c - sy] && marks[c + sy])) &&
      (wz === 0 || (marks[c - sz] && marks[c + sz]))
    if (inside) marks[c] = UNKNOWN | OPEN
  }
  if (band) for (let n = 0; n < band.length; n++) marks[band[n]] |= IN_BAND
  for (let n = 0; n < bounded.length; n++) marks[bounded[n]] &= ~OPEN
}
