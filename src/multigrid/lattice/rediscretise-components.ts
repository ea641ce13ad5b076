/** Components of a level without any hold: no air, no Dirichlet cell. There the matrix is singular, and a right-hand side that
 *  does not sum to 0 has no solution; smoothing it would only drive the pressure up and up. */
import { subtractMeans } from '../../pressure/pockets.js'
import type { Buffers } from '../../sparse/buffers.js'
import type { LatticeMatrix } from './rediscretise-matrix.js'

/** Row sums up to this share of the diagonal are rounding. */
const HOLD = 1e-9

/** Lattice indices of the cells of each such component. `name`: that of the level, for its buffers. */
export function findFloating(
  { lattice, cells, diagonal, links }: Omit<LatticeMatrix, 'nonZeros'>,
  buffers: Buffers,
  name: string,
): Int32Array[] {
  const { strides, size } = lattice
  const seen = buffers.u8('floating.seen', size).fill(1)
  for (const at of cells) seen[at] = 0
  const queue = buffers.i32(`${name}.floating`, cells.length)
  const floating: Int32Array[] = []
  let begin = 0
  for (const seed of cells) {
    if (seen[seed]) continue
    let held = false
    let end = begin
    const reach = (at: number) => {
      if (seen[at]) return
      seen[at] = 1
      queue[end++] = at
    }
    reach(seed)
    for (let head = begin; head < end; head++) {
      const at = queue[head]
      let sum = diagonal[at]
      for (let axis = 0; axis < 3; axis++) {
        const stride = strides[axis]
        if (stride === 0) continue
        const [below, above] = [links[axis][at - stride], links[axis][at]]
        sum += below + above
        if (below !== 0) reach(at - stride)
        if (above !== 0) reach(at + stride)
      }
      if (sum > HOLD * diagonal[at]) held = true
    }
    if (held) continue
    floating.push(queue.subarray(begin, end))
    begin = end
  }
  return floating
}

/** Subtracts the mean of b where a component floats and no bound holds it either. `floating`: indices of its cells in b. */
export function balance(floating: readonly Int32Array[], b: Float64Array, lowest: Float64Array | undefined): void {
  const isFree = (cells: Int32Array) => !lowest || cells.every(at => !(lowest[at] > -Infinity))
  subtractMeans(floating.filter(isFree), b)
}
