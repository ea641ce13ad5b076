/** Krylov methods as generators over one operator: each step improves x and yields the 2-norm of the residual, the caller
 *  decides when to stop. All start from x with r = f − A x given and keep r the residual of x; GMRES updates both
 *  when a cycle closes or the caller leaves the loop.
 *  On singular but consistent systems (sealed pockets) they work as they are: r stays in the range of A. */
import type { Buffers } from '../buffers.js'

export interface LinearOperator {
  readonly size: number
  /** y = A x */
  apply(x: Float64Array, y: Float64Array): void
  /** z = M r, symmetric positive definite for cg and cr */
  precondition(r: Float64Array, z: Float64Array): void
  /** Counts that many passes over vectors as work. */
  countVectors(passes: number): void
}

/** Why a method stopped by itself: nothing left to do, or a direction without positive curvature. */
export type KrylovEnd = 'exact' | 'indefinite'

export type KrylovMethod = (A: LinearOperator, x: Float64Array, r: Float64Array, buffers: Buffers) => Generator<number, KrylovEnd>

/** NaN is left for the caller to find in its own residual. */
export function endWithoutCurvature(curvature: number): KrylovEnd {
  return curvature <= 0 ? 'indefinite' : 'exact'
}
