/** Full multigrid for separating walls: level set and open face fractions are averaged down to coarser grids, every level gets
 *  its own 5/7-point matrix, and the smoother is red-black projected Gauss–Seidel, p = max(p_min, …). The coarse levels learn
 *  which corrections contacts can bear from the largest p_min − p of the children. A fixed budget of 3 full and 4 V-cycles
 *  is what the paper spends (`mode` = `budget`); here the default is to cycle until the tolerance is met.
 *  Guarantee: with the safeguard the energy falls sufficiently in every cycle, so the method converges for every problem that has
 *  an answer; the number of cycles about doubles with the grid.
 *  Chentanez and Müller 2011 («FMG» in Lai et al. 2020), Algorithms 1–3, eq. 5–20. Differences, because as printed the residual
 *  stalls near that of p = 0 (every one can be switched back):
 *  - `project` inside the sweep: clamping after both colours lets black cells see negative red ones, which is another fixed point.
 *  - `restrictPinned` zeroed: what pushes a pinned contact against its bound is no error and must not reach the coarse grid.
 *  - `thinCoarse` dirichlet: slivers that averaging leaves behind are nearly floating and would be corrected without end. Often it
 *    is faster without, and sometimes it does not converge then.
 *  - `floatingCoarse` balanced: sealed pockets leave singular coarse components, and what restriction spills across walls does
 *    not sum to 0 there, so sweeps would pump pressure into them.
 *  - `safeguard`: a cycle that does not lower the energy enough is shortened to where the energy is lowest; sweeps follow. When
 *    that happens to full cycles repeatedly, as in long channels, only V-cycles follow.
 *  - Cells in a solid have no say in averages of the level set, instead of being extrapolated into; 60 sweeps are the solve on the
 *    coarsest level; axes are halved as long as any is longer than 4, also where another has one cell only.
 *  - `contact` = `edges` is the paper's alternative condition on edges across the solid's surface, for comparison. The residual
 *    judges contacts at their centres and the answer handed back is clamped there, so this mode ends when the pressure
 *    has settled, by status `stagnated`. */
import { cellPosition } from '../grid/grid.js'
import { rediscretise } from '../multigrid/rediscretise.js'
import { type Lattice, latticeIndex, latticeIndices } from '../multigrid/transfer.js'
import { isGridProblem, type PressureProblem } from '../pressure/problem.js'
import type { Buffers } from '../sparse/buffers.js'
import { createAlgebraicSolver, type Method, type Run } from './algebraic.js'
import { createCycle } from './cm-cycle.js'
import { type EdgeContacts, findEdges } from './cm-edges.js'
import { createSafeguard } from './cm-safeguard.js'
import { type OptionValues, parseOptions } from './options.js'
import type { SolverEntry } from './registry.js'
import type { System } from './system.js'

const count = (value: number, about: string, min = 0) =>
  ({ type: 'number', default: value, min, max: 1000, integer: true, about }) as const

const options = {
  mode: {
    type: 'choice',
    choices: ['tolerance', 'budget'],
    default: 'tolerance',
    about: 'Cycle until the tolerance is met, or spend a fixed number of cycles as the paper does.',
  },
  cycle: { type: 'choice', choices: ['full', 'V'], default: 'full', about: 'Cycle of the tolerance mode.' },
  numFull: count(3, 'Full cycles of the budget.'),
  numV: count(4, 'V-cycles of the budget, after the full ones.'),
  preSweeps: count(4, 'Sweeps before a coarse correction.'),
  postSweeps: count(4, 'Sweeps after a coarse correction.', 1),
  keepAirLevels: count(2, 'C: coarse levels on which air bubbles persist.'),
  keepContactLevels: count(3, 'S: coarse levels that know of contacts.'),
  project: {
    type: 'choice',
    choices: ['inside', 'after'],
    default: 'inside',
    about: 'Clamp a contact when it is written, or all of them after the red and black pass as in the paper.',
  },
  restrictPinned: {
    type: 'choice',
    choices: ['zeroed', 'raw'],
    default: 'zeroed',
    about: 'Keep the residual of pinned contacts from the coarse grid, or restrict it as in the paper.',
  },
  thinCoarse: {
    type: 'choice',
    choices: ['dirichlet', 'as-is'],
    default: 'dirichlet',
    about: 'Hold coarse cells with a third of the uncut diagonal or less at 0, or solve for them as in the paper.',
  },
  floatingCoarse: {
    type: 'choice',
    choices: ['balanced', 'as-is'],
    default: 'balanced',
    about:
      'Take the mean out of the residual on coarse components without air, or leave them without a solution as in the paper.',
  },
  contact: {
    type: 'choice',
    choices: ['nodes', 'edges'],
    default: 'nodes',
    about: 'Where p ≥ 0 is asked: at contact centres, or where the solid crosses the edges between them (for comparison).',
  },
  safeguard: { type: 'flag', default: true, about: 'Shorten a coarse correction that would raise the energy.' },
} as const

