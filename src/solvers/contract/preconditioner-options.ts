/** Options shared by all methods with a preconditioner. */
import { createPreconditioner, PRECONDITIONERS, type Preconditioner } from '../../sparse/preconditioners/preconditioner.js'
import type { Run } from '../running/on-rows.js'
import type { OptionValues } from './options.js'

export const preconditionerOptions = {
  preconditioner: {
    type: 'choice',
    choices: PRECONDITIONERS,
    default: 'mic0',
    about: 'Preconditioner: none, Jacobi, incomplete Cholesky plain or modified, or a sparse approximate inverse.',
  },
  ainvDrop: { type: 'number', default: 0.1, min: 0, max: 1, about: 'ainv: entries of the factor below this are dropped.' },
  ainvScaled: { type: 'flag', default: true, about: 'ainv: scale the matrix to unit diagonal first.' },
} as const

/** The preconditioner that the options name. Building it counts as work like one application: it touches the same entries. */
export function choosePreconditioner(chosen: OptionValues<typeof preconditionerOptions>, { buffers, work }: Run): Preconditioner {
  const preconditioner = createPreconditioner(chosen.preconditioner, buffers, chosen)
  return {
    get nonZeros() {
      return preconditioner.nonZeros
    },
    build(A, free, penalty) {
      preconditioner.build(A, free, penalty)
      work.add(preconditioner.nonZeros)
    },
    apply: preconditioner.apply,
  }
}
