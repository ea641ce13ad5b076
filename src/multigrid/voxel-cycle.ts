/** The V-cycle of McAdams, Sifakis and Teran (2010) as a preconditioner: damped Jacobi everywhere, then Gauss–Seidel in the
 *  boundary band on the way down; the same in reverse on the way up; a direct solve at the bottom. Symmetric and positive
 *  definite, because every smoother converges by itself and is undone in mirror order. */
import type { Buffers } from '../sparse/buffers.js'
import { relax, residual } from './rediscretise-matrix.js'
import type { VoxelLevel } from './voxel.js'
import { factorise } from './voxel-cholesky.js'

const DAMPING = 2 / 3

export interface VoxelCycle {
  /** Non-zeros touched by one cycle. */
  readonly nonZeros: number
  /** Finest lattice vectors: fill `b`, run, read `p`. */
  readonly b: Float64Array
  readonly p: Float64Array
  run(): void
}

/** `bandSweeps` on the finest level; twice as many on each coarser one, whose band is a quarter as large. */
export function createVoxelCycle(levels: readonly VoxelLevel[], bandSweeps: number, buffers: Buffers): VoxelCycle {
  const vectors = levels.map(({ lattice: { size } }, depth) => {
    const zeros = (what: string) => buffers.f64(`voxel.${depth}.${what}`, size).fill(0)
    return { p: zeros('p'), b: zeros('b'), r: zeros('r') }
  })
  const bottom = levels.length - 1
  const direct = factorise(levels[bottom], buffers, 'voxel')
  const cycle = (depth: number): void => {
    const level = levels[depth]
    const { p, b, r } = vectors[depth]
    if (depth === bottom) {
      direct.solve(p, b)
      return
    }
    const { cells, band, diagonal, transfer } = level
    const sweeps = bandSweeps * 2 ** depth
    // From zero, damped Jacobi needs no product.
    for (let n = 0; n < cells.length; n++) p[cells[n]] = (DAMPING * b[cells[n]]) / diagonal[cells[n]]
    for (let sweep = 0; sweep < sweeps; sweep++) relax(level, band, 0, band.length, p, b)
    residual(level, p, b, r)
    transfer!.restrict(r, vectors[depth + 1].b)
    cycle(depth + 1)
    transfer!.prolong(vectors[depth + 1].p, p)
    for (let sweep = 0; sweep < sweeps; sweep++) relax(level, band, band.length, 0, p, b)
    residual(level, p, b, r)
    for (let n = 0; n < cells.length; n++) p[cells[n]] += (DAMPING * r[cells[n]]) / diagonal[cells[n]]
  }
  let nonZeros = direct.nonZeros
  levels.slice(0, bottom).forEach(({ cells, band, nonZeros: own }, depth) => {
    const perRow = own / Math.max(1, cells.length)
    nonZeros += 2 * own + 18 * cells.length + 2 * bandSweeps * 2 ** depth * perRow * band.length
  })
  return { nonZeros, b: vectors[0].b, p: vectors[0].p, run: () => cycle(0) }
}
