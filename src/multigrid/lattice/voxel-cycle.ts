/** The V-cycle of McAdams, Sifakis and Teran (2010) as a preconditioner: damped Jacobi everywhere, then Gauss–Seidel in the
 *  boundary band on the way down; the same in reverse on the way up; a direct solve at the bottom. Symmetric and positive
 *  definite, because every smoother converges by itself and is undone in mirror order. */

import type { Buffers } from '../../sparse/buffers.js'
import type { Lattices } from './lattices.js'
import type { VoxelLevel } from './voxel.js'
import { factorise } from './voxel-cholesky.js'

const DAMPING = 2 / 3

/** Vectors that a level needs: solution, right-hand side and residual. */
export const CYCLE_VECTORS = 3

export interface VoxelCycle<Vector> {
  /** Non-zeros touched by one cycle. */
  readonly nonZeros: number
  /** Finest vectors: fill `b`, run, read `p`. `r` is scratch. */
  readonly b: Vector
  readonly p: Vector
  readonly r: Vector
  run(): void
}

/** `bandSweeps` on the finest level; twice as many on each coarser one, whose band is a quarter as large. The levels are those of
 *  `lattices` from `first` on. */
export function createVoxelCycle<Vector>(
  lattices: Lattices<Vector>,
  levels: readonly VoxelLevel[],
  bandSweeps: number,
  buffers: Buffers,
  first = 0,
): VoxelCycle<Vector> {
  const vectors = levels.map((_, depth) => {
    const take = () => lattices.vector(first + depth)
    return { p: take(), b: take(), r: take() }
  })
  const bottom = levels.length - 1
  const direct = factorise(levels[bottom], buffers, 'voxel')
  const { cells } = levels[bottom]
  const places = lattices.places(first + bottom, cells, buffers.i32('voxel.places', cells.length))
  const cycle = (depth: number): void => {
    const at = first + depth
    const { p, b, r } = vectors[depth]
    if (depth === bottom) {
      direct.solve(places, lattices.values(at, b), lattices.values(at, p))
      return
    }
    const sweeps = bandSweeps * 2 ** depth
    // From zero, damped Jacobi needs no product.
    lattices.jacobi(at, DAMPING, b, p, false)
    for (let sweep = 0; sweep < sweeps; sweep++) {
      lattices.relax(at, 'bandRed', p, b)
      lattices.relax(at, 'bandBlack', p, b)
    }
    lattices.residual(at, p, b, r)
    lattices.restrict(at, r, vectors[depth + 1].b)
    cycle(depth + 1)
    lattices.prolong(at, vectors[depth + 1].p, p)
    for (let sweep = 0; sweep < sweeps; sweep++) {
      lattices.relax(at, 'bandBlack', p, b)
      lattices.relax(at, 'bandRed', p, b)
    }
    lattices.residual(at, p, b, r)
    lattices.jacobi(at, DAMPING, r, p, true)
  }
  let nonZeros = direct.nonZeros
  levels.slice(0, bottom).forEach(({ cells, band, nonZeros: own }, depth) => {
    const perRow = own / Math.max(1, cells.length)
    nonZeros += 2 * own + 18 * cells.length + 2 * bandSweeps * 2 ** depth * perRow * band.length
  })
  return { nonZeros, ...vectors[0], run: () => cycle(0) }
}