type Chosen = OptionValues<typeof options>

export const cmMultigrid: SolverEntry<typeof options> = {
  name: 'cm-multigrid',
  title: 'Full multigrid with projected smoothing',
  separating: true,
  needsGrid: true,
  reference: 'Chentanez and Müller 2011; «FMG» in Lai et al. 2020',
  options,
  create: given =>
    createAlgebraicSolver('cm-multigrid', true, cycles(parseOptions('cm-multigrid', options, given)), { needsGrid: true }),
}

/** Full cycles that the safeguard had to shorten before V-cycles go on alone. */
const PATIENCE = 3

function cycles(chosen: Chosen): Method {
  return function* (system, p, run) {
    const cycle = prepare(system, p, chosen, run)
    const guard = createSafeguard(system, p, run)
    const edges = chosen.contact === 'edges'
    const budget = chosen.mode === 'budget' ? chosen.numFull + chosen.numV : Infinity
    let harmfulFullCycles = 0
    for (let spent = 0; spent < budget; spent++) {
      const full = chosen.mode === 'budget' ? spent < chosen.numFull : chosen.cycle === 'full' && harmfulFullCycles < PATIENCE
      cycle.run(full)
      // The condition on edges is not the one whose energy is watched.
      if (chosen.safeguard && !edges && !guard.accept()) {
        guard.shorten()
        cycle.smooth(chosen.preSweeps + chosen.postSweeps)
        if (full) harmfulFullCycles++
      }
      const change = edges ? guard.change() : Infinity
      yield guard.next()
      if (change <= system.target)
        return { status: 'stagnated', message: 'Settled with p ≥ 0 on edges; the residual judges contacts at their centres.' }
    }
    return {
      status: 'iteration-limit',
      message: `Not converged within the budget of ${chosen.numFull} full and ${chosen.numV} V-cycles.`,
    }
  }
}

function prepare(system: System, p: Float64Array, chosen: Chosen, run: Run) {
  const { source, cells, buffers } = run
  if (!isGridProblem(source) || !cells) throw new TypeError('cm-multigrid runs on grids only')
  const { keepAirLevels, thinCoarse } = chosen
  const levels = rediscretise(source, { keepAirLevels, thinDirichlet: thinCoarse === 'dirichlet' }, buffers)
  run.showLevels(
    levels.map(({ lattice, cells: unknowns, nonZeros: own }) => ({
      shape: lattice.shape.slice(0, source.grid.dims),
      unknowns: unknowns.length,
      nonZeros: own,
    })),
  )
  const { lattice } = levels[0]
  const at = latticeIndices(source.grid, lattice, cells, buffers.i32('cm.at', system.rows))
  const edges = chosen.contact === 'edges' ? edgesOf(system, source, cells, lattice, buffers) : undefined
  const cycle = createCycle(levels, chosen, run, edges?.enforce)
  const { finest } = cycle
  for (const row of system.contacts) {
    if (edges?.cells.has(cells[row])) continue
    finest.lowest[at[row]] = 0
    p[row] = Math.max(0, p[row])
  }
  for (let row = 0; row < system.rows; row++) finest.b[at[row]] = -system.b[row]
  const through = (work: () => void) => {
    for (let row = 0; row < at.length; row++) finest.p[at[row]] = p[row]
    work()
    for (let row = 0; row < at.length; row++) p[row] = finest.p[at[row]]
  }
  return {
    run: (full: boolean) => through(full ? cycle.fullCycle : cycle.vCycle),
    smooth: (sweeps: number) => through(() => cycle.smooth(sweeps)),
  }
}

function edgesOf(
  { contacts }: System,
  source: PressureProblem,
  cells: Int32Array,
  lattice: Lattice,
  buffers: Buffers,
): EdgeContacts {
  const contact = buffers.u8('cm.contact', source.grid.cells).fill(0)
  for (const row of contacts) contact[cells[row]] = 1
  return findEdges(source, contact, cell => latticeIndex(lattice, ...cellPosition(source.grid, cell)))
}
