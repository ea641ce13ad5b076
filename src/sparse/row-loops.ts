/** The loops over compressed rows that algebraic and Galerkin methods spend their time in, as an interface: here in plain TypeScript,
 *  the definition; compiled in sparse/compiled-loops.ts. Both do the same operations in the same order, so they agree bit for bit. */
import type { SparseProblem } from '../pressure/problem.js'
import {
  addProduct,
  addScaled,
  divergenceLeft,
  dot,
  largestMagnitude,
  multiplyFree,
  natural,
  negate,
  step,
  turn,
} from './matrix.js'
import { type IncompleteFactor, solveFactor } from './preconditioners/incomplete-cholesky.js'
import { type CompressedRows, fillMirror, fillTransposed, multiplyRows, type SymmetricRows } from './product.js'
import {
  addInterpolated,
  type ComplementarityRows,
  evaluate,
  residual,
  restrictBy,
  type SweepOrder,
  type SweptRows,
  sweep,
  sweepProjected,
} from './sweeps.js'

export interface RowLoops {
  /** Its name in the result of a solve. */
  readonly engine: string

  /** y = A x on rows where `free` is set, 0 elsewhere. */
  multiplyFree(A: SparseProblem, free: Uint8Array, x: Float64Array, y: Float64Array): void
  /** w = A p + b. */
  divergenceLeft(A: SparseProblem, p: Float64Array, w: Float64Array): void
  dot(x: Float64Array, y: Float64Array): number
  /** y += alpha x. */
  addScaled(y: Float64Array, alpha: number, x: Float64Array): void
  /** NaN if any entry is NaN. */
  largestMagnitude(x: Float64Array): number
  /** x += alpha d and r −= alpha Ad; returns the 2-norm of the new r. */
  step(x: Float64Array, r: Float64Array, alpha: number, d: Float64Array, Ad: Float64Array): number
  /** d = z + beta d. */
  turn(d: Float64Array, z: Float64Array, beta: number): void
  /** y = −x. */
  negate(x: Float64Array, y: Float64Array): void
  /** y += sign a x, entry by entry. */
  addProduct(y: Float64Array, sign: 1 | -1, a: Float64Array, x: Float64Array): void
  /** The largest natural residual where w = A p + b is available, and how many contacts are pinned. */
  natural(A: SparseProblem, w: Float64Array, p: Float64Array): { readonly residual: number; readonly pinned: number }
  /** z = M⁻¹ r. */
  solveFactor(A: SymmetricRows, factor: IncompleteFactor, r: Float64Array, z: Float64Array): void

  /** Sweeps for A x = f; the largest change of the last one, weighted by the diagonal. */
  sweep(level: SweptRows, f: Float64Array, x: Float64Array, order: SweepOrder, sweeps: number): number
  /** r = f − A x, 0 on rows that are not changed. */
  residual(level: SweptRows, f: Float64Array, x: Float64Array, r: Float64Array): void
  /** Sweeps for N(p) = f; the largest change of the last one, weighted by the diagonal. */
  sweepProjected(level: SweptRows, sides: ComplementarityRows, p: Float64Array, order: SweepOrder, sweeps: number): number
  /** n = N(p). */
  evaluate(level: SweptRows, sides: Omit<ComplementarityRows, 'f'>, p: Float64Array, n: Float64Array): void
  /** y = scale Pᵀ x. */
  restrictBy(P: CompressedRows, scale: number, x: Float64Array, y: Float64Array): void
  /** y += P x. */
  addInterpolated(P: CompressedRows, x: Float64Array, y: Float64Array): void

  /** Rows of `left` `right` from row progress[0] on, until there is no space for the next; see product.ts. */
  multiplyRows: typeof multiplyRows
  fillTransposed: typeof fillTransposed
  fillMirror: typeof fillMirror
}

export const portableLoops: RowLoops = {
  engine: 'portable',
  multiplyFree,
  divergenceLeft,
  dot,
  addScaled,
  largestMagnitude,
  step,
  turn,
  negate,
  addProduct,
  natural,
  solveFactor,
  sweep,
  residual,
  sweepProjected,
  evaluate,
  restrictBy,
  addInterpolated,
  multiplyRows,
  fillTransposed,
  fillMirror,
}
