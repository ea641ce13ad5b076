/** Which cells of each level may have a bound, and how bounds pass from one level to the next. */
import type { Lattices } from '../engine/lattices.js'
import type { WeightedLevel } from '../multigrid/rediscretise.js'
import { latticeIndex, latticePosition } from '../multigrid/transfer.js'

export interface Bounds {
  /** Per level, lattice indices. */
  readonly bounded: readonly Int32Array[]
  /** Per level but the last: to the next one. */
  readonly steps: readonly BoundStep[]
}

export interface BoundStep {
  /** Where bounded cells and the parents of each of them stand. */
  readonly children: Int32Array
  readonly parents: Int32Array
}

/** Contacts and, on as many coarse levels as know of them, the unknowns that contain them. */
export function findBounded(levels: readonly WeightedLevel[], contacts: Int32Array, coarseLevels: number): Int32Array[] {
  const bounded = [contacts]
  for (let depth = 1; depth < levels.length; depth++) {
    const { cells, lattice } = levels[depth]
    const mark = new Uint8Array(depth <= coarseLevels ? lattice.size : 0)
    if (depth <= coarseLevels) for (const c of bounded[depth - 1]) mark[parentOf(levels, depth - 1, c)] = 1
    bounded.push(cells.filter(c => mark[c] === 1))
  }
  return bounded
}

export function linkBounds<Vector>(
  lattices: Lattices<Vector>,
  levels: readonly WeightedLevel[],
  bounded: readonly Int32Array[],
): Bounds {
  const steps = levels.slice(1).map((_, depth): BoundStep => {
    const known = new Set(bounded[depth + 1])
    const children = bounded[depth].filter(c => known.has(parentOf(levels, depth, c)))
    const parents = children.map(c => parentOf(levels, depth, c))
    return { children: lattices.places(depth, children), parents: lattices.places(depth + 1, parents) }
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
