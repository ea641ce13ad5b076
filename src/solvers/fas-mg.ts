/** Full approximation scheme multigrid: projected Gauss–Seidel smooths the complementarity problem itself, coarser grids solve the
 *  same kind of problem for the full pressure, and only the change they make comes back. There is no inner linear solve and no
 *  outer loop; one iteration is one cycle. Lai 2020, Algorithm 3, with the choices of its Table 12 as options.
 *  Guarantee: none for plain cycles, as in the paper; with `acceleration` the energy ½ p·A p + b·p falls, if not in every iteration
 *  then within a few.
 *  Differences, and why:
 *  - contacts compare (A p + b)ᵢ with aᵢᵢ pᵢ, not with pᵢ: on coarse grids the printed form adds a divergence to a pressure, an error
 *    that grows with the square of the resolution and makes it stall or diverge on fine grids (`rows: literal` shows it);
 *  - a coarse unknown is a contact if any child is one, which the paper leaves open and which only works with scaled rows;
 *  - "same side of the solid" is decided by faces, not by the sign of the solid; air keeps its weight with the value 0;
 *  - coarse cells that a wall cuts apart have an unknown for each part (`cells: whole` for the paper's one);
 *  - the change of a cycle is used as a search direction, conjugate to the previous one, with the step that minimises the energy,
 *    which saves up to half of the cycles (`acceleration: none` for the paper's plain ones);
 *  - plain cycles can circle for ever between pinned sets, in mazes and narrow rooms where most coarse unknowns are contacts: a
 *    coarse cell with half of its contacts pinned still counts as free, so a room held only at its ceiling seems to float.
 *    Once a cycle leads uphill, coarse grids no longer judge contacts for themselves but solve the linear problem of the free
 *    ones, as in pi-mg, between projected sweeps of the finest grid. Whole walls are then pinned in one step. */

import { CYCLES, ORDERS } from '../multigrid/galerkin/cycle.js'
import { type AccelerationPoint, createConjugateDirections } from '../multigrid/galerkin/fas-acceleration.js'
import { createFasCycle, type FasCycle, ROW_SCALINGS } from '../multigrid/galerkin/fas-cycle.js'
import { COARSE_CELLS } from '../multigrid/galerkin/grouping.js'
import { buildGalerkin, COARSE_OPERATORS, type GalerkinLevel, galerkinRoom } from '../multigrid/galerkin/hierarchy.js'
import { ACCELERATIONS, createGalerkinPreconditioner, withPrefix } from '../multigrid/galerkin/inner.js'
import { BOUNDARIES, INTERPOLATIONS } from '../multigrid/galerkin/interpolation.js'
import type { PressureProblem } from '../pressure/problem.js'
import { nonZeros } from '../sparse/matrix.js'
import { type OptionValues, parseOptions } from './contract/options.js'
import type { LevelSummary } from './contract/solver.js'
import { naturalStep } from './parts/active-set.js'
import type { SolverEntry } from './registry.js'
import { createAlgebraicSolver, type Method, type Run } from './running/on-rows.js'
import { projectSingular, type System } from './running/system.js'

/** Options of the Galerkin hierarchy and its cycles, worded once. */
export const galerkinOptions = {
  interpolation: {
    type: 'choice',
    choices: INTERPOLATIONS,
    default: 'barycentric',
    about:
      'Coarse cells from which a fine cell is interpolated: the parent and its nearest neighbours, all around, or the parent alone.',
  },
  boundaries: {
    type: 'choice',
    choices: BOUNDARIES,
    default: 'one-sided',
    about: 'Interpolation respects walls, or ignores them.',
  },
  coarse: {
    type: 'choice',
    choices: COARSE_OPERATORS,
    default: 'galerkin',
    about: 'Coarse matrices: the product R A P, or the 5/7-point stencil with averaged open fractions.',
  },
  cells: {
    type: 'choice',
    choices: COARSE_CELLS,
    default: 'split',
    about: 'Coarse cells divided by a wall have one unknown per part, or one in total.',
  },
  preSweeps: { type: 'number', default: 2, min: 0, max: 100, integer: true, about: 'Sweeps before each coarse correction.' },
  postSweeps: { type: 'number', default: 2, min: 1, max: 100, integer: true, about: 'Sweeps after each coarse correction.' },
  cycle: { type: 'choice', choices: CYCLES, default: 'V', about: 'Shape of the cycle.' },
  order: {
    type: 'choice',
    choices: ORDERS,
    default: 'lexicographic',
    about: 'Order of the rows in a sweep; symmetric reverses it after the coarse correction.',
  },
  acceleration: {
    type: 'choice',
    choices: ACCELERATIONS,
    default: 'conjugate',
    about: 'Combine cycles by conjugate directions, or use plain cycles.',
  },
} as const

const options = {
  ...galerkinOptions,
  rows: {
    type: 'choice',
    choices: ROW_SCALINGS,
    default: 'scaled',
    about: 'Contacts compare A p + b with aᵢᵢ p, or with p as the paper prints it.',
  },
} as const

export const fasMg: SolverEntry<typeof options> = {
  name: 'fas-mg',
  title: 'Full approximation scheme multigrid',
  separating: true,
  needsGrid: true,
  reference: 'Lai et al. 2020, Algorithm 3',
  options,
  create(given, engine = {}) {
    const chosen = parseOptions('fas-mg', options, given)
    return createAlgebraicSolver('fas-mg', true, fullApproximation(chosen), {
      needsGrid: true,
      engine,
      room: galerkinRoom(chosen),
    })
  },
}

