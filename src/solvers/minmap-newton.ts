/** Minimum-map Newton: solves H(p) = min(A p + b, a p) = 0 by Newton steps on the rows where the first term is the smaller one,
 *  with a projected Armijo line search on ½‖H‖². Andersen 2017, Algorithms 1 and 2, extended to the mixed problem.
 *  Differences: eq. 47 of the paper is inverted, rows outside the walls belong to the always-linear set; H is row-scaled unless
 *  `rows` is `literal`; a failed line search takes the full step, which is policy iteration and so still ends for M-matrices;
 *  preconditioning works when the factor is built on the masked matrix (`mask`), it fails with the paper's unmasked one. */
import { KRYLOV_METHODS, krylov, type LinearOperator } from '../sparse/krylov.js'
import { divergenceLeft, dot, multiplyFree, nonZeros } from '../sparse/matrix.js'
import type { Preconditioner } from '../sparse/preconditioners/preconditioner.js'
import { type OptionValues, parseOptions } from './contract/options.js'
import { choosePreconditioner, preconditionerOptions } from './contract/preconditioner-options.js'
import { freeOperator, keepExpandingPinned, naturalStep } from './parts/active-set.js'
import { sweep } from './psor.js'
import type { SolverEntry } from './registry.js'
import { createAlgebraicSolver, type Ending, type Method, type Run } from './running/on-rows.js'
import { projectSingular, type System } from './running/system.js'

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
    choices: ['given', 'zero', 'psor', 'projected-gradient'],
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

/** Steps of the cheap methods that may supply a starting iterate, as many as in the paper. */
const STARTING_STEPS = 10

function newton(chosen: Options): Method {
  return function* (system, p, run) {
    const map = createMinimumMap(system, chosen.rows === 'scaled', run)
    const { buffers } = run
    const delta = buffers.f64('newton.delta', system.rows)
    const r = buffers.f64('newton.r', system.rows)
    const preconditioner = choosePreconditioner(chosen, run)
    const operator = newtonOperator(system, map.free, preconditioner, chosen.mask === 'masked', run)
    if (chosen.mask === 'unmasked') preconditioner.build(system, buffers.u8('newton.all', system.rows).fill(1))
    chooseStart(chosen.start, system, p, run)

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

/** H and the split of the rows at a point, evaluated together. */
function createMinimumMap(system: System, scaled: boolean, run: Run) {
  const { rows, contacts, values, diagonalAt } = system
  const w = run.buffers.f64('newton.w', rows)
  const H = run.buffers.f64('newton.H', rows)
  const free = run.buffers.u8('newton.free', rows)
  const map = {
    w,
    H,
    /** 0 on contacts where the pressure is the smaller term. */
    free,
    merit: 0,
    /** Natural residual and pinned contacts, row-scaled whatever the rows of H. */
    step: { residual: 0, pinned: 0 },
    weight: (row: number) => (scaled ? values[diagonalAt[row]] : 1),
    evaluate(p: Float64Array): void {
      divergenceLeft(system, p, w)
      run.work.add(nonZeros(system))
      H.set(w)
      free.fill(1)
      for (const row of contacts) {
        const term = map.weight(row) * p[row]
        if (w[row] < term) continue
        H[row] = term
        // Ties count as linear rows: a zero row pinned at p = 0 would only be freed again.
        if (w[row] > term) free[row] = 0
      }
      map.step = naturalStep(system, w, p, run)
      map.merit = 0.5 * dot(H, H)
    },
  }
  return map
}

type MinimumMap = ReturnType<typeof createMinimumMap>

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

/** Moves p along Δ and leaves the map evaluated there. Contacts are projected to p ≥ 0 at every trial. */
function lineSearch(
  chosen: Options,
  system: System,
  map: MinimumMap,
  p: Float64Array,
  delta: Float64Array,
  run: Run,
): { largestChange: number } {
  const { rows, contacts } = system
  const start = run.buffers.f64('newton.start', rows)
  start.set(p)
  const before = map.merit
  const slope = directionalDerivative(system, map, delta, run)
  const moveTo = (step: number, projected: boolean) => {
    for (let row = 0; row < rows; row++) p[row] = start[row] + step * delta[row]
    if (projected) for (const row of contacts) if (p[row] < 0) p[row] = 0
    map.evaluate(p)
  }
  let found = false
  let step = 1
  for (let tries = 0; tries < chosen.lineSearchSteps && !found && step > 1e-10; tries++, step *= chosen.stepReduction) {
    moveTo(step, true)
    found = map.merit <= before + chosen.sufficientDecrease * step * Math.min(slope, 0)
  }
  if (!found) moveTo(1, false)
  let largestChange = 0
  for (let row = 0; row < rows; row++) largestChange = Math.max(largestChange, Math.abs(p[row] - start[row]))
  return { largestChange }
}

/** Hᵀ BH(p, Δ), eq. 19. */
function directionalDerivative(system: System, map: MinimumMap, delta: Float64Array, run: Run): number {
  const v = run.buffers.f64('newton.v', system.rows)
  multiplyFree(system, map.free, delta, v)
  run.work.add(nonZeros(system))
  for (const row of system.contacts) if (!map.free[row]) v[row] = map.weight(row) * delta[row]
  return dot(map.H, v)
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

function chooseStart(start: Options['start'], system: System, p: Float64Array, { buffers }: Run): void {
  if (start === 'given') return
  p.fill(0)
  if (start === 'psor') for (let step = 0; step < STARTING_STEPS; step++) sweep(system, p, 1)
  if (start === 'projected-gradient')
    for (let step = 0; step < STARTING_STEPS; step++) projectedGradientStep(system, p, buffers.f64('newton.v', system.rows))
}

/** One diagonally scaled gradient step, projected: Jacobi's half step, which cannot overshoot for an M-matrix. `w` is scratch. */
function projectedGradientStep(system: System, p: Float64Array, w: Float64Array): void {
  divergenceLeft(system, p, w)
  for (let row = 0; row < system.rows; row++) p[row] -= (0.5 * w[row]) / system.values[system.diagonalAt[row]]
  for (const row of system.contacts) if (p[row] < 0) p[row] = 0
}
