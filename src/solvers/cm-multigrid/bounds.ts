/** Which cells of each level may have a bound, and how bounds pass from one level to the next. */
import type { Lattices } from '../../multigrid/lattice/lattices.js'
import type { WeightedLevel } from '../../multigrid/lattice/rediscretise.js'
import { latticeIndex, latticePosition } from '../../multigrid/lattice/transfer.js'
import type { Buffers } from '../../sparse/buffers.js'

export interface PressureBounds {
  /** Per level, lattice indices. */
  readonly bounded: readonly Int32Array[]
  /** Per level but the last: to the next one. */
  readonly steps: readonly BoundStep[]
}

export interface BoundStep {
  /** Places of bounded cells and of their parents. */
  readonly children: Int32Array
  readonly parents: Int32Array
}

/** Contacts and, on coarse levels that have contacts, the unknowns that contain them. */
export function findBounded(
  levels: readonly WeightedLevel[],
  contacts: Int32Array,
  coarseLevels: number,
  buffers: Buffers,
): Int32Array[] {
  const bounded = [contacts]
  for (let depth = 1; depth < levels.length; depth++) {
    const { cells, lattice } = levels[depth]
    const found = buffers.i32(`cm.bounded${depth}`, cells.length)
    let count = 0
    if (depth <= coarseLevels) {
      const mark = buffers.u8('cm.mark', lattice.size).fill(0)
      for (const c of bounded[depth - 1]) mark[parentOf(levels, depth - 1, c)] = 1
      for (const c of cells) if (mark[c]) found[count++] = c
    }
    bounded.push(found.subarray(0, count))
  }
  return bounded
}

export function linkBounds<Vector>(
  lattices: Lattices<Vector>,
  levels: readonly WeightedLevel[],
  bounded: readonly Int32Array[],
  buffers: Buffers,
): PressureBounds {
  const steps = levels.slice(1).map(({ lattice }, depth): BoundStep => {
    const mark = buffers.u8('cm.mark', lattice.size).fill(0)
    for (const c of bounded[depth + 1]) mark[c] = 1
    const create = (what: string) => buffers.i32(`cm.${what}${depth}`, bounded[depth].length)
    const [children, parents] = [create('children'), create('parents')]
    let count = 0
    for (const c of bounded[depth]) {
      const parent = parentOf(levels, depth, c)
      if (!mark[parent]) continue
      children[count] = c
      parents[count++] = parent
    }
    const placed = (at: number, cells: Int32Array, what: string) =>
      lattices.places(at, cells.subarray(0, count), create(what).subarray(0, count))
    return { children: placed(depth, children, 'childPlaces'), parents: placed(depth + 1, parents, 'parentPlaces') }
  })
  return { bounded, steps }
}

/** DownsampleSubtract: the tightest bound of the children on what may still be added. */
export function passDown({ children, parents }: BoundStep, p: Float64Array, lowest: Float64Array, to: Float64Array): void {
  for (let n = 0; n < parents.length; n++) to[parents[n]] = -Infinity
  for (let n = 0; n < children.length; n++) {
    const left = lowest[children[n]] - p[children[n]]
    if (left > to[parents[n]]) to[parents[n]] = left
  }
}

function parentOf(levels: readonly WeightedLevel[], depth: number, cell: number): number {
  const [i, j, k] = latticePosition(levels[depth].lattice, cell)
  return latticeIndex(levels[depth + 1].lattice, i >> 1, j >> 1, k >> 1)
}
