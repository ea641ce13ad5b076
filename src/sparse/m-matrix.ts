/** Is A an M-matrix? Solvers rely on it: incomplete factors exist, policy iteration is monotone, the answer is unique. */
import { entryOf } from '../pressure/check-problem.js'
import { F64_ROUNDING, type SparseProblem } from '../pressure/problem.js'
import { createBuffers } from './buffers.js'
import { krylov } from './krylov/krylov.js'
import { multiply } from './matrix.js'
import { createPreconditioner } from './preconditioners/preconditioner.js'

export interface MatrixCheck {
  /** Largest |A(i, j) − A(j, i)|. */
  readonly asymmetry: number
  readonly positiveLinks: number
  /** Smallest row sum as a share of the row's diagonal; negative rows are not diagonally dominant. */
  readonly smallestRowSum: number
  readonly isMMatrix: boolean
  readonly why: string
}

const MAX_STEPS = 2000

export function checkMatrix(A: SparseProblem): MatrixCheck {
  const { rows, rowStart, columns, values, diagonalAt, rounding = F64_ROUNDING } = A
  let asymmetry = 0
  let positiveLinks = 0
  let smallestRowSum = Infinity
  for (let row = 0; row < rows; row++) {
    let sum = 0
    for (let at = rowStart[row]; at < rowStart[row + 1]; at++) {
      sum += values[at]
      if (columns[at] === row) continue
      if (values[at] > 0) positiveLinks++
      asymmetry = Math.max(asymmetry, Math.abs(values[at] - entryOf(A, columns[at], row)))
    }
    smallestRowSum = Math.min(smallestRowSum, sum / values[diagonalAt[row]])
  }
  const verdict = (isMMatrix: boolean, why: string) => ({ asymmetry, positiveLinks, smallestRowSum, isMMatrix, why })
  if (rows === 0) return verdict(true, 'there are no unknowns')
  if (asymmetry > 0) return verdict(false, 'A is not symmetric')
  if (positiveLinks > 0) return verdict(false, `${positiveLinks} links are positive`)
  if (smallestRowSum >= -64 * rounding) return verdict(true, 'diagonally dominant')
  return hasPositiveCertificate(A)
    ? verdict(true, 'not diagonally dominant, but A x > 0 for some x > 0')
    : verdict(false, 'no x > 0 with A x > 0 was found')
}

/** A matrix with non-positive links is a non-singular M-matrix exactly if A x > 0 for some x > 0; A⁻¹1 is one if any is. */
function hasPositiveCertificate(A: SparseProblem): boolean {
  const buffers = createBuffers()
  const x = new Float64Array(A.rows)
  const r = new Float64Array(A.rows).fill(1)
  const Ax = new Float64Array(A.rows)
  const preconditioner = createPreconditioner('jacobi', buffers, { ainvDrop: 0, ainvScaled: true })
  preconditioner.build(A, new Uint8Array(A.rows).fill(1))
  const operator = {
    size: A.rows,
    apply: (from: Float64Array, to: Float64Array) => multiply(A, from, to),
    precondition: preconditioner.apply,
    countVectors: () => {},
  }
  const steps = krylov.cg(operator, x, r, buffers)
  for (let step = 0; step < MAX_STEPS; step++) {
    if (steps.next().done) break
    if (step % 10 !== 9) continue
    multiply(A, x, Ax)
    if (x.every(value => value > 0) && Ax.every(value => value > 0)) return true
  }
  multiply(A, x, Ax)
  return x.every(value => value > 0) && Ax.every(value => value > 0)
}
