/** Minimum-map Newton: solves H(p) = min(A p + b, a p) = 0 by Newton steps on the rows where the first term is the smaller one,
 *  with a projected Armijo line search on ½‖H‖². Andersen 2017, Algorithms 1 and 2, extended to the mixed problem.
 *  Differences: eq. 47 of the paper is inverted, rows outside the walls belong to the always-linear set; H is row-scaled unless
 *  `rows` is `literal`; a failed line search makes the full step, which is policy iteration and so still ends for M-matrices;
 *  preconditioning works when the factor is built on the masked matrix (`mask`), it fails with the paper's unmasked one. */
import { KRYLOV_METHODS, krylov } from '../../sparse/krylov/krylov.js'
import type { LinearOperator } from '../../sparse/krylov/method.js'
import { multiplyFree, nonZeros } from '../../sparse/matrix.js'
import type { Preconditioner } from '../../sparse/preconditioners/preconditioner.js'
import { type OptionValues, parseOptions } from '../contract/options.js'
import { choosePreconditioner, preconditionerOptions } from '../contract/preconditioner-options.js'
import { freeOperator, keepExpandingPinned } from '../parts/active-set.js'
import type { SolverEntry } from '../registry.js'
import { createAlgebraicSolver, type Ending, type Method, type Run } from '../running/on-rows.js'
import { projectSingular, type System } from '../running/system.js'
import { STARTS, setStart } from './initial-iterate.js'
import { lineSearch } from './line-search.js'
import { createMinimumMap } from './minimum-map.js'

const options = {
  inner: { type: 'choice', choices: KRYLOV_METHODS, default: 'cg', about: 'Method for the Newton equation.' },
  ...preconditionerOptions,
  mask: {
    type: 'choice',
    choices: ['masked', 'unmasked'],
    default: 'masked',
    about: 'Build the preconditioner from the rows of each Newton system, or once from all of A as in the paper.',
  },
  rows: {
    type: 'choice',
    choices: ['scaled', 'literal'],
    default: 'scaled',
    about: 'min(A p + b, a p), or min(A p + b, p) as printed.',
  },
  start: {
    type: 'choice',
    choices: STARTS,
    default: 'given',
    about: 'Initial iterate; the last two make ten steps from zero.',
  },
  forcing: {
    type: 'number',
    default: 0.01,
    min: 0,
    max: 1,
    open: true,
    about: 'ξ: residual of the linear solve, relative to ‖H‖.',
  },
  innerIterations: { type: 'number', default: 1000, min: 1, integer: true, about: 'Limit for each linear solve.' },
  sufficientDecrease: { type: 'number', default: 1e-3, min: 0, max: 1, open: true, about: 'α of the line search.' },
  stepReduction: { type: 'number', default: 0.5, min: 0, max: 1, open: true, about: 'β of the line search.' },
  lineSearchSteps: { type: 'number', default: 100, min: 1, integer: true, about: 'Limit for each line search.' },
  termination: {
    type: 'choice',
    choices: ['tolerance', 'paper'],
    default: 'tolerance',
    about: 'Continue until the tolerance is met, or stop by the four tests of the paper.',
  },
  absolute: { type: 'number', default: 1e-5, min: 0, about: 'paper: stop when ½‖H‖² is below this.' },
  relative: { type: 'number', default: 1e-5, min: 0, about: 'paper: stop when the relative change of ½‖H‖² is below this.' },
  stagnation: { type: 'number', default: 1e-5, min: 0, about: 'paper: stop when no pressure changes by more than this.' },
  newtonIterations: { type: 'number', default: 10, min: 1, integer: true, about: 'paper: stop after this many Newton steps.' },
} as const

type Options = OptionValues<typeof options>

export const minmapNewton: SolverEntry<typeof options> = {
  name: 'minmap-newton',
  title: 'Minimum-map Newton',
  separating: true,
  reference: 'Andersen, Niebe and Erleben 2017, Algorithms 1 and 2',
  options,
  create: given => createAlgebraicSolver('minmap-newton', true, newton(parseOptions('minmap-newton', options, given))),
}

