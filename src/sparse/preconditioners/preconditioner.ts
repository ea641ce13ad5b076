/** The interface of preconditioners: build on the free rows, then apply any number of times. */
import type { SparseProblem } from '../../pressure/problem.js'
import type { Buffers } from '../buffers.js'
import { createApproximateInverse } from './approximate-inverse.js'
import { createIncompleteCholesky } from './incomplete-cholesky.js'

export interface Preconditioner {
  /** Non-zeros touched by one application, for work units. */
  readonly nonZeros: number
  /** Rows that are not free are left out of the matrix. `penalty`, where given, is added to the diagonal. */
  build(A: SparseProblem, free: Uint8Array, penalty?: Float64Array): void
  /** z ≈ A⁻¹ r. Rows that are not free must hold 0 in r and get 0 in z. Symmetric and positive definite on the free rows. */
  apply(r: Float64Array, z: Float64Array): void
}

export interface ApproximateInverseOptions {
  /** Entries of the factor smaller than this are dropped. */
  readonly ainvDrop: number
  /** Scale A to unit diagonal first, so that dropping does not depend on units. */
  readonly ainvScaled: boolean
}

type Create = (buffers: Buffers, ainv: ApproximateInverseOptions) => Preconditioner

const preconditioners = {
  none: createIdentity,
  jacobi: createJacobi,
  ic0: buffers => createIncompleteCholesky(buffers, { modified: 0 }),
  mic0: buffers => createIncompleteCholesky(buffers, { modified: 0.97 }),
  ainv: createApproximateInverse,
} satisfies Readonly<Record<string, Create>>

export type PreconditionerName = keyof typeof preconditioners
export const PRECONDITIONERS = Object.keys(preconditioners) as readonly PreconditionerName[]

export function createPreconditioner(
  name: PreconditionerName,
  buffers: Buffers,
  ainv: ApproximateInverseOptions,
): Preconditioner {
  return preconditioners[name](buffers, ainv)
}

function createIdentity(): Preconditioner {
  return { nonZeros: 0, build: () => {}, apply: (r, z) => z.set(r) }
}

function createJacobi(buffers: Buffers): Preconditioner {
  let inverse: Float64Array = new Float64Array(0)
  return {
    get nonZeros() {
      return inverse.length
    },
    build(A, free, penalty) {
      inverse = buffers.f64('jacobi.inverse', A.rows)
      for (let row = 0; row < A.rows; row++)
        inverse[row] = free[row] ? 1 / (A.values[A.diagonalAt[row]] + (penalty ? penalty[row] : 0)) : 0
    },
    apply(r, z) {
      for (let i = 0; i < z.length; i++) z[i] = inverse[i] * r[i]
    },
  }
}
