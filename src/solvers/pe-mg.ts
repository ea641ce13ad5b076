/** The penalty method around multigrid: contacts with negative pressure get a huge diagonal, and the linear system is solved by
 *  Galerkin V-cycles until the same contacts are penalised. Outer loop, guarantee and choice of the penalty are those of pe-pcg.
 *  Lai 2020, Algorithm 2 with the multigrid of section 4. The penalty enters the coarse matrices unchanged, as in the paper, and
 *  there pins coarse unknowns that also serve free cells: a disadvantage compared with pi-mg, which leaves such contacts out.
 *  Differences: weights beside walls are normalised, coarse cells split and cycles accelerated, as in pi-mg and for its reasons. */
import { galerkinRoom } from '../multigrid/galerkin/hierarchy.js'
import { parseOptions } from './contract/options.js'
import { galerkinOptions } from './fas-mg.js'
import { accuracyOptions } from './parts/inner-pcg.js'
import { penaltyMethod, penaltyOptions } from './pe-pcg.js'
import { innerMultigrid } from './pi-mg.js'
import type { SolverEntry } from './registry.js'
import { createAlgebraicSolver } from './running/on-rows.js'

const options = { ...accuracyOptions, ...penaltyOptions, ...galerkinOptions } as const

export const peMg: SolverEntry<typeof options> = {
  name: 'pe-mg',
  title: 'Penalty method around multigrid',
  separating: true,
  needsGrid: true,
  reference: 'Lai et al. 2020, Algorithm 2',
  options,
  create(given, engine = {}) {
    const chosen = parseOptions('pe-mg', options, given)
    const method = penaltyMethod(chosen, innerMultigrid(chosen))
    return createAlgebraicSolver('pe-mg', true, method, { needsGrid: true, engine, room: galerkinRoom(chosen) })
  },
}