export function summarise(levels: readonly GalerkinLevel[]): LevelSummary[] {
  return levels.map(({ shape, A }) => ({ shape, unknowns: A.rows, nonZeros: A.rowStart[A.rows] }))
}

function fullApproximation(chosen: OptionValues<typeof options>): Method {
  return function* (system, p, run) {
    const { buffers, work } = run
    const { divergenceLeft } = buffers.loops
    const { rows } = system
    const input = { source: run.source as PressureProblem, cells: run.cells!, A: system, kind: system.kind }
    const { levels, touched } = buildGalerkin(input, chosen, buffers)
    work.add(touched)
    run.showLevels(summarise(levels))
    const cycle = createFasCycle(levels, system.b, chosen, buffers, work, r => projectSingular(system, r))
    const accelerate = chosen.acceleration === 'conjugate' ? acceleration(system, cycle, chosen, run) : undefined
    const next = { p, w: buffers.f64('fas.w', rows) }
    const last = { p: buffers.f64('fas.lastP', rows), w: buffers.f64('fas.lastW', rows) }
    // The energy is that of points within the bounds.
    for (const row of system.contacts) if (p[row] < 0) p[row] = 0
    divergenceLeft(system, p, next.w)
    for (;;) {
      last.p.set(p)
      last.w.set(next.w)
      if (accelerate) accelerate(last, next)
      else {
        cycle.run(p)
        divergenceLeft(system, p, next.w)
        work.add(nonZeros(system))
      }
      const verdict = yield naturalStep(system, next.w, p, run)
      if (verdict === 'recompute') divergenceLeft(system, p, next.w)
    }
  }
}

/** Steps shorter than this share of a cycle's own are limited by the bounds rather than by the energy. */
const SHORT = 0.5
/** Iterations after which steps uphill must have led below the energy where they began, the first one included. */
const TRIAL_CYCLES = 6
/** Sweeps of the finest grid in place of cycles that lead uphill. */
const SMOOTHING = 8

/** Cycles combined by conjugate directions. If one leads uphill, coarse grids disagree about which contacts are pinned, and would
 *  again; from then on they solve the linear problem of the set that the finest grid has pinned. If that pins many contacts at
 *  once, the energy rises before it falls, as in policy iteration: such a step is made in full, on trial. */
function acceleration(system: System, cycle: FasCycle, chosen: OptionValues<typeof options>, run: Run) {
  const { buffers, work } = run
  const { rows } = system
  const { divergenceLeft } = buffers.loops
  const directions = createConjugateDirections(system, buffers, work)
  const origin = { p: buffers.f64('fas.originP', rows), w: buffers.f64('fas.originW', rows) }
  let truncated: ((last: AccelerationPoint, p: Float64Array) => void) | undefined
  /** Iterations since `origin`, where steps began to lead uphill; 0 while the energy is the lowest so far. */
  let onTrial = 0
  let trusted = true

  function move(last: AccelerationPoint, next: AccelerationPoint): void {
    if (!truncated) {
      cycle.run(next.p)
      measure(next)
      // A step that overshoots is shortened; a scheme whose coarse grids are wrong about contacts is abandoned.
      if (!directions.rises(last, next) && directions.improve(last, next) > 0) return
      directions.reset()
      truncated = truncatedCycle(system, cycle, chosen, run)
      next.p.set(last.p)
    }
    truncated(last, next.p)
    measure(next)
    const step = directions.improve(last, next)
    if (step > (trusted ? SHORT : 0)) return
    if (!trusted) {
      smooth(last, next)
      return
    }
    directions.takeWhole(last, next)
    if (onTrial > 0) return
    origin.p.set(last.p)
    origin.w.set(last.w)
    onTrial = 1
  }
  function measure({ p, w }: AccelerationPoint): void {
    divergenceLeft(system, p, w)
    work.add(nonZeros(system))
  }
  function smooth(last: AccelerationPoint, next: AccelerationPoint): void {
    directions.reset()
    next.p.set(last.p)
    cycle.smooth(next.p, SMOOTHING)
    measure(next)
  }
  return (last: AccelerationPoint, next: AccelerationPoint): void => {
    move(last, next)
    if (onTrial === 0) return
    if (!directions.rises(origin, next)) onTrial = 0
    else if (onTrial++ === TRIAL_CYCLES) {
      onTrial = 0
      trusted = false
      smooth(origin, next)
    }
  }
}

/** A linear cycle for the contacts that are free, then sweeps in which contacts may change sides. */
function truncatedCycle(system: System, cycle: FasCycle, chosen: OptionValues<typeof options>, run: Run) {
  const { rows, contacts } = system
  const { work } = run
  const buffers = withPrefix(run.buffers, 'truncated.')
  const free = buffers.u8('free', rows)
  const r = buffers.f64('r', rows)
  const z = buffers.f64('z', rows)
  const { source, cells } = run
  const setting = { source: source as PressureProblem, cells: cells!, buffers, work, show: () => {} }
  const inner = createGalerkinPreconditioner(setting, chosen)
  return (last: AccelerationPoint, p: Float64Array): void => {
    free.fill(1)
    for (const row of contacts) if (last.p[row] === 0 && last.w[row] > 0) free[row] = 0
    inner.build(system, free)
    for (let row = 0; row < rows; row++) r[row] = free[row] ? -last.w[row] : 0
    projectSingular(system, r)
    inner.apply(r, z)
    for (let row = 0; row < rows; row++) p[row] = last.p[row] + z[row]
    for (const row of contacts) if (p[row] < 0) p[row] = 0
    cycle.smooth(p, chosen.postSweeps)
  }
}
