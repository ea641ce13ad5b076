/** NAS-MGPCG, nested active-set multigrid PCG: conjugate gradients preconditioned by one V-cycle, in which the set of pinned
 *  contacts is updated after every iteration instead of after every solve, started from the answer on coarser grids.
 *  Ends for any M-matrix: if the set has not settled after `freezeAfter` iterations it changes only between solved systems, which
 *  is policy iteration. In practice 8 to 20 iterations at any resolution, hardly more than the linear solve (no contacts).
 *  Our own; its levels are those of multigrid/aggregate.ts. */
import { chooseEngine } from '../engine/setting.js'
import { buildHierarchy, finestLevel, summarise } from '../multigrid/aggregate.js'
import { DENSE_ROWS } from '../multigrid/portable-levels.js'
import { isGridProblem } from '../pressure/problem.js'
import { createAlgebraicSolver, type Method, type Verdict } from './algebraic.js'
import { createNestedSolver } from './nas-iteration.js'
import { colourRows, levelProblem } from './nas-levels.js'
import { createPortableProblem } from './nas-portable.js'
import { createEngineSolver } from './on-engine.js'
import { type OptionValues, parseOptions } from './options.js'
import type { SolverEntry } from './registry.js'
import { withSecondTry } from './second-try.js'

const options = {
  walls: {
    type: 'choice',
    choices: ['separating', 'sticking'],
    default: 'separating',
    about: 'sticking: its linear twin, in which contacts are liquid.',
  },
  sweeps: {
    type: 'number',
    default: 0,
    min: 0,
    max: 100,
    integer: true,
    about: 'Red-black sweeps down and up on the finest level; 0: two, or one where most cells are contacts.',
  },
  coarseSweeps: { type: 'number', default: 2, min: 1, max: 100, integer: true, about: 'Sweeps down and up on coarser levels.' },
  cycle: {
    type: 'choice',
    choices: ['K', 'V'],
    default: 'K',
    about: 'Visit small levels twice with conjugate gradients in between, or every level once.',
  },
  precision: {
    type: 'choice',
    choices: ['mixed', 'double'],
    default: 'mixed',
    about: 'mixed: cycles in f32, pressure and residual in f64. The portable engine always computes in f64.',
  },
  nested: { type: 'flag', default: true, about: 'Start from the answer on coarser grids.' },
  freezeAfter: {
    type: 'number',
    default: 60,
    min: 0,
    integer: true,
    about: 'Iterations after which pinned contacts change only between solved systems.',
  },
} as const

type Options = OptionValues<typeof options>

const NAME = 'nas-mgpcg'

export const nasMgpcg: SolverEntry<typeof options> = {
  name: NAME,
  title: 'Nested active-set multigrid PCG',
  separating: true,
  needsGrid: true,
  reference: 'Our own; docs/solvers.md',
  options,
  create(given, setting = {}) {
    const chosen = parseOptions(NAME, options, given)
    const separating = chosen.walls === 'separating'
    if (!chooseEngine(setting, Infinity).compiled)
      return createAlgebraicSolver(NAME, separating, nestedActiveSet(chosen), { needsGrid: true })
    const create = (wide: boolean) =>
      createEngineSolver(NAME, setting, {
        separating,
        wide,
        iterate: (levels, target, progress) => createNestedSolver(levels, chosen, progress.work.add)(target),
      })
    if (chosen.precision === 'double') return create(true)
    return withSecondTry(create(false), () => create(true), WIDENED)
  },
}

/** f32 holds seven digits. A problem that needs more is not given up. */
const WIDENED = 'Cycles in f32 lost their way; it was solved in f64 from there on.'

function nestedActiveSet(chosen: Options): Method {
  return function* (system, p, run) {
    const coloured = colourRows(system, run)
    const levels = buildHierarchy(finestLevel(coloured), DENSE_ROWS)
    run.showLevels(summarise(levels, isGridProblem(run.source) ? run.source.grid.dims : 3))
    const { rowOf } = coloured
    const pressure = Float64Array.from(rowOf, row => p[row])
    const problem = createPortableProblem(levels, levelProblem(levels[0], coloured.contact, coloured.b, pressure), coloured)
    const iteration = createNestedSolver(problem, chosen, run.work.add)(system.target)
    const handBack = () => {
      for (let at = 0; at < rowOf.length; at++) p[rowOf[at]] = pressure[at]
    }
    try {
      for (let verdict: Verdict = 'continue'; ; ) {
        const next = iteration.next(verdict)
        if (next.done) return next.value
        // The driver looks at p only when it is told that the target is met, or at the end.
        if (next.value.residual <= system.target) handBack()
        verdict = yield next.value
      }
    } finally {
      handBack()
    }
  }
}
