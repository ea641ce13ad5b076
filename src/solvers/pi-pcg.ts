/** Policy iteration around PCG: pin contacts, solve the linear system of the others, and repeat until the pinned set is stable.
 *  Ends for any M-matrix in exact arithmetic: with exact solves the iterates grow monotonically after the first, so no policy recurs.
 *  Lai 2020, Algorithm 1. Differences: the policy compares row-scaled terms (aᵢᵢ pᵢ with (A p + b)ᵢ), so it does not depend on
 *  units; with inexact solves a contact changes sides only if it misses by more than the accuracy of the solve, and that
 *  accuracy is raised when a policy recurs. */

import { type OptionValues, parseOptions } from './contract/options.js'
import {
  divergenceFromResidual,
  freeOperator,
  freeResidual,
  keepExpandingPinned,
  naturalStep,
  pinByPressure,
} from './parts/active-set.js'
import { type CreateInner, INNER_PATIENCE, innerPcg, nestedOptions, solveInner, tighten } from './parts/inner-pcg.js'
import { createPolicyMemory } from './parts/policy-memory.js'
import type { SolverEntry } from './registry.js'
import { createAlgebraicSolver, type Method } from './running/on-rows.js'
import type { System } from './running/system.js'

export const policyOptions = {
  start: {
    type: 'choice',
    choices: ['guess', 'free', 'previous'],
    default: 'guess',
    about: 'First policy: from the initial guess, no contact pinned, or the last one of the previous solve.',
  },
} as const

const options = { ...nestedOptions, ...policyOptions } as const

export const piPcg: SolverEntry<typeof options> = {
  name: 'pi-pcg',
  title: 'Policy iteration around PCG',
  separating: true,
  reference: 'Lai et al. 2020, Algorithm 1',
  options,
  create(given) {
    const chosen = parseOptions('pi-pcg', options, given)
    return createAlgebraicSolver('pi-pcg', true, policyIteration(chosen, innerPcg(chosen)))
  },
}

/** Policy iteration around any linear solver. */
export function policyIteration(
  chosen: OptionValues<typeof policyOptions> & { readonly innerTolerance: number },
  createInner: CreateInner,
): Method {
  const memory = createPolicyMemory()
  return function* (system, p, run) {
    const { buffers } = run
    const free = buffers.u8('pi.free', system.rows).fill(1)
    const r = buffers.f64('pi.r', system.rows)
    const w = buffers.f64('pi.w', system.rows)
    const { preconditioner, method } = createInner(run)
    const operator = freeOperator(system, free, preconditioner, run)
    let accuracy = chosen.innerTolerance * system.target

    if (chosen.start === 'guess' || (chosen.start === 'previous' && !memory.recall(system, run, free))) {
      buffers.loops.divergenceLeft(system, p, w)
      pinByPressure(system, p, w, free)
    }
    for (let outer = 1; ; outer++) {
      keepExpandingPinned(system, free, p)
      memory.keep(run, free)
      for (const row of system.contacts) if (!free[row]) p[row] = 0
      preconditioner.build(system, free)
      freeResidual(system, free, p, r, run)
      const ending = yield* solveInner(method, operator, p, r, accuracy, buffers, () => {
        divergenceFromResidual(system, free, p, r, w, run)
        return { ...naturalStep(system, w, p, run), outer }
      })
      if (ending) return ending
      const changed = updatePolicy(system, free, p, w, 0.1 * system.target)
      if (!changed || outer % INNER_PATIENCE === 0) accuracy = tighten(accuracy, system.target)
    }
  }
}

/** Pins free contacts with negative pressure and frees pinned ones with A p + b < 0; returns true if any changed. */
function updatePolicy(system: System, free: Uint8Array, p: Float64Array, w: Float64Array, threshold: number): boolean {
  const { contacts, values, diagonalAt } = system
  let changed = false
  for (const row of contacts) {
    const pressing = free[row] ? values[diagonalAt[row]] * p[row] >= -threshold : w[row] < -threshold
    if (pressing === (free[row] === 1)) continue
    free[row] = pressing ? 1 : 0
    changed = true
  }
  return changed
}
