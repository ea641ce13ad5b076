/** Full multigrid for separating walls: level set and open face fractions are averaged down to coarser grids, every level gets
 *  its own 5/7-point matrix, and the smoother is red-black projected Gauss–Seidel, p = max(p_min, …). The coarse levels learn
 *  which corrections contacts can bear from the largest p_min − p of the children. A fixed budget of 3 full and 4 V-cycles
 *  is what the paper spends (`mode` = `budget`); here the default is to cycle until the tolerance is met.
 *  Guarantee: with the safeguard the energy falls sufficiently in every cycle, so the method converges for every problem that has
 *  an answer; the number of cycles about doubles with the grid.
 *  Chentanez and Müller 2011 ("FMG" in Lai et al. 2020), Algorithms 1–3, eq. 5–20. Differences, because as printed the residual
 *  stalls near that of p = 0 (every one can be switched back):
 *  - `project` inside the sweep: clamping after both colours lets black cells see negative red ones, which is another fixed point.
 *  - `restrictPinned` zeroed: what pushes a pinned contact against its bound is no error and must not reach the coarse grid.
 *  - `thinCoarse` dirichlet: slivers that averaging leaves behind are nearly floating and would be corrected without end. Often it
 *    is faster without, and sometimes it does not converge then.
 *  - `floatingCoarse` balanced: sealed pockets leave singular coarse components, and what restriction spills across walls does
 *    not sum to 0 there, so sweeps would pump pressure into them.
 *  - `safeguard`: a cycle that does not lower the energy enough is shortened to where the energy is lowest; sweeps follow. When
 *    that happens to full cycles repeatedly, as in long channels, only V-cycles follow.
 *  - Cells in a solid do not affect averages of the level set, instead of being extrapolated into; 60 sweeps are the solve on the
 *    coarsest level; axes are halved as long as any is longer than 4, also where another has one cell only.
 *  - `contact` = `edges` is the paper's alternative condition on edges across the solid's surface, for comparison. The residual
 *    judges contacts at their centres and the answer returned is clamped there, so this mode ends when the pressure
 *    has settled, by status `stagnated`. */

import { cellPosition } from '../../grid/grid.js'
import { createCompiledLattices } from '../../multigrid/lattice/compiled.js'
import type { Lattices } from '../../multigrid/lattice/lattices.js'
import { createPortableLattices } from '../../multigrid/lattice/plain.js'
import { rediscretise, type WeightedLevel } from '../../multigrid/lattice/rediscretise.js'
import { type Lattice, latticeIndex, latticeIndices } from '../../multigrid/lattice/transfer.js'
import { isGridProblem, type PressureProblem } from '../../pressure/problem.js'
import type { Buffers } from '../../sparse/buffers.js'
import { type OptionValues, parseOptions } from '../contract/options.js'
import type { SolverEntry } from '../registry.js'
import { createAlgebraicSolver, type Ending, type Method, type Run, type Step, type Verdict } from '../running/on-rows.js'
import type { System } from '../running/system.js'
import { findBounded, linkBounds } from './bounds.js'
import { BOUNDED_VECTORS, COARSE_VECTORS, createCycle, FINEST_VECTORS } from './cycle.js'
import { type EdgeContacts, findEdges } from './edges.js'
import { createSafeguard, SAFEGUARD_VECTORS } from './safeguard.js'

const CM_MULTIGRID = 'cm-multigrid'

const count = (value: number, about: string, min = 0) =>
  ({ type: 'number', default: value, min, max: 1000, integer: true, about }) as const

const options = {
  mode: {
    type: 'choice',
    choices: ['tolerance', 'budget'],
    default: 'tolerance',
    about: 'Cycle until the tolerance is met, or for a fixed number of cycles as in the paper.',
  },
  cycle: { type: 'choice', choices: ['full', 'V'], default: 'full', about: 'Type of cycle in tolerance mode.' },
  numFull: count(3, 'Full cycles in budget mode.'),
  numV: count(4, 'V-cycles in budget mode, after the full ones.'),
  preSweeps: count(4, 'Sweeps before a coarse correction.'),
  postSweeps: count(4, 'Sweeps after a coarse correction.', 1),
  keepAirLevels: count(2, 'C: coarse levels on which air bubbles persist.'),
  keepContactLevels: count(3, 'S: coarse levels with contacts.'),
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
    about: 'Exclude the residual of pinned contacts from the coarse grid, or restrict it as in the paper.',
  },
  thinCoarse: {
    type: 'choice',
    choices: ['dirichlet', 'as-is'],
    default: 'dirichlet',
    about: 'Fix coarse cells with a third of the uncut diagonal or less at 0, or solve for them as in the paper.',
  },
  floatingCoarse: {
    type: 'choice',
    choices: ['balanced', 'as-is'],
    default: 'balanced',
    about: 'Remove the mean of the residual on coarse components without air, or leave them without a solution as in the paper.',
  },
  contact: {
    type: 'choice',
    choices: ['nodes', 'edges'],
    default: 'nodes',
    about: 'Where p ≥ 0 is required: at contact centres, or where the solid crosses the edges between them (for comparison).',
  },
  safeguard: { type: 'flag', default: true, about: 'Shorten a coarse correction that would increase the energy.' },
} as const

