/** The penalty method around PCG: contacts with negative pressure get a huge diagonal that forces them towards 0, and the
 *  linear system is solved again until the same contacts are penalised. Ends for any M-matrix in exact arithmetic, like policy iteration.
 *  Lai 2020, Algorithm 2. Difference: the paper's fixed penalty of 1e9 leaves p = −w/ρ at penalised contacts, a residual floor
 *  that depends on units and tolerance; here ρ = κ aᵢᵢ with κ from the tolerance, so the floor stays a fraction of it. The first
 *  penalty matrix also holds contacts at p = 0 that the liquid leaves, else a converged guess would be lost. */

import type { Buffers } from '../sparse/buffers.js'
import type { LinearOperator } from '../sparse/krylov/method.js'
import { largestMagnitude, nonZeros } from '../sparse/matrix.js'
import { type OptionValues, parseOptions } from './contract/options.js'
import { freeOperator, keepExpandingPinned, naturalStep, pinByPressure } from './parts/active-set.js'
import { type CreateInner, INNER_PATIENCE, innerPcg, nestedOptions, solveInner, tighten } from './parts/inner-pcg.js'
import { createPolicyMemory } from './parts/policy-memory.js'
import type { SolverEntry } from './registry.js'
import { createAlgebraicSolver, type Ending, type Method, type Run } from './running/on-rows.js'
import { projectSingular, type System } from './running/system.js'

export const penaltyOptions = {
  start: {
    type: 'choice',
    choices: ['guess', 'previous'],
    default: 'guess',
    about: 'First penalty matrix: from the initial guess, or the last one of the previous solve.',
  },
  penalty: {
    type: 'number',
    default: 0,
    min: 0,
    about: 'Penalty as a multiple of the diagonal; 0 chooses it from the tolerance.',
  },
} as const

const options = { ...nestedOptions, ...penaltyOptions } as const

export const pePcg: SolverEntry<typeof options> = {
  name: 'pe-pcg',
  title: 'Penalty method around PCG',
  separating: true,
  reference: 'Lai et al. 2020, Algorithm 2',
  options,
  create(given) {
    const chosen = parseOptions('pe-pcg', options, given)
    return createAlgebraicSolver('pe-pcg', true, penaltyMethod(chosen, innerPcg(chosen)))
  },
}

/** The residual that the penalty leaves at a contact, as a share of the target. */
const FLOOR = 0.02

/** The penalty method around any linear solver. */
export function penaltyMethod(
  chosen: OptionValues<typeof penaltyOptions> & { readonly innerTolerance: number },
  createInner: CreateInner,
): Method {
  const memory = createPolicyMemory()
  return function* (system, p, run) {
    const { buffers } = run
    const { rows, contacts } = system
    const free = buffers.u8('pe.free', rows).fill(1)
    const all = buffers.u8('pe.all', rows).fill(1)
    const penalty = buffers.f64('pe.penalty', rows)
    const r = buffers.f64('pe.r', rows)
    const w = buffers.f64('pe.w', rows)
    const { preconditioner, method } = createInner(run)
    const operator = penalisedOperator(freeOperator(system, all, preconditioner, run), penalty, buffers)
    // A pinned contact keeps a divergence of the order of b.
    let factor = chosen.penalty > 0 ? chosen.penalty : Math.max(1e3, largestMagnitude(system.b) / (FLOOR * system.target))
    let accuracy = chosen.innerTolerance * system.target

    if (chosen.start !== 'previous' || !memory.recall(system, run, free)) {
      buffers.loops.divergenceLeft(system, p, w)
      pinByPressure(system, p, w, free)
    }
    for (let outer = 1; ; outer++) {
      keepExpandingPinned(system, free, p)
      memory.keep(run, free)
      penalty.fill(0)
      for (const row of contacts) if (!free[row]) penalty[row] = factor * system.values[system.diagonalAt[row]]
      preconditioner.build(system, all, penalty)
      penalisedResidual(system, penalty, p, r, run)
      const ending = yield* solveInner(method, operator, p, r, accuracy, buffers, () => {
        buffers.loops.negate(r, w)
        buffers.loops.addProduct(w, -1, penalty, p)
        return { ...naturalStep(system, w, p, run), outer }
      })
      if (ending) return ending
      let changed = false
      for (const row of contacts) {
        const wanted = p[row] < 0 ? 0 : 1
        if (wanted !== free[row]) changed = true
        free[row] = wanted
      }
      if (changed && outer % INNER_PATIENCE !== 0) continue
      accuracy = tighten(accuracy, system.target)
      if (changed) continue
      if (chosen.penalty === 0) factor *= 10
      else if (accuracy <= 1e-3 * system.target) return floorReached(system, p)
    }
  }
}

function floorReached(system: System, p: Float64Array): Ending {
  let floor = 0
  for (const row of system.contacts) if (p[row] < 0) floor = Math.max(floor, -p[row] * system.values[system.diagonalAt[row]])
  return {
    status: 'stagnated',
    message: `The penalty is too small for the tolerance: it leaves a residual of ${floor.toExponential(1)} 1/s; raise or remove the option.`,
  }
}

function penalisedOperator(A: LinearOperator, penalty: Float64Array, { loops }: Buffers): LinearOperator {
  return {
    ...A,
    apply(x, y) {
      A.apply(x, y)
      loops.addProduct(y, 1, penalty, x)
    },
  }
}

/** r = −(A p + b + Π p). */
function penalisedResidual(system: System, penalty: Float64Array, p: Float64Array, r: Float64Array, run: Run): void {
  const { loops } = run.buffers
  loops.divergenceLeft(system, p, r)
  loops.negate(r, r)
  loops.addProduct(r, -1, penalty, p)
  projectSingular(system, r)
  run.work.add(nonZeros(system))
}
