/** NAS-MGPCG, nested active-set multigrid PCG: conjugate gradients preconditioned by one V-cycle, in which the set of pinned
 *  contacts is updated after every iteration instead of after every solve, started from the answer on coarser grids.
 *  Ends for any diagonally dominant M-matrix in exact arithmetic: if the set has not settled after `freezeAfter` iterations it changes
 *  only between solved systems, which is policy iteration. In practice 6 to 20 iterations at any resolution, hardly more than the linear
 *  solve (no contacts); more where aggregates hide slivers and doors.
 *  Our own. Read iteration.ts first, then nested-start.ts and pinned-set.ts; the operations they use are those of multigrid/levels.ts, the
 *  levels those of multigrid/aggregate. */
import { parseOptions } from '../contract/options.js'
import type { SolverEntry } from '../registry.js'
import { createLevelsSolver } from '../running/on-levels.js'
import { iterateNested } from './iteration.js'

const options = {
  walls: {
    type: 'choice',
    choices: ['separating', 'sticking'],
    default: 'separating',
    about: 'sticking: the linear problem in which contacts are liquid.',
  },
  sweeps: {
    type: 'number',
    default: 0,
    min: 0,
    max: 100,
    integer: true,
    about: 'Red-black sweeps down and up on the finest level; 0: two, or one if most cells are contacts.',
  },
  coarseSweeps: { type: 'number', default: 2, min: 1, max: 100, integer: true, about: 'Sweeps down and up on coarser levels.' },
  cycle: {
    type: 'choice',
    choices: ['K', 'V'],
    default: 'K',
    about: 'K: two steps of conjugate gradients on small levels; V: every level once.',
  },
  precision: {
    type: 'choice',
    choices: ['mixed', 'double'],
    default: 'mixed',
    about: 'mixed: cycles in f32, pressure and residual in f64. The portable engine always computes in f64.',
  },
  nested: { type: 'flag', default: true, about: 'Compute the initial guess on coarser grids.' },
  freezeAfter: {
    type: 'number',
    default: 60,
    min: 0,
    integer: true,
    about: 'Iterations after which pinned contacts change only between solved systems.',
  },
} as const

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
    return createLevelsSolver(NAME, setting, {
      separating: chosen.walls === 'separating',
      precision: chosen.precision,
      iterate: (levels, target, progress) => iterateNested(levels, chosen, target, progress.work.add),
    })
  },
}