function newton(chosen: Options): Method {
  return function* (system, p, run) {
    const map = createMinimumMap(system, chosen.rows === 'scaled', run)
    const { buffers } = run
    const delta = buffers.f64('newton.delta', system.rows)
    const r = buffers.f64('newton.r', system.rows)
    const preconditioner = choosePreconditioner(chosen, run)
    const operator = newtonOperator(system, map.free, preconditioner, chosen.mask === 'masked', run)
    if (chosen.mask === 'unmasked') preconditioner.build(system, buffers.u8('newton.all', system.rows).fill(1))
    setStart(chosen.start, system, p, run)

    map.evaluate(p)
    for (let outer = 1; ; outer++) {
      const before = { merit: map.merit, norm: Math.sqrt(2 * map.merit) }
      keepExpandingPinned(system, map.free, p)
      if (chosen.mask === 'masked') preconditioner.build(system, map.free)
      newtonRightHandSide(system, map.free, map.w, p, delta, r, run)

      const iteration = krylov[chosen.inner](operator, delta, r, buffers)
      const enough = Math.min(chosen.forcing * before.norm, Math.max(0.1 * system.target, 1e-12 * before.norm))
      const goal =
        chosen.termination === 'paper' ? chosen.forcing * before.norm : Math.max(enough, 1e-3 * chosen.forcing * before.norm)
      let end: string | undefined
      for (let inner = 0; inner < chosen.innerIterations; inner++) {
        const next = iteration.next()
        if (next.done) {
          end = next.value
          break
        }
        if (!(next.value > goal)) break
        yield { ...map.step, outer: outer - 1 }
      }
      iteration.return('exact')
      if (end === 'indefinite' && outer > 1 && !hasStep(delta)) return noCurvature()

      for (const row of system.contacts) if (!map.free[row]) delta[row] = -p[row]
      const { largestChange } = lineSearch(chosen, system, map, p, delta, run)
      yield { ...map.step, outer }
      const stop = chosen.termination === 'paper' ? paperTests(chosen, outer, before.merit, map.merit, largestChange) : undefined
      if (stop) return stop
      if (largestChange === 0 && map.merit >= before.merit)
        return { status: 'stagnated', message: 'The Newton step has become zero.' }
    }
  }
}

function hasStep(delta: Float64Array): boolean {
  return delta.some(value => value !== 0)
}

function noCurvature(): Ending {
  return { status: 'diverged', message: 'The Newton matrix is not positive definite: the inner method met no curvature.' }
}

/** Δ = 0 on free rows with residual r = A_AF p_F − w_A, where Δ_F = −p_F has been brought to the right-hand side (eq. 29). */
function newtonRightHandSide(
  system: System,
  free: Uint8Array,
  w: Float64Array,
  p: Float64Array,
  delta: Float64Array,
  r: Float64Array,
  run: Run,
): void {
  for (let row = 0; row < system.rows; row++) delta[row] = free[row] ? 0 : p[row]
  multiplyFree(system, free, delta, r)
  for (let row = 0; row < system.rows; row++) {
    r[row] = free[row] ? r[row] - w[row] : 0
    delta[row] = 0
  }
  projectSingular(system, r)
  run.work.add(nonZeros(system))
}

/** The unmasked factor is applied between two masks (eq. 45). */
function newtonOperator(
  system: System,
  free: Uint8Array,
  preconditioner: Preconditioner,
  masked: boolean,
  run: Run,
): LinearOperator {
  const operator = freeOperator(system, free, preconditioner, run)
  if (masked) return operator
  return {
    ...operator,
    precondition(r, z) {
      operator.precondition(r, z)
      for (let row = 0; row < z.length; row++) if (!free[row]) z[row] = 0
    },
  }
}

/** Eq. 32–34 and the cap on Newton steps. */
function paperTests(chosen: Options, outer: number, before: number, after: number, largestChange: number): Ending | undefined {
  const stop = (test: string): Ending => ({
    status: 'stagnated',
    message: `Stopped by the paper's ${test} test before the tolerance was met.`,
  })
  if (after < chosen.absolute) return stop('absolute')
  if (Math.abs(after - before) < chosen.relative * Math.abs(before)) return stop('relative')
  if (largestChange < chosen.stagnation) return stop('stagnation')
  if (outer >= chosen.newtonIterations)
    return { status: 'iteration-limit', message: `Not converged after ${outer} Newton iterations, the paper's limit.` }
  return undefined
}
