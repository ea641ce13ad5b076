/** Conjugate gradients on all rows, contacts included: the iteration of the solvers whose walls are sticking. */
import { krylov } from '../../sparse/krylov/krylov.js'
import type { LinearOperator } from '../../sparse/krylov/method.js'
import type { Ending, Run, Step, Verdict } from '../running/on-rows.js'
import type { System } from '../running/system.js'
import { freeResidual } from './active-set.js'

export function* conjugateGradients(
  system: System,
  p: Float64Array,
  operator: LinearOperator,
  run: Run,
): Generator<Step, Ending, Verdict> {
  const all = run.buffers.u8('pcg.all', system.rows).fill(1)
  const r = run.buffers.f64('pcg.r', system.rows)
  for (;;) {
    freeResidual(system, all, p, r, run)
    const iteration = krylov.cg(operator, p, r, run.buffers)
    for (let step = 0; ; step++) {
      const next = iteration.next()
      // After some steps it may be the residual that has lost its digits, and not the matrix.
      if (next.done && next.value === 'indefinite' && step === 0)
        return {
          status: 'diverged',
          message: 'A is not positive definite: conjugate gradients met a direction without curvature.',
        }
      const verdict = yield { residual: run.buffers.loops.largestMagnitude(r), pinned: 0 }
      if (next.done || verdict === 'recompute') break
    }
  }
}
