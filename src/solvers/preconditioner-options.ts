/** Options of every method that takes a preconditioner, worded once. */
import { PRECONDITIONERS } from '../sparse/preconditioner.js'

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