type Chosen = OptionValues<typeof options>

export const cmMultigrid: SolverEntry<typeof options> = {
  name: CM_MULTIGRID,
  title: 'Full multigrid with projected smoothing',
  separating: true,
  needsGrid: true,
  reference: 'Chentanez and Müller 2011; "FMG" in Lai et al. 2020',
  options,
  create(given, setting = {}) {
    const chosen = parseOptions(CM_MULTIGRID, options, given)
    // The condition on edges is there for comparison and has no compiled loops.
    const engine = chosen.contact === 'edges' ? undefined : setting
    return createAlgebraicSolver(CM_MULTIGRID, true, cycles(chosen), { needsGrid: true, ...(engine && { engine }) })
  },
}

/** Full cycles that the safeguard had to shorten before V-cycles continue alone. */
const CM_PATIENCE = 3

interface Hierarchy {
  readonly levels: readonly WeightedLevel[]
  /** Lattice index of every row. */
  readonly at: Int32Array
  readonly bounded: readonly Int32Array[]
  readonly edges: EdgeContacts | undefined
}

function cycles(chosen: Chosen): Method {
  return function* (system, p, run) {
    const { source, cells, buffers, machine } = run
    if (!isGridProblem(source) || !cells) throw new TypeError('cm-multigrid runs on grids only')
    const { keepAirLevels, keepContactLevels, thinCoarse } = chosen
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
    const contacts = buffers.i32('cm.bounded0', system.contacts.length)
    let inside = 0
    for (const row of system.contacts) if (!edges?.cells.has(cells[row])) contacts[inside++] = at[row]
    const bounded = findBounded(levels, contacts.subarray(0, inside), keepContactLevels, buffers)
    const hierarchy = { levels, at, bounded, edges }
    if (!machine) return yield* iterate(createPortableLattices(levels, buffers, 'cm'), hierarchy, chosen, system, p, run)
    const coarse = (depth: number) => (bounded[depth].length > 0 ? BOUNDED_VECTORS : COARSE_VECTORS)
    const compiled = levels.map((matrix, depth) => ({
      matrix,
      bounded: bounded[depth],
      vectors: depth === 0 ? FINEST_VECTORS + SAFEGUARD_VECTORS : coarse(depth),
    }))
    return yield* iterate(createCompiledLattices(machine, compiled, CM_MULTIGRID, buffers), hierarchy, chosen, system, p, run)
  }
}

function* iterate<Vector>(
  lattices: Lattices<Vector>,
  { levels, at, bounded, edges }: Hierarchy,
  chosen: Chosen,
  system: System,
  p: Float64Array,
  run: Run,
): Generator<Step, Ending, Verdict> {
  const cycle = createCycle(lattices, levels, linkBounds(lattices, levels, bounded, run.buffers), chosen, run, edges?.enforce)
  const places = lattices.places(0, at, run.buffers.i32('cm.places', at.length))
  const values = { p: lattices.values(0, cycle.p), b: lattices.values(0, cycle.b), lowest: lattices.values(0, cycle.lowest) }
  for (const place of cycle.bounded) values.lowest[place] = 0
  // The residual judges all contacts at their centres, whatever the cycles bound.
  const contacts = edges ? lattices.vector(0) : cycle.lowest
  if (edges) {
    lattices.values(0, contacts).fill(-Infinity)
    for (const row of system.contacts) lattices.values(0, contacts)[places[row]] = 0
  }
  for (let row = 0; row < places.length; row++) {
    const place = places[row]
    // A cell closed all around has no equation and perhaps no place.
    if (place < 0) continue
    values.b[place] = -system.b[row]
    values.p[place] = Math.max(values.lowest[place], p[row])
  }
  const handBack = () => {
    for (let row = 0; row < places.length; row++) if (places[row] >= 0) p[row] = values.p[places[row]]
  }
  const guard = createSafeguard(lattices, { ...levels[0], p: cycle.p, b: cycle.b, contacts }, run)
  const budget = chosen.mode === 'budget' ? chosen.numFull + chosen.numV : Infinity
  let harmfulFullCycles = 0
  try {
    for (let spent = 0; spent < budget; spent++) {
      const full = chosen.mode === 'budget' ? spent < chosen.numFull : chosen.cycle === 'full' && harmfulFullCycles < CM_PATIENCE
      if (full) cycle.fullCycle()
      else cycle.vCycle()
      // The condition on edges is not the one whose energy is watched.
      if (chosen.safeguard && !edges && !guard.accept()) {
        guard.shorten()
        cycle.smooth(chosen.preSweeps + chosen.postSweeps)
        if (full) harmfulFullCycles++
      }
      const change = edges ? guard.change() : Infinity
      const step = guard.next()
      if (step.residual <= system.target) handBack()
      yield step
      if (change <= system.target)
        return { status: 'stagnated', message: 'Converged with p ≥ 0 on edges; the residual measures contacts at their centres.' }
    }
  } finally {
    handBack()
  }
  return {
    status: 'iteration-limit',
    message: `Not converged within the budget of ${chosen.numFull} full and ${chosen.numV} V-cycles.`,
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
