/** Policy iteration around multigrid: pin contacts, solve the linear system of the others by Galerkin V-cycles, and repeat. The outer
 *  loop, its guarantee and its differences from the paper are those of pi-pcg; the cycle is a contraction in the energy norm, so every
 *  inner solve ends. Lai 2020, Algorithm 1 with the multigrid of section 4.
 *  Differences: the paper leaves the weights beside walls unnormalised in its linear multigrid, here they are normalised, so that
 *  constants survive along walls; pinned contacts are left out of the coarse grids altogether; coarse cells that a wall cuts apart
 *  have an unknown for each part; and cycles are accelerated by conjugate directions unless `acceleration` is none. */

import type { CycleChoices } from '../multigrid/galerkin/cycle.js'
import { type GalerkinChoices, galerkinRoom } from '../multigrid/galerkin/hierarchy.js'
import { type Acceleration, conjugateCycles, createGalerkinPreconditioner, cycles } from '../multigrid/galerkin/inner.js'
import type { PressureProblem } from '../pressure/problem.js'
import { parseOptions } from './contract/options.js'
import { galerkinOptions, summarise } from './fas-mg.js'
import { accuracyOptions, type CreateInner } from './parts/inner-pcg.js'
import { policyIteration, policyOptions } from './pi-pcg.js'
import type { SolverEntry } from './registry.js'
import { createAlgebraicSolver } from './running/on-rows.js'

const options = { ...accuracyOptions, ...policyOptions, ...galerkinOptions } as const

export const piMg: SolverEntry<typeof options> = {
  name: 'pi-mg',
  title: 'Policy iteration around multigrid',
  separating: true,
  needsGrid: true,
  reference: 'Lai et al. 2020, Algorithm 1',
  options,
  create(given, engine = {}) {
    const chosen = parseOptions('pi-mg', options, given)
    const method = policyIteration(chosen, innerMultigrid(chosen))
    return createAlgebraicSolver('pi-mg', true, method, { needsGrid: true, engine, room: galerkinRoom(chosen) })
  },
}

/** Multigrid cycles as the linear solver of an outer loop; one iteration is one cycle. */
export function innerMultigrid(chosen: GalerkinChoices & CycleChoices & { readonly acceleration: Acceleration }): CreateInner {
  return ({ source, cells, buffers, work, showLevels }) => ({
    preconditioner: createGalerkinPreconditioner(
      { source: source as PressureProblem, cells: cells!, buffers, work, show: levels => showLevels(summarise(levels)) },
      chosen,
    ),
    method: chosen.acceleration === 'conjugate' ? conjugateCycles : cycles,
  })
}
