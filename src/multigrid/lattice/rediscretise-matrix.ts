/** Matrices on lattices: 5- and 7-point stencils stored per cell, so that kernels need no column numbers. */
import { AXES } from '../../grid/grid.js'
import { DRY, type PressureProblem } from '../../pressure/problem.js'
import type { Buffers } from '../../sparse/buffers.js'
import { type Lattice, latticeIndex } from './transfer.js'

export type Links = readonly [Float64Array, Float64Array, Float64Array]

export interface LatticeMatrix {
  readonly lattice: Lattice
  /** Lattice indices of the unknowns. All vectors hold 0 elsewhere. */
  readonly cells: Int32Array
  readonly diagonal: Float64Array
  /** To the upper neighbour per axis, ≤ 0. */
  readonly links: Links
  readonly nonZeros: number
}

/** Zeros. */
export function createMatrix({ size }: Lattice, buffers: Buffers, name: string): { diagonal: Float64Array; links: Links } {
  const zeros = (what: string) => buffers.f64(`${name}.${what}`, size).fill(0)
  return { diagonal: zeros('diagonal'), links: [zeros('linkX'), zeros('linkY'), zeros('linkZ')] }
}

export function copyMatrix(problem: PressureProblem, lattice: Lattice, diagonal: Float64Array, links: Links): void {
  const { grid, kind } = problem
  const [nx, ny, nz] = grid.shape
  const [lx, ly, lz] = problem.links
  const [toX, toY, toZ] = links
  for (let k = 0, cell = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      let at = latticeIndex(lattice, 0, j, k)
      for (let i = 0; i < nx; i++, cell++, at++) {
        if (kind[cell] === DRY) continue
        diagonal[at] = problem.diagonal[cell]
        toX[at] = lx[cell]
        toY[at] = ly[cell]
        toZ[at] = lz[cell]
      }
    }
  }
}

export function countNonZeros({ strides }: Lattice, cells: Int32Array, links: Links): number {
  let count = cells.length
  for (const axis of AXES) {
    const link = links[axis]
    for (const at of cells) {
      if (link[at] !== 0) count++
      if (link[at - strides[axis]] !== 0) count++
    }
  }
  return count
}

/** r = b − A p on the unknowns. */
export function residual(A: LatticeMatrix, p: Float64Array, b: Float64Array, r: Float64Array): void {
  const { cells, diagonal } = A
  const [lx, ly, lz] = A.links
  const [sx, sy, sz] = A.lattice.strides
  for (let n = 0; n < cells.length; n++) {
    const c = cells[n]
    r[c] =
      b[c] -
      diagonal[c] * p[c] -
      lx[c] * p[c + sx] -
      lx[c - sx] * p[c - sx] -
      ly[c] * p[c + sy] -
      ly[c - sy] * p[c - sy] -
      lz[c] * p[c + sz] -
      lz[c - sz] * p[c - sz]
  }
}

/** Gauss–Seidel over cells[from … to), backwards if from > to; `lowest` bounds p from below as it is written, if given. */
export function relax(
  A: LatticeMatrix,
  cells: Int32Array,
  from: number,
  to: number,
  p: Float64Array,
  b: Float64Array,
  lowest?: Float64Array,
): void {
  const { diagonal } = A
  const [lx, ly, lz] = A.links
  const [sx, sy, sz] = A.lattice.strides
  const step = from <= to ? 1 : -1
  const start = step > 0 ? from : from - 1
  const end = step > 0 ? to : to - 1
  for (let n = start; n !== end; n += step) {
    const c = cells[n]
    let sum = b[c] - lx[c] * p[c + sx] - lx[c - sx] * p[c - sx] - ly[c] * p[c + sy] - ly[c - sy] * p[c - sy]
    sum -= lz[c] * p[c + sz] + lz[c - sz] * p[c - sz]
    const value = sum / diagonal[c]
    p[c] = lowest !== undefined && value < lowest[c] ? lowest[c] : value
  }
}
