/** Preconditioned conjugate gradients with MIC(0): the ordinary pressure solver of liquid simulators, in which contacts are
 *  liquid rows and so stick ("No LCP" in Lai 2020). Ends in at most as many steps as there are unknowns, in exact arithmetic.
 *  Modification 0.97 and pivot safety 0.25 after Bridson. */

import { type OptionValues, parseOptions } from './contract/options.js'
import { choosePreconditioner, preconditionerOptions } from './contract/preconditioner-options.js'
import { freeOperator } from './parts/active-set.js'
import { conjugateGradients } from './parts/conjugate-gradients.js'
import type { SolverEntry } from './registry.js'
import { createAlgebraicSolver, type Method } from './running/on-rows.js'

const options = preconditionerOptions

export const micPcg: SolverEntry<typeof options> = {
  name: 'mic-pcg',
  title: 'MIC(0)-preconditioned conjugate gradients, sticking walls',
  separating: false,
  reference: 'Bridson 2008; "No LCP" in Lai et al. 2020',
  options,
  create(given, engine = {}) {
    const chosen = parseOptions('mic-pcg', options, given)
    // Vectors of the iteration, and a factor with the pattern of A or somewhat more.
    const room = (rows: number, nonZeros: number) => (chosen.preconditioner === 'ainv' ? 250 : 100) * rows + 8 * nonZeros
    return createAlgebraicSolver('mic-pcg', false, preconditioned(chosen), { engine, room })
  },
}

function preconditioned(chosen: OptionValues<typeof options>): Method {
  return function* (system, p, run) {
    const free = run.buffers.u8('pcg.free', system.rows).fill(1)
    const preconditioner = choosePreconditioner(chosen, run)
    preconditioner.build(system, free)
    return yield* conjugateGradients(system, p, freeOperator(system, free, preconditioner, run), run)
  }
}
