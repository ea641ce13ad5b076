/** Levels of a geometric hierarchy on whole boxes of cells, and the loops that methods on them use. Methods are written once
 *  against this; `Vector` is whatever an engine keeps its vectors in: Float64Array (plain.ts, the definition) or
 *  an address (compiled.ts). Vectors hold 0 where there is no unknown. Levels count from 0; transfers go between `at` and
 *  `at + 1`. */

/** A box of cells with a ring of ghosts; strides count cells, 0 along z in 2D. */
export interface Box {
  readonly shape: readonly [number, number, number]
  readonly strides: readonly [number, number, number]
  /** Index of cell (0, 0, 0). */
  readonly origin: number
  /** Cells with ghosts. */
  readonly size: number
}

export interface BoxMatrix {
  readonly lattice: Box
  /** Indices of the unknowns. */
  readonly cells: Int32Array
  readonly diagonal: Float64Array
  /** To the upper neighbour per axis, ≤ 0. */
  readonly links: readonly [Float64Array, Float64Array, Float64Array]
  /** Where `cells` lists red ones first: how many. */
  readonly reds?: number
  /** Some of the unknowns, red ones first, and how many of them are red. */
  readonly band?: Int32Array
  readonly bandReds?: number
}

/** Unknowns of one colour; (i + j + k) is even on red. */
export type CellList = 'red' | 'black' | 'bandRed' | 'bandBlack'

export interface Lattices<Vector> {
  /** A new vector of zeros. All must be created before the first loop runs. */
  vector(at: number): Vector
  /** The present values of the vector; valid as long as the levels are. */
  values(at: number, x: Vector): Float64Array
  /** Where cells are in `values`; −1 for cells that are not unknowns and have no place. Written to `into`, one per cell, if that is given. */
  places(at: number, cells: ArrayLike<number>, into?: Int32Array): Int32Array

  /** Gauss–Seidel: p = (b − Σ links p) / diagonal on a list, as written not below `lowest` if that is given. */
  relax(at: number, list: CellList, p: Vector, b: Vector, lowest?: Vector): void
  /** p = damping b / diagonal; with `add`, p += that. */
  jacobi(at: number, damping: number, b: Vector, p: Vector, add: boolean): void
  /** r = b − A p. */
  residual(at: number, p: Vector, b: Vector, r: Vector): void
  /** y = A x; returns x·y. */
  apply(at: number, x: Vector, y: Vector): number
  /** to = Pᵀ r / children, on the unknowns of the next level; those of `r` that are none here do not count. */
  restrict(at: number, r: Vector, to: Vector): void
  /** to += P x, x on the next level. */
  prolong(at: number, x: Vector, to: Vector): void

  dot(at: number, x: Vector, y: Vector): number
  clear(at: number, x: Vector): void
  /** to = a x + b to; with b = 0 whatever was there. */
  combine(at: number, a: number, x: Vector, b: number, to: Vector): void
  /** x += alpha d, r −= alpha Ad; returns the largest |r|, NaN if any is. */
  step(at: number, alpha: number, vectors: StepVectors<Vector>): number

  /** p = max(p, lowest). */
  clamp(at: number, p: Vector, lowest: Vector): void
  /** to = from, but 0 where p is at its bound and `from` points below it. */
  maskPinned(at: number, p: Vector, lowest: Vector, from: Vector, to: Vector): void
  /** Between the start of a cycle and its end, with r = b − A p at both. */
  energy(at: number, path: Path<Vector>, contacts: Vector): { needed: number; change: number }
  slopes(at: number, path: Path<Vector>): { slope: number; curvature: number }
  /** Largest natural residual at p, NaN if any is, and pinned contacts. */
  natural(at: number, p: Vector, r: Vector, contacts: Vector): { residual: number; pinned: number }
}

export interface StepVectors<Vector> {
  readonly d: Vector
  readonly Ad: Vector
  readonly x: Vector
  readonly r: Vector
}

/** `contacts` beside it is 0 in contact cells and −∞ elsewhere. */
export interface Path<Vector> {
  readonly p: Vector
  readonly start: Vector
  readonly r: Vector
  readonly rStart: Vector
}
